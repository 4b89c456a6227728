// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/RunConfig.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace accelopt::cli {

/// What `accelopt run` is told. Options that were not given are empty.
struct RunOptions
{
    std::optional<std::string> task, presetName;
    std::optional<int> beamWidth, plans, attempts, iterations, topK, memoryCapacity, patience,
        repairs;
    std::optional<int> budgetKernels;
    std::optional<double> positive, negative, target, budgetUsd, budgetMinutes;
    std::optional<std::string> beamPolicy, memoryPolicy, agents, planner, executor, summarizer;
    std::optional<std::string> place, device, shape, seed;
    std::string kernel;
    std::string out;
    std::string memoryFrom;
    int workers = 0;
    bool measureTransfer = false;
    bool resume = false;
    bool detach = false;
    bool asJson = false;

    void addTo(CLI::App &command);

    /// The tasks named, in order; "all" stands for every task of the catalogue that may be run.
    Result<std::vector<std::string>> tasks() const;
    /// The configuration of a new run.
    Result<RunConfig> config() const;
    /// The configuration with which to go on with a run of `task` that has `now`. Fails with
    /// WrongUse when something was given that cannot change any more and is not what it was.
    Result<RunConfig> configToGoOn(const std::string &task, const RunConfig &now) const;
    /// What can be said to be wrong before anything else is looked at.
    Result<void> check() const;

private:
    Result<void> apply(RunConfig &config) const;
    Result<std::uint64_t> seedNumber() const;
};

} // namespace accelopt::cli
