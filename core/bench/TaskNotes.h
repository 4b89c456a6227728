// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::bench {

/// A kernel for a task by somebody who knows the machine, to compare with and to learn from.
struct TaskVariant
{
    std::string name; ///< "v3_tiled_scan"
    std::string title;
    std::string source; ///< where the idea is published
    std::string path;   ///< absolute path of the kernel
    /// What the idea was published to reach, 0-100, measured; never divided by a simulated figure.
    std::optional<double> publishedPercentOfPeak;
};

/// What a task's file says beside what decides a judgement.
struct TaskNotes
{
    /// False: no measured kernel of this operator and these types stood behind the cost model, so
    /// its simulated latencies are rougher than those of the others.
    bool calibrated = true;
    std::vector<TaskVariant> variants; ///< in the order of the file, usually the slowest first
};

/// Reads members "calibrated" and "variants" of the folder's task.json. Fails with Format, naming
/// file and place, for a mistake, and with Environment when a variant's file does not exist.
Result<TaskNotes> taskNotes(const std::filesystem::path &folder);

} // namespace accelopt::bench
