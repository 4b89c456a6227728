// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/Roofline.h"
#include "core/domain/Profile.h"
#include "core/domain/Task.h"
#include "core/domain/Verdict.h"
#include "core/profiling/KernelStudy.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::profiling {

/// What a source line has of something.
struct LineShare
{
    int line = 0;
    double amount = 0; ///< bytes, or ns
    double share = 0;  ///< 0-1 of the whole kernel's
    bool operator==(const LineShare &) const = default;
};

/// How much faster the kernel could be. Times in ms; factors are latency / time, at least as the
/// model sees it.
struct Headroom
{
    /// The least work of the task at the device's peaks; none where the task has no such figures.
    std::optional<bench::Roof> theory;
    std::optional<double> speedupAtTheory;
    /// The work that this kernel does, at the peaks, by "memory", "tensor", "vector": HBM bytes
    /// over the bandwidth, FLOPs issued over the tensor peak of the task's type, and the active
    /// time of the busiest of the vector, scalar and GpSimd engines (no counter tells their FLOPs).
    std::map<std::string, double> ownWorkMs;
    std::string bound;         ///< the largest of these: what the kernel as written is bound by
    double speedupAtBound = 0; ///< gained by hiding everything else behind that
};

/// Something that the check and the model do not see.
struct BlindSpot
{
    std::string what;
    std::string why;           ///< how the check or the model works
    std::string then;          ///< what to do about it
    bool ofThisKernel = false; ///< only said because the kernel has what it is about
};

/// What is to be known of a kernel before anybody pays for a search.
struct KernelAudit
{
    Headroom headroom;
    std::vector<LineShare> byBytes; ///< most first
    std::vector<LineShare> byTime;  ///< of the critical path, most first
    std::vector<BlindSpot> blindSpots;
};

/// The audit of a kernel that was found correct. `top` lines of each kind.
KernelAudit auditKernel(const Task &task, const Verdict &verdict, const Profile &profile,
                        const KernelStudy &study, const bench::DeviceRoof &device, int top);

} // namespace accelopt::profiling
