// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/Roofline.h"
#include "core/domain/Task.h"
#include "core/search/State.h"

#include <QString>
#include <vector>

namespace accelopt::widgets {

/// A kernel in the plot.
struct RooflinePoint
{
    KernelId kernel;
    double intensity = 0;      ///< least FLOPs of the task / HBM bytes that the kernel moves
    double flopsPerSecond = 0; ///< least FLOPs of the task / latency
};

/// A ceiling: what an engine of the device can do at most.
struct RooflineCeiling
{
    QString label;
    double flopsPerSecond = 0;
};

/// What a roofline shows. Work is the least the task can be done with, the same for all kernels, so
/// that up is faster and right is less traffic, and useless work raises no point.
struct RooflineData
{
    std::vector<RooflinePoint> points; ///< in the order of the kernels given
    double bytesPerSecond = 0;         ///< of the HBM: the slope
    std::vector<RooflineCeiling> ceilings;
    double leastTrafficIntensity = 0; ///< what a kernel reaches that moves no byte twice
    QString whyNot;                   ///< why there is no roof; empty when there is one

    /// What a kernel of this intensity can reach at most.
    double attainable(double intensity) const;
};

/// The plot of these kernels. `device` and `dtype` decide the roof: ceilings of the tensor engine
/// for the type in which the task multiplies matrices, and of the vector engine, each scaled to the
/// task's whole work when it has both kinds.
RooflineData rooflineData(const search::State &state, const std::vector<KernelId> &kernels,
                          const Task &task, const bench::DeviceRoof &device);

} // namespace accelopt::widgets
