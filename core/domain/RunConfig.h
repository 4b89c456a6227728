// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt {

/// How the next beam is chosen (ALGORITHM: beta).
enum class BeamPolicy { Paper, Elitist, PublishedCode };
/// What happens to old experience items (ALGORITHM: sigma).
enum class MemoryPolicy { Fifo, PublishedCode, Reviewed };
/// Which pairs are distilled.
enum class Intake { Pairs, EveryKernel, None };

/// Everything that decides how a run goes. Names in comments are the paper's.
struct RunConfig
{
    std::string preset = "quick";
    int beamWidth = 3;               ///< B
    int plansPerCandidate = 4;       ///< N
    int attemptsPerPlan = 1;         ///< K
    int iterations = 6;              ///< T
    int topK = 8;                    ///< most pairs taken per iteration
    int memoryCapacity = 16;         ///< ExpN; 0 means unbounded
    double positiveThreshold = 1.04; ///< t_pos
    double negativeThreshold = 1.15; ///< t_neg
    BeamPolicy beamPolicy = BeamPolicy::Elitist;
    MemoryPolicy memoryPolicy = MemoryPolicy::Fifo;
    Intake intake = Intake::Pairs;
    bool separableOnly = true; ///< a pair enters memory only if its gain is no tie
    bool useBeam = true;       ///< false: every plan starts from the baseline (repeated sampling)
    int repairs = 0;           ///< R: repair turns after a compile error
    int patience = 4;          ///< iterations without gain before stopping; 0 is off
    double patienceGainPercent = 1.0; ///< a smaller gain of the best-so-far is no progress
    std::optional<double> targetPercentOfPeak;
    std::optional<double> budgetUsd;
    std::optional<int> budgetKernels;
    std::optional<double> budgetMinutes;
    std::uint64_t seed = 0;
    std::string device = "trn1";
    std::string shape = "published";
    std::string place = "sim"; ///< "sim", or the name of a pool of hosts
    std::string planner = "offline";
    std::string executor = "offline";
    std::string summarizer = "offline";

    bool operator==(const RunConfig &) const = default;
};

/// The configuration of a named preset ("paper", "quick", "sampling", "search-only", "reflexion",
/// "b1").
Result<RunConfig> preset(std::string_view name);
/// The names of all presets, in the order of the documentation.
std::vector<std::string> presetNames();

/// Refuses values that make no sense, naming the option ("-B must be at least 1, not 0").
Result<void> validate(const RunConfig &config);

std::string_view name(BeamPolicy policy);
std::string_view name(MemoryPolicy policy);
std::string_view name(Intake intake);
Result<BeamPolicy> beamPolicy(std::string_view name);
Result<MemoryPolicy> memoryPolicy(std::string_view name);

void to_json(nlohmann::json &json, const RunConfig &config);
/// Throws nlohmann::json::exception on a wrong type; missing fields keep their defaults.
void from_json(const nlohmann::json &json, RunConfig &config);

} // namespace accelopt
