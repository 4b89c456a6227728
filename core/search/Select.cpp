// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Select.h"

#include "core/search/Words.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace accelopt::search {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// One contender for a place in the beam.
struct Contender
{
    SelectionEntry entry;
    int attempt = -1;      ///< of entry.plan, for group winners
    bool previous = false; ///< stood in the beam before
    bool copy = false;     ///< stands for a group without a correct kernel
};

KernelRecord &record(State &state, const KernelId &id)
{
    return state.kernels.at(id);
}

std::string dropReason(const State &state, const KernelId &id)
{
    for (auto decision = state.decisions.rbegin(); decision != state.decisions.rend(); ++decision)
        if (decision->decision == Decision::DropKernel && decision->kernel == id)
            return decision->reason.empty() ? "dropped by a person"
                                            : "dropped by a person: " + decision->reason;
    return "dropped by a person";
}

/// Gives a fate to the kernel and, when it stands for a group, to the attempt that won the group. A
/// duplicate stays one: the fate of its kernel is told at the kernel.
void give(State &state, IterationRecord &iteration, const Contender &contender)
{
    record(state, contender.entry.kernel).fate = contender.entry.fate;
    if (contender.attempt < 0)
        return;
    AttemptRecord &attempt = iteration.plans[iteration.planIndex(*contender.entry.plan)]
                                 .attempts[static_cast<std::size_t>(contender.attempt)];
    if (attempt.fate.code != FateCode::Duplicate)
        attempt.fate = contender.entry.fate;
}

/// The fastest kernel of each group, in slot order; equal kernels once. Under published-code a
/// group without one is a copy of its candidate.
std::vector<Contender> representatives(State &state, IterationRecord &iteration)
{
    std::vector<Contender> pool;
    std::set<KernelId> seen;
    for (const PlanRecord &plan : iteration.plans) {
        if (plan.status == PlanStatus::Skipped)
            continue;
        const int attempt = fastestAttempt(state, plan);
        Contender contender;
        contender.entry.plan = plan.plan.slot;
        if (attempt < 0) {
            if (state.config.beamPolicy != BeamPolicy::PublishedCode ||
                record(state, plan.plan.parent).dropped)
                continue;
            contender.entry.kernel = plan.plan.parent;
            contender.entry.latencyMs = kInfinite;
            contender.copy = true;
        } else {
            contender.entry.kernel = plan.attempts[static_cast<std::size_t>(attempt)].kernel();
            if (!seen.insert(contender.entry.kernel).second)
                continue;
            contender.entry.latencyMs = record(state, contender.entry.kernel).profile.latencyMs;
            contender.attempt = attempt;
        }
        pool.push_back(std::move(contender));
    }
    return pool;
}

bool contains(const std::vector<Contender> &pool, const KernelId &id)
{
    return std::any_of(pool.begin(), pool.end(), [&](const Contender &contender) {
        return contender.entry.kernel == id && !contender.copy;
    });
}

/// Previous candidates that may be selected, fastest first, each once.
std::vector<Contender> previousCandidates(const State &state, const IterationRecord &iteration)
{
    std::set<RankKey> ranked;
    for (const KernelId &id : iteration.candidates) {
        const KernelRecord *candidate = kernel(state, id);
        if (candidate && candidate->rankable && !candidate->dropped)
            ranked.insert(RankKey{candidate->profile.latencyMs, id});
    }
    std::vector<Contender> pool;
    for (const RankKey &key : ranked) {
        Contender contender;
        contender.entry.kernel = key.kernel;
        contender.entry.latencyMs = key.latencyMs;
        contender.previous = true;
        pool.push_back(std::move(contender));
    }
    return pool;
}

/// By latency, then identity; copies (infinite) stay in file order behind the rest.
void rank(std::vector<Contender> &pool)
{
    std::stable_sort(pool.begin(), pool.end(), [](const Contender &a, const Contender &b) {
        if (a.copy || b.copy)
            return !a.copy && b.copy;
        return RankKey{a.entry.latencyMs, a.entry.kernel} <
               RankKey{b.entry.latencyMs, b.entry.kernel};
    });
}

