// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

class SplitLoop final : public Rewrite
{
public:
    std::string_view name() const override { return "split-loop"; }
    std::string_view precondition() const override
    {
        return "the body of a loop falls into two parts, and all passes of the first may run "
               "before all passes of the second";
    }
    std::string_view reason() const override
    {
        return "work that one part forbids becomes possible in the other: products stay at 512 "
               "columns, while reductions and elementwise work can be merged into wide "
               "instructions";
    }
    std::string_view counters() const override
    {
        return "as the steps that follow it; by itself the order of instructions only";
    }
    std::vector<std::string> keywords() const override
    {
        return {"split the loop", "loop fission", "distribute the loop", "fission of the loop"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (std::size_t id = 0; id < model.statements().size(); ++id)
            propose(model, static_cast<int>(id), result);
        return result;
    }

private:
    // Work that merge-inner-loop can make wide.
    static bool mergeable(const KernelModel &model, const LoopNode &node)
    {
        if (node.isLoop())
            return false;
        const Statement &statement = model.statement(node.statement);
        if (!statement.operation)
            return false;
        const Operation &operation = *statement.operation;
        if (std::any_of(operation.data.begin(), operation.data.end(),
                        [](const Operand &data) { return data.inPsum; }))
            return false;
        switch (operation.kind) {
        case OperationKind::Activation:
        case OperationKind::Scalars:
        case OperationKind::Tensors:
        case OperationKind::ScalarTensor:
        case OperationKind::Reciprocal:
        case OperationKind::Copy:
        case OperationKind::Reduce:
        case OperationKind::LoopReduce:
        case OperationKind::Load:
        case OperationKind::Store: return true;
        default: return false;
        }
    }

    static bool onlyMoves(const KernelModel &model, const LoopNode &node)
    {
        const OperationKind kind = model.statement(node.statement).operation->kind;
        return kind == OperationKind::Load || kind == OperationKind::Store;
    }

    static void propose(const KernelModel &model, int id, std::vector<Proposal> &result)
    {
        const Statement &statement = model.statement(id);
        const auto nest = nestOf(model, id);
        if (!nest)
            return;
        const LoopNode &loop = nest->front();
        const auto count = loop.children.size();
        std::vector<bool> wide;
        for (const LoopNode &child : loop.children)
            wide.push_back(mergeable(model, child));
        for (std::size_t cut = 1; cut < count; ++cut) {
            // Only where one side can be merged and the whole cannot.
            const auto at = wide.begin() + static_cast<std::ptrdiff_t>(cut);
            const bool first = std::all_of(wide.begin(), at, [](bool one) { return one; });
            const bool second = std::all_of(at, wide.end(), [](bool one) { return one; });
            if (first == second || wide[cut - 1] == wide[cut])
                continue;
            const LoopNode *const wideFirst = loop.children.data() + (first ? 0 : cut);
            const LoopNode *const wideLast = first ? wideFirst + cut : loop.children.data() + count;
            if (std::all_of(wideFirst, wideLast,
                            [&](const LoopNode &child) { return onlyMoves(model, child); }))
                continue;
            const std::vector<LoopNode> parts = cutLoop(loop, cut);
            if (!computesTheSame(model, *nest, parts))
                continue;
            const Residence now = residenceOf(model, *nest);
            const Residence then = residenceOf(model, parts);
            if (!then.fitsPsum(now) || (then.bytesPerPartition > kUsableBytes &&
                                        then.bytesPerPartition > now.bytesPerPartition))
                continue;
            Proposal proposal = proposalAt(model, id);
            proposal.parameters["cut"] = cut;
            replaceNest(model, proposal.edits, statement.block, statement.position,
                        statement.position, parts);
            proposal.change.dma = (then.spillMs - now.spillMs) * model.executions(id);
            const Loop &head = model.loops()[static_cast<std::size_t>(loop.loops[0])];
            const int line =
                model.tree()[model.statement(parts[1].children.front().statement).node].place.line;
            proposal.opens = fmt::format("the {} part can be merged into wide instructions",
                                         first ? "first" : "second");
            proposal.title =
                fmt::format("Split the loop over {} in front of line {}", head.variable, line);
            proposal.prose = fmt::format(
                "Run the loop over {} (line {}) twice: the first time up to line {}, the second "
                "time from there on. The {} part then has only work that can be done on all "
                "slices at once.",
                head.variable, model.tree()[head.node].place.line, line,
                first ? "first" : "second");
            result.push_back(std::move(proposal));
        }
    }
};

} // namespace

std::unique_ptr<Rewrite> makeSplitLoop()
{
    return std::make_unique<SplitLoop>();
}

} // namespace accelopt::rewrite
