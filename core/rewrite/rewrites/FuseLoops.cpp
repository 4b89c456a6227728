// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;

// Loops further apart than this are not looked at together.
constexpr int kFarthest = 8;

class FuseLoops final : public Rewrite
{
public:
    std::string_view name() const override { return "fuse-loops"; }
    std::string_view precondition() const override
    {
        return "two nests of loops in the same block, the second reading tiles that the first "
               "makes, have loops of the same kind and trip count whose passes use the same "
               "tiles; moved to the outside and joined, they still make every value before it is "
               "read";
    }
    std::string_view reason() const override
    {
        return "a tile that is used right after it was made stays on the chip; made by one nest "
               "and used by the next, all of them have to be kept, and what SBUF cannot hold goes "
               "to HBM and back";
    }
    std::string_view counters() const override
    {
        return "spill_save_bytes and spill_reload_bytes down, hbm_read_bytes and hbm_write_bytes "
               "down, dma_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"fuse the loop", "fusing the loop", "loop fusion",
                "fuse loops",    "fuse the two",    "fusion of the loops"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        std::vector<NodeId> blocks;
        for (const Statement &statement : model.statements())
            if (std::find(blocks.begin(), blocks.end(), statement.block) == blocks.end())
                blocks.push_back(statement.block);
        for (const NodeId block : blocks) {
            const std::vector<int> &ids = model.block(block);
            for (int first = 0; first < static_cast<int>(ids.size()); ++first)
                for (int second = first + 1;
                     second < static_cast<int>(ids.size()) && second - first <= kFarthest; ++second)
                    if (loopOf(model, ids[static_cast<std::size_t>(first)]) >= 0 &&
                        loopOf(model, ids[static_cast<std::size_t>(second)]) >= 0)
                        propose(model, {block, first, second}, result);
        }
        return result;
    }

private:
    struct Pair
    {
        NodeId block;
        int first;
        int second;
    };
    using Match = std::pair<int, int>; ///< a loop of the first nest, one of the second

    static int loopOf(const KernelModel &model, int statement)
    {
        for (std::size_t i = 0; i < model.loops().size(); ++i)
            if (model.loops()[i].node == model.statement(statement).node)
                return static_cast<int>(i);
        return -1;
    }

    static const Loop &at(const KernelModel &model, int loop)
    {
        return model.loops()[static_cast<std::size_t>(loop)];
    }

    // Pairs of loops whose passes use the same elements in every tensor that both nests touch.
    static std::vector<Match> matches(const KernelModel &model, const std::vector<Flow> &flows)
    {
        std::vector<Match> result;
        for (const Flow &flow : flows)
            for (const Match &pair : flow.overlap.equal) {
                if (pair.first == pair.second ||
                    !(at(model, pair.first).trips == at(model, pair.second).trips) ||
                    at(model, pair.first).kind != at(model, pair.second).kind ||
                    std::find(result.begin(), result.end(), pair) != result.end())
                    continue;
                const bool agreed = std::all_of(flows.begin(), flows.end(), [&](const Flow &other) {
                    return !model.inside(other.writer, pair.first) ||
                           !model.inside(other.reader, pair.second) ||
                           other.overlap.equal.contains(pair);
                });
                const bool taken = std::any_of(result.begin(), result.end(), [&](const Match &m) {
                    return m.first == pair.first || m.second == pair.second;
                });
                if (agreed && !taken)
                    result.push_back(pair);
            }
        return result;
    }

    struct Joined
    {
        std::vector<LoopNode> nest;
        std::vector<Match> used;
    };

    static void append(std::vector<LoopNode> &to, const std::vector<LoopNode> &from)
    {
        to.insert(to.end(), from.begin(), from.end());
    }

    // One of `nodes` has the loop: it is cut there, the others stay before and after.
    static std::optional<NestParts> cut(const std::vector<LoopNode> &nodes, int loop)
    {
        NestParts result;
        bool found = false;
        for (const LoopNode &node : nodes) {
            if (!found && containsLoop(node, loop)) {
                auto parts = extractLoop(node, loop);
                if (!parts)
                    return std::nullopt;
                append(result.before, parts->before);
                result.inside = std::move(parts->inside);
                result.loop = std::move(parts->loop);
                append(result.after, parts->after);
                found = true;
            } else {
                (found ? result.after : result.before).push_back(node);
            }
        }
        return found ? std::optional(std::move(result)) : std::nullopt;
    }

