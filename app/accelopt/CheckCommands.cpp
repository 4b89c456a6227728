// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/CounterText.h"
#include "app/accelopt/Terminal.h"
#include "core/bench/TaskLoader.h"
#include "core/runner/KernelFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>

namespace accelopt::cli {

namespace {

using nlohmann::json;

struct Options
{
    std::string kernel;
    std::string task;
    std::string shape = "published";
    std::string device = "trn1";
    std::string place = "sim";
    bool full = false;
    bool noCheck = false;
    bool lines = false;
    bool counters = false;
    bool asJson = false;
};

/// Seeds nobody can know beforehand.
profiling::PoolQuestion questionFor(const Options &options, const Task &task, std::string source)
{
    std::random_device random;
    profiling::PoolQuestion question;
    question.source = std::move(source);
    question.samplingSeed = (std::uint64_t(random()) << 32) | random();
    question.check = options.noCheck ? oracle::NumberCheck::None
                     : options.full  ? oracle::NumberCheck::Full
                                     : oracle::NumberCheck::Quick;
    // A check is asked for by name: it may take the time that every designed input costs.
    if (question.check != oracle::NumberCheck::None)
        question.inputs = profiling::allInputs(task, 0);
    return question;
}

json reasonsJson(const Verdict &verdict)
{
    json reasons = json::array();
    for (const Reason &reason : verdict.reasons)
        reasons.push_back(reason);
    return reasons;
}

Result<void> onlySimulator(const Options &options)
{
    if (options.place != "sim")
        return fail(ErrorCode::WrongUse,
                    fmt::format("there is no host or pool named '{}'", options.place),
                    "use --on sim, the built-in simulator");
    return {};
}

std::string shareText(const Verdict &verdict)
{
    const auto share = verdict.figures.find("checked_share");
    const auto error = verdict.figures.find("relative_l2");
    if (share == verdict.figures.end() || error == verdict.figures.end())
        return {};
    return fmt::format("relative error {:.2g} over {:.3g} % of the result", error->second,
                       share->second * 100);
}

int check(const Options &options)
{
    if (const auto place = onlySimulator(options); !place)
        return tell(place.error());
    const Result<std::string> source = runner::readKernel(options.kernel);
    if (!source)
        return tell(source.error());
    Result<Task> task = loadTask(options.task, options.shape);
    if (!task)
        return tell(task.error());
    const auto bench = Bench::open(std::move(*task), "trn1", 1);
    if (!bench)
        return tell(bench.error());
    const auto reply = (*bench)->judge(questionFor(options, (*bench)->task(), *source));
    if (!reply)
        return tell(reply.error());
    const Verdict &verdict = reply->verdict;
    if (options.asJson) {
        json document = verdict;
        document["verdict"] = name(verdict.status);
        document["reasons"] = reasonsJson(verdict);
        document["simulated"] = true;
        document["task"] = options.task;
        document["shape"] = (*bench)->task().shapeName;
        document["layout"] = reply->layout;
        document["printed"] = reply->printed;
        document["seconds"] = reply->seconds;
        Terminal::result(document.dump(2));
    } else {
        if (!reply->printed.empty())
            Terminal::message(reply->printed);
        std::string text = fmt::format("{} (simulated): {} on {}, shape {}\n", name(verdict.status),
                                       options.kernel, options.task, (*bench)->task().shapeName);
        text += verdictText(verdict, *source);
        if (const std::string share = shareText(verdict); !share.empty())
            text += share + '\n';
        Terminal::result(text);
    }
    return verdict.correct() ? 0 : 1;
}

int profile(const Options &options)
{
    if (const auto place = onlySimulator(options); !place)
        return tell(place.error());
    const Result<std::string> source = runner::readKernel(options.kernel);
    if (!source)
        return tell(source.error());
    Result<Task> task = loadTask(options.task, options.shape);
    if (!task)
        return tell(task.error());
    const auto bench = Bench::open(*task, options.device, 1);
    if (!bench)
        return tell(bench.error());
    const auto reply = (*bench)->judge(questionFor(options, (*bench)->task(), *source));
    if (!reply)
        return tell(reply.error());
    const Verdict &verdict = reply->verdict;
    const Profile &profile = reply->profile;
    const bool measured = profile.latencyMs > 0;

    std::optional<double> speedup;
    if (measured && !task->baselinePath.empty()) {
        if (const auto baseline = bench::readBaseline(*task)) {
            profiling::PoolQuestion question;
            question.source = *baseline;
            question.check = oracle::NumberCheck::None;
            if (const auto other = (*bench)->judge(std::move(question));
                other && other->profile.latencyMs > 0)
                speedup = other->profile.latencyMs / profile.latencyMs;
        }
    }
    if (options.asJson) {
        json document;
        document["verdict"] = name(verdict.status);
        document["reasons"] = reasonsJson(verdict);
        document["simulated"] = profile.simulated;
        document["model_version"] = profile.modelVersion;
        document["table_hash"] = profile.tableHash;
        document["device"] = options.device;
        document["task"] = options.task;
        document["shape"] = task->shapeName;
        document["latency"] = measured ? json(profile.latencyMs) : json();
        document["profile"] = profile.counters;
        if (measured)
            document["profile"]["latency"] = profile.latencyMs;
        document["interval_ms"] =
            measured ? json::array({profile.intervalMs.low, profile.intervalMs.high}) : json();
        document["percent_of_peak"] = profile.percentOfPeak ? json(*profile.percentOfPeak) : json();
        document["bound"] = profile.bound.empty() ? json() : json(profile.bound);
        document["speedup_over_baseline"] = speedup ? json(*speedup) : json();
        document["findings"] = profile.findings;
        document["lines"] = profile.lines;
        Terminal::result(document.dump(2));
        return verdict.correct() ? 0 : 1;
    }
    std::string text = fmt::format("{} (simulated): {} on {}, shape {}, {}\n", name(verdict.status),
                                   options.kernel, options.task, task->shapeName, options.device);
    text += verdictText(verdict, *source);
    if (measured) {
        text += fmt::format("latency {:.4g} ms, between {:.4g} and {:.4g} ms (simulated, {})\n",
                            profile.latencyMs, profile.intervalMs.low, profile.intervalMs.high,
                            profile.modelVersion);
        if (profile.percentOfPeak)
            text +=
                fmt::format("{:.1f} % of peak, {} bound\n", *profile.percentOfPeak, profile.bound);
        if (speedup)
            text += fmt::format("{:.3f}x the speed of the task's baseline (simulated)\n", *speedup);
        text += engineText(profile);
        if (options.counters)
            text += countersText(profile);
        for (const Finding &finding : profile.findings)
            text += fmt::format("finding {}: {}\n  cause: {}\n  try: {}\n", finding.rule,
                                finding.condition, finding.cause, finding.advice);
    }
    if (options.lines && measured) {
        std::vector<std::vector<std::string>> rows{
            {"line", "instructions", "MB moved", "MFLOP", "busy us"}};
        for (const LineCost &line : profile.lines)
            rows.push_back({fmt::format("{}", line.line), fmt::format("{:.0f}", line.instructions),
                            fmt::format("{:.3f}", line.dmaBytes / 1e6),
                            fmt::format("{:.3f}", line.flops / 1e6),
                            fmt::format("{:.1f}", line.busyNs / 1e3)});
        text += table(rows);
    }
    Terminal::result(text);
    return verdict.correct() ? 0 : 1;
}

void addCommon(CLI::App &command, Options &options)
{
    command.add_option("KERNEL", options.kernel, "the kernel's file")->required();
    command.add_option("--task", options.task, "the task it is for (see `accelopt tasks`)")
        ->required();
    command.add_option("--shape", options.shape, "shape of the task: published or lab")
        ->capture_default_str();
    command.add_flag("--json", options.asJson, "print one JSON document");
}

} // namespace

void addCheckCommands(CLI::App &program, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *checkCommand =
        program.add_subcommand("check", "say whether a kernel is right, and why not");
    addCommon(*checkCommand, *options);
    checkCommand->add_flag("--full", options->full, "compare every element of the result");
    checkCommand->callback([&action, options] { action = [options] { return check(*options); }; });

    auto profileOptions = std::make_shared<Options>();
    CLI::App *profileCommand =
        program.add_subcommand("profile", "latency and counters of a kernel, in simulation");
    addCommon(*profileCommand, *profileOptions);
    profileCommand->add_option("--device", profileOptions->device, "trn1 or trn2")
        ->capture_default_str();
    profileCommand->add_option("--on", profileOptions->place, "sim, or the name of a host")
        ->capture_default_str();
    profileCommand->add_flag("--no-check", profileOptions->noCheck, "do not compare numbers");
    profileCommand->add_flag("--lines", profileOptions->lines, "cost of each source line");
    profileCommand->add_flag("--counters", profileOptions->counters,
                             "every counter; --json has them unrounded");
    profileCommand->callback([&action, profileOptions] {
        action = [profileOptions] { return profile(*profileOptions); };
    });
}

} // namespace accelopt::cli
