// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Curate.h"

#include "core/search/Random.h"
#include "core/search/Words.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::search {

namespace {

/// A group's correct attempts, reduced to what sigma looks at.
struct Group
{
    PlanSlot plan;
    const KernelRecord *candidate = nullptr;
    const KernelRecord *fastest = nullptr;
    const KernelRecord *slowest = nullptr;
};

/// A pair that may be taken, with the group it speaks for (index into the curation's groups).
struct Offer
{
    PairRecord pair;
    std::size_t group = 0;
};

RankKey rankKey(const KernelRecord &record)
{
    return RankKey{record.profile.latencyMs, record.id};
}

std::vector<Group> groups(const State &state, const IterationRecord &iteration)
{
    std::vector<Group> found;
    for (const PlanRecord &plan : iteration.plans) {
        Group group;
        group.plan = plan.plan.slot;
        group.candidate = kernel(state, plan.plan.parent);
        for (const AttemptRecord &attempt : plan.attempts) {
            const KernelRecord *written = kernel(state, attempt.kernel());
            if (!written || !written->rankable)
                continue;
            if (!group.fastest || rankKey(*written) < rankKey(*group.fastest))
                group.fastest = written;
            if (!group.slowest || rankKey(*group.slowest) < rankKey(*written))
                group.slowest = written;
        }
        if (group.fastest && group.candidate && group.candidate->rankable)
            found.push_back(group);
    }
    return found;
}

PairRecord makePair(const PlanSlot &plan, bool positive, double groupSpeedup,
                    const KernelRecord &slow, const KernelRecord &fast)
{
    PairRecord pair;
    pair.plan = plan;
    pair.positive = positive;
    pair.groupSpeedup = groupSpeedup;
    pair.speedup = slow.profile.latencyMs / fast.profile.latencyMs;
    pair.slow = slow.id;
    pair.fast = fast.id;
    return pair;
}

void take(IterationRecord &iteration, Offer &offer, std::string text)
{
    GroupOutcome &outcome = iteration.curation.groups[offer.group];
    outcome.taken = true;
    outcome.text = std::move(text);
    iteration.curation.pairs.push_back(std::move(offer.pair));
}

/// The pairs of ALGORITHM's sigma, steps 1 and 2.
void takeGroupPairs(State &state, IterationRecord &iteration)
{
    const RunConfig &config = state.config;
    std::vector<Offer> positives;
    std::vector<Offer> negatives;
    for (const Group &group : groups(state, iteration)) {
        const double candidateMs = group.candidate->profile.latencyMs;
        double s = candidateMs / group.fastest->profile.latencyMs;
        if (config.memoryPolicy == MemoryPolicy::PublishedCode && s < 1)
            s = candidateMs / group.slowest->profile.latencyMs;

        GroupOutcome outcome;
        outcome.plan = group.plan;
        outcome.speedup = s;
        const bool positive = s > config.positiveThreshold;
        const bool negative = s < 1 / config.negativeThreshold;
        const KernelRecord &slow = positive ? *group.candidate : *group.slowest;
        const KernelRecord &fast = positive ? *group.fastest : *group.candidate;
        if (!positive && !negative) {
            outcome.text =
                fmt::format("no lesson: {} lies between {} and {}", times(s),
                            times(1 / config.negativeThreshold), times(config.positiveThreshold));
        } else if (config.separableOnly && tied(slow.profile, fast.profile)) {
            outcome.text = fmt::format("no lesson: {} and {} cannot be told apart",
                                       milliseconds(slow.profile.latencyMs),
                                       milliseconds(fast.profile.latencyMs));
        } else {
            Offer offer{makePair(group.plan, positive, s, slow, fast),
                        iteration.curation.groups.size()};
            (positive ? positives : negatives).push_back(std::move(offer));
        }
        iteration.curation.groups.push_back(std::move(outcome));
    }

    std::stable_sort(positives.begin(), positives.end(), [](const Offer &a, const Offer &b) {
        return a.pair.groupSpeedup > b.pair.groupSpeedup;
    });
    std::stable_sort(negatives.begin(), negatives.end(), [](const Offer &a, const Offer &b) {
        return a.pair.groupSpeedup < b.pair.groupSpeedup;
    });
    const auto takeFirst = [&](std::vector<Offer> &offers, std::size_t places, const char *sign) {
        for (std::size_t i = 0; i < offers.size(); ++i) {
            std::string text = fmt::format("{} pair, rank {} of {}, {}", sign, i + 1, offers.size(),
                                           times(offers[i].pair.groupSpeedup));
            if (i < places)
                take(iteration, offers[i], std::move(text));
            else
                iteration.curation.groups[offers[i].group].text =
                    text + fmt::format(": only {} taken", places);
        }
        return std::min(offers.size(), places);
    };
    const std::size_t topK = static_cast<std::size_t>(std::max(config.topK, 0));
    const std::size_t positivesTaken = takeFirst(positives, topK / 2, "positive");
    takeFirst(negatives, topK - positivesTaken, "negative");
}

/// A reflection on every correct new kernel, however large its effect and without a limit.
void takeEveryKernel(State &state, IterationRecord &iteration)
{
    std::vector<Offer> offers;
    for (const PlanRecord &plan : iteration.plans) {
        const KernelRecord *candidate = kernel(state, plan.plan.parent);
        for (std::size_t a = 0; a < plan.attempts.size(); ++a) {
            const AttemptRecord &attempt = plan.attempts[a];
            const KernelRecord *written = kernel(state, attempt.kernel());
            const Turn last{{plan.plan.slot, static_cast<int>(a)},
                            static_cast<int>(attempt.turns.size()) - 1};
            if (!written || !written->rankable || written->first != last || !candidate ||
                !candidate->rankable)
                continue;
            const double s = candidate->profile.latencyMs / written->profile.latencyMs;
            const bool positive = s > 1;
            offers.push_back(
                Offer{makePair(plan.plan.slot, positive, s, positive ? *candidate : *written,
                               positive ? *written : *candidate),
                      iteration.curation.groups.size()});
            iteration.curation.groups.push_back(GroupOutcome{plan.plan.slot, s, false, {}});
        }
    }
    // Positives before negatives, the most dramatic of each first.
    std::stable_sort(offers.begin(), offers.end(), [](const Offer &a, const Offer &b) {
        if (a.pair.positive != b.pair.positive)
            return a.pair.positive;
        return a.pair.speedup > b.pair.speedup;
    });
    for (Offer &offer : offers) {
        std::string text =
            fmt::format("every kernel is reflected on: {}", times(offer.pair.groupSpeedup));
        take(iteration, offer, std::move(text));
    }
}

std::size_t pinnedIn(const State &state, const std::vector<std::size_t> &indices)
{
    return static_cast<std::size_t>(
        std::count_if(indices.begin(), indices.end(),
                      [&](std::size_t index) { return state.items[index].pinned; }));
}

/// Positions 0 .. of - 1, `number` of them drawn without replacement, in ascending order.
std::vector<std::size_t> draw(std::size_t number, std::size_t of, Random random)
{
    std::vector<std::size_t> positions(of);
    for (std::size_t i = 0; i < of; ++i)
        positions[i] = i;
    number = std::min(number, of);
    for (std::size_t i = 0; i < number; ++i)
        std::swap(positions[i], positions[i + random.below(of - i)]);
    positions.resize(number);
    std::sort(positions.begin(), positions.end());
    return positions;
}

/// Marks which of the unpinned `items` stay when there is room for `places`.
std::vector<bool> whoStays(const State &state, const std::vector<std::size_t> &items,
                           std::size_t places, const std::string &stream)
{
    std::size_t unpinned = items.size() - pinnedIn(state, items);
    std::vector<bool> drawn(unpinned, false);
    if (state.config.memoryPolicy == MemoryPolicy::PublishedCode) {
        for (std::size_t at : draw(places, unpinned, Random(mixSeed(state.config.seed, stream))))
            drawn[at] = true;
    } else {
        std::fill_n(drawn.begin(), std::min(places, unpinned), true);
    }
    std::vector<bool> stays;
    std::size_t next = 0;
    for (const std::size_t index : items)
        stays.push_back(state.items[index].pinned || drawn[next++]);
    return stays;
}

/// The memory becomes `newest` followed by what it held, cut to its capacity. `stream` names the
/// draw of policy published-code.
void put(State &state, const std::vector<std::size_t> &newest, const std::string &stream)
{
    std::vector<std::size_t> old = std::move(state.active);
    state.active.clear();
    const std::size_t capacity = static_cast<std::size_t>(std::max(state.config.memoryCapacity, 0));
    if (capacity == 0) {
        state.active = newest;
        state.active.insert(state.active.end(), old.begin(), old.end());
        return;
    }
    const std::size_t pinned = pinnedIn(state, old) + pinnedIn(state, newest);
    std::size_t places = capacity > pinned ? capacity - pinned : 0;
    const auto fallOut = [&](std::size_t index, std::string why) {
        state.items[index].status = ItemStatus::FellOut;
        state.items[index].fate = {FateCode::FellOut, std::move(why)};
    };
    for (const std::size_t index : newest) {
        if (state.items[index].pinned) {
            state.active.push_back(index);
        } else if (places > 0) {
            state.active.push_back(index);
            --places;
        } else {
            fallOut(index,
                    fmt::format("found no room: the memory holds {}, {} of them pinned",
                                count(state.config.memoryCapacity, "item", "items"), pinned));
        }
    }
    const std::vector<bool> stays = whoStays(state, old, places, stream);
    const bool byChance = state.config.memoryPolicy == MemoryPolicy::PublishedCode;
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (stays[i])
            state.active.push_back(old[i]);
        else
            fallOut(old[i],
                    byChance ? fmt::format("not drawn: {} of {} older items stay",
                                           std::count(stays.begin(), stays.end(), true), old.size())
                             : fmt::format("pushed out by newer items: the memory holds {}",
                                           count(state.config.memoryCapacity, "item", "items")));
    }
}

