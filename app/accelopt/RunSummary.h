// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/domain/RunConfig.h"
#include "core/domain/Search.h"
#include "core/domain/Verdict.h"
#include "core/search/State.h"

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::cli {

/// What the memory of a run cost. Tokens and dollars of prompts are estimated by length.
struct MemoryCost
{
    double lessonsUsd = 0;           ///< the summarizer's calls
    double promptTokens = 0;         ///< that lessons took in planners' prompts
    double promptShare = 0;          ///< of all the planner's prompt tokens, 0-1
    std::optional<double> promptUsd; ///< none where the planner's prices are not known any more
};

/// What a run came to, as `run` and `show` print it.
struct RunSummary
{
    struct Iteration
    {
        int iteration = 0; ///< from 1
        std::optional<double> bestLatencyMs;
        std::optional<double> bestSpeedup;
        int correct = 0;
        int profiled = 0;
        int memoryAdded = 0;
    };
    std::string task;
    std::string device;
    std::string modelVersion;
    bool simulated = true;
    std::vector<Iteration> iterations;
    KernelId best;
    std::optional<double> baselineLatencyMs;
    std::optional<double> bestLatencyMs;
    std::optional<double> bestSpeedup;
    std::optional<double> percentOfPeak;
    std::optional<bool> confirmed;
    std::string confirmationReason;
    bool isBaseline = true; ///< nothing faster was found
    std::map<VerdictStatus, int> verdicts;
    int duplicates = 0;
    std::map<RoleName, Usage> usage;
    std::optional<MemoryCost> memoryCost; ///< none where no tokens were counted
    std::string stoppedBecause;
    bool finished = false;
    double seconds = 0;
    std::filesystem::path file;
    int carried = 0; ///< lessons of other runs that the memory started with
    std::vector<BudgetMoved> budgetMoves;
    std::string error;                ///< why the search could not go on; empty when it could
    std::vector<std::string> lineage; ///< plan titles from the baseline to the best kernel

    bool foundFaster() const { return !isBaseline && confirmed.value_or(false); }
};

RunSummary summarize(const search::State &state, const std::filesystem::path &file, double seconds);
/// Of a run file, which may be written by another process.
Result<RunSummary> summarize(const std::filesystem::path &file);

/// The most kernels that a run of this configuration can have written.
int mostKernels(const RunConfig &config);

/// The object of one task in the document of `run --json`.
nlohmann::json toJson(const RunSummary &summary);
std::string toText(const RunSummary &summary);

} // namespace accelopt::cli
