// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/Machine.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace accelopt::nki {

/// What runs side by side: the compute engines, and the queues that feed the DMA engines (which
/// share one bandwidth).
enum class TimelineRow : std::uint8_t {
    Tensor,
    Vector,
    Scalar,
    GpSimd,
    DmaLoad,  ///< HBM -> chip
    DmaStore, ///< chip -> HBM, and HBM -> HBM
    DmaSpill, ///< saves and reloads of tiles that SBUF has no room for
};
inline constexpr int kTimelineRowCount = 7;
/// For people: "tensor engine", "DMA loads", ...
std::string_view name(TimelineRow row);

/// One instruction as it runs. Times count from the start of the kernel's launch.
struct TimelineEvent
{
    double startNs = 0;
    double durationNs = 0; ///< of its engine; for transfers until the data have arrived
    double bytes = 0;      ///< moved by a transfer, 0 for the engines
    /// Time of the critical path that this event accounts for; 0 off the path.
    double criticalNs = 0;
    std::int32_t instruction = 0;          ///< number in the compiled list, in program order
    InstructionId source = kNoInstruction; ///< of the program, or none for what the compiler adds
    std::int32_t line = 0;                 ///< of the kernel's source
    TimelineRow row = TimelineRow::Tensor;
    Opcode opcode = Opcode::Copy;
    Origin origin = Origin::Kernel;
};

/// What a row did in all.
struct TimelineRowTotals
{
    double busyNs = 0;    ///< union of its events
    double exposedNs = 0; ///< its part of the critical path; over all rows: latency less launch
    std::int64_t events = 0;
};

/// Time of the critical path that falls to a source line.
struct LineTime
{
    int line = 0;
    double criticalNs = 0;
    bool operator==(const LineTime &) const = default;
};

/// When each instruction runs, and what the latency consists of.
struct Timeline
{
    double latencyNs = 0; ///< as Profile::latencyMs
    double launchNs = 0;  ///< at the start, before the first event
    /// Latency over the schedule's own length (both less the launch): events are stretched by this
    /// so that they end with the latency. 1 where the latency is the schedule's.
    double scale = 1;
    std::vector<TimelineEvent> events; ///< by start, then by instruction
    std::array<TimelineRowTotals, kTimelineRowCount> rows{};
    /// Indices into events, in time: each began when the one before let it. Their criticalNs sum to
    /// the latency less the launch.
    std::vector<std::int32_t> criticalPath;
    /// By line, ascending; sums to the latency less the launch.
    std::vector<LineTime> lines;

    const TimelineRowTotals &totals(TimelineRow row) const { return rows[std::size_t(row)]; }
};

/// Schedules the program on the machine: the same model that simulate() takes its latency from.
/// Cost: below 2 us per instruction. An empty program has no events.
Timeline timelineOf(const Program &program, const Machine &machine);

} // namespace accelopt::nki
