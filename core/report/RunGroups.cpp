// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/RunGroups.h"

#include "core/bench/Roofline.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace accelopt::report {

namespace {

/// The iteration with the highest number that is not above `index`.
const IterationFigures *upTo(const RunFigures &run, int index)
{
    const IterationFigures *found = nullptr;
    for (const IterationFigures &iteration : run.iterations)
        if (iteration.iteration <= index)
            found = &iteration;
    return found;
}

GroupIteration reached(const std::vector<RunFigures> &runs, const RunGroup &group, int index)
{
    GroupIteration figures;
    figures.iteration = index;
    std::vector<double> best;
    for (const std::size_t place : group.runs) {
        const RunFigures &run = runs[place];
        const IterationFigures *last = upTo(run, index);
        figures.runsUnderWay += last != nullptr && last->iteration == index;
        const double speedup = last != nullptr ? last->bestSpeedupSoFar.value_or(1.0) : 1.0;
        best.push_back(speedup);
        for (std::size_t p = 0; p < kFastThresholds.size(); ++p)
            figures.fast[p] += speedup > kFastThresholds[p];
        for (const IterationFigures &iteration : run.iterations)
            if (iteration.iteration <= index) {
                figures.usage += iteration.usage;
                figures.kernels += iteration.judged;
            }
    }
    for (double &share : figures.fast)
        share /= double(group.runs.size());
    figures.geometricMean = bench::geometricMean(best).value_or(1.0);
    return figures;
}

} // namespace

std::vector<RunGroup> groupsOf(const std::vector<RunFigures> &runs)
{
    std::vector<RunGroup> groups;
    for (std::size_t place = 0; place < runs.size(); ++place) {
        const RunFigures &run = runs[place];
        if (!run.baselineMs)
            continue;
        const auto key = std::tie(run.device, run.simulated, run.modelVersion);
        auto found = std::find_if(groups.begin(), groups.end(), [&](const RunGroup &group) {
            return std::tie(group.device, group.simulated, group.modelVersion) == key;
        });
        if (found == groups.end())
            found = groups.insert(groups.end(),
                                  {run.device, run.simulated, run.modelVersion, {}, {}, {}, {}});
        found->runs.push_back(place);
    }
    for (RunGroup &group : groups) {
        std::vector<double> speedups;
        std::vector<double> percents;
        std::set<int> indices;
        for (const std::size_t place : group.runs) {
            speedups.push_back(runs[place].bestSpeedup.value_or(1.0));
            if (runs[place].bestPercentOfPeak)
                percents.push_back(*runs[place].bestPercentOfPeak);
            for (const IterationFigures &iteration : runs[place].iterations)
                indices.insert(iteration.iteration);
        }
        group.geometricMeanSpeedup = bench::geometricMean(speedups);
        if (percents.size() == group.runs.size())
            group.geometricMeanPercentOfPeak = bench::geometricMean(percents);
        for (const int index : indices)
            group.iterations.push_back(reached(runs, group, index));
    }
    return groups;
}

std::vector<std::string> runNames(const std::vector<RunFigures> &runs)
{
    std::map<std::string, int> tasks;
    for (const RunFigures &run : runs)
        ++tasks[run.opened.task];
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const RunFigures &run : runs) {
        std::string name = run.opened.task;
        if (tasks[name] > 1)
            name += fmt::format(" ({})", std::filesystem::path(run.file).stem().string());
        std::string unique = name;
        for (int number = 2; !taken.insert(unique).second; ++number)
            unique = fmt::format("{} {}", name, number);
        names.push_back(unique);
    }
    return names;
}

std::string kindOf(bool simulated, const std::string &modelVersion, const std::string &device)
{
    if (!simulated)
        return "measured on " + device;
    return modelVersion.empty()
               ? "simulated on " + device
               : fmt::format("simulated (cost model {}) on {}", modelVersion, device);
}

} // namespace accelopt::report
