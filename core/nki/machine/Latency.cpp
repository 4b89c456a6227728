// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace accelopt::nki {

namespace {

/// The busiest resource, and the rest of the busy time.
struct Split
{
    double busiest = 0;
    double others = 0;
};

Split split(const std::array<double, kEngineCount> &busyNs)
{
    // Vector and GpSimd engine share their port to SBUF and wait for each other.
    std::array<double, kEngineCount> resources = busyNs;
    resources[std::size_t(Engine::Vector)] += resources[std::size_t(Engine::GpSimd)];
    resources[std::size_t(Engine::GpSimd)] = 0;
    const double busiest = *std::ranges::max_element(resources);
    return {busiest, std::accumulate(resources.begin(), resources.end(), 0.0) - busiest};
}

} // namespace

std::vector<bool> crowdedPasses(const Lowered &lowered, const MachineTable &table)
{
    struct Life
    {
        std::int32_t first = -1;
        std::int32_t last = -1;
        std::int32_t iteration = -1;
        bool local = true; ///< one pass makes and uses it
    };
    std::vector<Life> lives(lowered.storages.size());
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        const auto touch = [&](const Operand &operand) {
            Life &life = lives[std::size_t(operand.storage)];
            if (life.first < 0) {
                life.first = std::int32_t(n);
                life.iteration = i.iteration;
            }
            life.last = std::int32_t(n);
            life.local = life.local && life.iteration == i.iteration;
        };
        std::ranges::for_each(lowered.outputsOf(i), touch);
        std::ranges::for_each(lowered.inputsOf(i), touch);
    }
    std::vector<std::int64_t> change(lowered.instructions.size() + 1, 0);
    for (std::size_t s = 0; s < lives.size(); ++s) {
        const Life &life = lives[s];
        const Storage &storage = lowered.storages[s];
        if (life.first < 0 || !life.local || life.iteration == 0 || storage.memory != Memory::Sbuf)
            continue;
        change[std::size_t(life.first)] += storage.bytesPerPartition();
        change[std::size_t(life.last) + 1] -= storage.bytesPerPartition();
    }
    std::vector<bool> crowded(lowered.program->iterations.size(), false);
    std::int64_t live = 0;
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        live += change[n];
        if (2 * live >= table.spillCapacityBytesPerPartition)
            crowded[std::size_t(lowered.instructions[n].iteration)] = true;
    }
    return crowded;
}

Exposure::Exposure(const Program &program, std::vector<bool> crowded)
    : m_crowded(std::move(crowded)),
      m_sequentialOf(program.iterations.size(), -1)
{
    for (std::size_t n = 1; n < program.iterations.size(); ++n) {
        const Iteration &iteration = program.iterations[n];
        if (iteration.kind == LoopKind::Sequential) {
            m_sequentialOf[n] = std::int32_t(m_sequential.size());
            m_sequential.emplace_back();
        } else if (iteration.parent >= 0) {
            m_sequentialOf[n] = m_sequentialOf[std::size_t(iteration.parent)];
        }
    }
}

void Exposure::add(std::int32_t iteration, Engine engine, double busyNs)
{
    const auto n = std::size_t(iteration);
    if (m_crowded[n])
        m_crowdedBusyNs[std::size_t(engine)] += busyNs;
    else if (m_sequentialOf[n] >= 0)
        m_sequential[std::size_t(m_sequentialOf[n])][std::size_t(engine)] += busyNs;
}

double Exposure::ns(const MachineTable &table) const
{
    double sum = (table.crowdedShare - table.overlapShare) * split(m_crowdedBusyNs).others;
    for (const BusyNs &busyNs : m_sequential)
        sum += std::min(table.sequentialPassNs, (1 - table.overlapShare) * split(busyNs).others);
    return sum;
}

Timing closedFormTiming(const Totals &totals, double exposedNs, const MachineTable &table)
{
    const auto [busiest, others] = split(totals.busyNs);
    Timing timing;
    timing.busyNs = totals.busyNs;
    timing.latencyNs = table.launchNs + busiest + table.overlapShare * others + exposedNs;
    return timing;
}

Interval latencyInterval(double latencyMs, const MachineTable &table)
{
    const double width =
        latencyMs < table.fittedFromMs ? 2 * table.relativeHalfWidth : table.relativeHalfWidth;
    return {latencyMs * std::max(0.0, 1 - width), latencyMs * (1 + width)};
}

Interval differenceInterval(const Profile &from, const Profile &to)
{
    const auto relativeWidth = [](const Profile &profile) {
        const double width = profile.intervalMs.high - profile.intervalMs.low;
        return profile.latencyMs > 0 ? width / 2 / profile.latencyMs : 0.0;
    };
    const double difference = to.latencyMs - from.latencyMs;
    const double half = std::max(relativeWidth(from), relativeWidth(to)) * std::abs(difference) +
                        std::max(from.tieMargin * from.latencyMs, to.tieMargin * to.latencyMs);
    return {difference - half, difference + half};
}

} // namespace accelopt::nki
