// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

// Runs of 4 KiB and more are moved at full speed.
constexpr std::int64_t kFullRunElements = 1024;
// Of a partition, for the gathered rows.
constexpr double kMostGatheredBytes = 64 * 1024;

class GatherStores final : public Rewrite
{
public:
    std::string_view name() const override { return "gather-stores"; }
    std::string_view precondition() const override
    {
        return "every pass of an affine_range makes one tile that is stored beside that of the "
               "pass before and used for nothing else, in pieces of less than 4 KiB a row, and "
               "the whole rows fit into SBUF twice beside the rest";
    }
    std::string_view reason() const override
    {
        return "DMA is efficient only with runs of some KiB: gathered in SBUF the pieces of a row "
               "leave in one transfer";
    }
    std::string_view counters() const override
    {
        return "dma_transfer_count down, dma_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"gather the stores", "one store", "wider stores", "store whole rows"};
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
    static bool changesIn(const KernelModel &model, NodeId node, int loop)
    {
        if (!model.mentions(node, model.loops()[static_cast<std::size_t>(loop)].variable).empty())
            return true;
        for (std::size_t id = 0; id < model.statements().size(); ++id)
            if (model.inside(static_cast<int>(id), loop))
                for (const auto &[name, count] : model.statements()[id].writes)
                    if (!model.mentions(node, name).empty())
                        return true;
        return false;
    }

    // The statement that makes what is stored, for nothing else.
    static int makerOf(const KernelModel &model, int store)
    {
        const Operand &value = model.statement(store).operation->data[0];
        const int id = model.definition(value, store);
        if (id < 0 || !model.onlyUsedBy(id, store) || !value.access.whole || value.inPsum)
            return -1;
        const Statement &maker = model.statement(id);
        const nki::SyntaxTree &tree = model.tree();
        return maker.operation && maker.operation->plain && onlyMakesItsResult(*maker.operation) &&
                       maker.operation->mask < 0 && !maker.augmented &&
                       maker.operation->kind != OperationKind::Load &&
                       tree[maker.destination.node].kind == NodeKind::Name &&
                       tree[value.node].kind == NodeKind::Name &&
                       !model.declarations().contains(maker.destination.base)
                   ? id
                   : -1;
    }

    // True when the loop touches the tensor in this statement only.
    static bool onlyTouch(const KernelModel &model, int store, int loop, const std::string &name)
    {
        const std::vector<int> users = model.users(name);
        return std::none_of(users.begin(), users.end(), [&](int user) {
            return user != store && !model.statement(user).hasBody && model.inside(user, loop);
        });
    }

    static std::optional<Proposal> propose(const KernelModel &model, int id)
    {
        const Statement &store = model.statement(id);
        const nki::SyntaxTree &tree = model.tree();
        if (!store.operation || store.operation->kind != OperationKind::Store ||
            !store.operation->plain || store.operation->mask >= 0 || store.loop < 0 ||
            store.destination.indices.size() < 2)
            return std::nullopt;
        const Loop &loop = model.loops()[static_cast<std::size_t>(store.loop)];
        const auto trips = model.trips(store.loop);
        const AxisIndex &last = store.destination.indices.back();
        const int maker = makerOf(model, id);
        const TileShape &shape = store.operation->data[0].shape;
        const auto rows = shape.partitions ? shape.partitions->constant() : std::nullopt;
        if (loop.kind != "affine_range" || !trips || *trips < 2 || maker < 0 || !rows ||
            store.block != tree[loop.node].children[2] || !last.known || last.lanes.size() != 1 ||
            last.lanes[0].stride != 1 || last.lanes[0].axis != 1 ||
            !onlyTouch(model, id, store.loop, store.destination.base))
            return std::nullopt;
        std::size_t axes = 0;
        for (std::size_t i = 0; i + 1 < store.destination.indices.size(); ++i) {
            const AxisIndex &index = store.destination.indices[i];
            if (!index.known || changesIn(model, index.node, store.loop))
                return std::nullopt;
            axes += index.lanes.size();
        }
        const auto width = last.lanes[0].size.constant();
        const auto start =
            width ? Symbolic::difference(
                        last.offset,
                        Symbolic::product(Symbolic::named(loop.variable), Symbolic(*width))
                            .value_or(Symbolic(0)))
                  : std::nullopt;
        if (axes != 1 || !start || start->mentions(loop.variable) || *width >= kFullRunElements ||
            shape.elements != Symbolic(*width))
            return std::nullopt;
        const std::int64_t whole = *width * *trips;
        const double bytes = static_cast<double>(whole) * 4;
        const auto nest = wholeNest(model);
        if (bytes > kMostGatheredBytes ||
            (nest && residenceOf(model, *nest).bytesPerPartition + 2 * bytes > kUsableBytes))
            return std::nullopt;
        return write(model, id, maker, *rows, *start, *width, whole);
    }

    static Proposal write(const KernelModel &model, int id, int maker, std::int64_t rows,
                          const Symbolic &start, std::int64_t width, std::int64_t whole)
    {
        const Statement &store = model.statement(id);
        const Loop &loop = model.loops()[static_cast<std::size_t>(store.loop)];
        const NodeId last = store.destination.indices.back().node;
        const Operand &value = store.operation->data[0];
        Proposal proposal = proposalAt(model, id);
        SourceEdits &edits = proposal.edits;
        const std::string gathered = model.freshName(value.access.base + "_rows");
        const std::string step = sizeText(model, last, width);
        NodeId rowsNode = last;
        for (const AxisIndex &one : store.destination.indices)
            if (one.node != last && !one.lanes.empty())
                rowsNode = one.node;
        edits.insertBefore(
            loop.node,
            {fmt::format("{} = {}(({}({}), {}), dtype={}.dtype, buffer={})", gathered,
                         spelled(model, edits, "nl.ndarray"), spelled(model, edits, "nl.par_dim"),
                         sizeText(model, rowsNode, rows), whole, store.destination.base,
                         spelled(model, edits, "nl.sbuf"))});
        edits.replace(model.statement(maker).destination.node,
                      fmt::format("{}[:, {} * {}:({} + 1) * {}]", gathered, loop.variable, step,
                                  loop.variable, step));
        const std::string from = start == Symbolic(0) ? std::string() : start.text();
        const std::string index =
            model.tree()[last].kind == NodeKind::Slice
                ? (from.empty() ? fmt::format("0:{}", whole)
                                : fmt::format("{}:{} + {}", from, from, whole))
                : (from.empty() ? "" : from + " + ") +
                      fmt::format("{}({})[None, :]", spelled(model, edits, "nl.arange"), whole);
        std::string text = textWith(model, store.node, {{last, index}, {value.node, gathered}});
        // On one line, wherever it was broken.
        if (text.find('\n') != std::string::npos) {
            std::string joined;
            for (std::size_t at = 0; at < text.size(); ++at) {
                if (text[at] != '\n' && text[at] != '\r') {
                    joined += text[at];
                    continue;
                }
                at = text.find_first_not_of(" \t\r\n", at) - 1;
                if (!joined.empty() && joined.back() == ',')
                    joined += ' ';
            }
            text = joined;
        }
        edits.insertAfter(loop.node, {text});
        edits.remove(store.node);
        const double times = model.executions(id);
        const double passes = static_cast<double>(whole / width);
        proposal.change.dma =
            (dmaMs(static_cast<double>(rows), static_cast<double>(whole)) / passes -
             dmaMs(static_cast<double>(rows), static_cast<double>(width))) *
            times;
        proposal.title = fmt::format("Store the rows of {} whole, after the loop over {}",
                                     store.destination.base, loop.variable);
        proposal.prose = fmt::format(
            "Every pass of the loop over {} (line {}) stores {} elements of each row. Gather them "
            "in {} in SBUF and store the rows of {} elements once, after the loop.",
            loop.variable, model.tree()[loop.node].place.line, width, gathered, whole);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeGatherStores()
{
    return std::make_unique<GatherStores>();
}

} // namespace accelopt::rewrite
