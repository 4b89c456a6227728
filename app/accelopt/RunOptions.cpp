// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/RunOptions.h"

#include "app/accelopt/Commands.h"
#include "core/bench/TaskCatalogue.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>

namespace accelopt::cli {

namespace {

constexpr int kMostWorkers = 1024;

template <typename Field, typename Given> void take(Field &field, const std::optional<Given> &given)
{
    if (given)
        field = *given;
}

Result<void> unchanged(const char *option, const std::optional<std::string> &given,
                       const std::string &now)
{
    if (!given || *given == now)
        return {};
    return fail(ErrorCode::WrongUse,
                fmt::format("{} of this run is {} and cannot become {}", option, now, *given),
                "leave the option away, or start a new run");
}

} // namespace

void RunOptions::addTo(CLI::App &command)
{
    command.add_option("--task", task, "task, several separated by commas, or all (default silu)");
    command.add_option("--preset", presetName,
                       "quick (default), paper, sampling, search-only, reflexion or b1");
    command.add_option("-B", beamWidth, "candidates in the beam");
    command.add_option("-N", plans, "plans per candidate");
    command.add_option("-K", attempts, "kernels per plan");
    command.add_option("-T", iterations, "iterations");
    command.add_option("--topk", topK, "slow-fast pairs taken per iteration at most");
    command.add_option("--expn", memoryCapacity, "items the memory holds; 0 is unbounded");
    command.add_option("--tpos", positive, "speedup from which a pair is a positive lesson");
    command.add_option("--tneg", negative, "slowdown from which a pair is a negative lesson");
    command.add_option("--beam-policy", beamPolicy, "elitist, paper or published-code");
    command.add_option("--memory-policy", memoryPolicy, "fifo, published-code or reviewed");
    command.add_option("--agents", agents,
                       "who plays the three roles: offline, person, replay:RUN or a model");
    command.add_option("--planner", planner, "who plans");
    command.add_option("--executor", executor, "who writes kernels");
    command.add_option("--summarizer", summarizer, "who writes lessons");
    command.add_option("--on", place, "sim (default), or a host");
    command.add_option("--device", device, "trn1 (default) or trn2");
    command.add_option("--shape", shape, "published (default) or lab");
    command.add_option("--seed", seed, "seed of everything drawn at random (default 0)");
    command.add_option("--patience", patience, "iterations without gain before stopping; 0 is off");
    command.add_option("--target", target, "stop at this % of peak");
    command.add_option("--repair", repairs, "repair turns after a compile error");
    command.add_option("--budget-usd", budgetUsd, "most money to spend, over all tasks");
    command.add_option("--budget-kernels", budgetKernels, "most kernels to write, over all tasks");
    command.add_option("--budget-minutes", budgetMinutes, "most minutes to search, over all tasks");
    command.add_option("--memory-from", memoryFrom,
                       "start with the lessons of this run file or folder, or of the shelf");
    command.add_flag("--measure-transfer", measureTransfer,
                     "search each task also without these lessons, and compare");
    command.add_option("--kernel", kernel, "start from this kernel instead of the task's baseline");
    command.add_option("--workers", workers, "simulator processes; 0 is one per core")
        ->capture_default_str();
    command.add_option("--out", out, "the run file; for several tasks a folder of run files");
    command.add_flag("--resume", resume,
                     "go on with the run or folder in --out; -T, budgets and policies may change");
    command.add_flag("--detach", detach, "go on in the background when the terminal is closed");
    command.add_flag("--json", asJson, "print one JSON document");
}

Result<void> RunOptions::check() const
{
    const auto refuse = [](std::string message, std::string hint) {
        return fail(ErrorCode::WrongUse, std::move(message), std::move(hint));
    };
    if (workers < 0 || workers > kMostWorkers)
        return refuse(
            fmt::format("--workers must be between 0 and {}, not {}", kMostWorkers, workers), {});
    ACCELOPT_CHECK(seedNumber());
    if (resume && out.empty())
        return refuse("--resume needs the run file", "name it with --out FILE");
    if (measureTransfer && memoryFrom.empty() && !resume)
        return refuse("--measure-transfer compares with and without lessons of another run",
                      "name that run with --memory-from");
    if (resume && !memoryFrom.empty())
        return refuse("a run takes over lessons only when it is begun",
                      "leave --memory-from away, or start a new run");
    return {};
}

Result<std::vector<std::string>> RunOptions::tasks() const
{
    std::vector<std::string> names;
    const std::string text = task.value_or("silu");
    if (text == "all") {
        const auto catalogue = bench::TaskCatalogue::standard(programFolder());
        for (const bench::TaskEntry &entry : catalogue.entries())
            // Of imported tasks each is named by the person who wants it.
            if (entry.origin == bench::TaskOrigin::BuiltIn)
                names.push_back(entry.name);
        return names;
    }
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        names.push_back(text.substr(start, comma - start));
        if (names.back().empty())
            return fail(ErrorCode::WrongUse, fmt::format("--task {} names an empty task", text),
                        "write --task A,B without blanks");
        start = comma + 1;
    }
    return names;
}

