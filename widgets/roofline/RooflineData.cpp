// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/RooflineData.h"

#include "widgets/format/Formatting.h"

#include <QCoreApplication>
#include <algorithm>

namespace accelopt::widgets {

namespace {

double counterOf(const Profile &profile, const char *name)
{
    const auto it = profile.counters.find(name);
    return it == profile.counters.end() ? 0 : it->second;
}

QString say(const char *sentence)
{
    return QCoreApplication::translate("Roofline", sentence);
}

} // namespace

double RooflineData::attainable(double intensity) const
{
    double most = intensity * bytesPerSecond;
    for (const RooflineCeiling &ceiling : ceilings)
        most = std::min(most, ceiling.flopsPerSecond);
    return most;
}

RooflineData rooflineData(const search::State &state, const std::vector<KernelId> &kernels,
                          const Task &task, const bench::DeviceRoof &device)
{
    RooflineData data;
    if (!task.minimumWork) {
        data.whyNot = say("The task has no figures of its least work, so there is no roof to show. "
                          "A task says them in task.json.");
        return data;
    }
    const MinimumWork &least = *task.minimumWork;
    const double work = least.matmulFlops + least.vectorFlops;
    if (work <= 0 || least.trafficBytes <= 0) {
        data.whyNot = say("The task does no arithmetic to speak of; only its traffic bounds it.");
        return data;
    }
    data.bytesPerSecond = device.hbmGBPerSecond.value * 1e9;
    data.leastTrafficIntensity = work / least.trafficBytes;
    if (least.matmulFlops > 0) {
        const auto peak = device.tensorTflops.find(task.matmulDtype);
        if (peak == device.tensorTflops.end()) {
            data.whyNot = say("The device has no known peak for matrix products in %1.")
                              .arg(formatting::text(task.matmulDtype));
            return data;
        }
        data.ceilings.push_back({say("tensor engine, %1").arg(formatting::text(task.matmulDtype)),
                                 peak->second.value * 1e12 * work / least.matmulFlops});
    }
    if (least.vectorFlops > 0)
        data.ceilings.push_back(
            {say("vector engine"), device.vectorGflops.value * 1e9 * work / least.vectorFlops});
    for (const KernelId &id : kernels) {
        const search::KernelRecord *record = search::kernel(state, id);
        if (record == nullptr || !record->rankable)
            continue;
        const double bytes = counterOf(record->profile, "hbm_read_bytes") +
                             counterOf(record->profile, "hbm_write_bytes");
        if (bytes > 0)
            data.points.push_back({id, work / bytes, work / (record->profile.latencyMs / 1000)});
    }
    return data;
}

} // namespace accelopt::widgets