std::size_t addToHistory(State &state, MemoryItem added)
{
    const std::size_t index = state.items.size();
    state.itemIndex.emplace(added.item.id, index);
    state.items.push_back(std::move(added));
    return index;
}

/// Puts a proposed, rejected or fallen item into the memory on a person's word.
void activate(State &state, std::size_t index, const char *why)
{
    MemoryItem &item = state.items[index];
    if (item.status == ItemStatus::Active)
        return;
    item.status = ItemStatus::Active;
    item.fate = {FateCode::Active, why};
    put(state, {index}, fmt::format("memory.{}.{}", item.item.id.value, state.decisions.size()));
}

} // namespace

ItemId itemId(int iteration, int rank)
{
    return ItemId(fmt::format("e{}.{}", iteration, rank));
}

void takePairs(State &state, IterationRecord &iteration)
{
    switch (state.config.intake) {
    case Intake::None: break;
    case Intake::Pairs: takeGroupPairs(state, iteration); break;
    case Intake::EveryKernel: takeEveryKernel(state, iteration); break;
    }
    for (std::size_t rank = 0; rank < iteration.curation.pairs.size(); ++rank)
        state.openPairs.emplace(iteration.index, static_cast<int>(rank));
    state.iterationsToRemember.insert(iteration.index);
}

