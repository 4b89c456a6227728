// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

/// y = a + b where a is the sum of products in PSUM and b another product.
struct SumOfProducts
{
    int copied = -1;  ///< a, the copy of the sum; -1 when y reads PSUM itself
    int product = -1; ///< the product that is b
    int evicted = -1; ///< its copy; -1 when y reads PSUM itself
    std::string sum;  ///< name of the tile in PSUM
};

class AccumulateInPsum final : public Rewrite
{
public:
    std::string_view name() const override { return "accumulate-in-psum"; }
    std::string_view precondition() const override
    {
        return "a sum of products in PSUM and another product of the same shape are added after "
               "they were copied out, all in one block, and neither is read elsewhere";
    }
    std::string_view reason() const override
    {
        return "the tensor engine adds a product to what a PSUM bank holds for nothing; no second "
               "copy and no addition on the vector engine";
    }
    std::string_view counters() const override
    {
        return "psum_read_bytes down, vector_engine_active_time_percent and "
               "scalar_engine_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"accumulate in psum", "psum accumulation", "accumulate both products",
                "same accumulator"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const Statement &use = model.statement(id);
            if (!use.operation || use.augmented || use.operation->kind != OperationKind::Tensors ||
                use.operation->function != "add" || !use.operation->plain ||
                use.operation->mask >= 0)
                continue;
            for (std::size_t side = 0; side < 2; ++side)
                if (const auto found = match(model, id, side)) {
                    result.push_back(propose(model, id, *found));
                    break;
                }
        }
        return result;
    }

private:
    static std::optional<SumOfProducts> match(const KernelModel &model, int id, std::size_t side)
    {
        const Operation &use = *model.statement(id).operation;
        SumOfProducts found;
        const Operand *sum = &use.data[side];
        if (!sum->inPsum) {
            found.copied = mergeable(model, *sum, id);
            if (found.copied < 0 || !isCopy(model, found.copied))
                return std::nullopt;
            sum = &model.statement(found.copied).operation->data[0];
        }
        const Operand *product = &use.data[1 - side];
        int reader = id;
        if (!product->inPsum) {
            found.evicted = mergeable(model, *product, id);
            if (found.evicted < 0 || !isCopy(model, found.evicted))
                return std::nullopt;
            reader = found.evicted;
            product = &model.statement(found.evicted).operation->data[0];
        }
        if (!sum->access.whole || !product->access.whole)
            return std::nullopt;
        found.product = model.definition(*product, reader);
        if (found.product < 0 || !model.onlyUsedBy(found.product, reader))
            return std::nullopt;
        const Statement &made = model.statement(found.product);
        found.sum = sum->access.base;
        if (made.operation->kind != OperationKind::Matmul || !made.destination.whole ||
            model.tree()[made.destination.node].kind != nki::NodeKind::Name ||
            made.operation->mask >= 0 || made.destination.base == found.sum ||
            !isSumOfProducts(model, found, id, made.shape))
            return std::nullopt;
        return found;
    }

    static bool isCopy(const KernelModel &model, int id)
    {
        const Operation &copy = *model.statement(id).operation;
        return copy.kind == OperationKind::Copy && copy.data[0].inPsum;
    }

    // Zeros, then products added in earlier statements of the block, then the one reader.
    static bool isSumOfProducts(const KernelModel &model, const SumOfProducts &found, int id,
                                const TileShape &shape)
    {
        const int reader = found.copied >= 0 ? found.copied : id;
        const nki::NodeId block = model.statement(id).block;
        bool added = false;
        bool zeros = false;
        for (const int user : model.users(found.sum)) {
            const Statement &statement = model.statement(user);
            if (user == reader)
                continue;
            if (statement.block == block && statement.position > model.statement(reader).position)
                return false;
            if (statement.hasBody)
                continue;
            if (statement.operation && statement.operation->kind == OperationKind::Declare) {
                const auto buffer = statement.operation->keywords.find("buffer");
                zeros = statement.block == block && statement.operation->function == "zeros" &&
                        compatibleTypes(statement.operation->dtype, "float32") &&
                        buffer != statement.operation->keywords.end() &&
                        model.normalized(buffer->second).ends_with("psum") && !zeros &&
                        statement.shape == shape;
                if (!zeros)
                    return false;
                continue;
            }
            if (!statement.augmented || model.tree()[statement.node].text != "+" ||
                !statement.operation || statement.operation->kind != OperationKind::Matmul)
                return false;
            added = true;
        }
        return zeros && added && shape.elements && shape.partitions;
    }

    static Proposal propose(const KernelModel &model, int id, const SumOfProducts &found)
    {
        Proposal proposal = proposalAt(model, id);
        SourceEdits &edits = proposal.edits;
        const Statement &product = model.statement(found.product);
        const double times = model.executions(id);
        edits.replace(product.node,
                      fmt::format("{} += {}", found.sum, model.text(product.operation->node)));
        for (const int gone : {found.copied, found.evicted})
            if (gone >= 0) {
                removeWithDeclaration(model, edits, gone);
                proposal.change -= costOf(model, model.statement(gone)) * times;
            }
        edits.replace(model.statement(id).operation->node, CallText(model, edits, "nl.copy")
                                                               .positional(found.sum)
                                                               .like(*model.statement(id).operation)
                                                               .text());
        const double width = model.statement(id).shape.width();
        proposal.change -= costOf(model, model.statement(id)) * times;
        proposal.change.scalar += scalarMs(width) * times;
        proposal.title = fmt::format("Add {} to {} in PSUM", nameOf(product), found.sum);
        proposal.prose = fmt::format(
            "{} ({}) adds a product ({}) to the sum of products {} outside PSUM. Let the product "
            "be added to {} where it is, and copy only the sum.",
            nameOf(model.statement(id)), lineOf(model, id), lineOf(model, found.product), found.sum,
            found.sum);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeAccumulateInPsum()
{
    return std::make_unique<AccumulateInPsum>();
}

} // namespace accelopt::rewrite
