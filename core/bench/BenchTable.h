// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/Roofline.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::bench {

/// One task against the roof of a device. Figures that do not exist are absent, not zero.
struct BenchRow
{
    std::string task;
    std::optional<Roof> roof;
    std::optional<double> publishedBaselineMs;
    std::optional<double> publishedPercentOfPeak; ///< 0-100
    std::string source;                           ///< of the published figure
};

/// What `accelopt bench table` shows.
struct BenchTable
{
    std::string device;
    std::vector<BenchRow> rows;
    /// Over the rows that have a percentage; absent when none has.
    std::optional<double> geometricMeanPercentOfPeak;
};

/// Rows in the order of the tasks, which should be loaded at their published shapes.
BenchTable makeBenchTable(const std::vector<Task> &tasks, const DeviceRoof &device);

/// The JSON form that the command line promises; absent figures are null.
nlohmann::json toJson(const BenchTable &table);

} // namespace accelopt::bench