/// Kernels a person pinned, fastest first. The engine refuses a pin for which the beam has no
/// place, but the beam may have become narrower since.
std::vector<Contender> pinnedKernels(State &state, std::vector<Contender> &leftOut)
{
    std::vector<Contender> pool;
    for (const KernelId &id : state.pinned) {
        const KernelRecord &pinned = record(state, id);
        Contender contender;
        contender.entry.kernel = id;
        contender.entry.latencyMs = pinned.rankable ? pinned.profile.latencyMs : kInfinite;
        if (pinned.rankable) {
            contender.entry.fate = {FateCode::Pinned, "pinned to the beam by a person"};
            pool.push_back(std::move(contender));
        } else if (pinned.judged) {
            contender.entry.fate = {pinned.verdict.correct() ? FateCode::NotComparable
                                                             : FateCode::NotCorrect,
                                    "pinned by a person, but nothing can be built on it: " +
                                        verdictWords(pinned.verdict)};
            leftOut.push_back(std::move(contender));
        }
    }
    rank(pool);
    const std::size_t places = static_cast<std::size_t>(state.config.beamWidth);
    while (pool.size() > places) {
        Contender contender = std::move(pool.back());
        pool.pop_back();
        contender.entry.fate = {FateCode::Cut,
                                fmt::format("pinned by a person, but the beam has only {} and "
                                            "faster kernels are pinned",
                                            count(state.config.beamWidth, "place", "places"))};
        leftOut.push_back(std::move(contender));
    }
    return pool;
}

std::string gainWords(const State &state, const Contender &contender)
{
    const KernelRecord *chosen = kernel(state, contender.entry.kernel);
    if (!chosen || chosen->parent.empty())
        return {};
    const double gain = speedup(state, chosen->parent, chosen->id);
    return gain > 0 ? fmt::format(", {} against its parent", times(gain)) : std::string();
}

Fate chosenFate(const State &state, const Contender &contender, int place, int of)
{
    if (contender.copy)
        return {FateCode::Copied, fmt::format("stands for {}, which gave no correct kernel",
                                              planId(*contender.entry.plan).value)};
    return {FateCode::Selected,
            fmt::format("rank {} of {}: {}{}", place, of, milliseconds(contender.entry.latencyMs),
                        gainWords(state, contender))};
}

Fate cutFate(const State &state, const Contender &contender, const Contender *last, int place,
             int of)
{
    const int width = state.config.beamWidth;
    std::string text =
        fmt::format("rank {} of {}, beam has {}", place, of, count(width, "place", "places"));
    if (contender.copy)
        return {FateCode::Cut, text + ": its group gave no correct kernel"};
    if (!last)
        return {FateCode::Cut, text + ", all of them pinned"};
    if (last->copy)
        return {FateCode::Cut, text};
    const Profile &mine = kernel(state, contender.entry.kernel)->profile;
    const Profile &theirs = kernel(state, last->entry.kernel)->profile;
    if (tied(mine, theirs))
        return {FateCode::Tie,
                text + fmt::format(": {} cannot be told apart from {} for the last one chosen, and "
                                   "a tie does not change the order",
                                   milliseconds(mine.latencyMs), milliseconds(theirs.latencyMs))};
    return {FateCode::Cut,
            text + fmt::format(": {} against {} for the last one chosen",
                               milliseconds(mine.latencyMs), milliseconds(theirs.latencyMs))};
}

/// Attempts whose kernel a person has dropped since they were judged.
void markDropped(State &state, IterationRecord &iteration)
{
    for (PlanRecord &plan : iteration.plans) {
        for (AttemptRecord &attempt : plan.attempts) {
            if (attempt.turns.empty() || attempt.fate.code == FateCode::Duplicate)
                continue;
            KernelRecord &written = record(state, attempt.kernel());
            if (written.dropped) {
                attempt.fate = {FateCode::Dropped, dropReason(state, written.id)};
                written.fate = attempt.fate;
            }
        }
    }
}

/// Repeated sampling: nothing is ever built on.
void selectBaselineOnly(State &state, IterationRecord &iteration)
{
    const KernelRecord &baseline = record(state, state.opened.baseline);
    for (Contender &contender : representatives(state, iteration)) {
        contender.entry.fate = {FateCode::NotBuiltOn,
                                "the run has no beam: every plan starts from the baseline"};
        if (!contender.copy)
            give(state, iteration, contender);
        iteration.selection.entries.push_back(std::move(contender.entry));
    }
    if (!baseline.dropped)
        iteration.selection.beam.push_back(baseline.id);
}

} // namespace

