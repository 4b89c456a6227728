// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/HtmlFigures.h"

#include "core/report/SvgPlot.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace accelopt::report {

namespace {

using Rows = std::vector<std::vector<std::string>>;

const std::string kTimes = "\u00d7";

std::string digits(double value)
{
    return fmt::format("{:.4g}", value);
}

std::string digits(const std::optional<double> &value)
{
    return value ? digits(*value) : std::string("\u2013");
}

/// People count iterations from one.
std::string iterationLabel(int iteration)
{
    return fmt::format("{}", iteration + 1);
}

PlotText textOf(const std::string &prefix, const char *id, std::string title,
                std::string description, const std::string &kind)
{
    return {prefix + id, std::move(title), std::move(description), kind};
}

std::string candidates(const RunFigures &run, const std::string &prefix, const std::string &kind)
{
    PlotSeries best{"best so far", {}, PlotLine::Step};
    PlotSeries fresh{"best new kernel", {}, PlotLine::Straight};
    PlotSeries beam{"best candidate", {}, PlotLine::Straight};
    PlotSeries mean{"candidates, geometric mean", {}, PlotLine::Straight};
    Rows rows;
    for (const IterationFigures &iteration : run.iterations) {
        const double x = iteration.iteration + 1;
        const auto add = [x](PlotSeries &series, const std::optional<double> &value) {
            if (value)
                series.points.emplace_back(x, *value);
        };
        add(best, iteration.bestSpeedupSoFar);
        add(fresh, iteration.bestNewSpeedup);
        add(beam, iteration.bestCandidateSpeedup);
        add(mean, iteration.meanCandidateSpeedup);
        rows.push_back({iterationLabel(iteration.iteration), digits(iteration.bestCandidateSpeedup),
                        digits(iteration.meanCandidateSpeedup), digits(iteration.bestNewSpeedup),
                        digits(iteration.bestSpeedupSoFar)});
    }
    const PlotText text =
        textOf(prefix, "candidates", "Speedup of candidates and new kernels",
               "Speedup over the baseline. Candidates are the kernels with which an iteration "
               "starts; new kernels are written in it.",
               kind);
    PlotAxes axes;
    axes.xLabel = "iteration";
    axes.yLabel = "speedup";
    axes.yUnit = kTimes;
    axes.reference = 1;
    axes.referenceName = "baseline";
    return figure(
        text, linePlot(text, axes, {best, fresh, beam, mean}),
        {"iteration", "best candidate", "candidates, mean", "best new kernel", "best so far"},
        rows);
}

std::string fast(const RunFigures &run, const std::string &prefix, const std::string &kind)
{
    std::vector<PlotSeries> series;
    Rows rows;
    std::vector<std::string> head{"iteration"};
    for (std::size_t p = 0; p < kFastThresholds.size(); ++p) {
        series.push_back({fmt::format("p = {:g}", kFastThresholds[p]), {}, PlotLine::Straight});
        head.push_back(series.back().name);
    }
    for (const IterationFigures &iteration : run.iterations) {
        std::vector<std::string> row{iterationLabel(iteration.iteration)};
        for (std::size_t p = 0; p < kFastThresholds.size(); ++p) {
            if (iteration.fast)
                series[p].points.emplace_back(iteration.iteration + 1, 100 * (*iteration.fast)[p]);
            row.push_back(iteration.fast ? digits(100 * (*iteration.fast)[p]) + " %" : "\u2013");
        }
        rows.push_back(std::move(row));
    }
    const PlotText text =
        textOf(prefix, "fast", "Fast@p",
               "Share of the kernels judged in an iteration that are correct and more than p times "
               "faster than the baseline. Failing kernels count, repeated ones do not.",
               kind);
    PlotAxes axes;
    axes.xLabel = "iteration";
    axes.yLabel = "share of kernels";
    axes.yUnit = " %";
    axes.yLow = 0;
    axes.yHigh = 100;
    return figure(text, linePlot(text, axes, series), head, rows);
}

/// A way to count what a search costs.
struct Cost
{
    const char *id;
    const char *title;
    const char *xLabel;
    const char *what;
    double (*of)(const CostPoint &);
};

const Cost kCosts[] = {
    {"kernels", "kernels", "kernels", "distinct kernels judged",
     [](const CostPoint &p) { return double(p.kernels); }},
    {"calls", "requests", "requests", "requests to the agents",
     [](const CostPoint &p) { return double(p.usage.calls); }},
    {"seconds", "time", "s", "seconds spent searching, the baseline's judgement included",
     [](const CostPoint &p) { return p.seconds; }},
    {"tokens", "tokens", "tokens", "tokens sent and received",
     [](const CostPoint &p) { return double(p.usage.promptTokens + p.usage.completionTokens); }},
    {"usd", "US dollars", "USD", "what the requests cost",
     [](const CostPoint &p) { return p.usage.usd; }}};

std::string cost(const RunFigures &run, const std::string &prefix, const std::string &kind)
{
    if (run.cost.empty())
        return {};
    std::string html;
    std::string free;
    for (const Cost &way : kCosts) {
        if (!(way.of(run.cost.back()) > 0)) {
            free += (free.empty() ? "" : ", ") + std::string(way.title);
            continue;
        }
        PlotSeries series{"best speedup", {}, PlotLine::Step};
        Rows rows;
        double before = 0;
        for (const CostPoint &point : run.cost) {
            series.points.emplace_back(way.of(point), point.bestSpeedup);
            if (point.bestSpeedup != before || &point == &run.cost.back())
                rows.push_back({digits(way.of(point)), digits(point.bestSpeedup)});
            before = point.bestSpeedup;
        }
        const bool lowerBound =
            std::string_view(way.id) == "usd" && run.cost.back().usage.unpricedCalls > 0;
        const PlotText text =
            textOf(prefix, way.id, fmt::format("Speedup over {}", way.title),
                   lowerBound ? "Some requests have no known price: the cost is a lower bound."
                              : fmt::format("Best correct kernel by then; {}.", way.what),
                   kind);
        PlotAxes axes;
        axes.size = PlotSize::Half;
        axes.xLabel = way.xLabel;
        axes.yLabel = "best speedup";
        axes.yUnit = kTimes;
        axes.yLow = 1;
        axes.wholeX = false;
        html += figure(text, linePlot(text, axes, {series}), {way.xLabel, "best speedup"}, rows);
    }
    html = "<div class=\"pairs\">" + html + "</div>";
    if (!free.empty())
        html += fmt::format("<p class=\"note\">Nothing was spent in: {}.</p>", free);
    return html;
}

std::string answers(const RunFigures &run, const std::string &prefix, const std::string &kind)
{
    std::vector<std::string> categories;
    PlotBars correct{"correct", {}};
    PlotBars failing{"failing", {}};
    PlotBars duplicate{"repeats a known kernel", {}};
    PlotBars calls{"call without an answer", {}};
    Rows rows;
    for (const IterationFigures &iteration : run.iterations) {
        const auto found = iteration.verdicts.find(VerdictStatus::Correct);
        const int good = found == iteration.verdicts.end() ? 0 : found->second;
        categories.push_back(iterationLabel(iteration.iteration));
        correct.values.push_back(good);
        failing.values.push_back(iteration.judged - good);
        duplicate.values.push_back(iteration.duplicates);
        calls.values.push_back(iteration.failedCalls);
        std::string verdicts;
        for (const auto &[status, count] : iteration.verdicts)
            if (status != VerdictStatus::Correct)
                verdicts +=
                    fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", count, name(status));
        rows.push_back({categories.back(), fmt::format("{}", iteration.written),
                        fmt::format("{}", good), verdicts.empty() ? "0" : verdicts,
                        fmt::format("{}", iteration.duplicates),
                        fmt::format("{}", iteration.failedCalls)});
    }
    const AnswerShares shares = answerShares(run);
    const auto percent = [](const std::optional<double> &share) {
        return share ? digits(100 * *share) + " %" : std::string("\u2013");
    };
    const std::string sums =
        fmt::format("<p class=\"note\">Of all answers with a kernel, {} repeat a known one; of the "
                    "kernels judged, {} are not correct.</p>",
                    percent(shares.duplicate), percent(shares.failing));
    const PlotText text =
        textOf(prefix, "answers", "What the agents' answers were worth",
               "New kernels that are correct, new kernels that are not, answers that repeat a "
               "kernel the run had already, and calls that gave no usable answer.",
               kind);
    PlotAxes axes;
    axes.xLabel = "iteration";
    axes.yLabel = "answers";
    return sums + figure(text,
                         stackedBars(text, axes, categories, {correct, failing, duplicate, calls}),
                         {"iteration", "kernels written", "correct", "failing", "repeated",
                          "calls without an answer"},
                         rows);
}

struct CounterPlot
{
    const char *counter;
    const char *title;
    double factor;
    const char *unit;
};

/// What a kernel engineer looks at first. Fractions are shown as percentages.
constexpr CounterPlot kCounters[] = {
    {"latency_ms", "Latency", 1, " ms"},
    {"percent_of_peak", "Share of peak", 1, " %"},
    {"hbm_read_bytes", "HBM bytes read", 1, "B"},
    {"hbm_write_bytes", "HBM bytes written", 1, "B"},
    {"spill_save_bytes", "Bytes spilled", 1, "B"},
    {"dma_transfer_count", "DMA transfers", 1, ""},
    {"tensor_engine_active_time_percent", "Tensor engine busy", 100, " %"},
    {"vector_engine_active_time_percent", "Vector engine busy", 100, " %"},
    {"scalar_engine_active_time_percent", "Scalar engine busy", 100, " %"},
    {"dma_active_time_percent", "DMA busy", 100, " %"}};

std::string counters(const RunFigures &run, const std::string &prefix, const std::string &kind)
{
    std::string html;
    std::string still;
    for (const CounterPlot &plot : kCounters) {
        std::vector<std::pair<std::string, std::optional<Spread>>> boxes;
        Rows rows;
        std::optional<double> low;
        std::optional<double> high;
        for (const IterationFigures &iteration : run.iterations) {
            boxes.emplace_back(iterationLabel(iteration.iteration), std::nullopt);
            const auto found = iteration.counters.find(plot.counter);
            if (found == iteration.counters.end())
                continue;
            Spread spread = found->second;
            for (double *value : {&spread.minimum, &spread.lowerQuartile, &spread.median,
                                  &spread.upperQuartile, &spread.maximum})
                *value *= plot.factor;
            low = std::min(low.value_or(spread.minimum), spread.minimum);
            high = std::max(high.value_or(spread.maximum), spread.maximum);
            boxes.back().second = spread;
            rows.push_back({boxes.back().first, fmt::format("{}", spread.count),
                            shortNumber(spread.minimum), shortNumber(spread.lowerQuartile),
                            shortNumber(spread.median), shortNumber(spread.upperQuartile),
                            shortNumber(spread.maximum)});
        }
        if (!low)
            continue;
        // What never changes needs no picture.
        if (*high - *low <= 1e-3 * std::abs(*high)) {
            still += fmt::format("{}{} {}", still.empty() ? "" : ", ", plot.title,
                                 withUnit(*high, plot.unit));
            continue;
        }
        const PlotText text = textOf(
            prefix, plot.counter, plot.title,
            fmt::format("{} of the correct kernels first written in each iteration.", plot.counter),
            kind);
        PlotAxes axes;
        axes.size = PlotSize::Half;
        axes.xLabel = "iteration";
        axes.yUnit = plot.unit;
        html += figure(text, boxPlot(text, axes, boxes),
                       {"iteration", "kernels", "minimum", "lower quartile", "median",
                        "upper quartile", "maximum"},
                       rows);
    }
    if (!html.empty())
        html = "<p class=\"note\">Box: the middle half of the kernels, with the median. Whiskers: "
               "from the smallest to the largest.</p><div class=\"pairs\">" +
               html + "</div>";
    if (!still.empty())
        html += fmt::format("<p class=\"note\">The same in all kernels: {}.</p>", still);
    return html;
}

std::string adoption(const RunFigures &run, const std::string &prefix, const std::string &kind)
{
    if (run.items.empty())
        return {};
    std::vector<std::string> categories;
    PlotBars won{"used, and won a place in a beam", {}};
    PlotBars used{"used, without winning one", {}};
    PlotBars carried{"in the prompt, not used", {}};
    Rows rows;
    for (const ItemFigures &item : run.items) {
        categories.push_back(item.item.id.value);
        won.values.push_back(item.usedWon);
        used.values.push_back(item.used - item.usedWon);
        carried.values.push_back(item.carried - item.used);
        rows.push_back({item.item.id.value + ": " + item.item.title,
                        item.item.positive ? "do this" : "avoid", fmt::format("{}", item.carried),
                        fmt::format("{}", item.used), fmt::format("{}", item.usedWon),
                        digits(item.usedSpeedup), digits(item.otherSpeedup)});
    }
    const PlotText text = textOf(
        prefix, "adoption", "Adoption of memory items",
        "Plans whose prompt carried an item. A plan uses an item when it does the same rewrite, or "
        "names the item; for an item of the kind \"avoid\" that means repeating the mistake.",
        kind);
    PlotAxes axes;
    axes.xLabel = "item";
    axes.yLabel = "plans";
    return figure(text, stackedBars(text, axes, categories, {won, used, carried}),
                  {"item", "kind", "in prompts", "used", "won", "best speedup when used",
                   "best speedup otherwise"},
                  rows);
}

} // namespace

