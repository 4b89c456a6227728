// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/HtmlReport.h"

#include "core/bench/PublishedFigures.h"
#include "core/domain/Resources.h"
#include "core/report/CleanText.h"
#include "core/report/HtmlFigures.h"
#include "core/report/RunGroups.h"
#include "core/report/RunTables.h"
#include "core/report/SvgPlot.h"
#include "core/report/TextDiff.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::report {

namespace {

std::string number(const std::optional<double> &value, const char *unit = "")
{
    return value ? fmt::format("{:.4g}{}", *value, unit) : std::string("&ndash;");
}

std::string times(const std::optional<double> &value)
{
    return value ? fmt::format("{:.3f}&times;", *value) : std::string("&ndash;");
}

std::string dateText(double unixSeconds)
{
    const auto seconds = std::time_t(unixSeconds);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
    return text;
}

std::string cell(std::string_view html, std::string_view kind = {})
{
    return kind.empty() ? fmt::format("<td>{}</td>", html)
                        : fmt::format("<td class=\"{}\">{}</td>", kind, html);
}

/// Opens a table that may be scrolled sideways; columns by name and class ("n" for numbers).
std::string tableHead(const std::vector<std::pair<std::string, std::string>> &columns)
{
    std::string html = "<div class=\"scroll\"><table><thead><tr>";
    for (const auto &[column, kind] : columns)
        html += fmt::format("<th scope=\"col\"{}>{}</th>",
                            kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), column);
    return html + "</tr></thead><tbody>";
}

/// Best latency so far and the correct kernels of each iteration.
std::string progress(const RunFigures &run)
{
    if (run.iterations.empty() || !run.baselineMs)
        return "<p class=\"empty\">No iteration has been concluded yet.</p>";
    constexpr double kWidth = 860, kHeight = 280, kLeft = 70, kRight = 20, kTop = 16, kBottom = 42;
    const double baselineMs = *run.baselineMs;
    double high = baselineMs;
    double low = baselineMs;
    for (const KernelFigures &kernel : run.kernels)
        if (kernel.speedup) {
            high = std::max(high, *kernel.latencyMs);
            low = std::min(low, *kernel.latencyMs);
        }
    // Slow outliers would flatten what matters.
    high = std::min(high, 1.5 * baselineMs);
    const double margin = std::max(0.05 * (high - low), 0.01 * high);
    high += margin;
    low = std::max(0.0, low - margin);
    const double count = double(run.iterations.back().iteration + 1);
    const auto x = [&](double iteration) {
        return kLeft + (kWidth - kLeft - kRight) * (iteration + 1) / count;
    };
    const auto y = [&](double latency) {
        return kTop +
               (kHeight - kTop - kBottom) * (high - std::clamp(latency, low, high)) / (high - low);
    };
    const PlotText text{
        "progress", "Latency of the kernels",
        "Line: best latency so far. Dots: correct kernels of each iteration. Kernels "
        "slower than 1.5 times the baseline lie on the upper edge.",
        kindOf(run.simulated, run.modelVersion, run.device)};
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" class=\"wide\" role=\"img\" aria-labelledby=\"progress-t "
        "progress-d\"><title id=\"progress-t\">{}</title><desc id=\"progress-d\">{}</desc>",
        kWidth, kHeight, escapedHtml(text.title + ", " + text.kind), escapedHtml(text.description));
    for (const double latency : roundTicks(low, high, 5))
        svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                           "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g} ms</text>",
                           kLeft, kWidth - kRight, y(latency), y(latency), kLeft - 6,
                           y(latency) + 4, latency);
    for (const KernelFigures &kernel : run.kernels)
        if (kernel.slot && kernel.speedup)
            svg += fmt::format("<circle class=\"kernel\" cx=\"{:.1f}\" cy=\"{:.1f}\" "
                               "r=\"4\"><title>{} {:.4g} ms</title></circle>",
                               x(kernel.slot->plan.iteration), y(*kernel.latencyMs),
                               escapedHtml(shortId(kernel.id)), *kernel.latencyMs);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">baseline</text><text "
                       "class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">iteration</text>",
                       kLeft, kHeight - 22, kWidth - kRight, kHeight - 5);
    std::vector<std::vector<std::string>> rows;
    std::string path = fmt::format("M{:.1f} {:.1f}", kLeft, y(baselineMs));
    double before = baselineMs;
    for (const IterationFigures &iteration : run.iterations) {
        const double best = baselineMs / iteration.bestSpeedupSoFar.value_or(1.0);
        // A kernel is the best from its iteration on.
        path += fmt::format(" L{0:.1f} {1:.1f} L{0:.1f} {2:.1f}", x(iteration.iteration), y(before),
                            y(best));
        before = best;
        const std::string label = fmt::format("{}", iteration.iteration + 1);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                           x(iteration.iteration), kHeight - 22, label);
        rows.push_back({label,
                        iteration.bestNewSpeedup
                            ? fmt::format("{:.4g}", baselineMs / *iteration.bestNewSpeedup)
                            : "\u2013",
                        fmt::format("{:.4g}", best)});
    }
    svg += fmt::format("<path class=\"best\" d=\"{}\"/></svg>", path);
    return figure(text, svg, {"iteration", "fastest new kernel, ms", "best so far, ms"}, rows);
}

