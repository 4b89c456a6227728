// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

class RemoveDeadWork final : public Rewrite
{
public:
    std::string_view name() const override { return "remove-dead-work"; }
    std::string_view precondition() const override
    {
        return "a tile is written and never read; or a whole tile in SBUF is copied, multiplied by "
               "one or added to zero for one reader in the same block; or a tile of zeros is "
               "overwritten as a whole before it is read";
    }
    std::string_view reason() const override
    {
        return "work whose result nobody needs costs time all the same";
    }
    std::string_view counters() const override
    {
        return "instruction counts and sbuf_write_bytes down, active time of the engine down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"dead code", "dead work", "never read", "unused tile", "needless copy"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            for (const auto &propose : {neverRead, sameAgain, overwrittenZeros})
                if (auto proposal = propose(model, id)) {
                    result.push_back(std::move(*proposal));
                    break;
                }
        return result;
    }

private:
    static bool computes(const Operation &operation)
    {
        return operation.kind == OperationKind::Declare || onlyMakesItsResult(operation);
    }

    // All statements that write a name that nothing reads; proposed at the first of them.
    static std::optional<Proposal> neverRead(const KernelModel &model, int id)
    {
        const std::string &name = model.statement(id).destination.base;
        if (name.empty() || !model.statement(id).operation)
            return std::nullopt;
        std::vector<int> writers;
        for (const int user : model.users(name)) {
            const Statement &statement = model.statement(user);
            if (statement.hasBody)
                continue;
            // An accumulation reads its own sum only; what it adds may be just a name.
            const auto reads = statement.reads.find(name);
            const int own = statement.augmented ? 1 : 0;
            const bool known =
                statement.operation ? computes(*statement.operation) : statement.augmented;
            if ((reads != statement.reads.end() && reads->second > own) || !known ||
                statement.destination.base != name)
                return std::nullopt;
            writers.push_back(user);
        }
        // A tensor in HBM may be the result.
        const auto declared = model.declarations().find(name);
        const bool hbm = declared != model.declarations().end() &&
                         declared->second.memory.find("hbm") != std::string::npos;
        if (writers.empty() || writers.front() != id || hbm)
            return std::nullopt;
        Proposal proposal = proposalAt(model, id);
        for (const int writer : writers) {
            const std::vector<int> &siblings = model.block(model.statement(writer).block);
            if (siblings.size() == 1)
                return std::nullopt; // a block needs a statement
            proposal.edits.remove(model.statement(writer).node);
            proposal.change -= costOf(model, model.statement(writer)) * model.executions(writer);
        }
        proposal.opens = "less to read and to keep in SBUF";
        proposal.title = fmt::format("Leave out {}, which nothing reads", name);
        proposal.prose =
            fmt::format("Nothing reads {} ({}). Remove the {} that make it.", name,
                        lineOf(model, id), writers.size() == 1 ? "statement" : "statements");
        return proposal;
    }

    // x, x * 1, x + 0 under another name.
    static std::optional<Proposal> sameAgain(const KernelModel &model, int id)
    {
        const Statement &statement = model.statement(id);
        if (!statement.operation || statement.augmented || !statement.operation->plain ||
            statement.operation->mask >= 0 || !isIdentity(*statement.operation))
            return std::nullopt;
        const Operand &data = statement.operation->data[0];
        if (!data.wide() || !data.access.whole || data.inPsum ||
            !compatibleTypes(keptType(model, id), "float32") ||
            !compatibleTypes(statement.operation->dtype, "float32"))
            return std::nullopt;
        for (const int use : model.block(statement.block)) {
            const Statement &user = model.statement(use);
            if (use <= id || !user.operation || user.operation->kind == OperationKind::Store)
                continue;
            for (const Operand &operand : user.operation->data) {
                if (model.definition(operand, use) != id || !model.onlyUsedBy(id, use) ||
                    !model.unchanged(data, id, use))
                    continue;
                Proposal proposal = proposalAt(model, id);
                proposal.edits.replace(operand.node, textOf(model, data));
                removeWithDeclaration(model, proposal.edits, id);
                proposal.change -= costOf(model, statement) * model.executions(id);
                proposal.title = fmt::format("Read {} instead of its double {}", data.access.base,
                                             nameOf(statement));
                proposal.prose = fmt::format(
                    "{} ({}) is the same as {}. Let {} ({}) read {} and remove the statement.",
                    nameOf(statement), lineOf(model, id), data.access.base, nameOf(user),
                    lineOf(model, use), data.access.base);
                return proposal;
            }
        }
        return std::nullopt;
    }

    static bool isIdentity(const Operation &operation)
    {
        if (operation.kind == OperationKind::Copy)
            return true;
        if (operation.kind != OperationKind::Scalars || operation.steps.size() != 1 ||
            operation.steps[0].reverse)
            return false;
        const ScalarStep &step = operation.steps[0];
        return (step.op == "multiply" && step.operand.number == 1.0) ||
               (step.op == "add" && step.operand.number == 0.0);
    }

    // nl.zeros for a tile whose next statement writes all of it.
    static std::optional<Proposal> overwrittenZeros(const KernelModel &model, int id)
    {
        const Statement &made = model.statement(id);
        const std::string &name = made.destination.base;
        if (!made.operation || made.operation->kind != OperationKind::Declare ||
            made.operation->function != "zeros" || made.operation->keywords.contains("name") ||
            !model.declarations().contains(name) || model.declarations().at(name).memory == "psum")
            return std::nullopt;
        const std::vector<int> &siblings = model.block(made.block);
        for (std::size_t i = static_cast<std::size_t>(made.position) + 1; i < siblings.size();
             ++i) {
            const Statement &next = model.statement(siblings[i]);
            if (!next.reads.contains(name) && !next.writes.contains(name))
                continue;
            if (next.hasBody || next.augmented || next.reads.contains(name) || !next.operation ||
                next.operation->mask >= 0 || next.destination.base != name ||
                !next.destination.whole ||
                model.tree()[next.destination.node].kind != nki::NodeKind::Subscript)
                return std::nullopt;
            Proposal proposal = proposalAt(model, id);
            const nki::NodeId function = model.tree()[made.operation->node].children[0];
            proposal.edits.replace(function, spelled(model, proposal.edits, "nl.ndarray"));
            proposal.change.vector -= vectorMs(made.shape.width()) * model.executions(id);
            proposal.title = fmt::format("Do not clear {} before it is overwritten", name);
            proposal.prose =
                fmt::format("{} ({}) writes all of {}. Make it with nl.ndarray instead of nl.zeros "
                            "({}).",
                            nameOf(next), lineOf(model, siblings[i]), name, lineOf(model, id));
            return proposal;
        }
        return std::nullopt;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeRemoveDeadWork()
{
    return std::make_unique<RemoveDeadWork>();
}

} // namespace accelopt::rewrite
