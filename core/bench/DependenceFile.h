// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <string>
#include <string_view>

namespace accelopt::bench {

// What a task's reference depends on is learnt once by the reference driver, which marks blocks of
// the inputs with NaN, and kept in dependence.json beside task.json.

/// Reads the task's dependence.json into Task::dependence. Does nothing when there is none, or when
/// it was learnt from another reference. Fails with Format when it is not of the known form.
Result<void> readDependence(Task &task, std::string_view referenceText);

/// Asks the reference driver to learn the dependence of the task at its shape. The reference is
/// run a few dozen times: use the smallest shape.
std::string dependenceRequest(const Task &task, std::uint64_t seed);

/// The text of dependence.json from the driver's answer. Fails when the reference failed, and when
/// a tensor argument reaches no result although the task does not declare that it swallows NaN.
Result<std::string> dependenceText(const Task &task, std::string_view referenceText,
                                   std::string_view standardOutput, std::string_view standardError);

} // namespace accelopt::bench
