// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Latency.h"

#include <algorithm>
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

SequentialPasses::SequentialPasses(const Program &program) : m_passOf(program.iterations.size(), -1)
{
    for (std::size_t n = 1; n < program.iterations.size(); ++n) {
        const Iteration &iteration = program.iterations[n];
        if (iteration.kind == LoopKind::Sequential) {
            m_passOf[n] = std::int32_t(m_passes.size());
            m_passes.emplace_back();
        } else if (iteration.parent >= 0) {
            m_passOf[n] = m_passOf[std::size_t(iteration.parent)];
        }
    }
}

void SequentialPasses::add(std::int32_t iteration, Engine engine, double busyNs)
{
    const std::int32_t pass = m_passOf[std::size_t(iteration)];
    if (pass >= 0)
        m_passes[std::size_t(pass)][std::size_t(engine)] += busyNs;
}

double SequentialPasses::exposedNs(const MachineTable &table) const
{
    double sum = 0;
    for (const auto &busyNs : m_passes)
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

} // namespace accelopt::nki