void remember(State &state, IterationRecord &iteration)
{
    std::vector<std::size_t> newest;
    for (std::size_t rank = 0; rank < iteration.curation.pairs.size(); ++rank) {
        PairRecord &pair = iteration.curation.pairs[rank];
        if (pair.status != PairStatus::Answered)
            continue;
        pair.status = PairStatus::Summarized;
        ++iteration.curation.added;
        MemoryItem added;
        added.item = pair.item;
        added.author = pair.author;
        const std::string from =
            fmt::format("the {} pair of {}, {}", pair.positive ? "positive" : "negative",
                        planId(pair.plan).value, times(pair.speedup));
        if (state.config.memoryPolicy == MemoryPolicy::Reviewed) {
            added.status = ItemStatus::Proposed;
            added.fate = {FateCode::Proposed, "waits for a person's approval: " + from};
            addToHistory(state, std::move(added));
        } else {
            added.fate = {FateCode::Active,
                          fmt::format("entered after iteration {}: {}", iteration.index + 1, from)};
            newest.push_back(addToHistory(state, std::move(added)));
        }
    }
    put(state, newest, fmt::format("memory.i{}", iteration.index));
    iteration.curation.memory.clear();
    for (const std::size_t index : state.active)
        iteration.curation.memory.push_back(state.items[index].item.id);
}