std::string diffTable(const std::vector<DiffLine> &lines)
{
    if (lines.empty())
        return "<p class=\"empty\">The best kernel is the baseline.</p>";
    std::string html = "<div class=\"scroll\"><table class=\"diff\">";
    for (const DiffLine &line : lines) {
        if (line.kind == DiffLineKind::Hunk) {
            html += "<tr class=\"hunk\"><td></td><td></td><td>&hellip;</td></tr>";
            continue;
        }
        const char *kind = line.kind == DiffLineKind::Added     ? "added"
                           : line.kind == DiffLineKind::Removed ? "removed"
                                                                : "context";
        const char *sign = line.kind == DiffLineKind::Added     ? "+"
                           : line.kind == DiffLineKind::Removed ? "-"
                                                                : " ";
        html += fmt::format("<tr class=\"{}\"><td>{}</td><td>{}</td><td>{} {}</td></tr>", kind,
                            line.oldLine > 0 ? fmt::format("{}", line.oldLine) : "",
                            line.newLine > 0 ? fmt::format("{}", line.newLine) : "", sign,
                            escapedHtml(line.text));
    }
    return html + "</table></div>";
}

/// Everything up to the page's heading. Nothing may be loaded from elsewhere, and no script runs.
std::string pageHead(const std::string &heading, const std::string &what, bool simulated)
{
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">"
        "<title>{0}: {1}</title><style>{2}</style></head><body><main><h1>{0}{3}</h1>",
        escapedHtml(heading), what, resource("resources/report/report.css"),
        simulated ? " <span class=\"simulated\">simulated</span>" : "");
}

} // namespace

