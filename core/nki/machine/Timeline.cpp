// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Timeline.h"

#include "core/nki/machine/Simulation.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace accelopt::nki {

namespace {

TimelineRow rowOf(const Lowered &lowered, const LoweredInstruction &i)
{
    switch (i.engine) {
    case Engine::Tensor: return TimelineRow::Tensor;
    case Engine::Vector: return TimelineRow::Vector;
    case Engine::Scalar: return TimelineRow::Scalar;
    case Engine::GpSimd: return TimelineRow::GpSimd;
    case Engine::Dma: break;
    }
    if (i.origin == Origin::SpillSave || i.origin == Origin::SpillReload)
        return TimelineRow::DmaSpill;
    const bool toHbm =
        i.outputs > 0 && lowered.storage(lowered.outputsOf(i)[0]).memory == Memory::Hbm;
    return toHbm ? TimelineRow::DmaStore : TimelineRow::DmaLoad;
}

/// Length of the union of intervals that are sorted by their start.
class Union
{
public:
    void add(double start, double end)
    {
        m_length += std::max(0.0, end - std::max(start, m_end));
        m_end = std::max(m_end, end);
    }
    double length() const { return m_length; }

private:
    double m_end = 0;
    double m_length = 0;
};

} // namespace

std::string_view name(TimelineRow row)
{
    switch (row) {
    case TimelineRow::Tensor: return "tensor engine";
    case TimelineRow::Vector: return "vector engine";
    case TimelineRow::Scalar: return "scalar engine";
    case TimelineRow::GpSimd: return "GpSimd engine";
    case TimelineRow::DmaLoad: return "DMA loads";
    case TimelineRow::DmaStore: return "DMA stores";
    case TimelineRow::DmaSpill: return "DMA spills";
    }
    return "";
}

Timeline timelineOf(const Program &program, const Machine &machine)
{
    const Simulation simulation = runSimulation(program, machine.table());
    const Lowered &lowered = simulation.lowered;
    const Schedule &schedule = simulation.schedule;

    Timeline timeline;
    timeline.latencyNs = simulation.timing.latencyNs;
    timeline.launchNs = std::min(machine.table().launchNs, timeline.latencyNs);
    if (schedule.spanNs > 0)
        timeline.scale = (timeline.latencyNs - timeline.launchNs) / schedule.spanNs;
    std::vector<double> critical(schedule.slots.size(), 0);
    std::vector<std::int32_t> path;
    double until = schedule.spanNs;
    for (std::int32_t n = schedule.last; n >= 0; n = schedule.slots[std::size_t(n)].cause) {
        const Slot &slot = schedule.slots[std::size_t(n)];
        critical[std::size_t(n)] = until - slot.startNs;
        until = slot.startNs;
        path.push_back(n);
    }
    if (!path.empty()) // what nothing explains belongs to the first
        critical[std::size_t(path.back())] += until;

    std::map<int, double> lines;
    timeline.events.reserve(schedule.slots.size());
    for (std::size_t n = 0; n < schedule.slots.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        const Slot &slot = schedule.slots[n];
        TimelineEvent event;
        event.startNs = timeline.launchNs + timeline.scale * slot.startNs;
        event.durationNs = timeline.scale * (slot.endNs - slot.startNs);
        event.bytes = i.engine == Engine::Dma ? simulation.work[n].dmaBytes() : 0;
        event.criticalNs = timeline.scale * critical[n];
        event.instruction = std::int32_t(n);
        event.source = i.source;
        if (std::size_t(i.place) < program.places.size())
            event.line = program.places[std::size_t(i.place)].line;
        event.row = rowOf(lowered, i);
        event.opcode = i.opcode;
        event.origin = i.origin;
        if (event.criticalNs > 0)
            lines[event.line] += event.criticalNs;
        timeline.events.push_back(event);
    }
    std::ranges::stable_sort(timeline.events, {}, &TimelineEvent::startNs);

    std::vector<std::int32_t> position(timeline.events.size());
    std::array<Union, kTimelineRowCount> busy;
    for (std::size_t e = 0; e < timeline.events.size(); ++e) {
        const TimelineEvent &event = timeline.events[e];
        position[std::size_t(event.instruction)] = std::int32_t(e);
        TimelineRowTotals &row = timeline.rows[std::size_t(event.row)];
        row.events += 1;
        row.exposedNs += event.criticalNs;
        busy[std::size_t(event.row)].add(event.startNs, event.startNs + event.durationNs);
    }
    for (std::size_t r = 0; r < busy.size(); ++r)
        timeline.rows[r].busyNs = busy[r].length();
    for (auto n = path.rbegin(); n != path.rend(); ++n)
        timeline.criticalPath.push_back(position[std::size_t(*n)]);
    for (const auto &[line, ns] : lines)
        timeline.lines.push_back({line, ns});
    return timeline;
}

} // namespace accelopt::nki
