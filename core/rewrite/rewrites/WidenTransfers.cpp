// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

// Runs longer than this gain nothing (DMA efficiency is flat from 4 KiB on).
constexpr std::int64_t kLongestRunElements = 4096;

class WidenTransfers final : public Rewrite
{
public:
    std::string_view name() const override { return "widen-transfers"; }
    std::string_view precondition() const override
    {
        return "an affine loop loads slices of tensors side by side, works on each and stores "
               "slices side by "
               "side, in that order and without other loops; the whole rows fit into SBUF twice";
    }
    std::string_view reason() const override
    {
        return "DMA is efficient only with runs of some KiB, while the engines may be better off "
               "with narrow "
               "tiles: load and store whole rows around the loop and keep computing on slices";
    }
    std::string_view counters() const override { return "dma_active_time_percent down"; }
    std::vector<std::string> keywords() const override
    {
        return {"wider transfers", "larger transfers", "larger dma",
                "wider dma",       "wider loads",      "whole rows"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (std::size_t loop = 0; loop < model.loops().size(); ++loop)
            if (auto proposal = propose(model, static_cast<int>(loop)))
                result.push_back(std::move(*proposal));
        return result;
    }

private:
    // What the statements of the body are to become.
    struct Parts
    {
        std::vector<int> before; ///< masks and the like that do not depend on the loop
        std::vector<int> loads;
        std::vector<int> work;
        std::vector<int> stores;
        std::int64_t width = 0; ///< of a slice
    };

    // The last index is (loop variable * width, width); no other mentions the variable.
    static std::optional<std::int64_t> sliceWidth(const KernelModel &model, const Access &access,
                                                  const std::string &variable)
    {
        if (access.indices.size() < 2)
            return std::nullopt;
        for (std::size_t i = 0; i + 1 < access.indices.size(); ++i)
            if (!model.mentions(access.indices[i].node, variable).empty())
                return std::nullopt;
        const AxisIndex &last = access.indices.back();
        if (!last.known || last.lanes.size() != 1 || last.lanes[0].stride != 1 ||
            last.lanes[0].axis != 1)
            return std::nullopt;
        const auto width = last.lanes[0].size.constant();
        if (!width || Symbolic::product(Symbolic::named(variable), Symbolic(*width)) != last.offset)
            return std::nullopt;
        return width;
    }

    static bool fits(Parts &parts, std::optional<std::int64_t> width)
    {
        if (!width || (parts.width != 0 && parts.width != *width))
            return false;
        parts.width = *width;
        return true;
    }

    static bool plainName(const KernelModel &model, const Statement &statement)
    {
        return statement.destination.node >= 0 &&
               model.tree()[statement.destination.node].kind == NodeKind::Name &&
               !model.declarations().contains(statement.destination.base);
    }

    static std::optional<Parts> parts(const KernelModel &model, const Loop &loop)
    {
        Parts result;
        const NodeId body = model.tree()[loop.node].children[2];
        std::set<std::string> bound;
        for (const int id : model.block(body)) {
            const Statement &statement = model.statement(id);
            if (statement.hasBody || statement.augmented)
                return std::nullopt;
            if (!statement.operation) {
                // A name for a mask or an index, needed by loads and stores alike.
                if (model.tree()[statement.node].kind != NodeKind::Assign ||
                    statement.reads.contains(loop.variable) || !result.loads.empty())
                    return std::nullopt;
                result.before.push_back(id);
                continue;
            }
            const Operation &operation = *statement.operation;
            if (!operation.plain ||
                (operation.mask >= 0 && !model.mentions(operation.mask, loop.variable).empty()))
                return std::nullopt;
            switch (operation.kind) {
            case OperationKind::Load:
                if (!result.work.empty() || !result.stores.empty() ||
                    !plainName(model, statement) ||
                    !fits(result, sliceWidth(model, operation.data[0].access, loop.variable)))
                    return std::nullopt;
                result.loads.push_back(id);
                break;
            case OperationKind::Store:
                if (!operation.data[0].access.whole ||
                    !fits(result, sliceWidth(model, statement.destination, loop.variable)))
                    return std::nullopt;
                result.stores.push_back(id);
                break;
            case OperationKind::Activation:
            case OperationKind::Scalars:
            case OperationKind::Tensors:
            case OperationKind::ScalarTensor:
            case OperationKind::Reciprocal:
            case OperationKind::Copy:
                if (!result.stores.empty() || !plainName(model, statement) ||
                    !operation.reduceOp.empty() || statement.reads.contains(loop.variable))
                    return std::nullopt;
                result.work.push_back(id);
                break;
            default: return std::nullopt;
            }
            if (!statement.destination.base.empty() && operation.kind != OperationKind::Store &&
                !bound.insert(statement.destination.base).second)
                return std::nullopt;
        }
        if (result.loads.empty() || result.stores.empty() || result.work.empty())
            return std::nullopt;
        // A stored value must be computed here, once for each store.
        for (const int id : result.stores) {
            const int made = model.definition(model.statement(id).operation->data[0], id);
            if (std::find(result.work.begin(), result.work.end(), made) == result.work.end() ||
                !model.onlyUsedBy(made, id))
                return std::nullopt;
        }
        return result;
    }

    static std::string onOneLine(const KernelModel &model, NodeId node)
    {
        const std::string text(model.text(node));
        return text.find('\n') == std::string::npos ? text : model.normalized(node);
    }

    // The text of a load or store with its last index over `width` elements.
    static std::string widened(const KernelModel &model, SourceEdits &edits, NodeId statement,
                               const AxisIndex &index, std::int64_t width)
    {
        const nki::SyntaxTree &tree = model.tree();
        const std::string lanes =
            tree[index.node].kind == NodeKind::Slice
                ? fmt::format("0:{}", width)
                : fmt::format("{}({})[None, :]", spelled(model, edits, "nl.arange"), width);
        const std::string text(model.text(statement));
        const auto begin = [&](NodeId node) {
            return tree.offset(tree[node].place.line, tree[node].place.column);
        };
        const std::size_t from = begin(index.node) - begin(statement);
        return text.substr(0, from) + lanes + text.substr(from + model.text(index.node).size());
    }

    static std::optional<Proposal> propose(const KernelModel &model, int id)
    {
        const Loop &loop = model.loops()[static_cast<std::size_t>(id)];
        const auto trips = model.trips(id);
        if (!trips || *trips < 2 || loop.kind != "affine_range" ||
            !model.tree()[model.tree()[loop.node].children[3]].children.empty())
            return std::nullopt;
        const auto found = parts(model, loop);
        if (!found || found->width * 4 >= kLongestRunElements)
            return std::nullopt;
        const std::int64_t width = found->width * *trips;
        const double rows = static_cast<double>(found->loads.size() + found->stores.size());
        if (2 * rows * static_cast<double>(width) * 4 > kUsableBytes)
            return std::nullopt;

        Proposal proposal{{{"loop", loop.variable}, {"line", model.tree()[loop.node].place.line}},
                          model.tree()[loop.node].place,
                          {},
                          {},
                          {},
                          SourceEdits(model.tree())};
        SourceEdits &edits = proposal.edits;
        const NodeId where =
            model.statement(found->loads[0]).operation->data[0].access.indices.back().node;
        const std::string tile = sizeText(model, where, found->width);
        const std::string slice =
            fmt::format("[:, {} * {}:({} + 1) * {}]", loop.variable, tile, loop.variable, tile);
        std::vector<std::string> head;
        std::vector<std::string> tail;
        for (const int one : found->before) {
            head.push_back(onOneLine(model, model.statement(one).node));
            edits.remove(model.statement(one).node);
        }
        for (const int one : found->loads) {
            const Statement &load = model.statement(one);
            head.push_back(widened(model, edits, load.node,
                                   load.operation->data[0].access.indices.back(), width));
            edits.remove(load.node);
            for (const int user : found->work)
                for (const NodeId mention :
                     model.mentions(model.statement(user).operation->node, load.destination.base)) {
                    if (model.tree()[model.tree()[mention].parent].kind == NodeKind::Subscript)
                        return std::nullopt;
                    edits.replace(mention, load.destination.base + slice);
                }
        }
        for (const int one : found->stores) {
            const Statement &store = model.statement(one);
            const std::string &value = store.operation->data[0].access.base;
            const Statement &made =
                model.statement(model.definition(store.operation->data[0], one));
            const auto partitions =
                made.shape.partitions ? made.shape.partitions->constant() : std::nullopt;
            if (!partitions)
                return std::nullopt;
            head.push_back(fmt::format("{} = {}(({}({}), {}), dtype={}, buffer={})", value,
                                       spelled(model, edits, "nl.ndarray"),
                                       spelled(model, edits, "nl.par_dim"), *partitions, width,
                                       spelled(model, edits, "nl.float32"),
                                       spelled(model, edits, "nl.sbuf")));
            edits.replace(made.destination.node, value + slice);
            tail.push_back(
                widened(model, edits, store.node, store.destination.indices.back(), width));
            edits.remove(store.node);
        }
        for (const std::string &line : head)
            if (line.find('\n') != std::string::npos)
                return std::nullopt;
        for (const std::string &line : tail)
            if (line.find('\n') != std::string::npos)
                return std::nullopt;
        edits.insertBefore(loop.node, head);
        edits.insertAfter(loop.node, tail);

        for (const std::vector<int> *ids : {&found->loads, &found->stores})
            for (const int one : *ids) {
                const Statement &statement = model.statement(one);
                const double partitions =
                    statement.shape.partitions
                        ? static_cast<double>(statement.shape.partitions->constant().value_or(128))
                        : 128;
                const double times = model.executions(one);
                proposal.change.dma -= dmaMs(partitions, static_cast<double>(found->width)) * times;
                proposal.change.dma += dmaMs(partitions, static_cast<double>(width)) * times /
                                       static_cast<double>(*trips);
            }
        proposal.title =
            fmt::format("Move whole rows in and out around the loop over {}", loop.variable);
        proposal.prose =
            fmt::format("The loop over {} (line {}) loads and stores slices of {} elements, runs "
                        "too short for DMA. Load rows "
                        "of {} elements before the loop, compute on slices of them in it, and "
                        "store whole rows after it.",
                        loop.variable, model.tree()[loop.node].place.line, found->width, width);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeWidenTransfers()
{
    return std::make_unique<WidenTransfers>();
}

} // namespace accelopt::rewrite
