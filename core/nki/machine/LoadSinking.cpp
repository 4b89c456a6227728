// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/LoadSinking.h"

#include "core/nki/machine/LoopTree.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace accelopt::nki {

namespace {

/// A tile that is filled from inputs before a loop and read in passes of it.
struct Held
{
    std::int32_t writtenIn = -1; ///< iteration of its loads
    std::int32_t loop = -1;      ///< the one loop that reads it
    std::int32_t lastPass = -1;
    std::int32_t passes = 0;
    bool eligible = true;
    std::vector<std::int32_t> loads; ///< positions of its loads
};

class Sinking
{
public:
    Sinking(Lowered &lowered, const MachineTable &table)
        : m_lowered(lowered),
          m_table(table),
          m_readOnly(readOnlyStorages(lowered)),
          m_held(lowered.storages.size())
    {}

    std::vector<bool> run()
    {
        for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n)
            note(m_lowered.instructions[n], std::int32_t(n));
        std::unordered_map<std::int32_t, std::int64_t> bytes;
        for (std::size_t s = 0; s < m_held.size(); ++s)
            if (sinkable(m_held[s]))
                bytes[m_held[s].loop] += m_lowered.storages[s].bytesPerPartition();
        for (const auto &[loop, held] : bytes)
            if (held >= m_table.sinkBytesPerPartition)
                m_loops.insert(loop);
        std::vector<bool> asWritten(m_lowered.program->iterations.size(), false);
        if (!m_loops.empty()) {
            move();
            markNests(asWritten);
        }
        return asWritten;
    }

private:
    static bool sinkable(const Held &held)
    {
        return held.eligible && held.loop >= 0 && held.passes >= 2;
    }

    void note(const LoweredInstruction &i, std::int32_t position)
    {
        for (const Operand &input : m_lowered.inputsOf(i))
            noteRead(m_held[std::size_t(input.storage)], i.iteration);
        const bool load = isInputLoad(m_lowered, i, m_readOnly);
        for (const Operand &output : m_lowered.outputsOf(i)) {
            Held &held = m_held[std::size_t(output.storage)];
            if (!load || held.loop >= 0 || (held.writtenIn >= 0 && held.writtenIn != i.iteration))
                held.eligible = false;
            held.writtenIn = i.iteration;
            held.loads.push_back(position);
        }
    }

    void noteRead(Held &held, std::int32_t reader)
    {
        if (held.writtenIn < 0 || !held.eligible)
            return;
        const Parting parting = part(*m_lowered.program, held.writtenIn, reader);
        if (parting.second < 0) {
            held.eligible = false; // read outside any loop after it was written
            return;
        }
        const Iteration &pass = m_lowered.iteration(parting.second);
        if (pass.kind != LoopKind::Affine || (held.loop >= 0 && held.loop != pass.loop) ||
            !onlyAffine(*m_lowered.program, reader)) {
            held.eligible = false;
            return;
        }
        held.loop = pass.loop;
        if (parting.second != held.lastPass) {
            held.lastPass = parting.second;
            ++held.passes;
        }
    }

    void move()
    {
        std::vector<LoweredInstruction> result;
        result.reserve(m_lowered.instructions.size());
        std::vector<bool> moved(m_lowered.instructions.size(), false);
        for (const Held &held : m_held)
            if (moves(held))
                for (const std::int32_t load : held.loads)
                    moved[std::size_t(load)] = true;
        for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n) {
            if (moved[n])
                continue;
            const LoweredInstruction i = m_lowered.instructions[n];
            for (std::size_t operand = 0; operand < i.inputs; ++operand) {
                const Operand input = m_lowered.inputsOf(i)[operand];
                const Held &held = m_held[std::size_t(input.storage)];
                if (moves(held))
                    m_lowered.inputsOf(i)[operand] = loadedHere(held, input, i, result);
            }
            result.push_back(i);
        }
        m_lowered.instructions = std::move(result);
    }

    bool moves(const Held &held) const { return sinkable(held) && m_loops.contains(held.loop); }

    /// The part of the tile that the instruction reads, loaded in this pass of the loop.
    Operand loadedHere(const Held &held, const Operand &input, const LoweredInstruction &reader,
                       std::vector<LoweredInstruction> &result)
    {
        const std::int32_t pass = part(*m_lowered.program, held.writtenIn, reader.iteration).second;
        if (pass != m_pass) {
            m_pass = pass;
            m_loaded.clear();
        }
        const auto [known, added] =
            m_loaded.try_emplace({input.storage, input.offset, input.pattern}, Operand{});
        if (!added)
            return known->second;
        const Storage tile = m_lowered.storages[std::size_t(input.storage)];
        const AccessPattern read = m_lowered.pattern(input);
        LoweredInstruction load = m_lowered.instructions[std::size_t(held.loads[0])];
        const Operand source = m_lowered.inputsOf(load)[0];
        AccessPattern from = m_lowered.pattern(source);
        const bool rows = held.loads.size() == 1 && read.rank == 2 && from.rank == 2 &&
                          from.size[0] == read.size[0] && read.size[1] <= from.size[1] &&
                          input.offset < tile.freeElements;
        load.iteration = reader.iteration;
        if (!rows) { // the whole tile again
            known->second = input;
            for (const std::int32_t position : held.loads) {
                result.push_back(m_lowered.instructions[std::size_t(position)]);
                result.back().iteration = reader.iteration;
            }
            return input;
        }
        Storage piece = tile;
        piece.freeElements = read.size[1];
        const Operand target = m_lowered.whole(m_lowered.addStorage(piece));
        from.size[1] = read.size[1];
        const Operand columns{source.storage, m_lowered.patterns.intern(from),
                              source.offset + input.offset * from.stride[1]};
        m_lowered.setOperands(load, {&target, 1}, {&columns, 1});
        result.push_back(load);
        known->second = target;
        return target;
    }

    void markNests(std::vector<bool> &asWritten) const
    {
        // The outermost loop around each sunk one, then everything below it: parents come first.
        const auto &iterations = m_lowered.program->iterations;
        std::unordered_set<std::int32_t> outermost;
        for (std::size_t n = 1; n < iterations.size(); ++n) {
            if (!m_loops.contains(iterations[n].loop))
                continue;
            auto at = std::int32_t(n);
            while (iterations[std::size_t(at)].parent > 0)
                at = iterations[std::size_t(at)].parent;
            outermost.insert(iterations[std::size_t(at)].loop);
        }
        for (std::size_t n = 1; n < iterations.size(); ++n)
            asWritten[n] =
                outermost.contains(iterations[n].loop) ||
                (iterations[n].parent > 0 && asWritten[std::size_t(iterations[n].parent)]);
    }

    Lowered &m_lowered;
    const MachineTable &m_table;
    std::vector<bool> m_readOnly;
    std::vector<Held> m_held;
    std::unordered_set<std::int32_t> m_loops;
    std::int32_t m_pass = -1; ///< the pass that m_loaded belongs to
    std::map<std::tuple<StorageId, std::int64_t, PatternId>, Operand> m_loaded;
};

} // namespace

std::vector<bool> sinkLoads(Lowered &lowered, const MachineTable &table)
{
    return Sinking(lowered, table).run();
}

} // namespace accelopt::nki
