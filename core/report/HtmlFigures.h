// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/RunFigures.h"
#include "core/report/RunGroups.h"

#include <string>
#include <vector>

namespace accelopt::report {

/// The charts of a run as HTML figures: candidates, Fast@p, cost, what became of the answers,
/// distributions of counters, adoption of memory items. `prefix` keeps ids on the page apart.
std::string runFigures(const RunFigures &run, const std::string &prefix);

/// The charts of a group of comparable runs: geometric mean, Fast@p over runs and cost.
std::string groupFigures(const RunGroup &group, const std::vector<RunFigures> &runs,
                         const std::vector<std::string> &names, const std::string &prefix);

} // namespace accelopt::report
