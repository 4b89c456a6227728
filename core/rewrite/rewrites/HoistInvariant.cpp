// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

class HoistInvariant final : public Rewrite
{
public:
    std::string_view name() const override { return "hoist-out-of-loop"; }
    std::string_view precondition() const override
    {
        return "a statement in the body of a loop makes a tile from values that the loop does not "
               "change, without its variable; the name is bound once and used in the loop only";
    }
    std::string_view reason() const override
    {
        return "what is the same in every pass needs to be loaded or computed only once; a "
               "broadcast of a row is shared by the compiler only when the row is made outside all "
               "loops";
    }
    std::string_view counters() const override
    {
        return "instruction counts down, hbm_read_bytes down where the compiler did not share the "
               "load";
    }
    std::vector<std::string> keywords() const override
    {
        return {"hoist", "out of the loop", "loop-invariant", "loop invariant"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (isInvariant(model, id))
                result.push_back(propose(model, id));
        return result;
    }

private:
    // What fills PSUM, or only fills a tile, is better made where it is used.
    static bool movable(const Operation &operation)
    {
        return operation.plain && onlyMakesItsResult(operation) &&
               operation.kind != OperationKind::Matmul &&
               operation.kind != OperationKind::Transpose &&
               operation.kind != OperationKind::Memset;
    }

    static int loopStatement(const KernelModel &model, int id)
    {
        const NodeId loop = model.loops()[static_cast<std::size_t>(model.statement(id).loop)].node;
        for (int one = id - 1; one >= 0; --one)
            if (model.statement(one).node == loop)
                return one;
        return -1;
    }

    static bool isInvariant(const KernelModel &model, int id)
    {
        const Statement &statement = model.statement(id);
        const nki::SyntaxTree &tree = model.tree();
        if (statement.loop < 0 || !statement.operation || !movable(*statement.operation) ||
            statement.augmented || tree[statement.destination.node].kind != NodeKind::Name ||
            tree[statement.node].place.line != tree[statement.node].place.endLine)
            return false;
        const Loop &loop = model.loops()[static_cast<std::size_t>(statement.loop)];
        // Directly in the loop's body, not in a condition, and not the only thing there.
        const int around = loopStatement(model, id);
        if (around < 0 || statement.block != tree[loop.node].children[2] ||
            model.block(statement.block).size() < 2 || statement.reads.contains(loop.variable))
            return false;
        const Statement &whole = model.statement(around);
        for (const auto &[read, count] : statement.reads)
            if (whole.writes.contains(read))
                return false;
        const std::string &name = statement.destination.base;
        const auto users = model.users(name);
        return std::all_of(users.begin(), users.end(), [&](int user) {
            const Statement &other = model.statement(user);
            return other.hasBody || user == id ||
                   (model.inside(user, statement.loop) && user > id &&
                    !other.writes.contains(name));
        });
    }

    static Proposal propose(const KernelModel &model, int id)
    {
        const Statement &statement = model.statement(id);
        const Loop &loop = model.loops()[static_cast<std::size_t>(statement.loop)];
        Proposal proposal = proposalAt(model, id);
        proposal.edits.insertBefore(loop.node, {std::string(model.text(statement.node))});
        proposal.edits.remove(statement.node);
        const double times = model.executions(id);
        const double passes = static_cast<double>(model.trips(statement.loop).value_or(8));
        // The compiler shares equal loads by itself, mostly.
        if (statement.operation->kind != OperationKind::Load)
            proposal.change -= costOf(model, statement) * (times - times / passes);
        proposal.opens = "one tile for all passes, also where the compiler would not share it";
        proposal.title =
            fmt::format("Make {} once, before the loop over {}", nameOf(statement), loop.variable);
        proposal.prose = fmt::format("{} ({}) is the same in every pass of the loop over {} (line "
                                     "{}). Move the statement in front of the loop.",
                                     nameOf(statement), lineOf(model, id), loop.variable,
                                     model.tree()[loop.node].place.line);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeHoistInvariant()
{
    return std::make_unique<HoistInvariant>();
}

} // namespace accelopt::rewrite