void keepPair(State &state, int iteration, int rank, std::string reason)
{
    PairRecord &pair = state.iterations[static_cast<std::size_t>(iteration)]
                           .curation.pairs[static_cast<std::size_t>(rank)];
    pair.status = PairStatus::Kept;
    pair.reason = std::move(reason);
    state.openPairs.erase({iteration, rank});
    state.keptPairs.emplace(iteration, rank);
}

std::string decideItem(State &state, const PersonDecided &decision)
{
    const auto found = state.itemIndex.find(decision.item);
    if (found == state.itemIndex.end())
        return fmt::format("there is no experience item {}", decision.item.value);
    const std::size_t index = found->second;
    MemoryItem &item = state.items[index];
    switch (decision.decision) {
    case Decision::ApproveItem: activate(state, index, "approved by a person"); break;
    case Decision::RejectItem:
        item.status = ItemStatus::Rejected;
        item.pinned = false;
        item.fate = {FateCode::Rejected, decision.reason.empty()
                                             ? "rejected by a person"
                                             : "rejected by a person: " + decision.reason};
        std::erase(state.active, index);
        break;
    case Decision::PinItem:
        if (item.pinned)
            break;
        if (state.config.memoryCapacity > 0 &&
            pinnedIn(state, state.active) >= static_cast<std::size_t>(state.config.memoryCapacity))
            return fmt::format("{} cannot be pinned: all {} of the memory are pinned",
                               decision.item.value,
                               count(state.config.memoryCapacity, "place", "places"));
        item.pinned = true;
        activate(state, index, "pinned by a person");
        item.fate = {FateCode::Pinned, "pinned to the memory by a person"};
        break;
    case Decision::UnpinItem:
        if (item.pinned) {
            item.pinned = false;
            item.fate = {FateCode::Active, "in memory; no longer pinned"};
        }
        break;
    case Decision::EditItem:
        if (!item.edited) {
            item.originalTitle = item.item.title;
            item.originalStrategy = item.item.strategy;
            item.edited = true;
        }
        if (!decision.title.empty())
            item.item.title = decision.title;
        if (!decision.strategy.empty())
            item.item.strategy = decision.strategy;
        break;
    case Decision::ProposeItem:
        item.status = ItemStatus::Proposed;
        item.pinned = false;
        item.fate = {FateCode::Proposed, "waits for a person's approval again"};
        std::erase(state.active, index);
        break;
    default: return "not a decision on an item";
    }
    return {};
}

void importItem(State &state, const ExperienceItem &item, const std::string &author)
{
    MemoryItem added;
    added.item = item;
    added.author = author;
    added.fate = {FateCode::Active, "taken over from another run"};
    if (state.config.memoryPolicy == MemoryPolicy::Reviewed) {
        added.status = ItemStatus::Proposed;
        added.fate = {FateCode::Proposed,
                      "waits for a person's approval: taken over from another run"};
        addToHistory(state, std::move(added));
        return;
    }
    const std::size_t capacity = static_cast<std::size_t>(std::max(state.config.memoryCapacity, 0));
    if (capacity > 0 && state.active.size() >= capacity) {
        added.status = ItemStatus::FellOut;
        added.fate = {FateCode::FellOut, "found no room: the memory is full"};
        addToHistory(state, std::move(added));
        return;
    }
    state.active.push_back(addToHistory(state, std::move(added)));
}

} // namespace accelopt::search
