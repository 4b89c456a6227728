// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/CounterText.h"
#include "app/accelopt/KernelReport.h"
#include "app/accelopt/Terminal.h"
#include "core/nki/machine/Machine.h"
#include "core/profiling/KernelStudy.h"
#include "core/profiling/TimelineFile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace accelopt::cli {

namespace {

/// The lines of the kernel's text.
std::vector<std::string_view> textLines(std::string_view source)
{
    std::vector<std::string_view> lines;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        lines.push_back(source.substr(0, end));
        source.remove_prefix(std::min(end + 1, source.size()));
    }
    return lines;
}

/// Nanoseconds of the critical path by line; they sum to the latency less the launch.
std::map<int, double> criticalNsOf(const nki::Timeline &timeline)
{
    std::map<int, double> ns;
    for (const nki::LineTime &line : timeline.lines)
        ns[line.line] += line.criticalNs;
    return ns;
}

/// What each line of source owns of the bytes, the FLOPs and the time.
std::string linesText(const JudgedKernel &judged, const nki::Timeline &timeline)
{
    const std::vector<std::string_view> texts = textLines(judged.source);
    std::map<int, double> critical = criticalNsOf(timeline);
    std::map<int, LineCost> costs;
    for (const LineCost &line : judged.reply.profile.lines)
        costs[line.line] = line;
    for (const auto &[line, ns] : critical)
        costs[line].line = line;
    constexpr double kNsPerUs = 1e3;
    std::string text =
        fmt::format("{:>6} {:>12} {:>10} {:>10} {:>10} {:>11}  {}\n", "line", "instructions",
                    "MB moved", "MFLOP", "busy us", "critical us", "source");
    double sumNs = 0;
    for (const auto &[line, cost] : costs) {
        const auto index = std::size_t(std::max(line - 1, 0));
        std::string_view source =
            line > 0 && index < texts.size() ? texts[index] : "(the compiler)";
        source.remove_prefix(std::min(source.find_first_not_of(" \t"), source.size()));
        sumNs += critical[line];
        text +=
            fmt::format("{:>6} {:>12.0f} {:>10.3f} {:>10.3f} {:>10.1f} {:>11.1f}  {}\n", line,
                        cost.instructions, cost.dmaBytes / 1e6, cost.flops / 1e6,
                        cost.busyNs / kNsPerUs, critical[line] / kNsPerUs, source.substr(0, 60));
    }
    text +=
        fmt::format("critical path: {:.1f} us in these lines and {:.1f} us of launch are the "
                    "latency of {:.1f} us (simulated)\n",
                    sumNs / kNsPerUs, timeline.launchNs / kNsPerUs, timeline.latencyNs / kNsPerUs);
    return text;
}

int profile(const KernelOptions &options)
{
    const auto judged = judgeKernel(options, Baseline::Compare);
    if (!judged)
        return tell(judged.error());
    const Profile &profile = judged->reply.profile;
    std::optional<profiling::KernelStudy> study;
    if (judged->hasLatency()) {
        auto made = profiling::studyKernel(judged->source, judged->task, options.device);
        // A kernel that only a host can run has no timeline here; its figures stand all the same.
        if (!made && (profile.simulated || !options.timeline.empty()))
            return tell(made.error());
        if (made)
            study = std::move(*made);
    }
    if (study && !options.timeline.empty()) {
        const profiling::TimelineLabels labels{options.kernel, options.task, judged->task.shapeName,
                                               options.device, nki::Machine::modelVersion()};
        if (const auto written =
                profiling::writeTimeline(options.timeline, study->timeline, judged->source, labels);
            !written)
            return tell(written.error());
        Terminal::message(
            fmt::format("the timeline is in {}; open it at ui.perfetto.dev", options.timeline));
    }
    if (options.asJson) {
        nlohmann::json document = profileJson(options, *judged);
        if (study) {
            std::map<int, double> critical = criticalNsOf(study->timeline);
            for (nlohmann::json &line : document["lines"])
                line["critical_ns"] = critical[line["line"].get<int>()];
        }
        Terminal::result(document.dump(2));
    } else {
        std::string text = headText(options, *judged);
        if (judged->hasLatency()) {
            if (study && profile.simulated)
                text += latencyText(study->timeline);
            text += engineText(profile) + findingsText(profile);
            if (options.counters)
                text += countersText(profile);
            if (options.lines && study)
                text += linesText(*judged, study->timeline);
        }
        Terminal::result(text);
    }
    return judged->reply.verdict.correct() ? 0 : 1;
}

} // namespace

void addProfileCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<KernelOptions>();
    CLI::App *command = program.add_subcommand(
        "profile", "latency and counters of a kernel, in simulation or on a host");
    addKernelOptions(*command, *options);
    addPlaceOptions(*command, *options);
    command->add_flag_callback(
        "--no-check", [options] { options->check = oracle::NumberCheck::None; },
        "do not compare numbers");
    command->add_flag("--lines", options->lines, "what each source line costs");
    command->add_flag("--counters", options->counters, "every counter; --json has them unrounded");
    command->add_option("--timeline", options->timeline,
                        "write when each instruction runs to this file, for ui.perfetto.dev");
    command->callback([&action, options] { action = [options] { return profile(*options); }; });
}

} // namespace accelopt::cli