Result<std::string> htmlReport(store::RunReader &reader)
{
    ACCELOPT_TRY(const RunFigures figures, readFigures(reader));
    ACCELOPT_TRY(const RunTables tables, RunTables::read(reader));
    const std::optional<Row> run = tables.run();
    if (!run)
        return fail(ErrorCode::Format,
                    fmt::format("the run file {} holds no run yet", reader.path().string()),
                    "wait until its writer has begun, or name another file");
    const std::vector<Row> kernels = tables.rows("kernel");
    const auto kernelOf = [&](const std::string &id) -> const Row * {
        for (const Row &kernel : kernels)
            if (kernel.text("id") == id)
                return &kernel;
        return nullptr;
    };
    const Row *baseline = kernelOf(run->text("baseline"));
    const double baselineMs = baseline != nullptr ? baseline->number("latency_ms").value_or(0) : 0;
    const Row *best = figures.best.empty() ? nullptr : kernelOf(figures.best.value);
    const bool simulated = figures.simulated;

    const nlohmann::json config = nlohmann::json::parse(run->text("config"), nullptr, false);
    // Only under the policy "reviewed" does a lesson wait for a person.
    const bool reviewed = config.is_object() && config.value("memory_policy", "") == "reviewed";
    const auto reviewOf = [&](const Row &item) {
        const std::string review = item.text("review");
        return !reviewed && review == "proposed" ? std::string("used") : review;
    };

    std::map<std::string, std::string> planTitles;
    for (const Row &plan : tables.rows("plan"))
        planTitles[fmt::format("{}.{}.{}", plan.text("iteration"), plan.text("candidate"),
                               plan.text("plan"))] = plan.text("title");
    const auto titleOf = [&](const Row &kernel) {
        const auto it = planTitles.find(fmt::format("{}.{}.{}", kernel.text("iteration"),
                                                    kernel.text("candidate"), kernel.text("plan")));
        return it == planTitles.end() ? std::string() : it->second;
    };

    std::string html = pageHead(fmt::format("{} on {}", run->text("task"), run->text("device")),
                                "AccelOpt run", simulated);
    html += fmt::format("<p class=\"note\">Shape {}, preset {}, opened {}{}.</p>",
                        escapedHtml(run->text("shape")), escapedHtml(run->text("preset")),
                        dateText(run->number("opened_at").value_or(0)),
                        run->has("stopped_because")
                            ? ", stopped because: " + escapedHtml(run->text("stopped_because"))
                            : ", not finished");
    if (simulated)
        html +=
            fmt::format("<p class=\"note\">Every figure here comes from the built-in simulator "
                        "(cost model {}), "
                        "not from hardware; the vendor's compiler may still refuse a kernel.</p>",
                        escapedHtml(run->text("model_version")));

    html += "<div class=\"cards\">";
    const auto card = [&](std::string_view label, const std::string &value) {
        html += fmt::format(
            "<div class=\"card\"><div class=\"value\">{}</div><div class=\"label\">{}</div></div>",
            value, label);
    };
    const std::optional<double> bestMs =
        best != nullptr ? best->number("latency_ms") : std::nullopt;
    card("best latency", number(bestMs, " ms"));
    card("speedup over the baseline",
         times(bestMs && baselineMs > 0 ? std::optional(baselineMs / *bestMs) : std::nullopt));
    card("of peak", best != nullptr ? number(best->number("percent_of_peak"), " %") : "&ndash;");
    const bool nothingFaster = best != nullptr && best == baseline;
    if (nothingFaster)
        card("result", "no faster kernel found");
    else
        card("confirmed", !figures.confirmed   ? "not judged again"
                          : *figures.confirmed ? "yes"
                                               : "no");
    card("distinct kernels", fmt::format("{}", kernels.size()));
    html += "</div><h2>Progress</h2>" + progress(figures);
    if (!figures.iterations.empty() && figures.baselineMs)
        html += runFigures(figures, "run-");

    html += "<h2>Best kernel against the baseline</h2>";
    if (best != nullptr && baseline != nullptr) {
        ACCELOPT_TRY(const std::string oldText, reader.text(TextId(baseline->text("text"))));
        ACCELOPT_TRY(const std::string newText, reader.text(TextId(best->text("text"))));
        ACCELOPT_TRY(const std::vector<DiffLine> lines, diffLines(oldText, newText, 3));
        html += diffTable(lines);
    } else {
        html += "<p class=\"empty\">No correct kernel yet.</p>";
    }

    html += "<h2>Kernels</h2>" + tableHead({{"kernel", ""},
                                            {"iteration", "n"},
                                            {"latency", "n"},
                                            {"speedup", "n"},
                                            {"of peak", "n"},
                                            {"verdict", ""},
                                            {"plan or reason", ""}});
    std::vector<const Row *> ordered;
    for (const Row &kernel : kernels)
        ordered.push_back(&kernel);
    std::stable_sort(ordered.begin(), ordered.end(), [](const Row *a, const Row *b) {
        const double infinity = std::numeric_limits<double>::infinity();
        const auto key = [&](const Row *row) {
            return row->text("verdict") == "correct" ? row->number("latency_ms").value_or(infinity)
                                                     : infinity;
        };
        return key(a) < key(b);
    });
    for (const Row *kernel : ordered) {
        const bool correct = kernel->text("verdict") == "correct";
        const auto latency = correct ? kernel->number("latency_ms") : std::nullopt;
        const auto iteration = kernel->number("iteration");
        std::string why = escapedHtml(titleOf(*kernel));
        if (!correct && kernel->has("reason"))
            why += (why.empty() ? "" : "<br>") + escapedHtml(kernel->text("reason"));
        if (kernel->text("id") == run->text("baseline"))
            why = "baseline" + (why.empty() ? "" : "<br>" + why);
        html +=
            "<tr>" + cell("<code>" + escapedHtml(kernel->text("id").substr(0, 10)) + "</code>") +
            cell(iteration ? fmt::format("{:.0f}", *iteration + 1) : "0", "n") +
            cell(number(latency, " ms"), "n") +
            cell(times(latency && baselineMs > 0 ? std::optional(baselineMs / *latency)
                                                 : std::nullopt),
                 "n") +
            cell(correct ? number(kernel->number("percent_of_peak"), " %") : "&ndash;", "n") +
            cell(kernel->has("verdict") ? escapedHtml(kernel->text("verdict")) : "not judged yet",
                 correct ? "good" : "bad") +
            cell(why) + "</tr>";
    }
    html += "</tbody></table></div><h2>Lessons</h2>";
    const std::vector<Row> items = tables.rows("item");
    if (items.empty())
        html += "<p class=\"empty\">No lesson has been distilled.</p>";
    for (const Row &item : items)
        html += fmt::format(
            "<details><summary>{} {} ({}, {})</summary><p>{}</p><div class=\"pair\"><pre>{}</pre>"
            "<pre>{}</pre></div></details>",
            item.flag("positive") ? "&#9650;" : "&#9660;", escapedHtml(item.text("title")),
            times(item.number("speedup")), escapedHtml(reviewOf(item)),
            escapedHtml(item.text("strategy")), escapedHtml(item.text("before")),
            escapedHtml(item.text("after")));

    html += "<h2>Settings</h2><div class=\"scroll\"><table><tbody>";
    if (config.is_object())
        for (const auto &[key, value] : config.items())
            html += "<tr>" + cell(escapedHtml(key)) +
                    cell(escapedHtml(value.is_null()     ? std::string("none")
                                     : value.is_string() ? value.get<std::string>()
                                                         : value.dump())) +
                    "</tr>";
    html += "<tr>" + cell("software") + cell(escapedHtml(run->text("software"))) + "</tr><tr>" +
            cell("cost model") + cell(escapedHtml(run->text("model_version"))) +
            "</tr></tbody></table></div></main></body></html>\n";
    return html;
}

