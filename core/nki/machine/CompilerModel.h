// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// All that happens to a program between the kernel and the hardware: load sinking, sharing,
/// fusion, placement, spills. What is left of it where the kernel skips the middle end
/// (skip_middle_end_transformations): spills, the room in PSUM and the widths the hardware runs.
Lowered compile(const Program &program, const MachineTable &table);

} // namespace accelopt::nki
