// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

/// A row spread over all partitions, and the one instruction that reads it.
struct Spread
{
    int broadcast = -1;
    int user = -1;
    std::size_t side = 0; ///< operand of the user
    std::int64_t partitions = 0;
    std::int64_t width = 0;
    NodeId row = -1;
};

class BroadcastThroughPsum final : public Rewrite
{
public:
    std::string_view name() const override { return "broadcast-through-psum"; }
    std::string_view precondition() const override
    {
        return "a row broadcast to all partitions is wider than a PSUM bank (512 elements), a "
               "multiple of it, and read by one elementwise operation on two tiles in the same "
               "block";
    }
    std::string_view reason() const override
    {
        return "the tensor engine broadcasts into PSUM; in pieces of one bank the vector engine "
               "reads them from there, at half the price of an operand in SBUF, and the scalar "
               "engine need not copy them out";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent and scalar_engine_active_time_percent down, "
               "spill_save_bytes down where tiles did not fit";
    }
    std::vector<std::string> keywords() const override
    {
        return {"broadcast through psum", "from psum in pieces", "bank-sized broadcast",
                "broadcast in psum"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (const auto found = spread(model, id))
                result.push_back(propose(model, *found));
        return result;
    }

private:
    static std::optional<Spread> spread(const KernelModel &model, int id)
    {
        const nki::SyntaxTree &tree = model.tree();
        const Statement &made = model.statement(id);
        if (!made.operation || made.operation->kind != OperationKind::Broadcast || made.augmented ||
            tree[made.destination.node].kind != NodeKind::Name || !made.shape.partitions ||
            !made.shape.elements)
            return std::nullopt;
        const auto partitions = made.shape.partitions->constant();
        const auto width = made.shape.elements->constant();
        const Operand &row = made.operation->data[0];
        if (!partitions || !width || *width <= kBankElements || *width % kBankElements != 0 ||
            !row.tile() || tree[row.node].kind != NodeKind::Name)
            return std::nullopt;
        Spread found{id, -1, 0, *partitions, *width, row.node};
        const std::string &name = made.destination.base;
        for (const int user : model.users(name))
            if (!model.statement(user).hasBody && user != id) {
                if (found.user >= 0)
                    return std::nullopt;
                found.user = user;
            }
        if (found.user < 0 || !model.onlyUsedBy(id, found.user) ||
            !model.unchanged(row, id, found.user))
            return std::nullopt;
        const Statement &use = model.statement(found.user);
        if (!use.operation || use.augmented || use.operation->kind != OperationKind::Tensors ||
            !use.operation->plain || use.operation->mask >= 0)
            return std::nullopt;
        const std::vector<Operand> &data = use.operation->data;
        if (data[1].access.base == name)
            found.side = 1;
        else if (data[0].access.base != name)
            return std::nullopt;
        const Operand &other = data[1 - found.side];
        if (tree[data[found.side].node].kind != NodeKind::Name || !other.access.whole ||
            other.inPsum || !isFlat(model, other.access.base) || !use.destination.whole ||
            !isFlat(model, use.destination.base))
            return std::nullopt;
        return found;
    }

    // Declared with two axes, or not declared at all: the result of an instruction.
    static bool isFlat(const KernelModel &model, const std::string &name)
    {
        const auto declared = model.declarations().find(name);
        return declared == model.declarations().end() ||
               (declared->second.dimensions.size() == 2 && declared->second.partitionAxis == 0 &&
                declared->second.memory != "psum");
    }

    static Proposal propose(const KernelModel &model, const Spread &found)
    {
        const Statement &made = model.statement(found.broadcast);
        const Statement &use = model.statement(found.user);
        const Operation &operation = *use.operation;
        Proposal proposal = proposalAt(model, found.user);
        SourceEdits &edits = proposal.edits;
        const std::string variable = model.freshName("bank");
        const std::string part =
            fmt::format("[:, {0} * {1}:({0} + 1) * {1}]", variable, kBankElements);
        const std::string &other = operation.data[1 - found.side].access.base;
        const std::string &result = use.destination.base;

        // Extents as the broadcast spells them, so that they can still be tuned.
        const NodeId extents = model.tree()[made.operation->node].children[1];
        const std::string partitions =
            extentText(model, model.tree()[extents].children[0], found.partitions);
        const std::string width = extentText(model, model.tree()[extents].children[1], found.width);
        const std::string pieces = width == std::to_string(found.width)
                                       ? std::to_string(found.width / kBankElements)
                                       : fmt::format("{} // {}", width, kBankElements);
        std::vector<std::string> lines;
        // Under its old name the tile is changed in place: a new one would hide what is read.
        if (model.tree()[use.destination.node].kind == NodeKind::Name && result != other) {
            const auto dtype = operation.keywords.find("dtype");
            const std::string type = dtype == operation.keywords.end()
                                         ? other + ".dtype"
                                         : std::string(model.text(dtype->second));
            lines.push_back(fmt::format("{} = {}(({}({}), {}), dtype={}, buffer={})", result,
                                        spelled(model, edits, "nl.ndarray"),
                                        spelled(model, edits, "nl.par_dim"), partitions, width,
                                        type, spelled(model, edits, "nl.sbuf")));
        }
        const std::string text =
            textWith(model, operation.node, {{operation.data[1 - found.side].node, other + part}});
        lines.push_back(fmt::format("for {} in {}({}):", variable,
                                    spelled(model, edits, "nl.affine_range"), pieces));
        lines.push_back(fmt::format("    {} = {}{}.broadcast_to(({}, {}))", made.destination.base,
                                    model.text(found.row), part, partitions, kBankElements));
        lines.push_back(fmt::format("    {}{} = {}", result, part, text));
        edits.insertBefore(use.node, lines);
        edits.remove(made.node);
        edits.remove(use.node);

        const double times = model.executions(found.user);
        const auto count = static_cast<double>(found.width / kBankElements);
        proposal.change.vector -= vectorMs(static_cast<double>(found.width), 2) * times;
        proposal.change.vector += vectorMs(kBankElements, 1) * count * times;
        proposal.change.scalar -= scalarMs(kBankElements) * count * times;
        proposal.title =
            fmt::format("Read the broadcast {} from PSUM, a bank at a time", made.destination.base);
        proposal.prose = fmt::format(
            "{} ({}) is {} elements wide and goes through SBUF. Compute {} ({}) in pieces of {} "
            "columns, each with a broadcast of its own: a piece fits into a PSUM bank, from where "
            "the vector engine reads it.",
            made.destination.base, lineOf(model, found.broadcast), found.width, result,
            lineOf(model, found.user), kBankElements);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeBroadcastThroughPsum()
{
    return std::make_unique<BroadcastThroughPsum>();
}

} // namespace accelopt::rewrite
