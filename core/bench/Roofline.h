// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::bench {

/// A published or derived peak and where it comes from.
struct PeakFigure
{
    double value = 0;
    std::string source;
};

/// The peaks of one core of a device, against which % of peak is counted. (The floor below which a
/// latency is not plausible is another matter and is made of the machine's own rates.)
struct DeviceRoof
{
    std::string name;  ///< "trn1"
    std::string title; ///< for people
    PeakFigure hbmGBPerSecond;
    std::map<DTypeName, PeakFigure> tensorTflops; ///< by matmul element type
    PeakFigure vectorGflops;
};

/// The three times that the least work of a task takes at peak, and the largest of them.
struct Roof
{
    double memoryMs = 0;
    double tensorMs = 0;
    double vectorMs = 0;
    double peakMs = 0;
    std::string bound; ///< which of the three peakMs is: "memory", "tensor" or "vector"
};

/// Names of the devices that come with the program.
std::vector<std::string> deviceNames();
/// The peaks of a device by name. Fails with WrongUse for an unknown one.
Result<DeviceRoof> deviceRoof(std::string_view device);

/// T_peak = max(traffic / bandwidth, matmul FLOPs / tensor peak of `dtype`, vector FLOPs / vector
/// peak) (AccelOpt paper, section 4). Nothing when the task has no minimum-work figures, or has
/// matmul work and the device no peak for the type: no roof is shown then.
std::optional<Roof> roofline(const Task &task, const DeviceRoof &device, const DTypeName &dtype);
/// With the task's own matmul type.
std::optional<Roof> roofline(const Task &task, const DeviceRoof &device);

/// 0-100 for a latency above the roof; more than 100 means that the latency or the roof is wrong.
double percentOfPeak(const Roof &roof, double latencyMs);

/// Nothing for no values, or when one is not positive.
std::optional<double> geometricMean(std::span<const double> values);

} // namespace accelopt::bench