int fastestAttempt(const State &state, const PlanRecord &plan)
{
    int fastest = -1;
    RankKey best;
    for (std::size_t a = 0; a < plan.attempts.size(); ++a) {
        const KernelRecord *written = kernel(state, plan.attempts[a].kernel());
        if (!written || !written->rankable || written->dropped)
            continue;
        RankKey key{written->profile.latencyMs, written->id};
        if (fastest < 0 || key < best) {
            fastest = static_cast<int>(a);
            best = std::move(key);
        }
    }
    return fastest;
}

void trackBest(State &state, IterationRecord &iteration)
{
    RankKey fastest;
    iteration.correct = 0;
    iteration.profiled = 0;
    for (const PlanRecord &plan : iteration.plans) {
        for (std::size_t a = 0; a < plan.attempts.size(); ++a) {
            const AttemptRecord &attempt = plan.attempts[a];
            for (std::size_t turn = 0; turn < attempt.turns.size(); ++turn) {
                const KernelRecord &written = record(state, attempt.turns[turn].kernel);
                const Turn here{{plan.plan.slot, static_cast<int>(a)}, static_cast<int>(turn)};
                if (written.first != here || !written.judged)
                    continue;
                ++iteration.profiled;
                iteration.correct += written.verdict.correct() ? 1 : 0;
                if (!written.rankable || written.dropped)
                    continue;
                const RankKey key{written.profile.latencyMs, written.id};
                if (fastest.kernel.empty() || key < fastest)
                    fastest = key;
            }
        }
    }
    iteration.fastest = fastest.kernel;
    if (!fastest.kernel.empty()) {
        const KernelRecord *best = kernel(state, state.best);
        const Profile &profile = record(state, fastest.kernel).profile;
        if (!best || (profile.latencyMs < best->profile.latencyMs && !tied(profile, best->profile)))
            state.best = fastest.kernel;
    }
    iteration.best = state.best;
    const KernelRecord *best = kernel(state, state.best);
    const double reference = state.patienceReferenceMs;
    const double gainPercent =
        best && reference > 0 ? 100 * (reference - best->profile.latencyMs) / reference : 0;
    iteration.progress = gainPercent > state.config.patienceGainPercent;
    if (iteration.progress) {
        state.patienceReferenceMs = best->profile.latencyMs;
        state.iterationsWithoutGain = 0;
    } else {
        ++state.iterationsWithoutGain;
    }
}

void judgeAttempts(State &state, IterationRecord &iteration)
{
    for (PlanRecord &plan : iteration.plans) {
        const int fastest = fastestAttempt(state, plan);
        for (std::size_t a = 0; a < plan.attempts.size(); ++a) {
            AttemptRecord &attempt = plan.attempts[a];
            if (attempt.turns.empty()) {
                if (attempt.status == AttemptStatus::Failed)
                    attempt.fate = {FateCode::Failed, attempt.failure};
                else if (plan.status == PlanStatus::Failed)
                    attempt.fate = {FateCode::Skipped, "there is no plan: " + plan.failure};
                else
                    attempt.fate = {FateCode::Skipped, attempt.failure};
                continue;
            }
            // Turns before the last did not compile, or there would have been no repair.
            for (std::size_t turn = 0; turn + 1 < attempt.turns.size(); ++turn) {
                KernelRecord &broken = record(state, attempt.turns[turn].kernel);
                const Turn here{{plan.plan.slot, static_cast<int>(a)}, static_cast<int>(turn)};
                if (broken.first == here)
                    broken.fate = {FateCode::NotCorrect,
                                   verdictWords(broken.verdict) + "; sent back for repair"};
            }
            KernelRecord &written = record(state, attempt.kernel());
            const Turn last{{plan.plan.slot, static_cast<int>(a)},
                            static_cast<int>(attempt.turns.size()) - 1};
            Fate fate;
            if (!written.verdict.correct())
                fate = {FateCode::NotCorrect, verdictWords(written.verdict)};
            else if (!written.rankable)
                fate = {FateCode::NotComparable,
                        "correct, but its latency is of another device, kind or cost model than "
                        "the baseline's"};
            else if (fastest >= 0 && static_cast<int>(a) != fastest)
                fate = {
                    FateCode::GroupLoser,
                    fmt::format(
                        "not the fastest of its plan: {} against {}",
                        milliseconds(written.profile.latencyMs),
                        milliseconds(
                            record(state, plan.attempts[static_cast<std::size_t>(fastest)].kernel())
                                .profile.latencyMs))};
            if (!attempt.failure.empty())
                fate.text += "; the repair failed: " + attempt.failure;
            if (written.first == last) {
                written.fate = fate;
                attempt.fate = std::move(fate);
                continue;
            }
            std::string as = "the baseline";
            if (written.id == plan.plan.parent)
                as = "its own parent";
            else if (written.first)
                as = describe(written.first->slot);
            attempt.fate = {FateCode::Duplicate, "the same kernel as " + as + ", not judged again"};
        }
    }
}

