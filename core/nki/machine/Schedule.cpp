// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Schedule.h"

#include "core/nki/machine/Hazards.h"

#include <algorithm>
#include <array>
#include <limits>

namespace accelopt::nki {

namespace {

constexpr double kNotYet = std::numeric_limits<double>::infinity();

/// Something that serves one instruction at a time.
struct Resource
{
    double freeNs = 0;
    std::int32_t last = -1; ///< the instruction it served last
};

class Scheduler
{
public:
    Scheduler(const Lowered &lowered, std::span<const Work> work, const MachineTable &table)
        : m_lowered(lowered),
          m_work(work),
          m_table(table),
          m_hazards(findHazards(lowered, table)),
          m_readyNs(lowered.instructions.size(), 0),
          m_cause(lowered.instructions.size(), -1)
    {
        m_schedule.slots.resize(lowered.instructions.size());
        findSequentialPasses();
        findPortUsers();
    }

    Schedule run()
    {
        const auto count = std::int32_t(m_lowered.instructions.size());
        while (m_head < count) {
            extendWindow(count);
            std::size_t best = 0;
            double bestNs = kNotYet;
            for (std::size_t c = 0; c < m_window.size(); ++c) {
                const std::int32_t n = m_window[c];
                if (m_hazards.waitsFor[std::size_t(n)] > 0)
                    continue;
                const double start =
                    std::max({m_readyNs[std::size_t(n)], resourceOf(n).freeNs,
                              m_usesPort[std::size_t(n)] ? m_psumPort.freeNs : 0.0});
                if (start < bestNs) {
                    bestNs = start;
                    best = c;
                }
            }
            const std::int32_t chosen = m_window[best];
            m_window.erase(m_window.begin() + std::ptrdiff_t(best));
            place(chosen, bestNs);
            moveTo(m_window.empty() ? m_next : m_window.front());
        }
        return std::move(m_schedule);
    }

private:
    /// By iteration: the pass of a sequential loop around it, the innermost; 0 for none.
    void findSequentialPasses()
    {
        const auto &iterations = m_lowered.program->iterations;
        m_sequentialPass.assign(iterations.size(), 0);
        for (std::size_t n = 1; n < iterations.size(); ++n) {
            if (iterations[n].kind == LoopKind::Sequential)
                m_sequentialPass[n] = std::int32_t(n);
            else if (iterations[n].parent >= 0)
                m_sequentialPass[n] = m_sequentialPass[std::size_t(iterations[n].parent)];
        }
    }

    /// Vector and scalar engine take turns at PSUM where the device has one port for both.
    void findPortUsers()
    {
        m_usesPort.assign(m_lowered.instructions.size(), false);
        if (!m_table.sharedPsumPort)
            return;
        const auto inPsum = [this](const Operand &operand) {
            return m_lowered.storage(operand).memory == Memory::Psum;
        };
        for (std::size_t n = 0; n < m_usesPort.size(); ++n) {
            const LoweredInstruction &i = m_lowered.instructions[n];
            if (i.engine == Engine::Vector || i.engine == Engine::Scalar)
                m_usesPort[n] = std::ranges::any_of(m_lowered.inputsOf(i), inPsum) ||
                                std::ranges::any_of(m_lowered.outputsOf(i), inPsum);
        }
    }

    std::int32_t passOf(std::int32_t n) const
    {
        return m_sequentialPass[std::size_t(m_lowered.instructions[std::size_t(n)].iteration)];
    }

    void extendWindow(std::int32_t count)
    {
        const std::int32_t pass = passOf(m_head);
        while (m_next < count) {
            const std::int32_t ahead = m_next - m_head;
            const bool here = passOf(m_next) == pass;
            if (ahead >= (here ? m_table.window : m_table.sequentialWindow) && m_next != m_head)
                break;
            // It comes within reach when the window moves on, not before.
            const auto entering = std::size_t(m_next);
            if (m_gateNs > m_readyNs[entering]) {
                m_readyNs[entering] = m_gateNs;
                m_cause[entering] = m_gate;
            }
            m_window.push_back(m_next++);
        }
    }

    /// The window begins at `head` now: what comes into it can start when all before has started.
    void moveTo(std::int32_t head)
    {
        for (; m_head < head; ++m_head) {
            const double startNs = m_schedule.slots[std::size_t(m_head)].startNs;
            if (startNs > m_gateNs) {
                m_gateNs = startNs;
                m_gate = m_head;
            }
        }
    }

    Resource &resourceOf(std::int32_t n)
    {
        // Vector and GpSimd engine share their port to SBUF and wait for each other.
        const Engine engine = m_lowered.instructions[std::size_t(n)].engine;
        return m_resources[std::size_t(engine == Engine::GpSimd ? Engine::Vector : engine)];
    }

    void place(std::int32_t n, double startNs)
    {
        const LoweredInstruction &i = m_lowered.instructions[std::size_t(n)];
        Resource &resource = resourceOf(n);
        Slot &slot = m_schedule.slots[std::size_t(n)];
        slot.startNs = startNs;
        const double busyNs = m_work[std::size_t(n)].busyNs;
        slot.endNs = startNs + busyNs + (i.engine == Engine::Dma ? m_table.dmaLatencyNs : 0);
        if (m_readyNs[std::size_t(n)] >= startNs)
            slot.cause = m_cause[std::size_t(n)];
        else
            slot.cause = resource.freeNs >= startNs ? resource.last : m_psumPort.last;
        resource = {startNs + busyNs, n};
        if (m_usesPort[std::size_t(n)])
            m_psumPort = resource;
        if (slot.endNs > m_schedule.spanNs || m_schedule.last < 0) {
            m_schedule.spanNs = slot.endNs;
            m_schedule.last = n;
        }
        for (std::int32_t e = m_hazards.firstEdge[std::size_t(n)]; e >= 0;) {
            const Hazards::Edge &edge = m_hazards.edges[std::size_t(e)];
            const auto after = std::size_t(edge.after);
            --m_hazards.waitsFor[after];
            // On the same engine the next in line needs no word of it.
            const bool same = m_lowered.instructions[after].engine == i.engine;
            const double seenNs = slot.endNs + (same ? 0 : m_table.semaphoreNs);
            if (seenNs > m_readyNs[after]) {
                m_readyNs[after] = seenNs;
                m_cause[after] = n;
            }
            e = edge.next;
        }
    }

    const Lowered &m_lowered;
    std::span<const Work> m_work;
    const MachineTable &m_table;
    Hazards m_hazards;
    std::vector<double> m_readyNs;     ///< by instruction: end of what it waits for
    std::vector<std::int32_t> m_cause; ///< by instruction: which of them ended last
    std::vector<std::int32_t> m_sequentialPass;
    std::vector<bool> m_usesPort; ///< by instruction: of the port to PSUM
    std::array<Resource, kEngineCount> m_resources{};
    Resource m_psumPort;
    std::vector<std::int32_t> m_window; ///< not yet placed, ascending
    std::int32_t m_head = 0;            ///< the first one not yet placed
    double m_gateNs = 0;                ///< latest start before the window
    std::int32_t m_gate = -1;           ///< whose it is
    std::int32_t m_next = 0;            ///< the first one beyond the window
    Schedule m_schedule;
};

} // namespace

Schedule schedule(const Lowered &lowered, std::span<const Work> work, const MachineTable &table)
{
    return Scheduler(lowered, work, table).run();
}

} // namespace accelopt::nki
