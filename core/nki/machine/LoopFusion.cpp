// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/LoopFusion.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace accelopt::nki {

namespace {

/// Instructions [begin, end) of the list.
struct Range
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

/// Neighbouring instructions of one iteration: either its own, or one execution of a loop in it.
struct Segment
{
    Range range;
    std::int32_t loop = -1;    ///< -1: the iteration's own instructions
    std::vector<Range> passes; ///< of the loop
    LoopKind kind = LoopKind::Root;
};

class LoopFuser
{
public:
    LoopFuser(Lowered &lowered, const MachineTable &table)
        : m_lowered(lowered),
          m_table(table),
          m_readOnly(readOnlyStorages(lowered))
    {}

    void run()
    {
        const std::vector<Segment> top =
            segments({0, std::int32_t(m_lowered.instructions.size())}, 0);
        std::size_t pair = 0;
        while (pair + 1 < top.size() && !worthwhile(top[pair], top[pair + 1]))
            ++pair;
        if (pair + 1 >= top.size())
            return;
        for (std::size_t s = 0; s < top.size(); ++s) {
            if (s + 1 < top.size() && worthwhile(top[s], top[s + 1])) {
                interleave(top[s], top[s + 1], 1);
                ++s;
            } else {
                emit(top[s].range);
            }
        }
        m_lowered.instructions = std::move(m_result);
    }

private:
    /// The ancestor of the instruction's iteration at this depth; -1 when it is not that deep.
    std::int32_t ancestor(std::int32_t position, int depth) const
    {
        std::int32_t at = m_lowered.instructions[std::size_t(position)].iteration;
        if (m_lowered.iteration(at).depth < depth)
            return -1;
        while (m_lowered.iteration(at).depth > depth)
            at = m_lowered.iteration(at).parent;
        return at;
    }

    /// What an iteration at this depth consists of.
    std::vector<Segment> segments(Range range, int depth) const
    {
        std::vector<Segment> result;
        std::int32_t pass = -1;
        for (std::int32_t n = range.begin; n < range.end; ++n) {
            const std::int32_t child = ancestor(n, depth + 1);
            const std::int32_t loop = child < 0 ? -1 : m_lowered.iteration(child).loop;
            if (result.empty() || result.back().loop != loop) {
                Segment segment;
                segment.range = {n, n};
                segment.loop = loop;
                if (child >= 0)
                    segment.kind = m_lowered.iteration(child).kind;
                result.push_back(segment);
                pass = -1;
            }
            Segment &segment = result.back();
            if (loop >= 0 && child != pass) {
                segment.passes.push_back({n, n});
                pass = child;
            }
            segment.range.end = n + 1;
            if (loop >= 0)
                segment.passes.back().end = n + 1;
        }
        return result;
    }

    template <typename Visit> void forEachOperand(Range range, Visit &&visit) const
    {
        for (std::int32_t n = range.begin; n < range.end; ++n) {
            const LoweredInstruction &i = m_lowered.instructions[std::size_t(n)];
            for (const Operand &input : m_lowered.inputsOf(i))
                visit(input.storage, false);
            for (const Operand &output : m_lowered.outputsOf(i))
                visit(output.storage, true);
        }
    }

    /// True when the loops can run pass by pass together; then `handed` is what the first hands
    /// over, in bytes per partition.
    bool canFuse(const Segment &first, const Segment &second, std::int64_t &handed) const
    {
        if (first.loop < 0 || second.loop < 0 || first.kind != LoopKind::Affine ||
            second.kind != LoopKind::Affine || first.passes.size() != second.passes.size() ||
            first.passes.size() < 2)
            return false;
        std::unordered_map<StorageId, std::size_t> lastWriter; // pass of the first loop
        std::unordered_set<StorageId> touched;
        for (std::size_t p = 0; p < first.passes.size(); ++p)
            forEachOperand(first.passes[p], [&](StorageId storage, bool writes) {
                if (writes)
                    lastWriter[storage] = p;
                if (!m_readOnly[std::size_t(storage)])
                    touched.insert(storage);
            });
        bool legal = true;
        std::unordered_set<StorageId> seen;
        handed = 0;
        for (std::size_t p = 0; p < second.passes.size(); ++p)
            forEachOperand(second.passes[p], [&](StorageId storage, bool writes) {
                const Storage &s = m_lowered.storages[std::size_t(storage)];
                if (writes && touched.contains(storage))
                    legal = false;
                const auto writer = lastWriter.find(storage);
                if (writer == lastWriter.end())
                    return;
                if (writer->second > p || s.memory == Memory::Hbm)
                    legal = false;
                if (s.memory == Memory::Sbuf && seen.insert(storage).second)
                    handed += s.bytesPerPartition();
            });
        return legal;
    }

    bool worthwhile(const Segment &first, const Segment &second) const
    {
        std::int64_t handed = 0;
        return canFuse(first, second, handed) && handed > m_table.spillCapacityBytesPerPartition;
    }

    void emit(Range range)
    {
        m_result.insert(m_result.end(), m_lowered.instructions.begin() + range.begin,
                        m_lowered.instructions.begin() + range.end);
    }

    bool loadsOnly(Range range) const
    {
        for (std::int32_t n = range.begin; n < range.end; ++n)
            if (!isInputLoad(m_lowered, m_lowered.instructions[std::size_t(n)], m_readOnly))
                return false;
        return true;
    }

    void interleave(const Segment &first, const Segment &second, int depth)
    {
        for (std::size_t p = 0; p < first.passes.size(); ++p)
            together(segments(first.passes[p], depth), segments(second.passes[p], depth), depth);
    }

    /// One pass of each loop: inner loops together where possible, loads of the second pass before
    /// them.
    void together(const std::vector<Segment> &first, const std::vector<Segment> &second, int depth)
    {
        std::size_t loads = 0;
        while (loads < second.size() && loadsOnly(second[loads].range))
            ++loads;
        std::int64_t handed = 0;
        if (first.empty() || loads == second.size() ||
            !canFuse(first.back(), second[loads], handed)) {
            for (const Segment &segment : first)
                emit(segment.range);
            for (const Segment &segment : second)
                emit(segment.range);
            return;
        }
        for (std::size_t s = 0; s + 1 < first.size(); ++s)
            emit(first[s].range);
        for (std::size_t s = 0; s < loads; ++s)
            emit(second[s].range);
        interleave(first.back(), second[loads], depth + 1);
        for (std::size_t s = loads + 1; s < second.size(); ++s)
            emit(second[s].range);
    }

    Lowered &m_lowered;
    const MachineTable &m_table;
    std::vector<bool> m_readOnly;
    std::vector<LoweredInstruction> m_result;
};

} // namespace

void fuseLoops(Lowered &lowered, const MachineTable &table)
{
    LoopFuser(lowered, table).run();
}

} // namespace accelopt::nki
