// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/store/RunReader.h"

#include <string>

namespace accelopt::report {

/// The run as one HTML file that needs nothing else: summary, best latency per iteration, every
/// kernel with what became of it, the changes of the best kernel, the lessons, settings and
/// versions. Follows the reader's light or dark preference. All texts of the run are escaped.
Result<std::string> htmlReport(store::RunReader &reader);

} // namespace accelopt::report
