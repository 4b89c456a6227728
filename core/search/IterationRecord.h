// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/Fate.h"
#include "core/search/KernelRecord.h"

#include <optional>
#include <string>
#include <vector>

namespace accelopt::search {

/// One written kernel of an attempt: the first answer or a repair.
struct TurnRecord
{
    KernelId kernel;
    TextId text;
    TextId prompt;
    TextId answer;
    std::string author;
    Usage usage;
};

enum class AttemptStatus {
    Waiting, ///< its plan is not there yet
    Open,    ///< the executor is to be asked
    Written, ///< its kernel waits for a judgement
    Done,    ///< judged, or it shares a known judgement
    Failed,  ///< the executor gave nothing usable
    Skipped, ///< will not be asked
};
std::string_view name(AttemptStatus status);

/// One of the K kernels of a plan.
struct AttemptRecord
{
    AttemptStatus status = AttemptStatus::Waiting;
    std::vector<TurnRecord> turns;
    std::string
        failure; ///< reason of the last failed call; may stand beside turns when a repair failed
    Fate fate;

    /// The kernel that counts for the attempt: that of its last turn. Empty when nothing was
    /// written.
    KernelId kernel() const { return turns.empty() ? KernelId() : turns.back().kernel; }
};

enum class PlanStatus { Open, Made, Failed, Skipped };
std::string_view name(PlanStatus status);

/// One plan slot with its attempts.
struct PlanRecord
{
    PlanStatus status = PlanStatus::Open;
    Plan plan; ///< slot and parent are set from the start, the rest once made
    TextId prompt;
    TextId answer;
    Usage usage;
    std::string failure; ///< why there is no plan
    std::vector<AttemptRecord> attempts;
};

enum class PairStatus {
    Open,       ///< the summarizer is to be asked
    Answered,   ///< an item came back and waits for the others
    Summarized, ///< its item entered the history
    Declined,   ///< the summarizer said that the kernels do not differ
    Kept,       ///< no summary yet (failed or not asked); asked again when the run is continued
};
std::string_view name(PairStatus status);

/// A slow-fast pair taken for the memory.
struct PairRecord
{
    PlanSlot plan;
    bool positive = true;
    double groupSpeedup = 1; ///< the s of its group
    double speedup = 1;      ///< latency(slow) / latency(fast)
    KernelId slow;
    KernelId fast;
    PairStatus status = PairStatus::Open;
    ExperienceItem item; ///< meaningful when answered or summarized
    std::string author;
    std::string reason; ///< why it is kept or declined
};

/// What curation made of one group (one plan's correct attempts).
struct GroupOutcome
{
    PlanSlot plan;
    double speedup = 0; ///< the s of the group
    bool taken = false;
    std::string text;
};

/// Result of the curate phase.
struct CurationRecord
{
    std::vector<GroupOutcome> groups; ///< groups with a correct kernel, in slot order
    std::vector<PairRecord> pairs;    ///< taken, by rank
    std::vector<ItemId> memory;       ///< E_i: the items that reach the next iteration's prompts
    int added = 0;                    ///< items that entered the memory or wait for approval
};

/// One kernel that was considered for the next beam, or kept from being considered.
struct SelectionEntry
{
    KernelId kernel;
    double latencyMs = 0; ///< infinite for a copy (policy published-code)
    std::optional<PlanSlot>
        plan; ///< group it represents; none for previous candidates and pinned ones
    bool chosen = false;
    Fate fate;
};

/// Result of the select phase.
struct SelectionRecord
{
    bool done = false;
    std::vector<SelectionEntry> entries; ///< pinned, then by rank, then fills, then those left out
    std::vector<KernelId> beam;          ///< C_(i+1), in its order
};

enum class Saturation { Unknown, NearPeak, StillMoving, ExploringWithoutGain, Stuck };
/// "near peak", "still moving", "exploring without gain", "stuck", "unknown"
std::string_view name(Saturation saturation);

/// One iteration: its candidates, slots, and what was concluded.
struct IterationRecord
{
    int index = 0;
    std::vector<KernelId> candidates;
    int plansPerCandidate = 0;
    int repairs = 0;               ///< repair turns allowed per attempt
    std::vector<PlanRecord> plans; ///< candidate by candidate
    bool implemented = false;      ///< every slot is settled; the fields below are concluded
    int correct = 0;               ///< distinct kernels first written here that are correct
    int profiled = 0;              ///< distinct kernels first written here that were judged
    KernelId fastest;              ///< fastest rankable kernel written here; may be empty
    KernelId best;                 ///< best-so-far after the iteration
    bool progress = false;         ///< the best-so-far gained enough for patience
    CurationRecord curation;
    SelectionRecord selection;
    Saturation saturation = Saturation::Unknown;
    std::string saturationText;

    std::size_t planIndex(const PlanSlot &slot) const
    {
        return static_cast<std::size_t>(slot.candidate) *
                   static_cast<std::size_t>(plansPerCandidate) +
               static_cast<std::size_t>(slot.plan);
    }
};

} // namespace accelopt::search
