// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/accelopt/Commands.h"
#include "app/accelopt/RunOptions.h"
#include "core/domain/Result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::cli {

enum class Searches { One, Several };

/// Searches several tasks in one experiment, and prints the table.
int runSeveral(const RunOptions &options, const std::vector<std::string> &tasks);

/// What `show` tells of an experiment's folder.
int showSeveral(const std::filesystem::path &folder, Output output);

/// Starts the search in a process of its own that outlives the terminal, and says where it is.
int detach(const RunOptions &options, const std::vector<std::string> &tasks, Searches searches);

/// What `run --json` prints.
nlohmann::json runsDocument(const std::vector<nlohmann::json> &runs,
                            const std::optional<double> &mean);

} // namespace accelopt::cli
