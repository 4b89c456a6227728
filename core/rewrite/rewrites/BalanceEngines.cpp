// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

// Where the scalar engine's reciprocal begins to hold (NKI documentation, 2^-42).
constexpr double kLeastForReciprocal = 0x1p-42;
// Cycles an instruction of the GpSimd engine costs beyond one of the scalar engine.
constexpr double kGpSimdOverhead = 70;
// Narrower tiles are not worth the slow start of the GpSimd engine.
constexpr double kWorthMoving = 256;

class BalanceEngines final : public Rewrite
{
public:
    std::string_view name() const override { return "balance-engines"; }
    std::string_view precondition() const override
    {
        return "a tile is multiplied by a number or a column, or by itself, on the vector engine "
               "(the scalar "
               "engine can do that), or squared on the scalar engine (the vector engine can do "
               "that), or inverted on the vector engine and known to be at least 2^-42 (there the "
               "scalar engine's reciprocal holds, up to 2^42); or a tile in SBUF is combined with "
               "numbers or columns (the GpSimd engine can do that)";
    }
    std::string_view reason() const override
    {
        return "the engines work side by side: work moved from the busier one to the other "
               "shortens the kernel";
    }
    std::string_view counters() const override
    {
        return "the higher of vector_engine_active_time_percent and "
               "scalar_engine_active_time_percent down, "
               "the other up";
    }
    std::vector<std::string> keywords() const override
    {
        return {"scalar engine", "vector engine", "balance", "move to the"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            for (const auto &propose : {elsewhere, onGpSimd})
                if (auto proposal = propose(model, id))
                    result.push_back(std::move(*proposal));
        return result;
    }

private:
    // A sum of something that is not negative and a number.
    static bool boundedBelow(const KernelModel &model, const Operand &operand, int use)
    {
        const int id = model.definition(operand, use);
        if (id < 0)
            return false;
        const Operation &made = *model.statement(id).operation;
        return made.kind == OperationKind::Scalars && made.steps.size() == 1 &&
               made.steps[0].op == "add" &&
               made.steps[0].operand.number.value_or(0) >= kLeastForReciprocal &&
               notNegative(model, made.data[0], id);
    }

    static bool notNegative(const KernelModel &model, const Operand &operand, int use)
    {
        const int id = model.definition(operand, use);
        if (id < 0)
            return false;
        const Operation &made = *model.statement(id).operation;
        if (made.kind == OperationKind::Tensors && made.function == "multiply" &&
            sameRegion(made.data[0].access, made.data[1].access))
            return true;
        return made.kind == OperationKind::Activation &&
               (made.function == "exp" || made.function == "sqrt" || made.function == "square" ||
                made.function == "sigmoid" || made.function == "abs" || made.function == "relu");
    }

    // Steps with numbers or columns on tiles in SBUF: the GpSimd engine does not reach PSUM.
    static std::optional<Proposal> onGpSimd(const KernelModel &model, int id)
    {
        const Statement &statement = model.statement(id);
        if (!statement.operation || statement.augmented || !statement.operation->plain ||
            statement.operation->kind != OperationKind::Scalars || !inSbuf(model, statement))
            return std::nullopt;
        const Operation &operation = *statement.operation;
        Proposal proposal = proposalAt(model, id);
        CallText call(model, proposal.edits, "nisa.tensor_scalar");
        call.keyword("data", textOf(model, operation.data[0]));
        for (std::size_t i = 0; i < operation.steps.size(); ++i) {
            const ScalarStep &step = operation.steps[i];
            if (!isArithmetic(step.op) || (!step.operand.column() && !step.operand.scalar()))
                return std::nullopt;
            const std::string number = std::to_string(i);
            call.keyword("op" + number, spelled(model, proposal.edits, "nl." + step.op));
            call.keyword("operand" + number, textOf(model, step.operand));
            if (step.reverse)
                call.keyword("reverse" + number, "True");
        }
        const std::string text =
            call.like(operation)
                .keyword("engine", spelled(model, proposal.edits, "nisa.gpsimd_engine"))
                .text();
        proposal.edits.replace(operation.node, text);
        proposal.parameters["engine"] = "gpsimd";
        const double times = model.executions(id);
        proposal.change -= costOf(model, statement) * times;
        // It shares its way to SBUF with the vector engine, so its time counts as that one's.
        proposal.change.vector += scalarMs(statement.shape.width() + kGpSimdOverhead) * times;
        proposal.title = fmt::format("Compute {} on the GpSimd engine", nameOf(statement));
        proposal.prose = fmt::format("Let the GpSimd engine compute {} ({}): {}.",
                                     nameOf(statement), lineOf(model, id), text);
        return proposal;
    }

    static bool inSbuf(const KernelModel &model, const Statement &statement)
    {
        const Operand &data = statement.operation->data[0];
        const auto declared = model.declarations().find(statement.destination.base);
        return data.wide() && data.shape.elements && !data.inPsum &&
               data.shape.width() >= kWorthMoving &&
               (declared == model.declarations().end() || declared->second.memory == "sbuf");
    }

    static std::optional<Proposal> elsewhere(const KernelModel &model, int id)
    {
        const Statement &statement = model.statement(id);
        if (!statement.operation || statement.augmented || !statement.operation->plain ||
            statement.operation->data.empty() || !statement.operation->data[0].wide() ||
            !statement.operation->data[0].shape.elements)
            return std::nullopt;
        const Operation &operation = *statement.operation;
        Proposal proposal = proposalAt(model, id);
        const std::string data = textOf(model, operation.data[0]);
        const double width = statement.shape.width();
        std::string target = "scalar";
        std::string text;
        EngineLoad after;
        if (operation.kind == OperationKind::Scalars && operation.steps.size() == 1 &&
            operation.steps[0].op == "multiply" &&
            (operation.steps[0].operand.number || operation.steps[0].operand.column())) {
            const Operand &factor = operation.steps[0].operand;
            text = CallText(model, proposal.edits, "nisa.activation")
                       .keyword("op", spelled(model, proposal.edits, "nl.copy"))
                       .keyword("data", data)
                       .keyword("scale",
                                factor.number ? numberText(*factor.number) : textOf(model, factor))
                       .like(operation)
                       .text();
            after.scalar = scalarMs(width);
        } else if (operation.kind == OperationKind::Tensors && operation.function == "multiply" &&
                   sameRegion(operation.data[0].access, operation.data[1].access)) {
            text = CallText(model, proposal.edits, "nl.square")
                       .positional(data)
                       .like(operation)
                       .text();
            after.scalar = scalarMs(width);
        } else if (operation.kind == OperationKind::Activation && operation.function == "square" &&
                   operation.reduceOp.empty() && scaleOf(operation) == 1.0 &&
                   hasNoBias(model, operation)) {
            text = CallText(model, proposal.edits, "nl.multiply")
                       .positional(data)
                       .positional(data)
                       .like(operation)
                       .text();
            after.vector = vectorMs(width, 2);
            target = "vector";
        } else if (operation.kind == OperationKind::Reciprocal &&
                   boundedBelow(model, operation.data[0], id)) {
            text = CallText(model, proposal.edits, "nisa.activation")
                       .keyword("op", spelled(model, proposal.edits, "nl.reciprocal"))
                       .keyword("data", data)
                       .like(operation)
                       .text();
            after.scalar = scalarMs(width);
        } else {
            return std::nullopt;
        }
        proposal.edits.replace(operation.node, text);
        const double times = model.executions(id);
        proposal.change -= costOf(model, statement) * times;
        proposal.change += after * times;
        proposal.title = fmt::format("Compute {} on the {} engine", nameOf(statement), target);
        proposal.prose = fmt::format("Let the {} engine compute {} ({}): {}.", target,
                                     nameOf(statement), lineOf(model, id), text);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeBalanceEngines()
{
    return std::make_unique<BalanceEngines>();
}

} // namespace accelopt::rewrite