void select(State &state, IterationRecord &iteration)
{
    SelectionRecord &selection = iteration.selection;
    const bool again = selection.done;
    selection = SelectionRecord();
    selection.done = true;
    markDropped(state, iteration);
    if (!state.config.useBeam) {
        selectBaselineOnly(state, iteration);
        return;
    }

    const std::size_t width = static_cast<std::size_t>(state.config.beamWidth);
    std::vector<Contender> leftOut;
    std::vector<Contender> chosen = pinnedKernels(state, leftOut);
    std::vector<Contender> pool = representatives(state, iteration);
    std::vector<Contender> previous = previousCandidates(state, iteration);
    if (state.config.beamPolicy == BeamPolicy::Elitist)
        for (Contender &candidate : previous)
            if (!contains(pool, candidate.entry.kernel))
                pool.push_back(candidate);
    std::erase_if(pool, [&](const Contender &contender) {
        return contains(chosen, contender.entry.kernel) ||
               contains(leftOut, contender.entry.kernel);
    });
    rank(pool);

    const int of = static_cast<int>(pool.size());
    const std::size_t pinnedPlaces = chosen.size();
    const std::size_t taken = std::min(pool.size(), width - pinnedPlaces);
    for (std::size_t i = 0; i < taken; ++i) {
        pool[i].entry.fate = chosenFate(state, pool[i], static_cast<int>(i) + 1, of);
        chosen.push_back(pool[i]);
    }
    const Contender *last = taken > 0 ? &pool[taken - 1] : nullptr;
    for (std::size_t i = taken; i < pool.size(); ++i) {
        pool[i].entry.fate = cutFate(state, pool[i], last, static_cast<int>(i) + 1, of);
        leftOut.push_back(pool[i]);
    }

    if (state.config.beamPolicy == BeamPolicy::Paper) {
        for (Contender &candidate : previous) {
            if (contains(chosen, candidate.entry.kernel) ||
                contains(leftOut, candidate.entry.kernel))
                continue;
            if (chosen.size() < width) {
                candidate.entry.fate = {FateCode::Filled,
                                        fmt::format("stays in the beam: only {} to replace it",
                                                    count(of, "new kernel", "new kernels"))};
                chosen.push_back(candidate);
            } else {
                candidate.entry.fate = {FateCode::Cut,
                                        "replaced: the policy fills the beam with new kernels"};
                leftOut.push_back(candidate);
            }
        }
    } else if (state.config.beamPolicy == BeamPolicy::Elitist && chosen.size() < width) {
        const KernelRecord &baseline = record(state, state.opened.baseline);
        if (baseline.rankable && !baseline.dropped && !contains(chosen, baseline.id)) {
            Contender contender;
            contender.entry.kernel = baseline.id;
            contender.entry.latencyMs = baseline.profile.latencyMs;
            contender.entry.fate = {FateCode::Filled,
                                    fmt::format("the baseline fills the beam: only {} of {} taken",
                                                chosen.size(),
                                                count(state.config.beamWidth, "place", "places"))};
            chosen.push_back(std::move(contender));
        }
    }

    // First those left out: a kernel that also stands in the beam tells of the beam.
    for (const Contender &contender : leftOut)
        give(state, iteration, contender);
    for (Contender &contender : chosen) {
        contender.entry.chosen = true;
        give(state, iteration, contender);
        selection.beam.push_back(contender.entry.kernel);
        if (contender.entry.plan && !contender.copy && !again) {
            const PlanRecord &plan = iteration.plans[iteration.planIndex(*contender.entry.plan)];
            for (const ItemId &used : plan.plan.usedItems)
                if (const auto found = state.itemIndex.find(used); found != state.itemIndex.end())
                    ++state.items[found->second].wins;
        }
        selection.entries.push_back(std::move(contender.entry));
    }
    for (Contender &contender : leftOut)
        selection.entries.push_back(std::move(contender.entry));
}

} // namespace accelopt::search
