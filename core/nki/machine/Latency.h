// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/nki/machine/Counters.h"
#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

#include <array>
#include <vector>

namespace accelopt::nki {

/// Passes of loops whose own tiles take half of SBUF or more at once, so that the next pass
/// cannot begin beside them; by iteration of the program.
///
/// Evidence: mamba (three tiles of 28 KiB alive in a pass beside those that stay) overlaps far less
/// than any other published kernel; the documented Mamba tutorial nearly halves the time of its
/// version for long sequences by cutting such tiles (52.7 to 27.8 ms). All others stay below.
std::vector<bool> crowdedPasses(const Lowered &lowered, const MachineTable &table);

/// Time that passes keep from overlapping.
///  - At each turn of a sequential loop the engines wait for the first transfer of the next pass,
///  at most as
///    long as they could have overlapped. Evidence: rope_single_freq_apply (Python range) takes 1.4
///    us per pass more than the closed form; lora (4 passes with thousands of instructions each)
///    shows nothing of it.
///  - In crowded passes a larger share of the less busy engines' time shows
///  (MachineTable::crowdedShare).
class Exposure
{
public:
    Exposure(const Program &program, std::vector<bool> crowded);

    void add(std::int32_t iteration, Engine engine, double busyNs);
    double ns(const MachineTable &table) const;

private:
    using BusyNs = std::array<double, kEngineCount>;
    std::vector<bool> m_crowded;              ///< by iteration
    std::vector<std::int32_t> m_sequentialOf; ///< by iteration: index into m_sequential, -1 outside
    std::vector<BusyNs> m_sequential;
    BusyNs m_crowdedBusyNs{};
};

/// Latency without a schedule: T = launch + busiest engine + share x (sum of the others) + exposed
/// time. The share stands for what dependences and limited lookahead keep from overlapping; it is
/// fitted (MachineTable::overlapShare). The latency of a profile is this and the schedule's length,
/// weighted by MachineTable::scheduleShare: the schedule is right where engines wait for each other
/// and short where the compiler overlaps less than it could; the closed form is the other way
/// round.
Timing closedFormTiming(const Totals &totals, double exposedNs, const MachineTable &table);

/// Milliseconds within which the true latency is believed to lie. Twice as wide below the shortest
/// kernel the model was fitted on, where the launch dominates and nothing is measured.
Interval latencyInterval(double latencyMs, const MachineTable &table);

/// Milliseconds within which `to` less `from` is believed to lie, for two profiles of the same task
/// on one machine. Narrower than what their own intervals leave open: what the kernels have in
/// common is mistaken alike, so only their difference is uncertain by the relative width of an
/// interval, and each latency by its tie margin.
Interval differenceInterval(const Profile &from, const Profile &to);

} // namespace accelopt::nki
