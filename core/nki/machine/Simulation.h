// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Counters.h"
#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"
#include "core/nki/machine/Schedule.h"
#include "core/nki/machine/Work.h"

#include <vector>

namespace accelopt::nki {

/// A program compiled, its costs worked out and its run laid out in time: what profile and timeline
/// are both made of.
struct Simulation
{
    Lowered lowered;
    std::vector<Work> work; ///< by position in lowered.instructions
    Totals totals;
    Schedule schedule;
    Timing timing;
};

/// Compiles, prices and schedules the program. `program` must outlive the result.
Simulation runSimulation(const Program &program, const MachineTable &table);

/// Prices and schedules again what is compiled already, with other numbers. Those that decide on
/// traffic (capacities, what goes where) keep their effect from the compilation.
void reprice(Simulation &simulation, const MachineTable &table);

} // namespace accelopt::nki
