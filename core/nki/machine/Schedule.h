// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"
#include "core/nki/machine/Work.h"

#include <span>
#include <vector>

namespace accelopt::nki {

/// When an instruction runs. Times in ns from the end of the launch.
struct Slot
{
    double startNs = 0;
    double endNs = 0;        ///< its result can be used from here on
    std::int32_t cause = -1; ///< the instruction whose end or turn set the start; -1: none
};

/// A schedule of a compiled program.
struct Schedule
{
    std::vector<Slot> slots; ///< by position in Lowered::instructions
    double spanNs = 0;       ///< end of the last one
    std::int32_t last = -1;  ///< the one that ends last
};

/// Runs the compiled program: tensor, vector, scalar and GpSimd engine and the DMA engines (as one
/// bandwidth with a latency) each take one instruction after the other, when what it reads is there
/// and what it overwrites is no longer needed (Hazards). The order is the program's, but an engine
/// may go ahead of instructions that wait as far as the window reaches; beyond the end of a pass of
/// a sequential loop it reaches less far. `work` holds the instructions' costs, by position.
///
/// Evidence for the window: NKI documentation, "engines run asynchronously ... program order is not
/// a constraint"; strict program order per engine comes within 25 % on 5 of the 14 published
/// kernels, a window of 16 to 128 on 11 or more (the size matters little).
Schedule schedule(const Lowered &lowered, std::span<const Work> work, const MachineTable &table);

} // namespace accelopt::nki
