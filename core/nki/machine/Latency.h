// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/nki/machine/Counters.h"
#include "core/nki/machine/MachineTable.h"

#include <array>
#include <vector>

namespace accelopt::nki {

/// What the passes of sequential loops keep from overlapping: at each turn the engines wait for the
/// first transfer of the next pass, at most as long as they could have overlapped.
///
/// Evidence: rope_single_freq_apply (Python range) takes 1.4 us per pass more than its twin in
/// affine loops would; lora (4 passes with thousands of instructions each) shows nothing of it.
class SequentialPasses
{
public:
    explicit SequentialPasses(const Program &program);

    void add(std::int32_t iteration, Engine engine, double busyNs);
    double exposedNs(const MachineTable &table) const;

private:
    std::vector<std::int32_t> m_passOf; ///< by iteration: index into m_passes, -1 outside
    std::vector<std::array<double, kEngineCount>> m_passes;
};

/// Latency without a schedule: T = launch + busiest engine + share x (sum of the others) + exposed
/// time. The share stands for what dependences and limited lookahead keep from overlapping; it is
/// fitted (MachineTable::overlapShare).
Timing closedFormTiming(const Totals &totals, double exposedNs, const MachineTable &table);

/// Milliseconds within which the true latency is believed to lie. Twice as wide below the shortest
/// kernel the model was fitted on, where the launch dominates and nothing is measured.
Interval latencyInterval(double latencyMs, const MachineTable &table);

} // namespace accelopt::nki
