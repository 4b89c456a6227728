// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/store/RunReader.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace accelopt::report {

/// The p for which Fast@p is given: the share of kernels that are correct and more than p times
/// faster than the baseline (KernelBench's measure).
inline constexpr std::array<double, 6> kFastThresholds = {1.0, 1.05, 1.1, 1.2, 1.5, 2.0};

/// Minimum, quartiles (linear between neighbours) and maximum of some values.
struct Spread
{
    std::size_t count = 0;
    double minimum = 0;
    double lowerQuartile = 0;
    double median = 0;
    double upperQuartile = 0;
    double maximum = 0;
    bool operator==(const Spread &) const = default;
};
/// Nothing for no values.
std::optional<Spread> spread(std::vector<double> values);

/// A distinct kernel with the first turn, in slot order, that wrote it.
struct KernelFigures
{
    KernelId id;
    std::optional<AttemptSlot> slot; ///< none for the baseline
    int repair = 0;
    KernelId parent;
    std::string planTitle;
    bool judged = false;
    VerdictStatus verdict = VerdictStatus::Unsupported;
    std::string reason; ///< first reason of a verdict that is not correct
    std::string bound;
    std::optional<double> latencyMs; ///< of a correct kernel
    Interval intervalMs;
    double tieMargin = 0; ///< relative; two latencies within it cannot be told apart
    std::optional<double> percentOfPeak;
    /// Against the baseline and against the parent; none unless both figures are of one kind.
    std::optional<double> speedup;
    std::optional<double> speedupOverParent;
    bool dropped = false;      ///< by a person; such a kernel counts for no "best"
    bool wasCandidate = false; ///< plans were made for it after it was written
    std::string confirmation;  ///< verdict of the second judgement; empty without one
    std::map<std::string, double> counters;
};

/// One kernel in the beam with which an iteration starts.
struct CandidateFigures
{
    int iteration = 0; ///< from 0, as in the names of plans
    int candidate = 0;
    KernelId kernel;
    std::optional<double> latencyMs;
    std::optional<double> speedup; ///< against the baseline
};

/// One iteration. Kernels count where they were first written.
struct IterationFigures
{
    int iteration = 0; ///< from 0, as in the names of plans
    int plans = 0;
    int written = 0;                       ///< answers that held a kernel
    int duplicates = 0;                    ///< of these, answers that repeated a kernel
    int failedCalls = 0;                   ///< role calls without a usable answer
    std::map<VerdictStatus, int> verdicts; ///< of the distinct kernels first written here
    int judged = 0;                        ///< sum of `verdicts`
    std::optional<double> bestCandidateSpeedup;
    std::optional<double> meanCandidateSpeedup; ///< geometric mean
    std::optional<double> bestNewSpeedup;       ///< of the kernels first written here
    std::optional<double> bestSpeedupSoFar;     ///< of the best kernel; the baseline counts as 1
    /// Fast@p over the judged kernels of the iteration, in the order of kFastThresholds; none when
    /// nothing was judged.
    std::optional<std::array<double, kFastThresholds.size()>> fast;
    /// Over the correct kernels first written here; "latency_ms" and "percent_of_peak" beside the
    /// profiler's counters.
    std::map<std::string, Spread> counters;
    Usage usage;
};

/// What had been spent when a kernel had been judged, and the best speedup by then.
struct CostPoint
{
    int kernels = 0; ///< distinct kernels judged, the baseline not counted
    Usage usage;
    double seconds = 0; ///< spent searching; pauses do not count
    double bestSpeedup = 1;
};

/// How a plan stands to an item that its prompt carried.
enum class Adoption {
    Carried,  ///< the prompt held the item, the plan does something else
    Used,     ///< the plan does what a positive item advises
    Repeated, ///< the plan does what a negative item warns of
};
std::string_view name(Adoption adoption);

/// One item in the prompt of one plan, and what the plan came to.
struct AdoptionFigures
{
    ItemId item;
    PlanId plan;
    Adoption adoption = Adoption::Carried;
    int kernels = 0; ///< distinct kernels first written for the plan
    int correct = 0;
    std::optional<double> bestSpeedupOverParent;
    bool wonPlace = false; ///< a kernel of the plan was a candidate later
};

/// An item of the memory with what became of the plans whose prompts carried it.
struct ItemFigures
{
    ExperienceItem item;
    int carried = 0;
    int used = 0;                       ///< used or, for a negative item, repeated
    int usedCorrect = 0;                ///< of these, plans with a correct kernel
    int usedWon = 0;                    ///< of these, plans that won a place in a later beam
    int otherWon = 0;                   ///< of the plans that carried it without using it
    std::optional<double> usedSpeedup;  ///< geometric mean of the used plans' best, over the parent
    std::optional<double> otherSpeedup; ///< the same of the others that carried it
};

/// One plan and how it fared.
struct PlanFigures
{
    Plan plan;
    int kernels = 0;
    int correct = 0;
    std::optional<double> bestSpeedupOverParent;
    bool wonPlace = false;
};

/// Everything that tables and charts say of one run. "Best" is what the engine calls so: the
/// fastest correct kernel of the baseline's kind (device, simulated or measured, model) whose gain
/// was no tie when it was found, that no person dropped and that was not refuted at the end.
struct RunFigures
{
    std::string file; ///< name of the run file without its folder
    RunOpened opened;
    RunConfig config; ///< in force at the end
    bool simulated = true;
    std::string device;
    std::string modelVersion;
    std::optional<double> baselineMs; ///< none unless the baseline is correct
    KernelId best;
    std::optional<double> bestMs;
    std::optional<double> bestSpeedup;
    std::optional<double> bestPercentOfPeak;
    std::optional<bool> confirmed;      ///< none when the best kernel was not judged again
    std::vector<KernelFigures> kernels; ///< the baseline first, then in slot order
    std::vector<CandidateFigures> candidates;
    std::vector<IterationFigures> iterations;
    std::vector<CostPoint> cost; ///< the first point is the judged baseline
    std::vector<PlanFigures> plans;
    std::vector<ItemFigures> items;
    std::vector<AdoptionFigures> adoptions;
    std::map<RoleName, Usage> usage;
    double seconds = 0;
    std::string stoppedBecause; ///< empty while the run is not finished
};

/// What the answers of a whole run were worth.
struct AnswerShares
{
    int written = 0;                 ///< answers that held a kernel
    int duplicates = 0;              ///< of these, answers that repeated a kernel
    int judged = 0;                  ///< distinct kernels, the baseline not counted
    int correct = 0;                 ///< of these
    std::optional<double> duplicate; ///< duplicates / written; none when nothing was written
    std::optional<double> failing;   ///< share of the judged that are not correct
};
AnswerShares answerShares(const RunFigures &run);

/// Figures of a run from its events. O(n log n) in the number of events.
RunFigures figuresOf(std::span<const Event> events);
/// The same of a run file. Fails with Format when it holds no run yet.
Result<RunFigures> readFigures(store::RunReader &reader);

} // namespace accelopt::report
