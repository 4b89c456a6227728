// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/State.h"

namespace accelopt::search {

std::string_view name(FateCode code)
{
    switch (code) {
    case FateCode::Pending: return "pending";
    case FateCode::Baseline: return "baseline";
    case FateCode::Selected: return "selected";
    case FateCode::Pinned: return "pinned";
    case FateCode::Filled: return "filled";
    case FateCode::Copied: return "copied";
    case FateCode::Cut: return "cut";
    case FateCode::Tie: return "tie";
    case FateCode::GroupLoser: return "group_loser";
    case FateCode::Duplicate: return "duplicate";
    case FateCode::Dropped: return "dropped";
    case FateCode::NotCorrect: return "not_correct";
    case FateCode::NotComparable: return "not_comparable";
    case FateCode::Failed: return "failed";
    case FateCode::Skipped: return "skipped";
    case FateCode::NotBuiltOn: return "not_built_on";
    case FateCode::Active: return "active";
    case FateCode::Proposed: return "proposed";
    case FateCode::Rejected: return "rejected";
    case FateCode::FellOut: return "fell_out";
    }
    return "pending";
}

std::string_view name(Origin origin)
{
    switch (origin) {
    case Origin::Baseline: return "baseline";
    case Origin::Agent: return "agent";
    case Origin::Human: return "human";
    }
    return "agent";
}

std::string_view name(AttemptStatus status)
{
    switch (status) {
    case AttemptStatus::Waiting: return "waiting";
    case AttemptStatus::Open: return "open";
    case AttemptStatus::Written: return "written";
    case AttemptStatus::Done: return "done";
    case AttemptStatus::Failed: return "failed";
    case AttemptStatus::Skipped: return "skipped";
    }
    return "waiting";
}

std::string_view name(PlanStatus status)
{
    switch (status) {
    case PlanStatus::Open: return "open";
    case PlanStatus::Made: return "made";
    case PlanStatus::Failed: return "failed";
    case PlanStatus::Skipped: return "skipped";
    }
    return "open";
}

std::string_view name(PairStatus status)
{
    switch (status) {
    case PairStatus::Open: return "open";
    case PairStatus::Answered: return "answered";
    case PairStatus::Summarized: return "summarized";
    case PairStatus::Declined: return "declined";
    case PairStatus::Kept: return "kept";
    }
    return "open";
}

std::string_view name(Saturation saturation)
{
    switch (saturation) {
    case Saturation::Unknown: return "unknown";
    case Saturation::NearPeak: return "near peak";
    case Saturation::StillMoving: return "still moving";
    case Saturation::ExploringWithoutGain: return "exploring without gain";
    case Saturation::Stuck: return "stuck";
    }
    return "unknown";
}

std::string_view name(ItemStatus status)
{
    switch (status) {
    case ItemStatus::Active: return "active";
    case ItemStatus::Proposed: return "proposed";
    case ItemStatus::Rejected: return "rejected";
    case ItemStatus::FellOut: return "fell_out";
    }
    return "active";
}

std::string_view name(Phase phase)
{
    switch (phase) {
    case Phase::NotOpened: return "not_opened";
    case Phase::Baseline: return "baseline";
    case Phase::Search: return "search";
    case Phase::Curate: return "curate";
    case Phase::WaitForPerson: return "wait_for_person";
    case Phase::Confirm: return "confirm";
    case Phase::Ready: return "ready";
    case Phase::Finished: return "finished";
    }
    return "not_opened";
}

std::string_view name(StopCode code)
{
    switch (code) {
    case StopCode::None: return "none";
    case StopCode::IterationsDone: return "iterations_done";
    case StopCode::Person: return "person";
    case StopCode::BudgetUsd: return "budget_usd";
    case StopCode::BudgetKernels: return "budget_kernels";
    case StopCode::BudgetMinutes: return "budget_minutes";
    case StopCode::Target: return "target";
    case StopCode::Patience: return "patience";
    case StopCode::BaselineNotGood: return "baseline_not_good";
    }
    return "none";
}

const KernelRecord *kernel(const State &state, const KernelId &id)
{
    const auto found = state.kernels.find(id);
    return found == state.kernels.end() ? nullptr : &found->second;
}

const MemoryItem *item(const State &state, const ItemId &id)
{
    const auto found = state.itemIndex.find(id);
    return found == state.itemIndex.end() ? nullptr : &state.items[found->second];
}

const PlanRecord *plan(const State &state, const PlanSlot &slot)
{
    if (slot.iteration < 0 || static_cast<std::size_t>(slot.iteration) >= state.iterations.size())
        return nullptr;
    const IterationRecord &iteration = state.iterations[static_cast<std::size_t>(slot.iteration)];
    if (slot.candidate < 0 || slot.plan < 0 || slot.plan >= iteration.plansPerCandidate ||
        static_cast<std::size_t>(slot.candidate) >= iteration.candidates.size())
        return nullptr;
    return &iteration.plans[iteration.planIndex(slot)];
}

const AttemptRecord *attempt(const State &state, const AttemptSlot &slot)
{
    const PlanRecord *record = plan(state, slot.plan);
    if (!record || slot.attempt < 0 ||
        static_cast<std::size_t>(slot.attempt) >= record->attempts.size())
        return nullptr;
    return &record->attempts[static_cast<std::size_t>(slot.attempt)];
}

const PairRecord *pair(const State &state, int iteration, int rank)
{
    if (iteration < 0 || static_cast<std::size_t>(iteration) >= state.iterations.size())
        return nullptr;
    const auto &pairs = state.iterations[static_cast<std::size_t>(iteration)].curation.pairs;
    if (rank < 0 || static_cast<std::size_t>(rank) >= pairs.size())
        return nullptr;
    return &pairs[static_cast<std::size_t>(rank)];
}

bool isDuplicate(const State &state, const Turn &turn)
{
    const AttemptRecord *record = attempt(state, turn.slot);
    if (!record || turn.repair < 0 || static_cast<std::size_t>(turn.repair) >= record->turns.size())
        return false;
    const KernelRecord *written =
        kernel(state, record->turns[static_cast<std::size_t>(turn.repair)].kernel);
    return written && written->first != turn;
}

double speedup(const State &state, const KernelId &reference, const KernelId &id)
{
    const KernelRecord *slow = kernel(state, reference);
    const KernelRecord *fast = kernel(state, id);
    if (!slow || !fast || !slow->rankable || !fast->rankable)
        return 0;
    return slow->profile.latencyMs / fast->profile.latencyMs;
}

double speedupOverBaseline(const State &state, const KernelId &id)
{
    return speedup(state, state.opened.baseline, id);
}

std::vector<ExperienceItem> experiences(const State &state)
{
    std::vector<ExperienceItem> items;
    items.reserve(state.active.size());
    for (const std::size_t index : state.active)
        items.push_back(state.items[index].item);
    return items;
}

Usage totalUsage(const State &state)
{
    Usage total;
    for (const auto &[role, usage] : state.usage)
        total += usage;
    return total;
}

bool isStopping(const State &state)
{
    return state.stop.code != StopCode::None;
}

} // namespace accelopt::search
