// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

class FoldIntoActivation final : public Rewrite
{
public:
    std::string_view name() const override { return "fold-into-activation"; }
    std::string_view precondition() const override
    {
        return "an activation is the only reader of a product with a number or a column, or of a "
               "sum or "
               "difference with a column; or a positive constant times the square of a tile is the "
               "only "
               "reader of that square; same block, same mask";
    }
    std::string_view reason() const override
    {
        return "the scalar engine computes f(data * scale + bias) at no extra cost, so the vector "
               "engine "
               "need not touch the tile";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, scalar_engine_active_time_percent "
               "unchanged";
    }
    std::vector<std::string> keywords() const override
    {
        return {"scale and bias",    "into the activation", "activation's scale",
                "activation's bias", "fold the scale",      "fold the bias"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented)
                continue;
            if (use.operation->kind == OperationKind::Tensors)
                if (auto proposal = scaledSquare(model, id))
                    result.push_back(std::move(*proposal));
            if (use.operation->kind != OperationKind::Activation &&
                use.operation->kind != OperationKind::Scalars)
                continue;
            const int definition = mergeable(model, use.operation->data[0], id);
            if (definition < 0)
                continue;
            auto proposal = use.operation->kind == OperationKind::Activation
                                ? before(model, definition, id)
                                : after(model, definition, id);
            if (proposal)
                result.push_back(std::move(*proposal));
        }
        return result;
    }

