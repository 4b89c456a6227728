// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Fold.h"

#include "core/search/Advance.h"
#include "core/search/Calls.h"
#include "core/search/Curate.h"
#include "core/search/Words.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::search {

namespace {

void complain(State &state, std::string text)
{
    state.complaints.push_back(fmt::format("event {}: {}", state.lastSequence, std::move(text)));
}

PlanRecord *planAt(State &state, const PlanSlot &slot)
{
    return const_cast<PlanRecord *>(plan(state, slot));
}

AttemptRecord *attemptAt(State &state, const AttemptSlot &slot)
{
    return const_cast<AttemptRecord *>(attempt(state, slot));
}

/// Paid work for a slot that was given up is still taken, as long as nothing was concluded without
/// it.
bool mayStillArrive(const State &state, const PlanSlot &slot)
{
    return !state.iterations[static_cast<std::size_t>(slot.iteration)].implemented;
}

/// True when this call is one that next() would ask for now.
bool outstanding(const State &state, const CallPlace &place)
{
    switch (place.role) {
    case RoleName::Planner: return state.openPlans.contains(place.turn.slot.plan);
    case RoleName::Executor: {
        const AttemptRecord *record = attempt(state, place.turn.slot);
        return record && state.openAttempts.contains(place.turn.slot) &&
               record->turns.size() == static_cast<std::size_t>(place.turn.repair);
    }
    case RoleName::Summarizer: return state.openPairs.contains({place.iteration, place.rank});
    }
    return false;
}

void on(State &state, const RunOpened &event, const std::string &)
{
    if (state.phase != Phase::NotOpened)
        return complain(state, "the run was opened already");
    state.opened = event;
    state.config = event.config;
    KernelRecord baseline;
    baseline.id = event.baseline;
    baseline.text = event.baselineText;
    baseline.origin = Origin::Baseline;
    baseline.fate = {FateCode::Baseline, "the kernel the search starts from"};
    state.kernels.emplace(event.baseline, std::move(baseline));
    state.phase = Phase::Baseline;
}

void on(State &state, const CallStarted &event, const std::string &)
{
    const std::optional<CallPlace> place = callPlace(event.call);
    if (!place || !outstanding(state, *place))
        return complain(state, fmt::format("nobody asked for the call {}", event.call.value));
    if (!state.callsInDoubt.insert(event.call).second)
        ++state.callsAskedAgain;
}

/// Attempts of a plan that will never be made, or whose time is over.
void skipAttempts(PlanRecord &record, const std::string &why)
{
    for (AttemptRecord &attempt : record.attempts) {
        attempt.status = AttemptStatus::Skipped;
        attempt.failure = why;
    }
}

/// Nobody has begun to carry the plan out, so that a person may still say it otherwise.
bool isUntouched(const State &state, const PlanRecord &record)
{
    if (record.status != PlanStatus::Made)
        return false;
    for (std::size_t a = 0; a < record.attempts.size(); ++a) {
        const Turn first{AttemptSlot{record.plan.slot, static_cast<int>(a)}, 0};
        if (record.attempts[a].status != AttemptStatus::Open || !record.attempts[a].turns.empty() ||
            state.callsInDoubt.contains(writeCall(first)))
            return false;
    }
    return true;
}

/// What a plan starts from: its slot's candidate; a person may start from any kernel that can be
/// built on.
KernelId startOf(const State &state, const PlanMade &event, const std::string &actor,
                 const KernelId &candidate)
{
    const KernelRecord *wanted = actor == "human" ? kernel(state, event.plan.parent) : nullptr;
    return wanted && wanted->rankable ? wanted->id : candidate;
}

void on(State &state, const PlanMade &event, const std::string &actor)
{
    state.usage[RoleName::Planner] += event.usage;
    const PlanSlot slot = event.plan.slot;
    PlanRecord *record = planAt(state, slot);
    if (record && actor == "human" && isUntouched(state, *record)) {
        // The prompt that led to the plan stays what it was.
        Plan plan = event.plan;
        plan.parent = startOf(state, event, actor, record->plan.parent);
        plan.usedItems = record->plan.usedItems;
        record->plan = std::move(plan);
        return;
    }
    const bool wanted =
        record && (record->status == PlanStatus::Open ||
                   (record->status == PlanStatus::Skipped && mayStillArrive(state, slot)));
    if (!wanted)
        return complain(state, fmt::format("nobody waits for the plan {}", planId(slot).value));
    state.openPlans.erase(slot);
    state.callsInDoubt.erase(planCall(slot));
    const KernelId parent = startOf(state, event, actor, record->plan.parent);
    record->plan = event.plan;
    record->plan.parent = parent;
    record->status = PlanStatus::Made;
    record->failure.clear();
    record->prompt = event.prompt;
    record->answer = event.answer;
    record->usage = event.usage;
    for (const ItemId &used : event.plan.usedItems)
        if (const auto found = state.itemIndex.find(used); found != state.itemIndex.end())
            ++state.items[found->second].prompts;
    if (isStopping(state)) {
        skipAttempts(*record, "not asked: " + state.stop.text);
        return;
    }
    for (std::size_t a = 0; a < record->attempts.size(); ++a) {
        record->attempts[a].status = AttemptStatus::Open;
        state.openAttempts.insert(AttemptSlot{slot, static_cast<int>(a)});
    }
}

/// The judgement of its kernel has reached an attempt: it is done, or goes back for repair.
void settle(State &state, const Turn &turn, const KernelRecord &written)
{
    AttemptRecord &record = *attemptAt(state, turn.slot);
    const int repairs =
        state.iterations[static_cast<std::size_t>(turn.slot.plan.iteration)].repairs;
    if (written.verdict.status == VerdictStatus::NotCompiling && turn.repair < repairs &&
        !isStopping(state)) {
        record.status = AttemptStatus::Open;
        state.openAttempts.insert(turn.slot);
    } else {
        record.status = AttemptStatus::Done;
    }
}

/// The kernel belongs to the first turn, in slot order, that wrote it, whichever arrived first.
void attribute(State &state, KernelRecord &record, const Turn &turn, const TextId &text,
               Origin origin)
{
    if (record.first && !record.judged)
        state.openJudgements.erase(*record.first);
    record.first = turn;
    record.text = text;
    record.origin = origin;
    record.parent = planAt(state, turn.slot.plan)->plan.parent;
    record.iteration = turn.slot.plan.iteration;
    if (!record.judged)
        state.openJudgements.emplace(turn, record.id);
}

void on(State &state, const AttemptMade &event, const std::string &actor)
{
    state.usage[RoleName::Executor] += event.usage;
    AttemptRecord *record = attemptAt(state, event.slot);
    const bool wanted =
        record && record->turns.size() == static_cast<std::size_t>(event.repair) &&
        (record->status == AttemptStatus::Open ||
         (record->status == AttemptStatus::Skipped && mayStillArrive(state, event.slot.plan)));
    if (!wanted)
        return complain(state, fmt::format("nobody waits for the kernel of {}, turn {}",
                                           describe(event.slot), event.repair));
    const Turn turn{event.slot, event.repair};
    state.openAttempts.erase(event.slot);
    state.callsInDoubt.erase(writeCall(turn));
    record->failure.clear();
    record->turns.push_back(
        TurnRecord{event.kernel, event.text, event.prompt, event.answer, actor, event.usage});
    const Origin origin = actor == "human" ? Origin::Human : Origin::Agent;
    auto [found, isNew] = state.kernels.try_emplace(event.kernel);
    KernelRecord &written = found->second;
    written.id = event.kernel;
    if (isNew || (written.first && turn < *written.first))
        attribute(state, written, turn, event.text, origin);
    ++state.counts.written;
    state.counts.distinct += isNew ? 1 : 0;
    state.counts.duplicates = state.counts.written - state.counts.distinct;
    if (written.judged) {
        settle(state, turn, written);
    } else {
        record->status = AttemptStatus::Written;
        written.waiting.push_back(turn);
    }
}

void failPlan(State &state, const CallFailed &event, const PlanSlot &slot)
{
    PlanRecord &record = *planAt(state, slot);
    state.openPlans.erase(slot);
    record.status = PlanStatus::Failed;
    record.failure = event.reason;
    record.prompt = event.prompt;
    record.answer = event.answer;
    record.usage = event.usage;
    skipAttempts(record, "there is no plan: " + event.reason);
}

void on(State &state, const CallFailed &event, const std::string &)
{
    const std::optional<CallPlace> place = callPlace(event.call);
    state.usage[place ? place->role : event.role] += event.usage;
    if (!place || !outstanding(state, *place))
        return complain(state, fmt::format("nobody waits for the call {}", event.call.value));
    state.callsInDoubt.erase(event.call);
    switch (place->role) {
    case RoleName::Planner: failPlan(state, event, place->turn.slot.plan); break;
    case RoleName::Executor: {
        AttemptRecord &record = *attemptAt(state, place->turn.slot);
        state.openAttempts.erase(place->turn.slot);
        record.failure = event.reason;
        // A failed repair leaves the kernel that was to be repaired.
        record.status = record.turns.empty() ? AttemptStatus::Failed : AttemptStatus::Done;
        break;
    }
    case RoleName::Summarizer:
        keepPair(state, place->iteration, place->rank, "the summarizer failed: " + event.reason);
        break;
    }
}

/// A latency that may stand in the run's one ranking.
bool rankable(const State &state, const KernelRecord &record)
{
    if (!record.verdict.correct() || !std::isfinite(record.profile.latencyMs) ||
        record.profile.latencyMs <= 0)
        return false;
    if (record.id == state.opened.baseline)
        return true;
    return comparable(record.profile, kernel(state, state.opened.baseline)->profile);
}

void judged(State &state, KernelRecord &record, const KernelJudged &event)
{
    if (record.judged)
        return complain(state, fmt::format("kernel {} was judged already", shortId(event.kernel)));
    record.judged = true;
    record.verdict = event.verdict;
    record.profile = event.profile;
    record.rankable = rankable(state, record);
    if (record.rankable && !record.dropped)
        state.ranking.insert(RankKey{record.profile.latencyMs, record.id});
    if (record.first) {
        ++state.counts.verdicts[record.verdict.status];
        state.openJudgements.erase(*record.first);
    }
    for (const Turn &turn : record.waiting)
        settle(state, turn, record);
    record.waiting.clear();
}

void confirmed(State &state, KernelRecord &record, const KernelJudged &event)
{
    if (std::erase(state.openConfirmations, event.kernel) == 0)
        return complain(state, fmt::format("nobody waits for the second judgement of {}",
                                           shortId(event.kernel)));
    record.confirmation->judged = true;
    record.confirmation->verdict = event.verdict;
    record.confirmation->profile = event.profile;
}

void on(State &state, const KernelJudged &event, const std::string &)
{
    const auto found = state.kernels.find(event.kernel);
    if (found == state.kernels.end())
        return complain(state, fmt::format("the run has no kernel {}", shortId(event.kernel)));
    if (event.purpose == JudgePurpose::Search)
        judged(state, found->second, event);
    else
        confirmed(state, found->second, event);
}

void on(State &state, const PairSummarized &event, const std::string &actor)
{
    state.usage[RoleName::Summarizer] += event.usage;
    if (event.iteration < 0) {
        if (event.item.id.empty() || state.itemIndex.contains(event.item.id))
            return complain(state, "an item from another run has no name of its own");
        importItem(state, event.item, actor);
        return;
    }
    if (!state.openPairs.contains({event.iteration, event.rank}))
        return complain(state, fmt::format("nobody waits for the lesson of pair {} of iteration {}",
                                           event.rank, event.iteration));
    state.openPairs.erase({event.iteration, event.rank});
    state.callsInDoubt.erase(summaryCall(event.iteration, event.rank));
    PairRecord &pair = state.iterations[static_cast<std::size_t>(event.iteration)]
                           .curation.pairs[static_cast<std::size_t>(event.rank)];
    pair.author = actor;
    if (event.declined) {
        pair.status = PairStatus::Declined;
        pair.reason = "the summarizer says that the kernels do not differ";
        return;
    }
    pair.status = PairStatus::Answered;
    pair.reason.clear();
    pair.item = event.item;
    // What the pair is was the engine's conclusion; only the words are the summarizer's.
    pair.item.id = itemId(event.iteration, event.rank);
    pair.item.positive = pair.positive;
    pair.item.speedup = pair.speedup;
    pair.item.slow = pair.slow;
    pair.item.fast = pair.fast;
    pair.item.plan = planId(pair.plan);
    pair.item.iteration = event.iteration;
}

void drop(State &state, KernelRecord &record)
{
    record.dropped = true;
    record.pinned = false;
    state.pinned.erase(record.id);
    state.ranking.erase(RankKey{record.profile.latencyMs, record.id});
    if (state.best == record.id)
        state.best = state.ranking.empty() ? KernelId() : state.ranking.begin()->kernel;
}

void undrop(State &state, KernelRecord &record)
{
    if (!record.dropped)
        return;
    record.dropped = false;
    if (!record.rankable)
        return;
    state.ranking.insert(RankKey{record.profile.latencyMs, record.id});
    const KernelRecord *best = kernel(state, state.best);
    if (!best || (record.profile.latencyMs < best->profile.latencyMs &&
                  !tied(record.profile, best->profile)))
        state.best = record.id;
}

void decideKernel(State &state, const PersonDecided &event)
{
    const auto found = state.kernels.find(event.kernel);
    if (found == state.kernels.end())
        return complain(state, fmt::format("the run has no kernel {}", shortId(event.kernel)));
    KernelRecord &record = found->second;
    switch (event.decision) {
    case Decision::PinKernel:
        if (!record.pinned &&
            state.pinned.size() >= static_cast<std::size_t>(state.config.beamWidth))
            return complain(state,
                            fmt::format("kernel {} cannot be pinned: the beam has {} and all are "
                                        "pinned",
                                        shortId(event.kernel),
                                        count(state.config.beamWidth, "place", "places")));
        undrop(state, record);
        record.pinned = true;
        state.pinned.insert(record.id);
        break;
    case Decision::UnpinKernel:
        record.pinned = false;
        state.pinned.erase(record.id);
        break;
    case Decision::DropKernel: drop(state, record); break;
    default: undrop(state, record); break;
    }
}

void on(State &state, const PersonDecided &event, const std::string &)
{
    state.decisions.push_back(event);
    switch (event.decision) {
    case Decision::PinKernel:
    case Decision::UnpinKernel:
    case Decision::DropKernel:
    case Decision::UndropKernel: decideKernel(state, event); break;
    case Decision::ApproveItem:
    case Decision::RejectItem:
    case Decision::PinItem:
    case Decision::UnpinItem:
    case Decision::EditItem:
    case Decision::ProposeItem:
        if (std::string complaint = decideItem(state, event); !complaint.empty())
            complain(state, std::move(complaint));
        break;
    case Decision::Stop:
        if (state.phase == Phase::Confirm)
            abandonConfirmation(state, "stopped by a person before its second judgement");
        else
            requestStop(state, StopCode::Person,
                        event.reason.empty() ? "stopped by a person"
                                             : "stopped by a person: " + event.reason);
        break;
    }
}

void on(State &state, const TimePassed &event, const std::string &)
{
    state.secondsSpent += event.seconds;
}

void on(State &state, const RunContinued &event, const std::string &)
{
    if (state.phase == Phase::NotOpened)
        return complain(state, "the run was never opened");
    continueRun(state, event.config);
}

void on(State &state, const RunFinished &event, const std::string &)
{
    if (state.phase != Phase::Ready)
        return complain(state, "the run is not at its end");
    state.phase = Phase::Finished;
    state.finishedReason = event.reason;
}

void on(State &state, const BudgetMoved &event, const std::string &)
{
    if (state.phase == Phase::NotOpened)
        return complain(state, "the run was never opened");
    if (!state.budgetMoves.empty() && event.round <= state.budgetMoves.back().round)
        return complain(state,
                        fmt::format("the budget of round {} was moved already", event.round));
    moveBudget(state, event);
}

/// Money and time do not wait for the end of an iteration.
void checkBudgets(State &state)
{
    if (state.phase == Phase::NotOpened || isStopping(state))
        return;
    const RunConfig &config = state.config;
    if (config.budgetUsd) {
        const double spent = totalUsage(state).usd;
        if (spent >= *config.budgetUsd)
            requestStop(
                state, StopCode::BudgetUsd,
                fmt::format("the budget of ${:.2f} is spent (${:.2f})", *config.budgetUsd, spent));
    }
    if (config.budgetMinutes && state.secondsSpent >= 60 * *config.budgetMinutes)
        requestStop(state, StopCode::BudgetMinutes,
                    fmt::format("the budget of {} is spent",
                                config.budgetMinutes == 1.0
                                    ? "1 minute"
                                    : fmt::format("{:g} minutes", *config.budgetMinutes)));
}

} // namespace

void apply(State &state, const Event &event)
{
    state.lastSequence = event.sequence;
    std::visit([&](const auto &body) { on(state, body, event.actor); }, event.body);
    checkBudgets(state);
    advance(state);
}

State fold(std::span<const Event> events)
{
    State state;
    for (const Event &event : events)
        apply(state, event);
    return state;
}

} // namespace accelopt::search
