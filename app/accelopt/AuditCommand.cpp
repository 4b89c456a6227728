// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/KernelReport.h"
#include "app/accelopt/Terminal.h"
#include "core/profiling/KernelAudit.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace accelopt::cli {

namespace {

using nlohmann::json;
using profiling::LineShare;

/// One line of the kernel without its indentation; empty when there is none of that number.
std::string sourceLine(std::string_view source, int line)
{
    if (line <= 0)
        return "(the compiler)";
    for (int at = 1; at < line && !source.empty(); ++at)
        source.remove_prefix(std::min(source.find('\n') + 1, source.size()));
    source = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(source.find_first_not_of(" \t"), source.size()));
    return std::string(source);
}

json linesJson(const std::vector<LineShare> &lines, const char *amount, const std::string &source)
{
    json list = json::array();
    for (const LineShare &line : lines)
        list.push_back({{"line", line.line},
                        {"source", sourceLine(source, line.line)},
                        {amount, line.amount},
                        {"share", line.share}});
    return list;
}

json headroomJson(const profiling::Headroom &headroom)
{
    json document{{"theory_ms", json()},         {"theory_bound", json()},
                  {"speedup_at_theory", json()}, {"own_work_ms", headroom.ownWorkMs},
                  {"own_bound", headroom.bound}, {"speedup_at_own_bound", headroom.speedupAtBound}};
    if (headroom.theory) {
        document["theory_ms"] = {{"memory", headroom.theory->memoryMs},
                                 {"tensor", headroom.theory->tensorMs},
                                 {"vector", headroom.theory->vectorMs},
                                 {"peak", headroom.theory->peakMs}};
        document["theory_bound"] = headroom.theory->bound;
    }
    if (headroom.speedupAtTheory)
        document["speedup_at_theory"] = *headroom.speedupAtTheory;
    return document;
}

std::string linesText(const char *title, const char *unit, double perUnit,
                      const std::vector<LineShare> &lines, const std::string &source)
{
    std::string text = fmt::format("{}\n", title);
    for (const LineShare &line : lines)
        text += fmt::format("  {:>5.1f} % {:>10.3f} {}  line {}: {}\n", 100 * line.share,
                            line.amount / perUnit, unit, line.line,
                            sourceLine(source, line.line).substr(0, 70));
    return text;
}

std::string auditText(const KernelOptions &options, const JudgedKernel &judged,
                      const profiling::KernelAudit &audit)
{
    std::string text = headText(options, judged);
    const profiling::Headroom &headroom = audit.headroom;
    text += "\nHeadroom (simulated)\n";
    if (headroom.theory && headroom.speedupAtTheory)
        text +=
            fmt::format("  {:.2f}x against theory: the task's least work takes {:.4g} ms at the "
                        "{} peak\n",
                        *headroom.speedupAtTheory, headroom.theory->peakMs, headroom.theory->bound);
    else
        text += "  the task has no minimum-work figures: no theory to hold it against\n";
    text += fmt::format("  {:.2f}x against its own bound ({}): what this kernel does takes",
                        headroom.speedupAtBound, headroom.bound);
    for (const auto &[resource, ms] : headroom.ownWorkMs)
        text += fmt::format(" {} {:.4g} ms{}", resource, ms,
                            resource == headroom.ownWorkMs.rbegin()->first ? "\n" : ",");
    constexpr double kMegabyte = 1e6;
    constexpr double kNsPerUs = 1e3;
    text += "\n" +
            linesText("Lines that move the bytes", "MB", kMegabyte, audit.byBytes, judged.source);
    text += "\n" + linesText("Lines that take the time (critical path)", "us", kNsPerUs,
                             audit.byTime, judged.source);
    text += "\nFindings\n";
    text += judged.reply.profile.findings.empty()
                ? std::string("  none of the thresholds is passed\n")
                : findingsText(judged.reply.profile);
    text += "\nWhat this cannot see\n";
    for (const profiling::BlindSpot &spot : audit.blindSpots)
        text += fmt::format("  - {}{}: {}. -> {}\n", spot.what,
                            spot.ofThisKernel ? " (this kernel)" : "", spot.why, spot.then);
    return text;
}

int audit(const KernelOptions &options)
{
    const auto judged = judgeKernel(options, Baseline::Compare);
    if (!judged)
        return tell(judged.error());
    std::optional<profiling::KernelAudit> made;
    if (judged->hasLatency()) {
        const auto study = profiling::studyKernel(judged->source, judged->task, options.device);
        if (!study)
            return tell(study.error());
        const auto device = bench::deviceRoof(options.device);
        if (!device)
            return tell(device.error());
        made = profiling::auditKernel(judged->task, judged->reply.verdict, judged->reply.profile,
                                      *study, *device, options.top);
    }
    if (!options.asJson) {
        Terminal::result(made ? auditText(options, *judged, *made) : headText(options, *judged));
        return judged->reply.verdict.correct() ? 0 : 1;
    }
    json document = profileJson(options, *judged);
    document.erase("lines");
    document["headroom"] = made ? headroomJson(made->headroom) : json();
    document["lines_by_bytes"] = json::array();
    document["lines_by_time"] = json::array();
    document["cannot_see"] = json::array();
    if (made) {
        document["lines_by_bytes"] = linesJson(made->byBytes, "bytes", judged->source);
        document["lines_by_time"] = linesJson(made->byTime, "critical_ns", judged->source);
        for (const profiling::BlindSpot &spot : made->blindSpots)
            document["cannot_see"].push_back({{"what", spot.what},
                                              {"why", spot.why},
                                              {"then", spot.then},
                                              {"of_this_kernel", spot.ofThisKernel}});
    }
    Terminal::result(document.dump(2));
    return judged->reply.verdict.correct() ? 0 : 1;
}

} // namespace

void addAuditCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<KernelOptions>();
    CLI::App *command = program.add_subcommand(
        "audit", "what could be gained, where a kernel spends its time, and what nobody can tell");
    addKernelOptions(*command, *options);
    command->add_option("--device", options->device, "trn1 or trn2")->capture_default_str();
    command->add_option("--top", options->top, "lines to tell of")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->callback([&action, options] { action = [options] { return audit(*options); }; });
}

} // namespace accelopt::cli
