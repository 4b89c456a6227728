// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

class CollectTerms final : public Rewrite
{
public:
    std::string_view name() const override { return "collect-terms"; }
    std::string_view precondition() const override
    {
        return "a tile is added to or subtracted from a multiple of itself, and the multiple is "
               "read nowhere else";
    }
    std::string_view reason() const override
    {
        return "x + c x is (1 + c) x: one pass over the tile by the vector engine instead of three";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, sbuf_read_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"like terms", "collect terms", "multiple of itself"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented || use.operation->kind != OperationKind::Tensors ||
                (use.operation->function != "add" && use.operation->function != "subtract"))
                continue;
            for (std::size_t side = 0; side < 2; ++side)
                if (auto proposal = propose(model, id, side)) {
                    result.push_back(std::move(*proposal));
                    break;
                }
        }
        return result;
    }

private:
    static std::optional<Proposal> propose(const KernelModel &model, int id, std::size_t side)
    {
        const Operation &use = *model.statement(id).operation;
        const Operand &plain = use.data[1 - side];
        const int multiple = mergeable(model, use.data[side], id);
        if (multiple < 0)
            return std::nullopt;
        const Operation &definition = *model.statement(multiple).operation;
        if (definition.kind != OperationKind::Scalars || definition.steps.size() != 1 ||
            definition.steps[0].op != "multiply" || !definition.steps[0].operand.number ||
            !sameRegion(definition.data[0].access, plain.access) ||
            !model.unchanged(plain, multiple, id))
            return std::nullopt;
        const double factor = *definition.steps[0].operand.number;
        double total = 1 + factor;
        if (use.function == "subtract")
            total = side == 0 ? factor - 1 : 1 - factor;

        Proposal proposal = proposalAt(model, id);
        const std::string data = textOf(model, plain);
        std::string text;
        if (use.callee.rfind("nisa.", 0) == 0 || definition.callee.rfind("nisa.", 0) == 0)
            text = CallText(model, proposal.edits, "nisa.tensor_scalar")
                       .keyword("data", data)
                       .keyword("op0", spelled(model, proposal.edits, "nl.multiply"))
                       .keyword("operand0", numberText(total))
                       .like(use)
                       .text();
        else
            text = CallText(model, proposal.edits, "nl.multiply")
                       .positional(data)
                       .positional(numberText(total))
                       .like(use)
                       .text();
        proposal.edits.replace(use.node, text);
        removeWithDeclaration(model, proposal.edits, multiple);
        const double width = model.statement(id).shape.width();
        const double times = model.executions(id);
        proposal.change -= costOf(model, model.statement(multiple)) * times;
        proposal.change -= costOf(model, model.statement(id)) * times;
        proposal.change.scalar += scalarMs(width) * times;
        proposal.title = "Collect the multiples of " + data.substr(0, data.find('['));
        proposal.prose =
            fmt::format("{} ({}) combines {} with {} times itself ({}). Replace both by one "
                        "multiplication of it by {}.",
                        nameOf(model.statement(id)), lineOf(model, id), data, numberText(factor),
                        nameOf(model.statement(multiple)), numberText(total));
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeCollectTerms()
{
    return std::make_unique<CollectTerms>();
}

} // namespace accelopt::rewrite
