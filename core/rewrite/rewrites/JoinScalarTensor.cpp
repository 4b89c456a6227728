// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

class JoinScalarTensor final : public Rewrite
{
public:
    std::string_view name() const override { return "join-scalar-and-tensor"; }
    std::string_view precondition() const override
    {
        return "an elementwise operation on two tiles is the only reader of one operation of a "
               "tile with a "
               "number or a column; same block, same mask, not both tiles in PSUM";
    }
    std::string_view reason() const override
    {
        return "scalar_tensor_tensor does both operations in one pass over the tiles";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, sbuf_write_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"scalar_tensor_tensor", "scalar and tensor"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented || use.operation->kind != OperationKind::Tensors ||
                !isArithmetic(use.operation->function))
                continue;
            for (std::size_t side = 0; side < 2; ++side)
                if (auto proposal = propose(model, id, side))
                    result.push_back(std::move(*proposal));
        }
        return result;
    }

private:
    static std::optional<Proposal> propose(const KernelModel &model, int id, std::size_t side)
    {
        const Operation &use = *model.statement(id).operation;
        const int scalar = mergeable(model, use.data[side], id);
        if (scalar < 0)
            return std::nullopt;
        const Operation &made = *model.statement(scalar).operation;
        if (made.kind != OperationKind::Scalars || made.steps.size() != 1)
            return std::nullopt;
        const ScalarStep &step = made.steps[0];
        const Operand &other = use.data[1 - side];
        if (!isArithmetic(step.op) || (!step.operand.scalar() && !step.operand.column()) ||
            (made.data[0].inPsum && other.inPsum))
            return std::nullopt;
        Proposal proposal = proposalAt(model, id);
        proposal.parameters["side"] = side;
        CallText call(model, proposal.edits, "nisa.scalar_tensor_tensor");
        call.keyword("data", textOf(model, made.data[0]))
            .keyword("op0", spelled(model, proposal.edits, "nl." + step.op))
            .keyword("operand0", textOf(model, step.operand));
        if (step.reverse)
            call.keyword("reverse0", "True");
        call.keyword("op1", spelled(model, proposal.edits, "nl." + use.function))
            .keyword("operand1", textOf(model, other));
        if (side == 1 && use.function == "subtract")
            call.keyword("reverse1", "True");
        proposal.edits.replace(use.node, call.like(use).text());
        removeWithDeclaration(model, proposal.edits, scalar);
        const double times = model.executions(id);
        proposal.change -= costOf(model, model.statement(scalar)) * times;
        proposal.change -= costOf(model, model.statement(id)) * times;
        const bool psum = made.data[0].inPsum || other.inPsum;
        proposal.change.vector += vectorMs(model.statement(id).shape.width(), psum ? 1 : 2) * times;
        proposal.title = fmt::format("Join {} and {} in one instruction",
                                     nameOf(model.statement(scalar)), nameOf(model.statement(id)));
        proposal.prose =
            fmt::format("{} ({}) is only an intermediate of {} ({}). Compute both in one pass with "
                        "nisa.scalar_tensor_tensor and remove the statement of the intermediate.",
                        nameOf(model.statement(scalar)), lineOf(model, scalar),
                        nameOf(model.statement(id)), lineOf(model, id));
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeJoinScalarTensor()
{
    return std::make_unique<JoinScalarTensor>();
}

} // namespace accelopt::rewrite
