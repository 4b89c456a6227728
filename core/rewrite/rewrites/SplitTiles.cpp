// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;

class SplitTiles final : public Rewrite
{
public:
    std::string_view name() const override { return "split-tiles"; }
    std::string_view precondition() const override
    {
        return "a tensor in SBUF has a free axis of which every access takes one position only, "
               "and another free axis besides";
    }
    std::string_view reason() const override
    {
        return "the compiler keeps or spills whole tiles: with that axis in front of the "
               "partitions each position is a tile of its own, and only those in use need stay on "
               "the chip";
    }
    std::string_view counters() const override
    {
        return "spill_save_bytes and spill_reload_bytes down, dma_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"block axis", "block dimension", "smaller tiles", "split the tile"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        const auto nest = wholeNest(model);
        // In order of the text.
        std::map<int, std::string> names;
        for (const auto &[name, declaration] : model.declarations())
            names[declaration.statement] = name;
        for (const auto &[statement, name] : names) {
            const Declaration &declaration = model.declarations().at(name);
            const auto first = static_cast<std::size_t>(declaration.partitionAxis) + 1;
            if (declaration.memory != "sbuf" || declaration.dimensions.size() < first + 2)
                continue;
            for (std::size_t axis = first; axis < declaration.dimensions.size(); ++axis)
                if (alwaysOnePosition(model, name, declaration, axis))
                    result.push_back(propose(model, name, declaration, axis, nest));
        }
        return result;
    }

private:
    static bool alwaysOnePosition(const KernelModel &model, const std::string &name,
                                  const Declaration &declaration, std::size_t axis)
    {
        const auto accesses = everyAccess(model, name);
        return accesses &&
               std::all_of(accesses->begin(), accesses->end(), [&](const Access &access) {
                   return !access.whole && access.indices.size() == declaration.dimensions.size() &&
                          access.indices[axis].known && access.indices[axis].lanes.empty();
               });
    }

    // Moves the text of entry `axis` of a list in front of entry `to`.
    static void moveEntry(const KernelModel &model, SourceEdits &edits,
                          const std::vector<NodeId> &entries, std::size_t axis, std::size_t to)
    {
        const nki::SyntaxTree &tree = model.tree();
        const auto begin = [&](NodeId node) {
            return tree.offset(tree[node].place.line, tree[node].place.column);
        };
        const auto end = [&](NodeId node) {
            return tree.offset(tree[node].place.endLine, tree[node].place.endColumn);
        };
        edits.replace(begin(entries[to]), begin(entries[to]),
                      std::string(model.text(entries[axis])) + ", ");
        edits.replace(end(entries[axis - 1]), end(entries[axis]), "");
    }

    static Proposal propose(const KernelModel &model, const std::string &name,
                            const Declaration &declaration, std::size_t axis,
                            const std::optional<std::vector<LoopNode>> &nest)
    {
        Proposal proposal = proposalAt(model, declaration.statement);
        proposal.parameters["axis"] = axis;
        const auto to = static_cast<std::size_t>(declaration.partitionAxis);
        moveEntry(model, proposal.edits, declaration.dimensionNodes, axis, to);
        const std::vector<Access> accesses =
            everyAccess(model, name).value_or(std::vector<Access>{});
        for (const Access &access : accesses) {
            std::vector<NodeId> entries;
            for (const AxisIndex &index : access.indices)
                entries.push_back(index.node);
            moveEntry(model, proposal.edits, entries, axis, to);
        }
        if (nest) {
            const double before = residenceOf(model, *nest).spillMs;
            proposal.change.dma = residenceOf(model, *nest, {name, axis}).spillMs - before;
        }
        proposal.opens = "loops that use one position of the axis at a time can be fused or moved "
                         "without keeping the others on the chip";
        const std::string extent = declaration.dimensions[axis].text();
        proposal.title = fmt::format("Make axis {} of {} a block axis", axis, name);
        proposal.prose = fmt::format(
            "Every access to {} ({}) takes one position of its axis {} ({} positions). Move that "
            "axis in front of the partition axis, in the declaration and in every index, so that "
            "each position is a tile of {:.0f} bytes per partition instead of a part of one.",
            name, lineOf(model, declaration.statement), axis, extent,
            declaration.tile.width() * 4 /
                static_cast<double>(declaration.dimensions[axis].constant().value_or(1)));
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeSplitTiles()
{
    return std::make_unique<SplitTiles>();
}

} // namespace accelopt::rewrite
