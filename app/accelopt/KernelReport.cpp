// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/KernelReport.h"

#include "app/accelopt/Terminal.h"
#include "core/bench/TaskLoader.h"
#include "core/nki/machine/Machine.h"
#include "core/runner/KernelFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>

namespace accelopt::cli {

namespace {

using nlohmann::json;

/// Seeds nobody can know beforehand.
profiling::PoolQuestion questionFor(const KernelOptions &options, const Task &task,
                                    std::string source)
{
    std::random_device random;
    profiling::PoolQuestion question;
    question.source = std::move(source);
    question.samplingSeed = (std::uint64_t(random()) << 32) | random();
    question.check = options.check;
    // A check is asked for by name: it may take the time that every designed input costs.
    if (question.check != oracle::NumberCheck::None)
        question.inputs = profiling::allInputs(task, 0);
    return question;
}

} // namespace

void addKernelOptions(CLI::App &command, KernelOptions &options)
{
    command.add_option("KERNEL", options.kernel, "the kernel's file")->required();
    command.add_option("--task", options.task, "the task it is for (see `accelopt tasks`)")
        ->required();
    command.add_option("--shape", options.shape, "shape of the task: published or lab")
        ->capture_default_str();
    command.add_flag("--json", options.asJson, "print one JSON document");
}

void addPlaceOptions(CLI::App &command, KernelOptions &options)
{
    command.add_option("--device", options.device, "trn1 or trn2")->capture_default_str();
    command.add_option("--on", options.place, "sim, or the name of a host of hosts.json")
        ->capture_default_str();
}

Result<JudgedKernel> judgeKernel(const KernelOptions &options, Baseline baseline)
{
    JudgedKernel judged;
    ACCELOPT_TRY(judged.source, runner::readKernel(options.kernel));
    ACCELOPT_TRY(judged.task, loadTask(options.task, options.shape));
    ACCELOPT_TRY(const std::unique_ptr<Bench> bench,
                 Bench::open(judged.task, options.device, options.place));
    ACCELOPT_TRY(judged.reply, bench->judge(questionFor(options, judged.task, judged.source)));
    if (baseline == Baseline::Leave || !judged.hasLatency() || judged.task.baselinePath.empty())
        return judged;
    ACCELOPT_TRY(const std::string text, bench::readBaseline(judged.task));
    profiling::PoolQuestion question;
    question.source = text;
    question.check = oracle::NumberCheck::None;
    question.lines = oracle::LineCosts::Omit;
    ACCELOPT_TRY(const profiling::JudgeReply other, bench->judge(std::move(question)));
    if (other.profile.latencyMs > 0 && comparable(other.profile, judged.reply.profile))
        judged.speedupOverBaseline = other.profile.latencyMs / judged.reply.profile.latencyMs;
    return judged;
}

json reasonsJson(const Verdict &verdict)
{
    json reasons = json::array();
    for (const Reason &reason : verdict.reasons)
        reasons.push_back(reason);
    return reasons;
}

json profileJson(const KernelOptions &options, const JudgedKernel &judged)
{
    const Verdict &verdict = judged.reply.verdict;
    const Profile &profile = judged.reply.profile;
    json document;
    document["verdict"] = name(verdict.status);
    document["reasons"] = reasonsJson(verdict);
    document["simulated"] = judged.hasLatency() ? profile.simulated : verdict.simulated;
    // A kernel without a profile was looked at by this version all the same.
    document["model_version"] = !profile.modelVersion.empty() ? json(profile.modelVersion)
                                : verdict.simulated           ? json(nki::Machine::modelVersion())
                                                              : json();
    document["table_hash"] = profile.tableHash.empty() ? json() : json(profile.tableHash);
    document["device"] = options.device;
    document["on"] = options.place;
    document["task"] = options.task;
    document["shape"] = judged.task.shapeName;
    document["profile"] = profile.counters;
    document["latency"] = judged.hasLatency() ? json(profile.latencyMs) : json();
    if (judged.hasLatency())
        document["profile"]["latency"] = profile.latencyMs;
    document["interval_ms"] = judged.hasLatency()
                                  ? json::array({profile.intervalMs.low, profile.intervalMs.high})
                                  : json();
    document["percent_of_peak"] = profile.percentOfPeak ? json(*profile.percentOfPeak) : json();
    document["bound"] = profile.bound.empty() ? json() : json(profile.bound);
    document["speedup_over_baseline"] =
        judged.speedupOverBaseline ? json(*judged.speedupOverBaseline) : json();
    document["findings"] = profile.findings;
    document["lines"] = profile.lines;
    return document;
}

const char *kindOfFigures(const Verdict &verdict)
{
    return verdict.simulated ? "simulated" : "measured";
}

std::string headText(const KernelOptions &options, const JudgedKernel &judged)
{
    const Verdict &verdict = judged.reply.verdict;
    const Profile &profile = judged.reply.profile;
    const char *const kind = kindOfFigures(verdict);
    std::string text =
        fmt::format("{} ({}): {} on {}, shape {}, {}{}\n", name(verdict.status), kind,
                    options.kernel, options.task, judged.task.shapeName, options.device,
                    options.place == "sim" ? std::string() : ", judged on " + options.place);
    text += verdictText(verdict, judged.source);
    if (!judged.hasLatency())
        return text;
    text += fmt::format("latency {:.4g} ms, between {:.4g} and {:.4g} ms ({}{})\n",
                        profile.latencyMs, profile.intervalMs.low, profile.intervalMs.high, kind,
                        profile.modelVersion.empty() ? std::string() : ", " + profile.modelVersion);
    if (profile.percentOfPeak)
        text += fmt::format("{:.1f} % of peak, {} bound\n", *profile.percentOfPeak, profile.bound);
    if (judged.speedupOverBaseline)
        text += fmt::format("{:.3f}x the speed of the task's baseline ({})\n",
                            *judged.speedupOverBaseline, kind);
    return text;
}

std::string findingsText(const Profile &profile)
{
    std::string text;
    for (const Finding &finding : profile.findings) {
        const std::string place =
            finding.place.line > 0 ? fmt::format(" (line {})", finding.place.line) : std::string();
        text += fmt::format("finding {}: {}{}\n  cause: {}\n  try: {}\n", finding.rule,
                            finding.condition, place, finding.cause, finding.advice);
    }
    return text;
}

} // namespace accelopt::cli
