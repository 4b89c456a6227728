// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/HtmlReport.h"

#include "core/domain/Resources.h"
#include "core/report/CleanText.h"
#include "core/report/RunTables.h"
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

/// Best latency so far and the kernels of each iteration, as an SVG drawing with a table's worth of
/// titles.
std::string chart(const std::vector<Row> &iterations, const std::vector<Row> &kernels,
                  double baselineMs)
{
    if (iterations.empty() || baselineMs <= 0)
        return "<p class=\"empty\">No iteration has been concluded yet.</p>";
    constexpr double kWidth = 860, kHeight = 260, kLeft = 60, kRight = 20, kTop = 16, kBottom = 34;
    double high = baselineMs;
    double low = baselineMs;
    for (const Row &kernel : kernels)
        if (const auto latency = kernel.number("latency_ms"); latency && *latency > 0) {
            high = std::max(high, *latency);
            low = std::min(low, *latency);
        }
    // Slow outliers would flatten what matters.
    high = std::min(high, 1.5 * baselineMs);
    const double margin = std::max(0.05 * (high - low), 0.01 * high);
    high += margin;
    low = std::max(0.0, low - margin);
    const double count = double(iterations.size());
    const auto x = [&](double iteration) {
        return kLeft + (kWidth - kLeft - kRight) * (iteration + 1) / std::max(1.0, count);
    };
    const auto y = [&](double latency) {
        return kTop +
               (kHeight - kTop - kBottom) * (high - std::clamp(latency, low, high)) / (high - low);
    };
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"latency per iteration\">",
                    kWidth, kHeight);
    for (int tick = 0; tick <= 4; ++tick) {
        const double latency = low + (high - low) * tick / 4;
        svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                           "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g} ms</text>",
                           kLeft, kWidth - kRight, y(latency), y(latency), kLeft - 6,
                           y(latency) + 4, latency);
    }
    for (const Row &kernel : kernels) {
        const auto latency = kernel.number("latency_ms");
        const auto iteration = kernel.number("iteration");
        if (!latency || !iteration || kernel.text("verdict") != "correct")
            continue;
        svg += fmt::format("<circle class=\"kernel\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{} "
                           "{:.4g} ms</title></circle>",
                           x(*iteration), y(*latency), escapedHtml(kernel.text("id").substr(0, 10)),
                           *latency);
    }
    std::string path = fmt::format("M{:.1f} {:.1f}", kLeft, y(baselineMs));
    for (const Row &iteration : iterations) {
        const double at = x(iteration.number("iteration").value_or(0));
        if (const auto best = iteration.number("best_latency_so_far"))
            path += fmt::format(" L{:.1f} {:.1f}", at, y(*best));
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.0f}</text>", at,
                           kHeight - 12, iteration.number("iteration").value_or(0) + 1);
    }
    svg += fmt::format("<path class=\"best\" d=\"{}\"/></svg>", path);
    return svg +
           "<p class=\"note\">Line: best latency so far. Dots: correct kernels of each iteration. "
           "Kernels slower than 1.5 times the baseline lie on the upper edge.</p>";
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

} // namespace

Result<std::string> htmlReport(store::RunReader &reader)
{
    ACCELOPT_TRY(const RunTables tables, RunTables::read(reader));
    const std::optional<Row> run = tables.run();
    if (!run)
        return fail(ErrorCode::Format,
                    fmt::format("the run file {} holds no run yet", reader.path().string()),
                    "wait until its writer has begun, or name another file");
    const std::vector<Row> kernels = tables.rows("kernel");
    const std::vector<Row> ranking = tables.rows("ranking");
    const std::vector<Row> iterations = tables.rows("iteration");
    const auto kernelOf = [&](const std::string &id) -> const Row * {
        for (const Row &kernel : kernels)
            if (kernel.text("id") == id)
                return &kernel;
        return nullptr;
    };
    const Row *baseline = kernelOf(run->text("baseline"));
    const double baselineMs = baseline != nullptr ? baseline->number("latency_ms").value_or(0) : 0;
    const Row *best = ranking.empty() ? nullptr : kernelOf(ranking.front().text("kernel"));
    const bool simulated =
        baseline == nullptr || !baseline->has("simulated") || baseline->flag("simulated");
    const std::string kind = simulated ? " <span class=\"simulated\">simulated</span>" : "";

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

    std::string html =
        fmt::format("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'\">"
                    "<title>{0}: AccelOpt run</title><style>{1}</style></head><body><main><h1>{0} "
                    "on {2}{3}</h1>",
                    escapedHtml(run->text("task")), resource("resources/report/report.css"),
                    escapedHtml(run->text("device")), kind);
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
    card("confirmed", best == nullptr || !best->has("confirmation_verdict") ? "not judged again"
                      : best->text("confirmation_verdict") == "correct"     ? "yes"
                                                                            : "no");
    card("distinct kernels", fmt::format("{}", kernels.size()));
    html += "</div><h2>Progress</h2>" + chart(iterations, kernels, baselineMs);

    html += "<h2>Best kernel against the baseline</h2>";
    if (best != nullptr && baseline != nullptr) {
        ACCELOPT_TRY(const std::string oldText, reader.text(TextId(baseline->text("text"))));
        ACCELOPT_TRY(const std::string newText, reader.text(TextId(best->text("text"))));
        ACCELOPT_TRY(const std::vector<DiffLine> lines, diffLines(oldText, newText, 3));
        html += diffTable(lines);
    } else {
        html += "<p class=\"empty\">No correct kernel yet.</p>";
    }

    html += "<h2>Kernels</h2><div "
            "class=\"scroll\"><table><thead><tr><th>kernel</th><th>iteration</th><th>latency"
            "</th><th>speedup</th><th>of peak</th><th>verdict</th><th>plan or "
            "reason</th></tr></thead><tbody>";
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

} // namespace accelopt::report
