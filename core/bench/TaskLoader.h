// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accelopt::bench {

/// Reads the task of a folder (task.json and the files it names) at one of its shapes. `shapeName`
/// empty: "published" when the task has it, else its first shape. The first layout of the result is
/// the reference's own. Fails with Format, naming file and place, for every mistake in task.json;
/// with WrongUse for a shape the task does not have; with Environment when a file cannot be read.
Result<Task> loadTask(const std::filesystem::path &folder, const std::string &shapeName);

/// Names of the shapes that the task of a folder declares, "published" first, "lab" next, others by
/// name.
Result<std::vector<std::string>> taskShapeNames(const std::filesystem::path &folder);

/// Text of the task's baseline kernel.
Result<std::string> readBaseline(const Task &task);

} // namespace accelopt::bench
