// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/nki/machine/Counters.h"
#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

#include <array>
#include <cstdint>
#include <vector>

namespace accelopt::nki {

/// Costs by place in the source, for blame.
struct PlaceCosts
{
    double instructions = 0;
    double dmaBytes = 0;
    double flops = 0;
    double spillBytes = 0;
    double transposeFlops = 0;
    double smallRunBytes = 0;
    std::array<double, kEngineCount> busyNs{}; ///< by Engine
};

/// What stands out, worst first: each a condition with threshold and value, the cause, what to try,
/// and the place that owns most of it. Thresholds of spill and transposes are neuron-explorer's (25
/// % of HBM reads, 10 % of hardware flops); the others are ours. Rules: "spill", "input_reload",
/// "transposes", "small_transfers", "busy_engine", "fixed_overhead", "idle_engine", "outside_fit".
std::vector<Finding> findings(const Totals &totals, const Timing &timing, const MachineTable &table,
                              const std::vector<PlaceCosts> &byPlace,
                              const std::vector<SourcePlace> &places);

/// A finding "uncalibrated_types" when the compiled program has tiles of 2-byte floats: no measured
/// kernel that the model was fitted on uses them. Empty otherwise.
std::vector<Finding> uncalibratedTypes(const Lowered &lowered);

} // namespace accelopt::nki
