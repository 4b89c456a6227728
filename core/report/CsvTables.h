// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/CsvTable.h"
#include "core/report/RunFigures.h"

#include <vector>

namespace accelopt::report {

/// The figures of runs as tidy tables: runs, iterations, fast, candidates, plans, kernels,
/// counters, counter_spread, cost, memory, adoption, groups, groups_fast, and columns, which says
/// what every column of the others means. Tables of several runs have a first column `run`.
/// Iterations, candidates and plans count from 0, as in the names i2.c0.p3.
std::vector<CsvTable> csvTables(const std::vector<RunFigures> &runs);

} // namespace accelopt::report
