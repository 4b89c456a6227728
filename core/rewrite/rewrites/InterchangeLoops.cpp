// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace accelopt::rewrite {
namespace {

// Orders that keep about the same alive are many; the best are enough to go on from.
constexpr std::size_t kMost = 4;

class InterchangeLoops final : public Rewrite
{
public:
    std::string_view name() const override { return "interchange-loops"; }
    std::string_view precondition() const override
    {
        return "a loop lies inside another, and moved around it (what the outer loop does besides "
               "goes before or after) every value is still made before it is read, less is kept "
               "in SBUF, and PSUM holds the sums";
    }
    std::string_view reason() const override
    {
        return "the loop that tells the kept tiles apart belongs outside: then one tile after the "
               "other is finished, and fewer are alive at once";
    }
    std::string_view counters() const override
    {
        return "spill_save_bytes and spill_reload_bytes down, dma_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"interchange", "swap the loop", "reorder the loop", "loop order"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Found> found;
        for (std::size_t id = 0; id < model.statements().size(); ++id)
            propose(model, static_cast<int>(id), found);
        std::stable_sort(found.begin(), found.end(), [](const Found &a, const Found &b) {
            return std::tie(a.then.spillMs, a.then.bytesPerPartition) <
                   std::tie(b.then.spillMs, b.then.bytesPerPartition);
        });
        std::vector<Proposal> result;
        for (std::size_t i = 0; i < found.size() && i < kMost; ++i)
            result.push_back(std::move(*found[i].proposal));
        return result;
    }

private:
    struct Found
    {
        Residence then;
        std::unique_ptr<Proposal> proposal;
    };

    static void collect(const LoopNode &node, std::vector<int> &loops)
    {
        for (const LoopNode &child : node.children) {
            if (child.isLoop())
                loops.push_back(child.loops[0]);
            collect(child, loops);
        }
    }

    static void propose(const KernelModel &model, int id, std::vector<Found> &result)
    {
        const Statement &statement = model.statement(id);
        const auto nest = nestOf(model, id);
        if (!nest)
            return;
        std::vector<int> inner;
        collect(nest->front(), inner);
        const auto whole = wholeNest(model);
        if (inner.empty() || !whole)
            return;
        const Residence now = residenceOf(model, *whole);
        for (const int loop : inner) {
            const auto parts = extractLoop(nest->front(), loop);
            if (!parts)
                continue;
            std::vector<LoopNode> order = parts->before;
            order.push_back(parts->loop);
            order.back().children = parts->inside;
            order.insert(order.end(), parts->after.begin(), parts->after.end());
            if (!computesTheSame(model, *nest, order))
                continue;
            auto changed = *whole;
            if (!put(changed, id, order))
                continue;
            const Residence then = residenceOf(model, changed);
            if (!then.fitsPsum(now) || then.spillMs > now.spillMs ||
                (then.spillMs == now.spillMs && then.bytesPerPartition >= now.bytesPerPartition))
                continue;
            Proposal proposal = proposalAt(model, id);
            const Loop &outer = model.loops()[static_cast<std::size_t>(nest->front().loops[0])];
            const Loop &moved = model.loops()[static_cast<std::size_t>(loop)];
            const int line = model.tree()[moved.node].place.line;
            proposal.parameters["inner_line"] = line;
            replaceNest(model, proposal.edits, statement.block, statement.position,
                        statement.position, order);
            proposal.change.dma = then.spillMs - now.spillMs;
            proposal.opens = "fewer tiles are alive at once";
            proposal.title = fmt::format("Move the loop over {} (line {}) around the loop over {}",
                                         moved.variable, line, outer.variable);
            proposal.prose = fmt::format(
                "Interchange the loop over {} (line {}) with the loop over {} (line {}) around it, "
                "so that {} runs outside: {:.0f} KiB of a partition are then alive at once "
                "instead of {:.0f} KiB.",
                moved.variable, line, outer.variable, model.tree()[outer.node].place.line,
                moved.variable, then.bytesPerPartition / 1024, now.bytesPerPartition / 1024);
            result.push_back({then, std::make_unique<Proposal>(std::move(proposal))});
        }
    }

    // Puts `order` in the place of the loop that is statement `id`.
    static bool put(std::vector<LoopNode> &nodes, int id, const std::vector<LoopNode> &order)
    {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto at = nodes.begin() + static_cast<std::ptrdiff_t>(i);
            if (nodes[i].statement == id) {
                nodes.insert(nodes.erase(at), order.begin(), order.end());
                return true;
            }
            if (put(nodes[i].children, id, order))
                return true;
        }
        return false;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeInterchangeLoops()
{
    return std::make_unique<InterchangeLoops>();
}

} // namespace accelopt::rewrite
