// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"
#include "core/nki/machine/Work.h"

#include <array>
#include <map>
#include <string>

namespace accelopt::nki {

/// Sums over a program.
struct Totals
{
    Work work;                                 ///< every field summed
    std::array<double, kEngineCount> busyNs{}; ///< by Engine
    std::array<double, kEngineCount> fixedNs{};
    std::array<double, kEngineCount> instructions{};
    double matmulInstructions = 0;
    double activateInstructions = 0;
    double inputReloadBytes = 0; ///< inputs loaded again because SBUF was full

    void add(const LoweredInstruction &instruction, const Work &w);
};

/// How long the program takes, however that was worked out.
struct Timing
{
    double latencyNs = 0;
    std::array<double, kEngineCount> busyNs{}; ///< active time of each engine
};

/// neuron-profile's summary (NeuronExplorer profile schema, table Summary): its names and units,
/// shares as fractions. Figures the model has no notion of (queues, collectives, the sync engine)
/// are left out.
///  - mm_arithmetic_intensity = (hardware_flops - transpose_flops) / (hbm_read_bytes +
///  hbm_write_bytes)
///  - hfu_estimated_percent = hardware_flops / (peak x time)
///  - mbu_estimated_percent = HBM bytes / (bandwidth x time), bandwidth = peak /
///  peak_flops_bandwidth_ratio
std::map<std::string, double> counters(const Totals &totals, const Timing &timing,
                                       const MachineTable &table);

} // namespace accelopt::nki