std::string runFigures(const RunFigures &run, const std::string &prefix)
{
    const std::string kind = kindOf(run.simulated, run.modelVersion, run.device);
    if (run.iterations.empty())
        return "<p class=\"empty\">No iteration has been concluded yet.</p>";
    std::string html = candidates(run, prefix, kind) + fast(run, prefix, kind);
    html += "<h2>Cost</h2>" + cost(run, prefix, kind);
    html += "<h2>Answers</h2>" + answers(run, prefix, kind);
    if (const std::string boxes = counters(run, prefix, kind); !boxes.empty())
        html += "<h2>Counters</h2>" + boxes;
    if (const std::string items = adoption(run, prefix, kind); !items.empty())
        html += "<h2>Memory</h2>" + items;
    return html;
}

std::string groupFigures(const RunGroup &group, const std::vector<RunFigures> &runs,
                         const std::vector<std::string> &names, const std::string &prefix)
{
    const std::string kind = kindOf(group.simulated, group.modelVersion, group.device);
    PlotSeries mean{"geometric mean of all runs", {}, PlotLine::Straight};
    std::vector<PlotSeries> each;
    std::vector<PlotSeries> shares;
    for (const double p : kFastThresholds)
        shares.push_back({fmt::format("p = {:g}", p), {}, PlotLine::Straight});
    Rows meanRows;
    Rows fastRows;
    for (const GroupIteration &iteration : group.iterations) {
        mean.points.emplace_back(iteration.iteration + 1, iteration.geometricMean);
        meanRows.push_back({iterationLabel(iteration.iteration), digits(iteration.geometricMean),
                            fmt::format("{}", iteration.runsUnderWay),
                            fmt::format("{}", iteration.kernels),
                            fmt::format("{}", iteration.usage.calls), digits(iteration.usage.usd)});
        std::vector<std::string> row{iterationLabel(iteration.iteration)};
        for (std::size_t p = 0; p < kFastThresholds.size(); ++p) {
            shares[p].points.emplace_back(iteration.iteration + 1, 100 * iteration.fast[p]);
            row.push_back(digits(100 * iteration.fast[p]) + " %");
        }
        fastRows.push_back(std::move(row));
    }
    each.push_back(mean);
    constexpr std::size_t kMostLines = 5; // more cannot be told apart
    if (group.runs.size() <= kMostLines)
        for (const std::size_t place : group.runs) {
            PlotSeries series{names[place], {}, PlotLine::Straight};
            for (const IterationFigures &iteration : runs[place].iterations)
                if (iteration.bestSpeedupSoFar)
                    series.points.emplace_back(iteration.iteration + 1,
                                               *iteration.bestSpeedupSoFar);
            each.push_back(std::move(series));
        }
    const PlotText meanText =
        textOf(prefix, "mean", "Best speedup so far",
               fmt::format("Geometric mean over {} runs; a run that ended earlier stands with what "
                           "it had.",
                           group.runs.size()),
               kind);
    PlotAxes axes;
    axes.xLabel = "iteration";
    axes.yLabel = "speedup";
    axes.yUnit = kTimes;
    axes.reference = 1;
    axes.referenceName = "baseline";
    std::string html = figure(
        meanText, linePlot(meanText, axes, each),
        {"iteration", "geometric mean", "runs under way", "kernels", "requests", "USD"}, meanRows);
    const PlotText fastText = textOf(
        prefix, "fast", "Fast@p over runs",
        "Share of the runs whose best kernel is more than p times faster than its baseline.", kind);
    PlotAxes share;
    share.xLabel = "iteration";
    share.yLabel = "share of runs";
    share.yUnit = " %";
    share.yLow = 0;
    share.yHigh = 100;
    std::vector<std::string> head{"iteration"};
    for (const PlotSeries &series : shares)
        head.push_back(series.name);
    html += figure(fastText, linePlot(fastText, share, shares), head, fastRows);

    // What all runs together had spent after an iteration.
    const struct
    {
        const char *id;
        const char *label;
        double (*of)(const GroupIteration &);
    } ways[] = {
        {"kernels", "kernels", [](const GroupIteration &i) { return double(i.kernels); }},
        {"calls", "requests", [](const GroupIteration &i) { return double(i.usage.calls); }},
        {"usd", "USD", [](const GroupIteration &i) { return i.usage.usd; }}};
    std::string costs;
    for (const auto &way : ways) {
        if (group.iterations.empty() || !(way.of(group.iterations.back()) > 0))
            continue;
        PlotSeries series{"geometric mean", {{0.0, 1.0}}, PlotLine::Straight};
        Rows rows;
        for (const GroupIteration &iteration : group.iterations) {
            series.points.emplace_back(way.of(iteration), iteration.geometricMean);
            rows.push_back({digits(way.of(iteration)), digits(iteration.geometricMean)});
        }
        const PlotText text =
            textOf(prefix, way.id, fmt::format("Geometric mean over {}", way.label),
                   "One mark per iteration, all runs together.", kind);
        PlotAxes half = axes;
        half.size = PlotSize::Half;
        half.xLabel = way.label;
        half.wholeX = false;
        half.reference.reset();
        half.yLow = 1;
        costs += figure(text, linePlot(text, half, {series}), {way.label, "geometric mean"}, rows);
    }
    return html + "<div class=\"pairs\">" + costs + "</div>";
}

} // namespace accelopt::report
