// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

// Divisions by a known number as multiplications; nothing when a step has no vector instruction.
std::optional<std::vector<ScalarStep>> steps(const Operation &operation)
{
    std::vector<ScalarStep> result = operation.steps;
    for (ScalarStep &step : result) {
        if (step.op == "divide" && !step.reverse && step.operand.number &&
            *step.operand.number != 0) {
            step.op = "multiply";
            step.operand.number = 1 / *step.operand.number;
            step.operand.node = -1;
        }
        if (!isArithmetic(step.op) || (!step.operand.scalar() && !step.operand.column()))
            return std::nullopt;
    }
    return result;
}

// Two neighbouring products or sums with known numbers are one.
void foldNumbers(std::vector<ScalarStep> &chain)
{
    for (std::size_t i = 0; i + 1 < chain.size();) {
        ScalarStep &first = chain[i];
        const ScalarStep &second = chain[i + 1];
        const bool foldable = first.op == second.op &&
                              (first.op == "multiply" || first.op == "add") &&
                              first.operand.number && second.operand.number;
        if (!foldable) {
            ++i;
            continue;
        }
        first.operand.number = first.op == "multiply"
                                   ? *first.operand.number * *second.operand.number
                                   : *first.operand.number + *second.operand.number;
        first.operand.node = -1;
        first.reverse = false;
        chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
}

std::string operandText(const KernelModel &model, const Operand &operand)
{
    return operand.node >= 0 ? textOf(model, operand) : numberText(*operand.number);
}

class CombineScalars final : public Rewrite
{
public:
    std::string_view name() const override { return "combine-scalars"; }
    std::string_view precondition() const override
    {
        return "a statement that combines a tile with a number or a column is the only reader of "
               "another "
               "such statement in the same block, with the same mask, and both together are at "
               "most two "
               "operations of the vector engine";
    }
    std::string_view reason() const override
    {
        return "tensor_scalar does two operations for the price of one, and constants fold into "
               "one";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, sbuf_read_bytes and sbuf_write_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"tensor_scalar", "constant folding", "fold the constants", "combine scalar"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented || use.operation->kind != OperationKind::Scalars)
                continue;
            const int first = mergeable(model, use.operation->data[0], id);
            if (first < 0 || model.statement(first).operation->kind != OperationKind::Scalars)
                continue;
            const auto before = steps(*model.statement(first).operation);
            const auto after = steps(*use.operation);
            if (!before || !after)
                continue;
            std::vector<ScalarStep> chain = *before;
            chain.insert(chain.end(), after->begin(), after->end());
            foldNumbers(chain);
            if (chain.size() > 2)
                continue;
            result.push_back(propose(model, first, id, chain));
        }
        return result;
    }

private:
    static Proposal propose(const KernelModel &model, int first, int second,
                            const std::vector<ScalarStep> &chain)
    {
        const Operation &definition = *model.statement(first).operation;
        const Operation &use = *model.statement(second).operation;
        Proposal proposal = proposalAt(model, second);
        const std::string data = textOf(model, definition.data[0]);
        std::string text;
        if (chain.size() == 1 && use.callee.rfind("nisa.", 0) != 0 && !chain[0].reverse) {
            text = CallText(model, proposal.edits, "nl." + chain[0].op)
                       .positional(data)
                       .positional(operandText(model, chain[0].operand))
                       .like(use)
                       .text();
        } else {
            CallText call(model, proposal.edits, "nisa.tensor_scalar");
            call.keyword("data", data);
            for (std::size_t i = 0; i < chain.size(); ++i) {
                const std::string number = std::to_string(i);
                call.keyword("op" + number, spelled(model, proposal.edits, "nl." + chain[i].op));
                call.keyword("operand" + number, operandText(model, chain[i].operand));
                if (chain[i].reverse)
                    call.keyword("reverse" + number, "True");
            }
            text = call.like(use).text();
        }
        proposal.edits.replace(use.node, text);
        removeWithDeclaration(model, proposal.edits, first);
        proposal.change -= costOf(model, model.statement(first)) * model.executions(first);
        const std::string names =
            nameOf(model.statement(first)) + " and " + nameOf(model.statement(second));
        proposal.title = "One scalar instruction for " + names;
        proposal.prose = fmt::format("Compute {} directly from {} with {}: {} ({}) is only an "
                                     "intermediate of {} ({}). Remove the "
                                     "statement of the intermediate.",
                                     nameOf(model.statement(second)), data,
                                     chain.size() == 1 ? "one constant"
                                                       : "one nisa.tensor_scalar with op0 and op1",
                                     nameOf(model.statement(first)), lineOf(model, first),
                                     nameOf(model.statement(second)), lineOf(model, second));
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeCombineScalars()
{
    return std::make_unique<CombineScalars>();
}

} // namespace accelopt::rewrite