    static std::optional<std::vector<LoopNode>>
    join(const std::vector<LoopNode> &first, const std::vector<LoopNode> &between,
         const std::vector<LoopNode> &second, const std::vector<Match> &pairs, std::size_t depth)
    {
        std::vector<LoopNode> result;
        if (depth == pairs.size()) {
            append(result, first);
            append(result, between);
            append(result, second);
            return result;
        }
        const auto left = cut(first, pairs[depth].first);
        const auto right = cut(second, pairs[depth].second);
        if (!left || !right)
            return std::nullopt;
        auto body = join(left->inside, {}, right->inside, pairs, depth + 1);
        if (!body)
            return std::nullopt;
        LoopNode loop = left->loop;
        append(loop.children, *body);
        loop.loops.insert(loop.loops.end(), right->loop.loops.begin(), right->loop.loops.end());
        // Comments of the second loop go with its first statement.
        if (!right->loop.before.empty() && !right->inside.empty())
            for (LoopNode &child : loop.children)
                if (child.statement == right->inside.front().statement) {
                    child.before.insert(child.before.begin(), right->loop.before.begin(),
                                        right->loop.before.end());
                    break;
                }
        append(result, left->before);
        append(result, between);
        append(result, right->before);
        result.push_back(std::move(loop));
        append(result, left->after);
        append(result, right->after);
        return result;
    }

    static void propose(const KernelModel &model, const Pair &where, std::vector<Proposal> &result)
    {
        auto nest = readNest(model, where.block, where.first, where.second);
        if (!nest)
            return;
        const std::vector<LoopNode> first{nest->front()};
        const std::vector<LoopNode> second{nest->back()};
        const std::vector<LoopNode> between(nest->begin() + 1, nest->end() - 1);
        const auto flows = flowsBetween(model, leavesOf(first), leavesOf(second));
        const std::vector<Match> pairs = matches(model, flows);
        if (pairs.empty())
            return;
        const Residence before = residenceOf(model, *nest);
        std::vector<std::vector<Match>> orders{pairs, pairs};
        std::sort(orders[0].begin(), orders[0].end());
        std::sort(orders[1].begin(), orders[1].end(),
                  [](const Match &a, const Match &b) { return a.second < b.second; });
        if (orders[0] == orders[1])
            orders.pop_back();
        std::vector<Match> found;
        for (std::size_t order = 0; order < orders.size(); ++order) {
            // As many loops as go together.
            std::vector<Match> used;
            std::vector<LoopNode> best;
            for (const Match &pair : orders[order]) {
                used.push_back(pair);
                auto joined = join(first, between, second, used, 0);
                if (joined && computesTheSame(model, *nest, *joined) &&
                    residenceOf(model, *joined).fitsPsum(before))
                    best = std::move(*joined);
                else
                    used.pop_back();
            }
            if (used.empty() || (order == 1 && used == found))
                continue;
            found = used;
            result.push_back(proposal(model, where, best, used, before, order == 1));
        }
    }

    static Proposal proposal(const KernelModel &model, const Pair &where,
                             const std::vector<LoopNode> &joined, const std::vector<Match> &used,
                             const Residence &before, bool secondOrder)
    {
        const int one = model.block(where.block)[static_cast<std::size_t>(where.first)];
        const int two = model.block(where.block)[static_cast<std::size_t>(where.second)];
        Proposal proposal = proposalAt(model, one);
        const auto line = [&](int id) { return model.tree()[model.statement(id).node].place.line; };
        proposal.parameters = {{"first_line", line(one)}, {"second_line", line(two)}};
        if (secondOrder)
            proposal.parameters["order"] = "second";
        replaceNest(model, proposal.edits, where.block, where.first, where.second, joined);
        const Residence after = residenceOf(model, joined);
        proposal.change.dma = (after.spillMs - before.spillMs) * model.executions(one);
        if (after.bytesPerPartition <= before.bytesPerPartition)
            proposal.opens = "values made and used in one pass of a loop can be computed together";
        std::vector<std::string> lefts;
        std::vector<std::string> rights;
        for (const Match &pair : used) {
            lefts.push_back(at(model, pair.first).variable);
            rights.push_back(at(model, pair.second).variable);
        }
        const bool moved =
            used.front().first != loopOf(model, one) || used.front().second != loopOf(model, two);
        proposal.title = fmt::format("Fuse the loops over {} with those over {} (line {})",
                                     fmt::join(lefts, ", "), fmt::join(rights, ", "), line(two));
        proposal.prose = fmt::format(
            "The nest of line {} makes tiles that the nest of line {} uses. {}Join the loops over "
            "{} with the loops over {} into one nest over {}, so that each tile is used in the "
            "pass that makes it: {:.0f} KiB of a partition are then alive at once instead of "
            "{:.0f} KiB.",
            line(one), line(two),
            moved ? fmt::format("Move the loops over {} to the outside (interchange). ",
                                fmt::join(lefts, ", "))
                  : std::string(),
            fmt::join(lefts, ", "), fmt::join(rights, ", "), fmt::join(lefts, ", "),
            after.bytesPerPartition / 1024, before.bytesPerPartition / 1024);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeFuseLoops()
{
    return std::make_unique<FuseLoops>();
}

} // namespace accelopt::rewrite
