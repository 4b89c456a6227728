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
using nki::NodeKind;

// Narrower transfers than this waste the DMA engines.
constexpr std::int64_t kNarrowestBlock = 128;

class CutTiles final : public Rewrite
{
public:
    std::string_view name() const override { return "cut-tiles"; }
    std::string_view precondition() const override
    {
        return "a tensor in SBUF is filled by one load of whole rows, every use takes a part of a "
               "row that lies in one of equal blocks, and the kernel keeps more than SBUF holds";
    }
    std::string_view reason() const override
    {
        return "the compiler keeps or spills whole tiles: cut into the blocks that are used, only "
               "those of the present passes need stay on the chip";
    }
    std::string_view counters() const override
    {
        return "spill_reload_bytes and hbm_read_bytes down once the loops follow the blocks; "
               "dma_transfer_count up";
    }
    std::vector<std::string> keywords() const override
    {
        return {"cut the tile", "blocks of columns", "column blocks", "halve the tile"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        const auto nest = wholeNest(model);
        if (!nest)
            return result;
        const Residence now = residenceOf(model, *nest);
        if (now.bytesPerPartition <= kUsableBytes)
            return result;
        // In order of the text.
        std::map<int, std::string> names;
        for (const auto &[name, declaration] : model.declarations())
            names[declaration.statement] = name;
        for (const auto &[statement, name] : names)
            propose(model, name, now, result);
        return result;
    }

private:
    // An index of the free axis as block and place in it.
    struct Split
    {
        Symbolic block;
        Symbolic start;
        std::int64_t width = 0;
    };

    static std::optional<std::int64_t> widthOf(const AxisIndex &index)
    {
        if (!index.known || index.lanes.size() != 1 || index.lanes[0].stride != 1 ||
            index.lanes[0].axis != 1)
            return std::nullopt;
        return index.lanes[0].size.constant();
    }

    // Nothing when the part may reach into a second block.
    static std::optional<Split> split(const KernelModel &model, const AxisIndex &index,
                                      int statement, std::int64_t block)
    {
        const auto width = widthOf(index);
        const auto terms = index.offset.linear();
        if (!width || !terms)
            return std::nullopt;
        Split result;
        result.width = *width;
        std::int64_t last = *width;
        for (const auto &[name, factor] : *terms) {
            const Symbolic unit = name.empty() ? Symbolic(1) : Symbolic::named(name);
            const bool whole = factor % block == 0;
            const auto term = Symbolic::product(unit, Symbolic(whole ? factor / block : factor));
            Symbolic &sum = whole ? result.block : result.start;
            const auto next = term ? Symbolic::sum(sum, *term) : std::nullopt;
            if (factor < 0 || !next)
                return std::nullopt;
            sum = *next;
            if (whole)
                continue;
            std::int64_t most = 1;
            if (!name.empty()) {
                std::optional<std::int64_t> trips;
                for (const int loop : model.loopsAround(statement))
                    if (model.loops()[static_cast<std::size_t>(loop)].variable == name && !trips)
                        trips = model.trips(loop);
                if (!trips)
                    return std::nullopt;
                most = *trips - 1;
            }
            last += factor * most;
        }
        return last <= block ? std::optional(result) : std::nullopt;
    }

    // The number in nl.arange(number) that says how long the part is.
    static NodeId lengthNode(const KernelModel &model, NodeId index, std::int64_t width)
    {
        const nki::SyntaxTree &tree = model.tree();
        if (tree[index].kind == NodeKind::Call && tree[index].children.size() == 2 &&
            tree[tree[index].children[1]].kind == NodeKind::Constant &&
            model.text(tree[index].children[1]) == std::to_string(width) &&
            model.text(tree[index].children[0]).ends_with("arange"))
            return tree[index].children[1];
        for (const NodeId child : tree[index].children)
            if (const NodeId found = lengthNode(model, child, width); found >= 0)
                return found;
        return -1;
    }

    struct Use
    {
        int statement = -1;
        Access access;
    };

    static std::vector<Use> usesOf(const KernelModel &model, const std::string &name)
    {
        std::vector<Use> result;
        for (std::size_t id = 0; id < model.statements().size(); ++id) {
            const Statement &statement = model.statements()[id];
            if (statement.hasBody ||
                (statement.operation && statement.operation->kind == OperationKind::Declare))
                continue;
            for (const Touch &touch : statement.touches)
                if (touch.access.base == name &&
                    std::none_of(result.begin(), result.end(), [&](const Use &use) {
                        return use.access.node == touch.access.node;
                    }))
                    result.push_back({static_cast<int>(id), touch.access});
        }
        return result;
    }

    static void propose(const KernelModel &model, const std::string &name, const Residence &now,
                        std::vector<Proposal> &result)
    {
        const Declaration &declaration = model.declarations().at(name);
        const std::size_t rank = declaration.dimensions.size();
        const auto whole = rank == 0 ? std::nullopt : declaration.dimensions.back().constant();
        if (declaration.memory != "sbuf" || !whole || rank < 2 ||
            static_cast<std::size_t>(declaration.partitionAxis) + 2 != rank ||
            !everyAccess(model, name))
            return;
        std::vector<Use> readers;
        int load = -1;
        for (Use &use : usesOf(model, name)) {
            const Statement &statement = model.statement(use.statement);
            const auto width = use.access.indices.size() == rank
                                   ? widthOf(use.access.indices.back())
                                   : std::nullopt;
            if (!width)
                return;
            if (!statement.writes.contains(name)) {
                readers.push_back(std::move(use));
                continue;
            }
            const nki::Node &node = model.tree()[statement.node];
            if (load >= 0 || !statement.operation || !statement.operation->plain ||
                statement.operation->kind != OperationKind::Load || statement.augmented ||
                statement.operation->mask >= 0 || *width != *whole ||
                !(use.access.indices.back().offset == Symbolic(0)) ||
                node.place.line != node.place.endLine)
                return;
            load = use.statement;
        }
        if (load < 0 || readers.empty())
            return;
        // The parts that uses take, and what those are parts of.
        std::vector<std::int64_t> blocks;
        for (const Use &reader : readers) {
            blocks.push_back(*widthOf(reader.access.indices.back()));
            if (const auto terms = reader.access.indices.back().offset.linear())
                for (const auto &[variable, factor] : *terms)
                    blocks.push_back(factor);
        }
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        for (const std::int64_t block : blocks)
            if (block >= kNarrowestBlock && block < *whole && *whole % block == 0)
                if (auto proposal = cut(model, name, load, readers, block)) {
                    // Of what is moved for want of room, the part that the other blocks take up.
                    double held = static_cast<double>(*whole - block) * 4;
                    for (std::size_t i = 0; i + 2 < rank; ++i)
                        held *=
                            static_cast<double>(declaration.dimensions[i].constant().value_or(1));
                    proposal->change.dma -=
                        now.spillMs * std::min(held / now.bytesPerPartition, 1.0) / 2;
                    result.push_back(std::move(*proposal));
                }
    }

    static std::optional<Proposal> cut(const KernelModel &model, const std::string &name, int load,
                                       const std::vector<Use> &readers, std::int64_t block)
    {
        const nki::SyntaxTree &tree = model.tree();
        const Declaration &declaration = model.declarations().at(name);
        const auto partition = static_cast<std::size_t>(declaration.partitionAxis);
        const std::int64_t whole = *declaration.dimensions.back().constant();
        const std::int64_t count = whole / block;
        const auto begin = [&](NodeId node) {
            return tree.offset(tree[node].place.line, tree[node].place.column);
        };
        Proposal proposal = proposalAt(model, declaration.statement);
        proposal.parameters["block"] = block;
        const NodeId rows = declaration.dimensionNodes[partition];
        proposal.edits.replace(begin(rows), begin(rows), fmt::format("{}, ", count));
        proposal.edits.replace(declaration.dimensionNodes.back(), std::to_string(block));
        bool follows = false;
        for (const Use &reader : readers) {
            const AxisIndex &last = reader.access.indices.back();
            const auto parts = split(model, last, reader.statement, block);
            if (!parts)
                return std::nullopt;
            follows = follows || !parts->block.constant();
            const std::string start =
                parts->start == Symbolic(0) ? std::string() : parts->start.text() + " + ";
            const std::string text =
                tree[last.node].kind == NodeKind::Slice
                    ? fmt::format("{}:{}{}", parts->start.text(), start, parts->width)
                    : fmt::format("{}{}({})[None, :]", start,
                                  spelled(model, proposal.edits, "nl.arange"), parts->width);
            const NodeId at = reader.access.indices[partition].node;
            proposal.edits.replace(begin(at), begin(at), parts->block.text() + ", ");
            proposal.edits.replace(last.node, text);
        }
        if (!follows)
            return std::nullopt;
        // The load becomes a loop over the blocks.
        const Statement &statement = model.statement(load);
        const Access &source = statement.operation->data[0].access;
        const Access &target = statement.destination;
        if (source.indices.empty() || widthOf(source.indices.back()) != whole)
            return std::nullopt;
        const NodeId from = source.indices.back().node;
        const NodeId to = target.indices.back().node;
        const NodeId fromLength = lengthNode(model, from, whole);
        const NodeId toLength = lengthNode(model, to, whole);
        if (fromLength < 0 || toLength < 0)
            return std::nullopt;
        const std::string variable = model.freshName("block");
        const NodeId at = target.indices[partition].node;
        const std::string narrow = std::to_string(block);
        const std::string inner =
            textWith(model, statement.node,
                     {{at, fmt::format("{}, {}", variable, model.text(at))},
                      {toLength, narrow},
                      {from, fmt::format("{} * {} + {}", block, variable,
                                         textWith(model, from, {{fromLength, narrow}}))}});
        const std::string indent = proposal.edits.indentation(statement.node);
        const std::string newLine = tree.source().find("\r\n") == std::string::npos ? "\n" : "\r\n";
        proposal.edits.replace(statement.node,
                               fmt::format("for {} in {}({}):{}{}    {}", variable,
                                           spelled(model, proposal.edits, "nl.affine_range"), count,
                                           newLine, indent, inner));
        const double rowsHere = static_cast<double>(
            declaration.tile.partitions ? declaration.tile.partitions->constant().value_or(128)
                                        : 128);
        proposal.change.dma =
            (dmaMs(rowsHere, static_cast<double>(block)) * static_cast<double>(count) -
             dmaMs(rowsHere, static_cast<double>(whole))) *
            model.executions(load);
        proposal.opens = "loops that use one block at a time can go outside, and the other blocks "
                         "need not be kept meanwhile";
        proposal.title = fmt::format("Cut the rows of {} into {} blocks of {}", name, count, block);
        proposal.prose = fmt::format(
            "Every use of {} ({}) takes a part of one of {} blocks of {} elements of a row. Give "
            "each block a tile of its own and load block by block, so that those not in use need "
            "not stay on the chip.",
            name, lineOf(model, declaration.statement), count, block);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeCutTiles()
{
    return std::make_unique<CutTiles>();
}

} // namespace accelopt::rewrite
