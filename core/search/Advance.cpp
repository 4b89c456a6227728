// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Advance.h"

#include "core/search/Calls.h"
#include "core/search/Curate.h"
#include "core/search/Saturation.h"
#include "core/search/Select.h"
#include "core/search/Words.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::search {

namespace {

/// Kernels judged again at the end, besides the baseline.
constexpr std::size_t kConfirmedKernels = 3;

bool begun(const State &state, const CallId &call)
{
    return state.callsInDoubt.contains(call);
}

PlanRecord &plannedAt(State &state, const PlanSlot &slot)
{
    IterationRecord &iteration = state.iterations[static_cast<std::size_t>(slot.iteration)];
    return iteration.plans[iteration.planIndex(slot)];
}

void skipPlan(PlanRecord &plan, const std::string &why)
{
    plan.status = PlanStatus::Skipped;
    plan.failure = why;
    for (AttemptRecord &attempt : plan.attempts) {
        attempt.status = AttemptStatus::Skipped;
        attempt.failure = why;
    }
}

void skipWhatIsNotBegun(State &state)
{
    const std::string why = "not asked: " + state.stop.text;
    for (auto slot = state.openPlans.begin(); slot != state.openPlans.end();) {
        if (begun(state, planCall(*slot))) {
            ++slot;
            continue;
        }
        skipPlan(plannedAt(state, *slot), why);
        slot = state.openPlans.erase(slot);
    }
    for (auto slot = state.openAttempts.begin(); slot != state.openAttempts.end();) {
        AttemptRecord &attempt =
            plannedAt(state, slot->plan).attempts[static_cast<std::size_t>(slot->attempt)];
        const int repair = static_cast<int>(attempt.turns.size());
        if (begun(state, writeCall(Turn{*slot, repair}))) {
            ++slot;
            continue;
        }
        attempt.status = repair == 0 ? AttemptStatus::Skipped : AttemptStatus::Done;
        attempt.failure = why;
        slot = state.openAttempts.erase(slot);
    }
}

void keepWhatIsNotBegun(State &state)
{
    const std::set<std::pair<int, int>> open = state.openPairs;
    for (const auto &[iteration, rank] : open)
        if (!begun(state, summaryCall(iteration, rank)))
            keepPair(state, iteration, rank, "not summarized: " + state.stop.text);
}

/// How many kernels the next iteration may still have written, repairs included; nothing when
/// unbounded.
std::optional<int> kernelsLeft(const State &state)
{
    if (!state.config.budgetKernels)
        return std::nullopt;
    return std::max(*state.config.budgetKernels - state.counts.distinct, 0);
}

std::vector<KernelId> nextCandidates(const State &state)
{
    if (!state.iterations.empty() && state.config.useBeam)
        return state.iterations.back().selection.beam;
    const KernelRecord *baseline = kernel(state, state.opened.baseline);
    if (baseline->dropped)
        return {};
    return {baseline->id};
}

/// Gives out attempts plan by plan across the candidates, so that a small budget is spread over the
/// beam instead of going to its first candidate.
void openSlots(State &state, IterationRecord &iteration)
{
    const int candidates = static_cast<int>(iteration.candidates.size());
    const int perPlan = state.config.attemptsPerPlan;
    std::int64_t left = std::int64_t(candidates) * iteration.plansPerCandidate * perPlan;
    iteration.repairs = state.config.repairs;
    if (const std::optional<int> kernels = kernelsLeft(state)) {
        // Each attempt may cost a kernel per repair turn as well.
        std::int64_t slots = *kernels / (1 + iteration.repairs);
        if (slots == 0) {
            slots = 1;
            iteration.repairs = *kernels - 1;
        }
        left = std::min(left, slots);
    }
    iteration.plans.resize(iteration.candidates.size() *
                           static_cast<std::size_t>(iteration.plansPerCandidate));
    for (int p = 0; p < iteration.plansPerCandidate; ++p) {
        for (int c = 0; c < candidates; ++c) {
            const PlanSlot slot{iteration.index, c, p};
            PlanRecord &plan = iteration.plans[iteration.planIndex(slot)];
            plan.plan.slot = slot;
            plan.plan.parent = iteration.candidates[static_cast<std::size_t>(c)];
            const std::int64_t granted = std::min<std::int64_t>(perPlan, left);
            left -= granted;
            plan.attempts.resize(static_cast<std::size_t>(granted));
            if (granted == 0)
                skipPlan(plan,
                         fmt::format("not asked: the budget of {} leaves no room",
                                     count(*state.config.budgetKernels, "kernel", "kernels")));
            else
                state.openPlans.insert(slot);
        }
    }
}

void enterConfirmation(State &state)
{
    state.phase = Phase::Confirm;
    state.openConfirmations.clear();
    for (const RankKey &key : state.ranking) {
        if (state.openConfirmations.size() == kConfirmedKernels)
            break;
        state.openConfirmations.push_back(key.kernel);
    }
    // The baseline, which every speedup is over, and the best-so-far, which is what the run reports
    // and stands behind a tie or two in the ranking when those came later.
    for (const KernelId &id : {state.best, state.opened.baseline})
        if (const KernelRecord *record = kernel(state, id);
            record != nullptr && record->rankable &&
            std::find(state.openConfirmations.begin(), state.openConfirmations.end(), id) ==
                state.openConfirmations.end())
            state.openConfirmations.push_back(id);
    for (const KernelId &id : state.openConfirmations)
        state.kernels.at(id).confirmation = Confirmation();
}

/// The iteration bound, target, patience and kernel budget: looked at between iterations only, so
/// that they do not depend on the order of arrival.
void checkBounds(State &state)
{
    const RunConfig &config = state.config;
    const int done = static_cast<int>(state.iterations.size());
    const KernelRecord *best = kernel(state, state.best);
    if (done >= config.iterations)
        requestStop(state, StopCode::IterationsDone,
                    count(done, "iteration done", "iterations done"));
    if (config.targetPercentOfPeak && best && best->profile.percentOfPeak &&
        *best->profile.percentOfPeak >= *config.targetPercentOfPeak)
        requestStop(state, StopCode::Target,
                    fmt::format("the target of {:g} % of peak is reached ({:.1f} %)",
                                *config.targetPercentOfPeak, *best->profile.percentOfPeak));
    if (config.patience > 0 && state.iterationsWithoutGain >= config.patience)
        requestStop(state, StopCode::Patience,
                    fmt::format("no gain above {:g} % for {}", config.patienceGainPercent,
                                count(state.iterationsWithoutGain, "iteration", "iterations")));
    if (kernelsLeft(state) == 0)
        requestStop(state, StopCode::BudgetKernels,
                    fmt::format("the budget of {} is spent",
                                count(*config.budgetKernels, "kernel", "kernels")));
}

void startIteration(State &state)
{
    if (state.patienceReferenceMs == 0) {
        state.best = state.opened.baseline;
        state.patienceReferenceMs = kernel(state, state.best)->profile.latencyMs;
    }
    checkBounds(state);
    if (isStopping(state)) {
        enterConfirmation(state);
        return;
    }
    std::vector<KernelId> candidates = nextCandidates(state);
    if (candidates.empty()) {
        state.phase = Phase::WaitForPerson;
        return;
    }
    IterationRecord &iteration = state.iterations.emplace_back();
    iteration.index = static_cast<int>(state.iterations.size()) - 1;
    iteration.candidates = std::move(candidates);
    iteration.plansPerCandidate = state.config.plansPerCandidate;
    openSlots(state, iteration);
    state.phase = Phase::Search;
}

void settleIteration(State &state)
{
    IterationRecord &iteration = state.iterations.back();
    iteration.implemented = true;
    for (const PlanRecord &plan : iteration.plans)
        if (plan.status == PlanStatus::Made)
            state.plansByParent[plan.plan.parent].push_back(plan.plan.slot);
    trackBest(state, iteration);
    judgeAttempts(state, iteration);
    concludeSaturation(state, iteration);
    takePairs(state, iteration);
    state.phase = Phase::Curate;
    if (isStopping(state))
        keepWhatIsNotBegun(state);
}

void finishCuration(State &state)
{
    for (const int index : state.iterationsToRemember)
        remember(state, state.iterations[static_cast<std::size_t>(index)]);
    state.iterationsToRemember.clear();
    if (!state.iterations.empty())
        select(state, state.iterations.back());
    startIteration(state);
}

/// An interval around the latency: the profile's own, or its tie margin where it has none.
Interval latencyInterval(const Profile &profile)
{
    if (profile.intervalMs.low > 0 && profile.intervalMs.high >= profile.intervalMs.low)
        return profile.intervalMs;
    return {profile.latencyMs * (1 - profile.tieMargin),
            profile.latencyMs * (1 + profile.tieMargin)};
}

void confirm(KernelRecord &record, const KernelRecord &baseline)
{
    Confirmation &mine = *record.confirmation;
    if (!mine.verdict.correct()) {
        mine.reason = "not confirmed: the second judgement found it " + verdictWords(mine.verdict);
        return;
    }
    if (record.id == baseline.id) {
        mine.confirmed = true;
        mine.speedup = 1;
        mine.speedupInterval = {1, 1};
        mine.reason = "the baseline is correct again: " + milliseconds(mine.profile.latencyMs);
        return;
    }
    const Confirmation &theirs = *baseline.confirmation;
    if (!theirs.verdict.correct()) {
        mine.reason = "not confirmed: the second judgement found the baseline " +
                      verdictWords(theirs.verdict);
        return;
    }
    if (!comparable(mine.profile, theirs.profile)) {
        mine.reason = "not confirmed: its latency and the baseline's are not of one kind";
        return;
    }
    const Interval own = latencyInterval(mine.profile);
    const Interval base = latencyInterval(theirs.profile);
    mine.speedup = theirs.profile.latencyMs / mine.profile.latencyMs;
    if (own.low > 0)
        mine.speedupInterval = {base.low / own.high, base.high / own.low};
    const std::string figures =
        fmt::format("{} against {} for the baseline", milliseconds(mine.profile.latencyMs),
                    milliseconds(theirs.profile.latencyMs));
    if (mine.speedup <= 1)
        mine.reason = "not confirmed: correct, but no faster than the baseline: " + figures;
    else if (tied(mine.profile, theirs.profile))
        mine.reason = "not confirmed: correct, but a tie with the baseline: " + figures;
    else {
        mine.confirmed = true;
        const std::string range = fmt::format("{} to {}", times(mine.speedupInterval.low),
                                              times(mine.speedupInterval.high));
        // The interval takes the errors of the two latencies for independent, which those of one
        // model are not: where it says nothing, it is said what it means.
        mine.reason =
            mine.speedupInterval.low > 1
                ? fmt::format("confirmed: {} ({}), {}", times(mine.speedup), range, figures)
                : fmt::format("confirmed: {}, {}; {} only if the errors of the two "
                              "latencies had nothing in common",
                              times(mine.speedup), figures, range);
    }
}

/// Best of those whose second judgement was correct, when that of the best-so-far was not: a run
/// never ends with a best kernel that is known not to be right.
void concludeConfirmation(State &state)
{
    state.phase = Phase::Ready;
    const KernelRecord &baseline = state.kernels.at(state.opened.baseline);
    std::set<RankKey> good;
    std::vector<KernelRecord *> judged;
    for (const RankKey &key : state.ranking)
        if (KernelRecord &record = state.kernels.at(key.kernel);
            record.confirmation && record.confirmation->judged)
            judged.push_back(&record);
    if (baseline.confirmation && baseline.confirmation->judged && baseline.dropped)
        judged.push_back(&state.kernels.at(baseline.id));
    for (KernelRecord *record : judged) {
        confirm(*record, baseline);
        if (record->confirmation->verdict.correct() && !record->dropped)
            good.insert(RankKey{record->profile.latencyMs, record->id});
    }
    const KernelRecord *best = kernel(state, state.best);
    if (best && best->confirmation && best->confirmation->judged &&
        !best->confirmation->verdict.correct() && !good.empty())
        state.best = good.begin()->kernel;
}

/// One step of advance(); false when the state waits for an event.
bool step(State &state)
{
    switch (state.phase) {
    case Phase::NotOpened:
    case Phase::Ready:
    case Phase::Finished: return false;
    case Phase::Baseline: {
        const KernelRecord *baseline = kernel(state, state.opened.baseline);
        if (!baseline->judged) {
            if (!isStopping(state))
                return false;
            state.phase = Phase::Ready;
        } else if (!baseline->rankable) {
            requestStop(state, StopCode::BaselineNotGood,
                        baseline->verdict.correct()
                            ? "the baseline is correct, but its profile has no latency"
                            : "the baseline cannot be built on: " +
                                  verdictWords(baseline->verdict));
            state.phase = Phase::Ready;
        } else {
            startIteration(state);
        }
        return true;
    }
    case Phase::Search:
        if (!state.openPlans.empty() || !state.openAttempts.empty() ||
            !state.openJudgements.empty())
            return false;
        settleIteration(state);
        return true;
    case Phase::Curate:
        if (!state.openPairs.empty())
            return false;
        finishCuration(state);
        return true;
    case Phase::WaitForPerson:
        if (!state.iterations.empty())
            select(state, state.iterations.back());
        startIteration(state);
        return state.phase != Phase::WaitForPerson;
    case Phase::Confirm:
        if (!state.openConfirmations.empty())
            return false;
        concludeConfirmation(state);
        return true;
    }
    return false;
}

/// Forgets why the run stopped, and goes on from where it is.
void takeUpAgain(State &state)
{
    state.stop = {};
    state.finishedReason.clear();
    const bool atRest = state.phase == Phase::Confirm || state.phase == Phase::Ready ||
                        state.phase == Phase::Finished;
    if (!atRest)
        return;
    state.openConfirmations.clear();
    for (auto &[id, record] : state.kernels)
        record.confirmation.reset();
    KernelRecord &baseline = state.kernels.at(state.opened.baseline);
    if (!baseline.rankable) {
        // Whatever kept it from being judged well may have been put right.
        baseline.judged = false;
        baseline.verdict = Verdict();
        state.phase = Phase::Baseline;
        return;
    }
    for (const auto &[iteration, rank] : state.keptPairs) {
        state.iterations[static_cast<std::size_t>(iteration)]
            .curation.pairs[static_cast<std::size_t>(rank)]
            .status = PairStatus::Open;
        state.openPairs.emplace(iteration, rank);
        state.iterationsToRemember.insert(iteration);
    }
    state.keptPairs.clear();
    state.phase = Phase::Curate;
}

} // namespace

