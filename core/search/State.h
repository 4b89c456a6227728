// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/IterationRecord.h"
#include "core/search/KernelRecord.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace accelopt::search {

enum class ItemStatus { Active, Proposed, Rejected, FellOut };
std::string_view name(ItemStatus status);

/// One experience item of the run's history.
struct MemoryItem
{
    ExperienceItem item; ///< as prompts carry it, edits included
    ItemStatus status = ItemStatus::Active;
    bool pinned = false;
    bool edited = false;
    std::string originalTitle;    ///< before the first edit; meaningful when edited
    std::string originalStrategy; ///< the same for the text
    std::string author;           ///< who wrote it
    int prompts = 0;              ///< plans whose prompt contained it
    int wins = 0;                 ///< of these, plans whose kernel was selected for the next beam
    Fate fate;
};

/// Where the run stands.
enum class Phase {
    NotOpened,
    Baseline,      ///< the baseline is being judged
    Search,        ///< plan, implement and profile, pipelined
    Curate,        ///< pairs are being summarized
    WaitForPerson, ///< nothing left to build on unless a person decides otherwise
    Confirm,       ///< the best kernels are judged again
    Ready,         ///< nothing left to ask; to be finished
    Finished,
};
std::string_view name(Phase phase);

/// Why a run ends.
enum class StopCode {
    None,
    IterationsDone,
    Person,
    BudgetUsd,
    BudgetKernels,
    BudgetMinutes,
    Target,
    Patience,
    BaselineNotGood,
};
std::string_view name(StopCode code);

struct StopReason
{
    StopCode code = StopCode::None;
    std::string text; ///< for people: "6 iterations done"
};

/// Distinct kernels per verdict (the baseline is not counted), and answers that repeated a known
/// kernel.
struct KernelCounts
{
    std::map<VerdictStatus, int> verdicts;
    int written = 0;    ///< answers of executors that held a kernel
    int distinct = 0;   ///< kernels first seen in these answers
    int duplicates = 0; ///< written - distinct
};

/// Everything a run is, as folded from its events. Only apply() changes it. What is concluded
/// depends on slots, never on the order of arrival; kernels and items are found by their ids in
/// O(log n).
struct State
{
    Phase phase = Phase::NotOpened;
    RunOpened opened;
    RunConfig config; ///< in force now; differs from opened.config after the run was continued

    std::map<KernelId, KernelRecord> kernels;
    std::vector<IterationRecord> iterations;
    std::set<RankKey> ranking; ///< rankable kernels that are not dropped, the baseline included
    KernelId best;             ///< best-so-far; changes only for a gain that is no tie
    KernelCounts counts;

    std::vector<MemoryItem> items; ///< history, by iteration and rank
    std::map<ItemId, std::size_t> itemIndex;
    std::vector<std::size_t> active; ///< the memory: indices into items, newest first
    std::set<KernelId> pinned;       ///< kernels
    std::vector<PersonDecided> decisions;
    std::vector<BudgetMoved> budgetMoves; ///< between this run and others that share its budget

    std::map<RoleName, Usage> usage;
    double secondsSpent = 0;
    StopReason stop;
    std::string finishedReason; ///< from the last event of a finished run
    int iterationsWithoutGain = 0;
    double patienceReferenceMs = 0; ///< best latency when progress was last made

    /// Role calls begun and not answered: possibly paid, and asked again by whoever resumes the
    /// run.
    std::set<CallId> callsInDoubt;
    std::int64_t callsAskedAgain = 0; ///< begun a second time; the first may have been paid
    std::int64_t lastSequence = 0;    ///< of the last event applied
    /// Events that made no sense for the state they met; they were ignored.
    std::vector<std::string> complaints;

    // Work lists of next(): what is outstanding, in slot order.
    std::set<PlanSlot> openPlans;
    std::set<AttemptSlot> openAttempts;
    std::map<Turn, KernelId> openJudgements;
    std::set<std::pair<int, int>> openPairs; ///< iteration, rank
    std::vector<KernelId> openConfirmations;
    std::set<int> iterationsToRemember; ///< their items enter the memory when no pair is open
    std::set<std::pair<int, int>>
        keptPairs; ///< iteration, rank; asked again when the run is continued

    /// Plans of concluded iterations by the candidate they started from, in slot order.
    std::map<KernelId, std::vector<PlanSlot>> plansByParent;
};

/// nullptr when the run does not know the kernel.
const KernelRecord *kernel(const State &state, const KernelId &id);
/// nullptr when the run does not know the item.
const MemoryItem *item(const State &state, const ItemId &id);
/// nullptr for a slot that the run does not have.
const PlanRecord *plan(const State &state, const PlanSlot &slot);
const AttemptRecord *attempt(const State &state, const AttemptSlot &slot);
/// nullptr when there is no such pair.
const PairRecord *pair(const State &state, int iteration, int rank);
/// True when this turn's kernel was written before, in slot order, or is the baseline.
bool isDuplicate(const State &state, const Turn &turn);
/// latency(reference) / latency(kernel); 0 unless both are rankable.
double speedup(const State &state, const KernelId &reference, const KernelId &kernel);
/// Speedup of the kernel over the run's baseline; 0 when unknown.
double speedupOverBaseline(const State &state, const KernelId &kernel);
/// Items that reach prompts, newest first.
std::vector<ExperienceItem> experiences(const State &state);
/// Usage of all roles together.
Usage totalUsage(const State &state);
/// True once it is decided that no new work is begun; work already paid for is being finished.
bool isStopping(const State &state);

} // namespace accelopt::search