Result<std::uint64_t> RunOptions::seedNumber() const
{
    std::uint64_t number = 0;
    if (!seed)
        return number;
    const char *end = seed->data() + seed->size();
    const auto read = std::from_chars(seed->data(), end, number);
    if (read.ec != std::errc() || read.ptr != end)
        return fail(ErrorCode::WrongUse,
                    fmt::format("--seed must be a whole number from 0 to 18446744073709551615, not "
                                "\"{}\"",
                                *seed));
    return number;
}

Result<void> RunOptions::apply(RunConfig &config) const
{
    take(config.beamWidth, beamWidth);
    take(config.plansPerCandidate, plans);
    take(config.attemptsPerPlan, attempts);
    take(config.iterations, iterations);
    take(config.topK, topK);
    take(config.memoryCapacity, memoryCapacity);
    take(config.patience, patience);
    take(config.repairs, repairs);
    take(config.positiveThreshold, positive);
    take(config.negativeThreshold, negative);
    take(config.targetPercentOfPeak, target);
    take(config.budgetUsd, budgetUsd);
    take(config.budgetKernels, budgetKernels);
    take(config.budgetMinutes, budgetMinutes);
    if (beamPolicy) {
        ACCELOPT_TRY(config.beamPolicy, accelopt::beamPolicy(*beamPolicy));
    }
    if (memoryPolicy) {
        ACCELOPT_TRY(config.memoryPolicy, accelopt::memoryPolicy(*memoryPolicy));
    }
    if (agents)
        config.planner = config.executor = config.summarizer = *agents;
    take(config.planner, planner);
    take(config.executor, executor);
    take(config.summarizer, summarizer);
    return validate(config);
}

Result<RunConfig> RunOptions::config() const
{
    ACCELOPT_TRY(RunConfig config, preset(presetName.value_or("quick")));
    take(config.place, place);
    take(config.device, device);
    take(config.shape, shape);
    ACCELOPT_TRY(config.seed, seedNumber());
    ACCELOPT_CHECK(apply(config));
    return config;
}

Result<RunConfig> RunOptions::configToGoOn(const std::string &name, const RunConfig &now) const
{
    ACCELOPT_CHECK(unchanged("the task", task, name));
    ACCELOPT_CHECK(unchanged("--preset", presetName, now.preset));
    ACCELOPT_CHECK(unchanged("--on", place, now.place));
    ACCELOPT_CHECK(unchanged("--device", device, now.device));
    ACCELOPT_CHECK(unchanged("--shape", shape, now.shape));
    ACCELOPT_TRY(const std::uint64_t number, seedNumber());
    if (seed && number != now.seed)
        ACCELOPT_CHECK(unchanged("--seed", seed, std::to_string(now.seed)));
    RunConfig config = now;
    ACCELOPT_CHECK(apply(config));
    return config;
}

} // namespace accelopt::cli
