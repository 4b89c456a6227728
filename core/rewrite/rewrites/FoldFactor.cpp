// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

/// A number of the kernel that takes in the factor.
struct Absorbed
{
    int statement = -1;
    nki::NodeId node = -1;
    std::string text;
};

/// Finds numbers further up that can take in a factor, so that every value on the way is multiplied
/// by it. Each of those values is read by nothing else.
class Absorber
{
public:
    explicit Absorber(const KernelModel &model) : m_model(model) {}

    bool into(const Operand &operand, int use, double factor)
    {
        const int id = mergeable(m_model, operand, use);
        return id >= 0 && into(id, factor);
    }

    bool into(int id, double factor)
    {
        const Operation &made = *m_model.statement(id).operation;
        switch (made.kind) {
        case OperationKind::Scalars:
            return made.steps.size() == 1 && made.steps[0].op == "multiply" &&
                   number(id, made.steps[0].operand, factor);
        case OperationKind::Tensors:
            if (made.function == "add" || made.function == "subtract")
                return into(made.data[0], id, factor) && into(made.data[1], id, factor);
            return made.function == "multiply" && product(made, id, factor);
        case OperationKind::ScalarTensor:
            if (made.steps[0].op != "multiply")
                return false;
            if (made.function == "multiply")
                return number(id, made.steps[0].operand, factor);
            return (made.function == "add" || made.function == "subtract") &&
                   number(id, made.steps[0].operand, factor) && into(made.data[1], id, factor);
        case OperationKind::Activation:
            // A scaled copy, or a square.
            if (!made.reduceOp.empty() || !hasNoBias(m_model, made) || !made.scale.number)
                return false;
            if (made.function == "copy")
                return number(id, made.scale, factor);
            return made.function == "square" && factor > 0 &&
                   number(id, made.scale, std::sqrt(factor));
        default: return false;
        }
    }

    const std::vector<Absorbed> &absorbed() const { return m_absorbed; }

private:
    bool product(const Operation &made, int id, double factor)
    {
        const std::size_t before = m_absorbed.size();
        for (const Operand &side : made.data) {
            if (into(side, id, factor))
                return true;
            m_absorbed.resize(before);
        }
        return false;
    }

    bool number(int id, const Operand &operand, double factor)
    {
        if (!operand.number || operand.node < 0)
            return false;
        m_absorbed.push_back({id, operand.node, numberText(*operand.number * factor)});
        return true;
    }

    const KernelModel &m_model;
    std::vector<Absorbed> m_absorbed;
};

class FoldFactor final : public Rewrite
{
public:
    std::string_view name() const override { return "fold-factor"; }
    std::string_view precondition() const override
    {
        return "a tile is multiplied by a number, and it is a product or a sum of values that are "
               "themselves multiplied by numbers, none of them read elsewhere; same block, same "
               "mask";
    }
    std::string_view reason() const override
    {
        return "a constant factor can be taken into constants that are there already; a pass over "
               "the tile is saved";
    }
    std::string_view counters() const override
    {
        return "scalar_engine_active_time_percent or vector_engine_active_time_percent down, "
               "sbuf_read_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"fold the factor", "constant factor", "absorb the factor", "distribute the factor"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented || use.operation->kind != OperationKind::Scalars ||
                use.operation->steps.size() != 1 || use.operation->steps[0].op != "multiply" ||
                !use.operation->steps[0].operand.number)
                continue;
            const int definition = mergeable(model, use.operation->data[0], id);
            // Two numbers in a row are for combine-scalars.
            if (definition < 0 ||
                model.statement(definition).operation->kind == OperationKind::Scalars)
                continue;
            Absorber absorber(model);
            if (absorber.into(definition, *use.operation->steps[0].operand.number))
                result.push_back(propose(model, definition, id, absorber.absorbed()));
        }
        return result;
    }

private:
    static Proposal propose(const KernelModel &model, int definition, int id,
                            const std::vector<Absorbed> &absorbed)
    {
        const Operation &use = *model.statement(id).operation;
        const Operation &made = *model.statement(definition).operation;
        Proposal proposal = proposalAt(model, id);
        std::vector<std::pair<nki::NodeId, std::string>> here;
        std::string names;
        for (const Absorbed &one : absorbed) {
            if (one.statement == definition)
                here.emplace_back(one.node, one.text);
            else
                proposal.edits.replace(one.node, one.text);
            names += (names.empty() ? "" : ", ") + nameOf(model.statement(one.statement));
        }
        proposal.edits.replace(use.node, textWith(model, made.node, here));
        removeWithDeclaration(model, proposal.edits, definition);
        proposal.change -= costOf(model, model.statement(id)) * model.executions(id);
        const std::string factor = numberText(*use.steps[0].operand.number);
        proposal.title = fmt::format("Fold the factor of {} into the numbers before it",
                                     nameOf(model.statement(id)));
        proposal.prose = fmt::format(
            "{} ({}) is {} times {} ({}). Multiply the number in the statement of {} by {} instead "
            "and leave out the pass over {}.",
            nameOf(model.statement(id)), lineOf(model, id), factor,
            nameOf(model.statement(definition)), lineOf(model, definition), names, factor,
            nameOf(model.statement(definition)));
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeFoldFactor()
{
    return std::make_unique<FoldFactor>();
}

} // namespace accelopt::rewrite
