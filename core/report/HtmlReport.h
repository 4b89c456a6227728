// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/report/RunFigures.h"
#include "core/store/RunReader.h"

#include <string>
#include <vector>

namespace accelopt::report {

/// The run as one HTML file that needs nothing else: summary, charts (progress, candidates, Fast@p,
/// cost, answers, counters, adoption), every kernel with what became of it, the changes of the best
/// kernel, the lessons, settings and versions. Follows the reader's light or dark preference. All
/// texts of the run are escaped.
Result<std::string> htmlReport(store::RunReader &reader);

/// Several runs on one page of the same kind: what each came to, geometric means and Fast@p over
/// the comparable ones, and the charts of each run.
std::string htmlOverview(const std::vector<RunFigures> &runs);

} // namespace accelopt::report