void advance(State &state)
{
    while (step(state)) {
    }
}

void requestStop(State &state, StopCode code, std::string text)
{
    if (isStopping(state))
        return;
    state.stop = {code, std::move(text)};
    if (state.phase == Phase::Search)
        skipWhatIsNotBegun(state);
    else if (state.phase == Phase::Curate)
        keepWhatIsNotBegun(state);
}

void continueRun(State &state, const RunConfig &config)
{
    state.config = config;
    state.iterationsWithoutGain = 0;
    takeUpAgain(state);
}

void moveBudget(State &state, const BudgetMoved &moved)
{
    state.budgetMoves.push_back(moved);
    RunConfig &config = state.config;
    if (config.budgetKernels)
        config.budgetKernels = std::max(0, *config.budgetKernels + moved.kernels);
    if (config.budgetUsd)
        config.budgetUsd = std::max(0.0, *config.budgetUsd + moved.usd);
    if (config.budgetMinutes)
        config.budgetMinutes = std::max(0.0, *config.budgetMinutes + moved.minutes);
    const StopCode code = state.stop.code;
    if ((code == StopCode::BudgetKernels && moved.kernels > 0) ||
        (code == StopCode::BudgetUsd && moved.usd > 0) ||
        (code == StopCode::BudgetMinutes && moved.minutes > 0))
        takeUpAgain(state);
}

void abandonConfirmation(State &state, const std::string &reason)
{
    for (const KernelId &id : state.openConfirmations)
        state.kernels.at(id).confirmation->reason = "not confirmed: " + reason;
    state.openConfirmations.clear();
}

} // namespace accelopt::search
