// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <string>

namespace accelopt::profiling {

/// Learns what the task's reference depends on by running it a few dozen times in a limited Python
/// process, and gives the text of dependence.json. Waits for it: seconds at a small shape. Fails
/// with WrongUse for a task that is not trusted.
Result<std::string> learnDependence(const Task &task,
                                    const std::string &python = "/usr/bin/python3");

} // namespace accelopt::profiling