private:
    static bool scalable(const std::string &function)
    {
        return function != "negative" && function != "abs";
    }

    static CallText activation(const KernelModel &model, SourceEdits &edits, const Operation &like,
                               const std::string &data, const std::string &bias,
                               const std::string &scale)
    {
        const bool reduces = !like.reduceOp.empty();
        CallText call(model, edits, reduces ? "nisa.activation_reduce" : "nisa.activation");
        call.keyword("op", spelled(model, edits, "nl." + like.function)).keyword("data", data);
        if (reduces) {
            call.keyword("reduce_op", std::string(model.text(like.keywords.at("reduce_op"))));
            call.keyword("reduce_res", std::string(model.text(like.keywords.at("reduce_res"))));
        }
        if (!bias.empty())
            call.keyword("bias", bias);
        if (!scale.empty())
            call.keyword("scale", scale);
        return call;
    }

    static std::string keptBias(const KernelModel &model, const Operation &operation)
    {
        return operation.bias.kind == OperandKind::Absent ? std::string()
                                                          : textOf(model, operation.bias);
    }

    // f(x * c), f(x + m), f(x - m), f(m - x)
    static std::optional<Proposal> before(const KernelModel &model, int definition, int id)
    {
        const Operation &use = *model.statement(id).operation;
        const Operation &made = *model.statement(definition).operation;
        if (made.kind != OperationKind::Scalars || made.steps.size() != 1 ||
            !scalable(use.function))
            return std::nullopt;
        const ScalarStep &step = made.steps[0];
        const std::optional<double> scale = scaleOf(use);
        if (!scale)
            return std::nullopt;
        Proposal proposal = proposalAt(model, id);
        const std::string data = textOf(model, made.data[0]);
        std::string bias = keptBias(model, use);
        std::string newScale;
        std::string what;
        EngineLoad extra;
        if (step.op == "multiply" && step.operand.number) {
            newScale = numberText(*step.operand.number * *scale);
            what = "scale";
        } else if (step.op == "multiply" && step.operand.column() && *scale == 1) {
            newScale = textOf(model, step.operand);
            what = "scale";
        } else if ((step.op == "add" || step.op == "subtract") && step.operand.column() &&
                   *scale == 1 && hasNoBias(model, use)) {
            const std::string column = textOf(model, step.operand);
            bias = column;
            if (step.op == "subtract" && step.reverse)
                newScale = "-1.0";
            if (step.op == "subtract" && !step.reverse) {
                bias = model.freshName("negative_" + step.operand.access.base);
                proposal.edits.insertBefore(model.statement(id).node,
                                            {bias + " = " +
                                             CallText(model, proposal.edits, "nl.multiply")
                                                 .positional(column)
                                                 .positional("-1.0")
                                                 .text()});
                extra.vector = vectorMs(1);
            }
            what = "bias";
        } else {
            return std::nullopt;
        }
        proposal.edits.replace(
            use.node,
            activation(model, proposal.edits, use, data, bias, newScale).like(use).text());
        removeWithDeclaration(model, proposal.edits, definition);
        finish(model, proposal, definition, id, what);
        proposal.change += extra * model.executions(id);
        return proposal;
    }

    // square(x) * c = square(x * sqrt(c))
    static std::optional<Proposal> after(const KernelModel &model, int definition, int id)
    {
        const Operation &use = *model.statement(id).operation;
        const Operation &made = *model.statement(definition).operation;
        const std::optional<double> scale = scaleOf(made);
        if (made.kind != OperationKind::Activation || made.function != "square" || !scale ||
            !hasNoBias(model, made) || !made.reduceOp.empty() || use.steps.size() != 1 ||
            use.steps[0].op != "multiply" || !use.steps[0].operand.number ||
            *use.steps[0].operand.number <= 0)
            return std::nullopt;
        Proposal proposal = proposalAt(model, id);
        const double root = *scale * std::sqrt(*use.steps[0].operand.number);
        proposal.edits.replace(use.node,
                               activation(model, proposal.edits, made, textOf(model, made.data[0]),
                                          keptBias(model, made), numberText(root))
                                   .like(use)
                                   .text());
        removeWithDeclaration(model, proposal.edits, definition);
        proposal.change -= costOf(model, model.statement(id)) * model.executions(id);
        proposal.title = "Square with a scale for " + nameOf(model.statement(id));
        proposal.prose =
            fmt::format("{} ({}) multiplies the square {} ({}) by a constant. Compute it with one "
                        "nisa.activation of "
                        "nl.square whose scale is the root of that constant.",
                        nameOf(model.statement(id)), lineOf(model, id),
                        nameOf(model.statement(definition)), lineOf(model, definition));
        return proposal;
    }

    // (x * c) * x = square(x * sqrt(c))
    static std::optional<Proposal> scaledSquare(const KernelModel &model, int id)
    {
        const Operation &use = *model.statement(id).operation;
        if (use.function != "multiply" || !use.plain)
            return std::nullopt;
        for (std::size_t side = 0; side < 2; ++side) {
            const int definition = mergeable(model, use.data[side], id);
            if (definition < 0)
                continue;
            const Operation &made = *model.statement(definition).operation;
            if (made.kind != OperationKind::Scalars || made.steps.size() != 1 ||
                made.steps[0].op != "multiply" || made.steps[0].operand.number.value_or(0) <= 0 ||
                !sameRegion(made.data[0].access, use.data[1 - side].access) ||
                !model.unchanged(use.data[1 - side], definition, id))
                continue;
            Proposal proposal = proposalAt(model, id);
            const std::string data = textOf(model, made.data[0]);
            proposal.edits.replace(
                use.node,
                CallText(model, proposal.edits, "nisa.activation")
                    .keyword("op", spelled(model, proposal.edits, "nl.square"))
                    .keyword("data", data)
                    .keyword("scale", numberText(std::sqrt(*made.steps[0].operand.number)))
                    .like(use)
                    .text());
            removeWithDeclaration(model, proposal.edits, definition);
            const double times = model.executions(id);
            proposal.change -= costOf(model, model.statement(definition)) * times;
            proposal.change -= costOf(model, model.statement(id)) * times;
            proposal.change.scalar += scalarMs(model.statement(id).shape.width()) * times;
            proposal.title = "Square with a scale for " + nameOf(model.statement(id));
            proposal.prose = fmt::format(
                "{} ({}) multiplies {} by a multiple of itself ({}). Compute it with one "
                "nisa.activation of nl.square whose scale is the root of that constant.",
                nameOf(model.statement(id)), lineOf(model, id), data,
                nameOf(model.statement(definition)));
            return proposal;
        }
        return std::nullopt;
    }

    static void finish(const KernelModel &model, Proposal &proposal, int definition, int id,
                       const std::string &what)
    {
        const Operation &use = *model.statement(id).operation;
        proposal.change -=
            costOf(model, model.statement(definition)) * model.executions(definition);
        proposal.title = fmt::format("Fold {} into the {} of nl.{}",
                                     nameOf(model.statement(definition)), what, use.function);
        proposal.prose =
            fmt::format("{} ({}) is read by nothing but the activation nl.{} of {} ({}). Give it "
                        "to nisa.activation as "
                        "its {} instead and remove the statement.",
                        nameOf(model.statement(definition)), lineOf(model, definition),
                        use.function, nameOf(model.statement(id)), lineOf(model, id), what);
    }
};

} // namespace

std::unique_ptr<Rewrite> makeFoldIntoActivation()
{
    return std::make_unique<FoldIntoActivation>();
}

} // namespace accelopt::rewrite
