// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/BenchTable.h"

#include <nlohmann/json.hpp>

namespace accelopt::bench {

BenchTable makeBenchTable(const std::vector<Task> &tasks, const DeviceRoof &device)
{
    BenchTable table;
    table.device = device.name;
    std::vector<double> percents;
    for (const Task &task : tasks) {
        BenchRow row;
        row.task = task.name;
        row.roof = roofline(task, device);
        for (const PublishedFigure &figure : task.published) {
            if (figure.device != device.name)
                continue;
            row.publishedBaselineMs = figure.baselineMs;
            row.source = figure.source;
            if (row.roof)
                row.publishedPercentOfPeak = percentOfPeak(*row.roof, figure.baselineMs);
            break;
        }
        if (row.publishedPercentOfPeak)
            percents.push_back(*row.publishedPercentOfPeak);
        table.rows.push_back(std::move(row));
    }
    table.geometricMeanPercentOfPeak = geometricMean(percents);
    return table;
}

nlohmann::json toJson(const BenchTable &table)
{
    using nlohmann::json;
    const auto orNull = [](const std::optional<double> &value) {
        return value ? json(*value) : json();
    };
    json tasks = json::array();
    for (const BenchRow &row : table.rows)
        tasks.push_back({{"task", row.task},
                         {"bound", row.roof ? json(row.roof->bound) : json()},
                         {"theory_ms", row.roof ? json(row.roof->peakMs) : json()},
                         {"published_baseline_ms", orNull(row.publishedBaselineMs)},
                         {"published_percent_of_peak", orNull(row.publishedPercentOfPeak)}});
    return {{"device", table.device},
            {"tasks", std::move(tasks)},
            {"geometric_mean_percent_of_peak", orNull(table.geometricMeanPercentOfPeak)}};
}

} // namespace accelopt::bench