namespace {

/// What others reached on hardware, for a look beside; absent when the figures cannot be read.
std::string publishedSearches()
{
    const auto published = bench::publishedFigures();
    if (!published)
        return {};
    std::string html = fmt::format(
        "<details><summary>What others published: {}</summary><p class=\"note\">Measured on "
        "hardware over the fourteen NKIBench tasks. To look at beside the figures of this page; "
        "simulated and measured figures are never divided by each other.</p>",
        escapedHtml(published->source));
    html += tableHead({{"planner", ""},
                       {"executor", ""},
                       {"method", ""},
                       {"memory", "n"},
                       {"geometric mean speedup", "n"},
                       {"USD", "n"}});
    const auto orDash = [](const std::string &text) {
        return text.empty() ? std::string("&ndash;") : escapedHtml(text);
    };
    for (const bench::PublishedSearch &search : published->searches)
        html += "<tr>" + cell(orDash(search.planner)) + cell(orDash(search.executor)) +
                cell(escapedHtml(search.method)) +
                cell(search.memoryCapacity ? fmt::format("{}", *search.memoryCapacity) : "&ndash;",
                     "n") +
                cell(times(search.geometricMeanSpeedup), "n") +
                cell(fmt::format("{:.2f}", search.usd), "n") + "</tr>";
    return html + "</tbody></table></div></details>";
}

} // namespace

