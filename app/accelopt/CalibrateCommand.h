// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/accelopt/Commands.h"

namespace accelopt::cli {

/// Adds `accelopt calibrate FOLDER CSV`: the error table of the cost model on measured kernels, the
/// constants refitted on them, and the errors with each kernel left out.
void addCalibrateCommand(CLI::App &program, Action &action);

} // namespace accelopt::cli
