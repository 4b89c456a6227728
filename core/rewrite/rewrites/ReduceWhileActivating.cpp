// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

class ReduceWhileActivating final : public Rewrite
{
public:
    std::string_view name() const override { return "reduce-while-activating"; }
    std::string_view precondition() const override
    {
        return "the sum over the free axis of an activation's result is taken in the same block as "
               "the "
               "activation, over exactly what it wrote, with the same mask";
    }
    std::string_view reason() const override
    {
        return "nisa.activation_reduce adds up each row while the scalar engine writes it, so the "
               "vector "
               "engine need not read the tile again";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, sbuf_read_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"activation_reduce", "row sum", "sum while", "reduce in the activation"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (auto proposal = propose(model, id))
                result.push_back(std::move(*proposal));
        return result;
    }

private:
    // Text for the number of partitions: as the declaration spells it, else the number.
    static std::optional<std::string> partitionText(const KernelModel &model, const Operand &data,
                                                    int use, const TileShape &shape)
    {
        const auto declared = model.declarations().find(data.access.base);
        if (declared != model.declarations().end() && data.access.whole) {
            const auto axis = static_cast<std::size_t>(declared->second.partitionAxis);
            const nki::NodeId dimension = declared->second.dimensionNodes[axis];
            const nki::Node &node = model.tree()[dimension];
            return std::string(
                model.text(node.kind == nki::NodeKind::Call ? node.children[1] : dimension));
        }
        if (shape.partitions)
            if (const auto known = shape.partitions->constant())
                return partitionsText(model, data, use, *known);
        return std::nullopt;
    }

    static std::optional<Proposal> propose(const KernelModel &model, int id)
    {
        const Statement &sum = model.statement(id);
        if (!sum.operation || sum.augmented || sum.operation->kind != OperationKind::Reduce ||
            sum.operation->function != "add" || sum.operation->negate ||
            !sum.operation->allFreeAxes || !sum.operation->plain || sum.destination.base.empty())
            return std::nullopt;
        const int activation = model.definition(sum.operation->data[0], id);
        if (activation < 0)
            return std::nullopt;
        const Statement &made = model.statement(activation);
        const Operation &function = *made.operation;
        if (function.kind != OperationKind::Activation || !function.reduceOp.empty() ||
            !sameMaskAndType(model, function, *sum.operation) || function.function == "negative" ||
            function.function == "abs")
            return std::nullopt;
        // The column is written earlier now: nobody may use it in between.
        const std::string &column = sum.destination.base;
        const std::vector<int> &siblings = model.block(sum.block);
        for (int position = made.position; position < sum.position; ++position) {
            const Statement &between =
                model.statement(siblings[static_cast<std::size_t>(position)]);
            if (between.reads.contains(column) || between.writes.contains(column))
                return std::nullopt;
        }

        Proposal proposal = proposalAt(model, id);
        std::string destination = std::string(model.text(sum.destination.node));
        const bool named =
            sum.destination.whole && model.tree()[sum.destination.node].kind == nki::NodeKind::Name;
        if (named) {
            const auto partitions = partitionText(model, function.data[0], activation, made.shape);
            if (!partitions)
                return std::nullopt;
            proposal.edits.insertBefore(
                made.node, {column + " = " +
                            CallText(model, proposal.edits, "nl.ndarray")
                                .positional("(" + spelled(model, proposal.edits, "nl.par_dim") +
                                            "(" + *partitions + "), 1)")
                                .keyword("dtype", spelled(model, proposal.edits, "nl.float32"))
                                .keyword("buffer", spelled(model, proposal.edits, "nl.sbuf"))
                                .text()});
            destination = column + "[...]";
        }
        CallText call(model, proposal.edits, "nisa.activation_reduce");
        call.keyword("op", spelled(model, proposal.edits, "nl." + function.function))
            .keyword("data", textOf(model, function.data[0]))
            .keyword("reduce_op", spelled(model, proposal.edits, "nl.add"))
            .keyword("reduce_res", destination);
        if (function.bias.kind != OperandKind::Absent)
            call.keyword("bias", textOf(model, function.bias));
        if (function.scale.kind != OperandKind::Absent)
            call.keyword("scale", textOf(model, function.scale));
        proposal.edits.replace(function.node, call.like(function).text());
        proposal.edits.remove(sum.node);
        const double times = model.executions(id);
        proposal.change -= costOf(model, sum) * times;
        proposal.change.scalar += 64 / 1.4e9 * 1e3 * times;
        proposal.title =
            fmt::format("Sum {} while nl.{} writes it", nameOf(made), function.function);
        proposal.prose = fmt::format(
            "{} ({}) is the row sum of {}, which nl.{} writes ({}). Let nisa.activation_reduce "
            "compute both "
            "in one instruction: reduce_op=nl.add, reduce_res={}. Remove the separate sum.",
            nameOf(sum), lineOf(model, id), nameOf(made), function.function,
            lineOf(model, activation), column);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeReduceWhileActivating()
{
    return std::make_unique<ReduceWhileActivating>();
}

} // namespace accelopt::rewrite
