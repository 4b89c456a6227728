// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/Roofline.h"
#include "core/domain/Profile.h"
#include "core/domain/Task.h"
#include "core/domain/Verdict.h"

#include <optional>
#include <vector>

namespace accelopt::oracle {

/// What is too good to be true about a profile, none when it is plausible:
///  - a latency below what the task's least work takes at the device's peaks (when the task has
///    such figures);
///  - a latency below the time that one engine, or the memory, is active;
///  - more operations or bytes per second than the device can do;
///  - less traffic with the memory than the task's tensors are.
std::vector<Reason> implausible(const Profile &profile, const Task &task,
                                const std::optional<bench::Roof> &roof);

} // namespace accelopt::oracle