std::string htmlOverview(const std::vector<RunFigures> &runs)
{
    const std::vector<std::string> names = runNames(runs);
    const std::vector<RunGroup> groups = groupsOf(runs);
    const bool simulated =
        std::all_of(runs.begin(), runs.end(), [](const RunFigures &run) { return run.simulated; });
    std::string html = pageHead(fmt::format("{} runs", runs.size()), "AccelOpt runs", simulated);
    html +=
        "<p class=\"note\">Means are geometric. Runs on different devices, simulated and measured "
        "runs, and those of two cost models are never averaged together.</p>";
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const RunGroup &group = groups[g];
        html += fmt::format(
            "<h2>{} {}, {}</h2><div class=\"cards\"><div class=\"card\"><div class=\"value\">{}"
            "</div><div class=\"label\">geometric mean speedup</div></div><div class=\"card\"><div "
            "class=\"value\">{}</div><div class=\"label\">of peak, geometric "
            "mean</div></div></div>",
            group.runs.size(), group.runs.size() == 1 ? "run" : "runs",
            escapedHtml(kindOf(group.simulated, group.modelVersion, group.device)),
            times(group.geometricMeanSpeedup), number(group.geometricMeanPercentOfPeak, " %"));
        html += tableHead({{"run", ""},
                           {"baseline", "n"},
                           {"best", "n"},
                           {"speedup", "n"},
                           {"of peak", "n"},
                           {"confirmed", ""},
                           {"kernels", "n"},
                           {"USD", "n"}});
        for (const std::size_t place : group.runs) {
            const RunFigures &run = runs[place];
            int judged = 0;
            for (const IterationFigures &iteration : run.iterations)
                judged += iteration.judged;
            Usage total;
            for (const auto &[role, usage] : run.usage)
                total += usage;
            html +=
                "<tr>" + cell(escapedHtml(names[place])) +
                cell(number(run.baselineMs, " ms"), "n") + cell(number(run.bestMs, " ms"), "n") +
                cell(times(run.bestSpeedup), "n") + cell(number(run.bestPercentOfPeak, " %"), "n") +
                cell(!run.confirmed   ? "not judged again"
                     : *run.confirmed ? "yes"
                                      : "no") +
                cell(fmt::format("{}", judged), "n") +
                cell(fmt::format("{}{:.2f}", total.unpricedCalls > 0 ? "at least " : "", total.usd),
                     "n") +
                "</tr>";
        }
        html +=
            "</tbody></table></div>" + groupFigures(group, runs, names, fmt::format("group{}-", g));
    }
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (!runs[r].baselineMs)
            html += fmt::format(
                "<p class=\"note\">{} is in no mean: its baseline {}.</p>", escapedHtml(names[r]),
                runs[r].kernels.empty() || !runs[r].kernels.front().judged ? "was not judged yet"
                                                                           : "is not correct");
    html += publishedSearches() + "<h2>Each run</h2>";
    for (std::size_t r = 0; r < runs.size(); ++r)
        html += fmt::format("<details class=\"run\"><summary>{}: {}</summary>{}</details>",
                            escapedHtml(names[r]), times(runs[r].bestSpeedup),
                            runFigures(runs[r], fmt::format("run{}-", r)));
    return html + "</main></body></html>\n";
}

} // namespace accelopt::report
