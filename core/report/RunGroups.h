// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/RunFigures.h"

#include <string>
#include <vector>

namespace accelopt::report {

/// What the runs of a group had reached by the end of an iteration. A run that ended earlier, or
/// made nothing faster, stands with what it had.
struct GroupIteration
{
    int iteration = 0;        ///< from 0
    int runsUnderWay = 0;     ///< runs that have this iteration
    double geometricMean = 1; ///< of the best speedups so far
    /// Share of the runs whose best kernel is more than p times faster than its baseline, in the
    /// order of kFastThresholds.
    std::array<double, kFastThresholds.size()> fast{};
    Usage usage;              ///< of all runs up to and with this iteration
    std::int64_t kernels = 0; ///< distinct kernels judged up to and with this iteration
};

/// Runs whose figures may stand in one average: one device, all simulated by one model version or
/// all measured.
struct RunGroup
{
    std::string device;
    bool simulated = true;
    std::string modelVersion;
    std::vector<std::size_t> runs; ///< places in the list of runs; only runs with a sound baseline
    std::optional<double> geometricMeanSpeedup; ///< of the best kernels
    /// Geometric mean of the best kernels' share of peak, 0-100; none when a run has none.
    std::optional<double> geometricMeanPercentOfPeak;
    std::vector<GroupIteration> iterations;
};

/// The groups, in the order of their first runs. A run without a correct baseline is in none.
std::vector<RunGroup> groupsOf(const std::vector<RunFigures> &runs);

/// A name for each run, all different: the task, with the file's name where a task occurs twice.
std::vector<std::string> runNames(const std::vector<RunFigures> &runs);

/// "simulated (cost model 1) on trn1" or "measured on trn1".
std::string kindOf(bool simulated, const std::string &modelVersion, const std::string &device);

} // namespace accelopt::report
