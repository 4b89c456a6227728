// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

// What a chain of statements computes: function(input), and the statements that disappear with it.
struct Chain
{
    std::string function;
    Operand input;
    std::vector<int> statements;
};

class NameActivation final : public Rewrite
{
public:
    std::string_view name() const override { return "name-the-activation"; }
    std::string_view precondition() const override
    {
        return "a chain of statements, each the only reader of the one before, in one block and "
               "with one "
               "mask, computes 1 / (1 + exp(-x)), or x times that";
    }
    std::string_view reason() const override
    {
        return "the scalar engine has sigmoid and silu as one instruction; spelled out they are "
               "several "
               "passes of the vector engine over the tile";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, sbuf_read_bytes and sbuf_write_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"silu", "sigmoid", "one activation", "single activation"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented || !use.operation->plain)
                continue;
            auto chain = silu(model, id);
            if (!chain)
                chain = sigmoid(model, id);
            if (chain && !chain->statements.empty() &&
                model.unchanged(chain->input, chain->statements.back(), id))
                result.push_back(propose(model, id, *chain));
        }
        // A sigmoid that a silu swallows is the smaller of the two ideas.
        return result;
    }

private:
    // exp(-x), whatever the spelling.
    static std::optional<Chain> negativePower(const KernelModel &model, const Operand &operand,
                                              int use)
    {
        const int id = mergeable(model, operand, use);
        if (id < 0)
            return std::nullopt;
        const Operation &power = *model.statement(id).operation;
        const auto scale = scaleOf(power);
        if (power.kind != OperationKind::Activation || power.function != "exp" || !scale ||
            !hasNoBias(model, power) || !power.reduceOp.empty())
            return std::nullopt;
        if (*scale == -1)
            return Chain{"", power.data[0], {id}};
        if (*scale != 1)
            return std::nullopt;
        const int negative = mergeable(model, power.data[0], id);
        if (negative < 0)
            return std::nullopt;
        const Operation &made = *model.statement(negative).operation;
        const bool byProduct = made.kind == OperationKind::Scalars && made.steps.size() == 1 &&
                               made.steps[0].op == "multiply" &&
                               made.steps[0].operand.number == -1.0;
        const bool byName = made.kind == OperationKind::Activation && made.function == "negative";
        if (!byProduct && !byName)
            return std::nullopt;
        return Chain{"", made.data[0], {id, negative}};
    }

    // 1 + exp(-x)
    static std::optional<Chain> denominator(const KernelModel &model, const Operand &operand,
                                            int use)
    {
        const int id = mergeable(model, operand, use);
        if (id < 0)
            return std::nullopt;
        const Operation &sum = *model.statement(id).operation;
        if (sum.kind != OperationKind::Scalars || sum.steps.size() != 1 ||
            sum.steps[0].op != "add" || sum.steps[0].operand.number != 1.0)
            return std::nullopt;
        auto chain = negativePower(model, sum.data[0], id);
        if (chain)
            chain->statements.insert(chain->statements.begin(), id);
        return chain;
    }

    // Statement `id` is 1 / (1 + exp(-x)); the chain names what disappears besides it.
    static std::optional<Chain> sigmoid(const KernelModel &model, int id)
    {
        const Operation &operation = *model.statement(id).operation;
        const bool inverse =
            operation.kind == OperationKind::Reciprocal ||
            (operation.kind == OperationKind::Scalars && operation.steps.size() == 1 &&
             operation.steps[0].op == "divide" && operation.steps[0].reverse &&
             operation.steps[0].operand.number == 1.0);
        if (!inverse)
            return std::nullopt;
        auto chain = denominator(model, operation.data[0], id);
        if (chain)
            chain->function = "sigmoid";
        return chain;
    }

    // Statement `id` is x * sigmoid(x) or x / (1 + exp(-x)).
    static std::optional<Chain> silu(const KernelModel &model, int id)
    {
        const Operation &operation = *model.statement(id).operation;
        if (operation.kind != OperationKind::Tensors)
            return std::nullopt;
        std::optional<Chain> chain;
        std::size_t other = 0;
        if (operation.function == "divide") {
            chain = denominator(model, operation.data[1], id);
        } else if (operation.function == "multiply") {
            for (std::size_t side = 0; side < 2 && !chain; ++side) {
                other = 1 - side;
                const int inner = mergeable(model, operation.data[side], id);
                if (inner < 0)
                    continue;
                const Operation &made = *model.statement(inner).operation;
                const auto scale = scaleOf(made);
                if (made.kind == OperationKind::Activation && made.function == "sigmoid" &&
                    scale == 1.0 && hasNoBias(model, made) && made.reduceOp.empty())
                    chain = Chain{"", made.data[0], {}};
                else
                    chain = sigmoid(model, inner);
                if (chain)
                    chain->statements.insert(chain->statements.begin(), inner);
            }
        }
        if (!chain || !sameRegion(operation.data[other].access, chain->input.access))
            return std::nullopt;
        chain->function = "silu";
        return chain;
    }

    static Proposal propose(const KernelModel &model, int id, const Chain &chain)
    {
        const Operation &use = *model.statement(id).operation;
        Proposal proposal = proposalAt(model, id);
        const std::string data = textOf(model, chain.input);
        const bool isa =
            use.callee.rfind("nisa.", 0) == 0 ||
            model.statement(chain.statements[0]).operation->callee.rfind("nisa.", 0) == 0;
        std::string text;
        if (isa)
            text = CallText(model, proposal.edits, "nisa.activation")
                       .keyword("op", spelled(model, proposal.edits, "nl." + chain.function))
                       .keyword("data", data)
                       .like(use)
                       .text();
        else
            text = CallText(model, proposal.edits, "nl." + chain.function)
                       .positional(data)
                       .like(use)
                       .text();
        proposal.edits.replace(use.node, text);
        const double times = model.executions(id);
        proposal.change -= costOf(model, model.statement(id)) * times;
        for (const int gone : chain.statements) {
            removeWithDeclaration(model, proposal.edits, gone);
            proposal.change -= costOf(model, model.statement(gone)) * times;
        }
        proposal.change.scalar += scalarMs(model.statement(id).shape.width()) * times;
        proposal.title =
            fmt::format("Compute {} with nl.{}", nameOf(model.statement(id)), chain.function);
        proposal.prose =
            fmt::format("The statements from {} to {} compute {} of {}. Replace them by the one "
                        "activation nl.{} of the "
                        "scalar engine.",
                        lineOf(model, chain.statements.back()), lineOf(model, id),
                        chain.function == "silu" ? "x / (1 + exp(-x))" : "1 / (1 + exp(-x))", data,
                        chain.function);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeNameActivation()
{
    return std::make_unique<NameActivation>();
}

} // namespace accelopt::rewrite
