// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/CsvTables.h"

#include "core/report/RunGroups.h"

#include <fmt/format.h>

namespace accelopt::report {

namespace {

const CsvColumn kRun{"run", "", "name of the run, the same in all tables"};
const CsvColumn kIteration{"iteration", "1", "number of the iteration, from 0"};
const CsvColumn kSimulated{"simulated", "1",
                           "1: figures of the built-in simulator; 0: measured on hardware"};

CsvField optionalFlag(const std::optional<bool> &value)
{
    return value ? csvFlag(*value) : CsvField();
}

int countOf(const IterationFigures &iteration, VerdictStatus status)
{
    const auto found = iteration.verdicts.find(status);
    return found == iteration.verdicts.end() ? 0 : found->second;
}

std::vector<CsvColumn> usageColumns()
{
    return {{"requests", "1", "requests to role services"},
            {"prompt_tokens", "tokens", "tokens sent, cached ones included"},
            {"cached_tokens", "tokens", "of these, tokens the service had cached"},
            {"completion_tokens", "tokens", "tokens received"},
            {"cost_usd", "USD", "cost; a lower bound when unpriced_requests is not 0"},
            {"unpriced_requests", "1", "requests without a known price"}};
}

void addUsage(std::vector<CsvField> &row, const Usage &usage)
{
    row.insert(row.end(), {usage.calls, usage.promptTokens, usage.cachedTokens,
                           usage.completionTokens, usage.usd, usage.unpricedCalls});
}

void append(std::vector<CsvColumn> &columns, std::vector<CsvColumn> more)
{
    columns.insert(columns.end(), more.begin(), more.end());
}

struct Named
{
    const std::vector<RunFigures> &runs;
    std::vector<std::string> names;
};

Usage totalOf(const RunFigures &run)
{
    Usage total;
    for (const auto &[role, usage] : run.usage)
        total += usage;
    return total;
}

CsvTable runsTable(const Named &all)
{
    CsvTable table{"runs", "one run: a task searched under one configuration", {}, {}};
    table.columns = {kRun,
                     {"file", "", "name of the run file"},
                     {"task", "", "task"},
                     {"device", "", "device the figures are for"},
                     kSimulated,
                     {"model_version", "", "version of the cost model; empty when measured"},
                     {"shape", "", "shape of the task"},
                     {"preset", "", "preset the configuration started from"},
                     {"seed", "1", "seed of the run"},
                     {"baseline_ms", "ms", "latency of the baseline"},
                     {"best_ms", "ms", "latency of the fastest correct kernel"},
                     {"best_speedup", "1", "baseline_ms / best_ms"},
                     {"best_percent_of_peak", "%", "roofline time / best_ms"},
                     {"confirmed", "1", "1: the best kernel was judged correct again at the end"},
                     {"best_kernel", "", "identity of the fastest correct kernel"},
                     {"iterations", "1", "iterations begun"},
                     {"kernels", "1", "distinct kernels judged, without the baseline"},
                     {"correct", "1", "of these, correct"},
                     {"failing_share", "1", "share of the judged kernels that are not correct"},
                     {"written", "1", "answers that held a kernel"},
                     {"duplicates", "1", "of these, answers that repeated a known kernel"},
                     {"duplicate_share", "1", "duplicates / written"},
                     {"searched_s", "s", "time spent searching, without pauses"}};
    append(table.columns, usageColumns());
    table.columns.push_back({"stopped_because", "", "why it ended; empty while it goes on"});
    for (std::size_t r = 0; r < all.runs.size(); ++r) {
        const RunFigures &run = all.runs[r];
        const AnswerShares shares = answerShares(run);
        std::vector<CsvField> row{all.names[r],
                                  run.file,
                                  run.opened.task,
                                  run.device,
                                  csvFlag(run.simulated),
                                  run.modelVersion,
                                  run.config.shape,
                                  run.config.preset,
                                  fmt::format("{}", run.config.seed),
                                  run.baselineMs,
                                  run.bestMs,
                                  run.bestSpeedup,
                                  run.bestPercentOfPeak,
                                  optionalFlag(run.confirmed),
                                  run.best.value,
                                  run.iterations.size(),
                                  shares.judged,
                                  shares.correct,
                                  shares.failing,
                                  shares.written,
                                  shares.duplicates,
                                  shares.duplicate,
                                  run.seconds};
        addUsage(row, totalOf(run));
        row.emplace_back(run.stoppedBecause);
        table.rows.push_back(std::move(row));
    }
    return table;
}

CsvTable iterationsTable(const Named &all)
{
    CsvTable table{
        "iterations", "one iteration of a run; kernels count where first written", {}, {}};
    table.columns = {
        kRun,
        kIteration,
        {"plans", "1", "plans made"},
        {"written", "1", "answers that held a kernel"},
        {"duplicates", "1", "of these, answers that repeated a known kernel"},
        {"duplicate_share", "1", "duplicates / written"},
        {"failed_calls", "1", "calls to roles without a usable answer"},
        {"judged", "1", "distinct new kernels judged"},
    };
    for (const VerdictStatus status : kVerdictStatuses)
        table.columns.push_back(
            {std::string(name(status)), "1", fmt::format("of these, {}", name(status))});
    append(table.columns,
           {{"failing_share", "1", "share of the judged kernels that are not correct"},
            {"best_candidate_speedup", "1", "fastest candidate against the baseline"},
            {"mean_candidate_speedup", "1", "geometric mean over the candidates"},
            {"best_new_speedup", "1", "fastest kernel first written here"},
            {"best_speedup_so_far", "1", "fastest kernel up to here"}});
    append(table.columns, usageColumns());
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const IterationFigures &iteration : all.runs[r].iterations) {
            const int correct = countOf(iteration, VerdictStatus::Correct);
            std::vector<CsvField> row{
                all.names[r],
                iteration.iteration,
                iteration.plans,
                iteration.written,
                iteration.duplicates,
                iteration.written > 0 ? CsvField(double(iteration.duplicates) / iteration.written)
                                      : CsvField(),
                iteration.failedCalls,
                iteration.judged};
            for (const VerdictStatus status : kVerdictStatuses)
                row.emplace_back(countOf(iteration, status));
            row.push_back(iteration.judged > 0
                              ? CsvField(double(iteration.judged - correct) / iteration.judged)
                              : CsvField());
            row.emplace_back(iteration.bestCandidateSpeedup);
            row.emplace_back(iteration.meanCandidateSpeedup);
            row.emplace_back(iteration.bestNewSpeedup);
            row.emplace_back(iteration.bestSpeedupSoFar);
            addUsage(row, iteration.usage);
            table.rows.push_back(std::move(row));
        }
    return table;
}

CsvTable fastTable(const Named &all)
{
    CsvTable table{"fast",
                   "Fast@p of one iteration of a run",
                   {kRun,
                    kIteration,
                    {"p", "1", "threshold"},
                    {"share", "1",
                     "share of the iteration's judged kernels that are correct and more than p "
                     "times faster than the baseline"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const IterationFigures &iteration : all.runs[r].iterations)
            for (std::size_t p = 0; iteration.fast && p < kFastThresholds.size(); ++p)
                table.rows.push_back(
                    {all.names[r], iteration.iteration, kFastThresholds[p], (*iteration.fast)[p]});
    return table;
}

CsvTable candidatesTable(const Named &all)
{
    CsvTable table{"candidates",
                   "one kernel in the beam with which an iteration starts",
                   {kRun,
                    kIteration,
                    {"candidate", "1", "place in the beam, from 0"},
                    {"kernel", "", "identity of the kernel"},
                    {"latency_ms", "ms", "its latency"},
                    {"speedup", "1", "against the baseline"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const CandidateFigures &candidate : all.runs[r].candidates)
            table.rows.push_back({all.names[r], candidate.iteration, candidate.candidate,
                                  candidate.kernel.value, candidate.latencyMs, candidate.speedup});
    return table;
}

CsvTable plansTable(const Named &all)
{
    CsvTable table{"plans",
                   "one plan and how it fared",
                   {kRun,
                    kIteration,
                    {"candidate", "1", "place of its candidate in the beam, from 0"},
                    {"plan", "", "name of the plan"},
                    {"parent", "", "identity of the candidate's kernel"},
                    {"title", "", "title of the plan"},
                    {"author", "", "who wrote it"},
                    {"items_in_prompt", "1", "memory items that its prompt carried"},
                    {"kernels", "1", "distinct kernels first written for it"},
                    {"correct", "1", "of these, correct"},
                    {"best_speedup_over_parent", "1", "of its fastest kernel"},
                    {"won_place", "1", "1: a kernel of it was a candidate later"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const PlanFigures &plan : all.runs[r].plans)
            table.rows.push_back({all.names[r], plan.plan.slot.iteration, plan.plan.slot.candidate,
                                  planId(plan.plan.slot).value, plan.plan.parent.value,
                                  plan.plan.title, plan.plan.author, plan.plan.usedItems.size(),
                                  plan.kernels, plan.correct, plan.bestSpeedupOverParent,
                                  csvFlag(plan.wonPlace)});
    return table;
}

CsvTable kernelsTable(const Named &all)
{
    CsvTable table{"kernels",
                   "one distinct kernel; the baseline has no iteration",
                   {kRun,
                    {"kernel", "", "identity: SHA-256 of the normalised source"},
                    kIteration,
                    {"plan", "", "plan it was first written for"},
                    {"attempt", "1", "number of the attempt, from 0"},
                    {"repair", "1", "repair turn that wrote it, 0 for a first answer"},
                    {"parent", "", "identity of the candidate it was made from"},
                    {"verdict", "", "what the check said; empty when not judged yet"},
                    {"latency_ms", "ms", "latency of a correct kernel"},
                    {"latency_low_ms", "ms", "lower end of the interval"},
                    {"latency_high_ms", "ms", "upper end of the interval"},
                    kSimulated,
                    {"speedup", "1", "against the baseline"},
                    {"speedup_over_parent", "1", "against the candidate it was made from"},
                    {"percent_of_peak", "%", "roofline time / latency"},
                    {"bound", "", "what the task is bound by"},
                    {"was_candidate", "1", "1: plans were made for it"},
                    {"dropped", "1", "1: a person dropped it"},
                    {"confirmation", "", "verdict of the second judgement at the end"},
                    {"reason", "", "first reason of a verdict that is not correct"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const KernelFigures &kernel : all.runs[r].kernels) {
            const bool correct = kernel.latencyMs.has_value();
            const auto ifWritten = [&](auto value) {
                return kernel.slot ? CsvField(value) : CsvField();
            };
            const AttemptSlot slot = kernel.slot.value_or(AttemptSlot{});
            table.rows.push_back({all.names[r],
                                  kernel.id.value,
                                  ifWritten(slot.plan.iteration),
                                  ifWritten(planId(slot.plan).value),
                                  ifWritten(slot.attempt),
                                  ifWritten(kernel.repair),
                                  kernel.parent.value,
                                  kernel.judged ? CsvField(name(kernel.verdict)) : CsvField(),
                                  kernel.latencyMs,
                                  correct ? CsvField(kernel.intervalMs.low) : CsvField(),
                                  correct ? CsvField(kernel.intervalMs.high) : CsvField(),
                                  kernel.judged ? csvFlag(all.runs[r].simulated) : CsvField(),
                                  kernel.speedup,
                                  kernel.speedupOverParent,
                                  kernel.percentOfPeak,
                                  kernel.bound,
                                  csvFlag(kernel.wasCandidate),
                                  csvFlag(kernel.dropped),
                                  kernel.confirmation,
                                  kernel.reason});
        }
    return table;
}

/// The profiler's names say the unit; its percentages are fractions.
std::string counterUnit(std::string_view counter)
{
    if (counter == "latency_ms")
        return "ms";
    if (counter == "percent_of_peak")
        return "%";
    if (counter.ends_with("_percent"))
        return "fraction";
    if (counter.ends_with("_bytes"))
        return "bytes";
    if (counter.ends_with("_flops"))
        return "FLOP";
    if (counter.ends_with("_time"))
        return "s";
    return "1";
}

CsvTable countersTable(const Named &all)
{
    CsvTable table{"counters",
                   "one counter of one correct kernel",
                   {kRun,
                    {"kernel", "", "identity of the kernel"},
                    {"counter", "", "the profiler's name"},
                    {"unit", "", "unit of the value"},
                    {"value", "unit", "value, in the unit of the row"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const KernelFigures &kernel : all.runs[r].kernels)
            for (const auto &[counter, value] : kernel.counters)
                table.rows.push_back(
                    {all.names[r], kernel.id.value, counter, counterUnit(counter), value});
    return table;
}

CsvTable spreadTable(const Named &all)
{
    CsvTable table{"counter_spread",
                   "distribution of one counter over the correct kernels of one iteration",
                   {kRun,
                    kIteration,
                    {"counter", "", "the profiler's name, latency_ms or percent_of_peak"},
                    {"unit", "", "unit of the values"},
                    {"kernels", "1", "kernels counted"},
                    {"minimum", "unit", "smallest value"},
                    {"lower_quartile", "unit", "a quarter of the values is not above it"},
                    {"median", "unit", "half of the values is not above it"},
                    {"upper_quartile", "unit", "three quarters of the values are not above it"},
                    {"maximum", "unit", "largest value"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const IterationFigures &iteration : all.runs[r].iterations)
            for (const auto &[counter, spread] : iteration.counters)
                table.rows.push_back({all.names[r], iteration.iteration, counter,
                                      counterUnit(counter), spread.count, spread.minimum,
                                      spread.lowerQuartile, spread.median, spread.upperQuartile,
                                      spread.maximum});
    return table;
}

CsvTable costTable(const Named &all)
{
    CsvTable table{"cost", "what had been spent when a kernel had been judged", {}, {}};
    table.columns = {kRun,
                     {"kernels", "1", "distinct kernels judged by then, without the baseline"},
                     {"searched_s", "s", "time spent searching by then, without pauses"}};
    append(table.columns, usageColumns());
    table.columns.push_back({"best_speedup", "1", "fastest correct kernel by then"});
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const CostPoint &point : all.runs[r].cost) {
            std::vector<CsvField> row{all.names[r], point.kernels, point.seconds};
            addUsage(row, point.usage);
            row.emplace_back(point.bestSpeedup);
            table.rows.push_back(std::move(row));
        }
    return table;
}

CsvTable memoryTable(const Named &all)
{
    CsvTable table{
        "memory",
        "one item of the optimisation memory with what became of the plans it reached",
        {kRun,
         {"item", "", "name of the item"},
         kIteration,
         {"positive", "1", "1: do this; 0: avoid the reverse"},
         {"item_speedup", "1", "latency(slow) / latency(fast) of its pair"},
         {"title", "", "title of the item"},
         {"plan", "", "plan whose kernels made the pair"},
         {"carried", "1", "plans whose prompt carried it"},
         {"used", "1", "of these, plans that do what it is about"},
         {"used_correct", "1", "of the plans that used it, those with a correct kernel"},
         {"used_won", "1", "of the plans that used it, those with a kernel that was a candidate"},
         {"used_mean_speedup", "1", "their best over the parent, geometric mean"},
         {"other_won", "1", "of the others that carried it, those with a later candidate"},
         {"other_mean_speedup", "1", "best over the parent of the others, geometric mean"}},
        {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const ItemFigures &item : all.runs[r].items)
            table.rows.push_back({all.names[r], item.item.id.value, item.item.iteration,
                                  csvFlag(item.item.positive), item.item.speedup, item.item.title,
                                  item.item.plan.value, item.carried, item.used, item.usedCorrect,
                                  item.usedWon, item.usedSpeedup, item.otherWon,
                                  item.otherSpeedup});
    return table;
}

CsvTable adoptionTable(const Named &all)
{
    CsvTable table{"adoption",
                   "one memory item in the prompt of one plan",
                   {kRun,
                    {"item", "", "name of the item"},
                    {"plan", "", "name of the plan"},
                    {"adoption", "",
                     "used: does what it advises; repeated: does what it warns of; carried: else"},
                    {"kernels", "1", "distinct kernels first written for the plan"},
                    {"correct", "1", "of these, correct"},
                    {"best_speedup_over_parent", "1", "of the plan's fastest kernel"},
                    {"won_place", "1", "1: a kernel of the plan was a candidate later"}},
                   {}};
    for (std::size_t r = 0; r < all.runs.size(); ++r)
        for (const AdoptionFigures &adoption : all.runs[r].adoptions)
            table.rows.push_back({all.names[r], adoption.item.value, adoption.plan.value,
                                  name(adoption.adoption), adoption.kernels, adoption.correct,
                                  adoption.bestSpeedupOverParent, csvFlag(adoption.wonPlace)});
    return table;
}

CsvColumn groupColumn()
{
    return {"group", "1", "runs with one number here may stand in one average; from 0"};
}

CsvTable groupsTable(const std::vector<RunGroup> &groups)
{
    CsvTable table{"groups",
                   "comparable runs taken together, after each iteration",
                   {groupColumn(),
                    {"device", "", "device the figures are for"},
                    kSimulated,
                    {"model_version", "", "version of the cost model; empty when measured"},
                    {"runs", "1", "runs in the group"},
                    kIteration,
                    {"runs_under_way", "1", "runs that have this iteration; others stand still"},
                    {"kernels", "1", "distinct kernels judged up to here, all runs"},
                    {"geometric_mean_speedup", "1", "of the runs' fastest kernels up to here"}},
                   {}};
    append(table.columns, usageColumns());
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const GroupIteration &iteration : groups[g].iterations) {
            std::vector<CsvField> row{g,
                                      groups[g].device,
                                      csvFlag(groups[g].simulated),
                                      groups[g].modelVersion,
                                      groups[g].runs.size(),
                                      iteration.iteration,
                                      iteration.runsUnderWay,
                                      iteration.kernels,
                                      iteration.geometricMean};
            addUsage(row, iteration.usage);
            table.rows.push_back(std::move(row));
        }
    return table;
}

CsvTable groupsFastTable(const std::vector<RunGroup> &groups)
{
    CsvTable table{"groups_fast",
                   "Fast@p over comparable runs, after each iteration",
                   {groupColumn(),
                    kIteration,
                    {"p", "1", "threshold"},
                    {"share", "1",
                     "share of the runs whose fastest kernel is more than p times faster than its "
                     "baseline"}},
                   {}};
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const GroupIteration &iteration : groups[g].iterations)
            for (std::size_t p = 0; p < kFastThresholds.size(); ++p)
                table.rows.push_back(
                    {g, iteration.iteration, kFastThresholds[p], iteration.fast[p]});
    return table;
}

CsvTable columnsTable(const std::vector<CsvTable> &tables)
{
    CsvTable table{"columns",
                   "one column of one of the other tables",
                   {{"table", "", "name of the table"},
                    {"row", "", "what a row of the table is"},
                    {"column", "", "name of the column"},
                    {"unit", "", "unit; 1 for plain numbers, empty for texts"},
                    {"meaning", "", "what it says"}},
                   {}};
    for (const CsvTable &other : tables)
        for (const CsvColumn &column : other.columns)
            table.rows.push_back(
                {other.name, other.what, column.name, column.unit, column.meaning});
    return table;
}

} // namespace

std::vector<CsvTable> csvTables(const std::vector<RunFigures> &runs)
{
    const Named all{runs, runNames(runs)};
    const std::vector<RunGroup> groups = groupsOf(runs);
    std::vector<CsvTable> tables{runsTable(all),         iterationsTable(all), fastTable(all),
                                 candidatesTable(all),   plansTable(all),      kernelsTable(all),
                                 countersTable(all),     spreadTable(all),     costTable(all),
                                 memoryTable(all),       adoptionTable(all),   groupsTable(groups),
                                 groupsFastTable(groups)};
    tables.push_back(columnsTable(tables));
    return tables;
}

} // namespace accelopt::report
