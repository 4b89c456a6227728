// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/FinalWrites.h"

#include <map>

namespace accelopt::oracle {
namespace {

using nki::AccessPattern;
using nki::AffineCondition;
using nki::Mask;

bool holds(const Mask &mask, const std::array<std::int64_t, AccessPattern::kMaximumRank> &index)
{
    for (const AffineCondition &condition : mask) {
        std::int64_t value = condition.constant;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            value += condition.coefficient[axis] * index[axis];
        if (value < 0)
            return false;
    }
    return true;
}

// Element by element, because the mask decides; neighbours that are kept make one run.
void visitMasked(const AccessPattern &pattern, std::int64_t offset, const Mask &mask,
                 const std::function<void(const WrittenRun &)> &visit)
{
    const std::int64_t count = pattern.count();
    std::array<std::int64_t, AccessPattern::kMaximumRank> index{};
    WrittenRun run;
    for (std::int64_t value = 0; value < count; ++value) {
        std::int64_t element = offset;
        for (int axis = 0; axis < pattern.rank; ++axis)
            element += index[std::size_t(axis)] * pattern.stride[std::size_t(axis)];
        if (holds(mask, index)) {
            if (run.length > 0 && element == run.first + run.length &&
                value == run.firstValue + run.length) {
                ++run.length;
            } else {
                if (run.length > 0)
                    visit(run);
                run = {element, 1, value};
            }
        }
        for (int axis = pattern.rank - 1; axis >= 0; --axis) {
            if (++index[std::size_t(axis)] < pattern.size[std::size_t(axis)])
                break;
            index[std::size_t(axis)] = 0;
        }
    }
    if (run.length > 0)
        visit(run);
}

/// Disjoint intervals of a line, merged where they touch.
class Intervals
{
public:
    /// Calls `visit(first, length)` for what of the interval is not covered yet, then covers it.
    template <typename Visit> void cover(std::int64_t first, std::int64_t length, Visit &&visit)
    {
        const std::int64_t end = first + length;
        auto next = m_ends.upper_bound(first);
        if (next != m_ends.begin() && std::prev(next)->second >= first)
            --next;
        std::int64_t position = first;
        std::int64_t mergedFirst = first;
        std::int64_t mergedEnd = end;
        while (next != m_ends.end() && next->first <= end) {
            if (next->first > position)
                visit(position, next->first - position);
            position = std::max(position, next->second);
            mergedFirst = std::min(mergedFirst, next->first);
            mergedEnd = std::max(mergedEnd, next->second);
            next = m_ends.erase(next);
        }
        if (position < end)
            visit(position, end - position);
        m_ends.emplace(mergedFirst, mergedEnd);
    }

private:
    std::map<std::int64_t, std::int64_t> m_ends; // first -> one past the last
};

} // namespace

void forEachWrittenRun(const nki::Program &program, const nki::Instruction &instruction,
                       const std::function<void(const WrittenRun &)> &visit)
{
    const nki::Operand &destination = program.outputsOf(instruction)[0];
    const AccessPattern &pattern = program.pattern(destination);
    if (instruction.mask >= 0) {
        visitMasked(pattern, destination.offset, program.masks[std::size_t(instruction.mask)],
                    visit);
        return;
    }
    std::int64_t value = 0;
    nki::forEachRun(pattern, destination.offset, [&](std::int64_t first, std::int64_t length) {
        visit({first, length, value});
        value += length;
    });
}

FinalWrites::FinalWrites(const nki::Program &program, const nki::Dependences &dependences)
    : m_program(program)
{
    const auto &writers = dependences.outputWriters();
    for (std::size_t output = 0; output < writers.size() && output < program.outputs.size();
         ++output) {
        const nki::Tensor &tensor = program.tensors[std::size_t(program.outputs[output])];
        const std::int64_t elements = program.storages[std::size_t(tensor.firstStorage)].elements();
        // Every element is written (nki::analyse saw to that), so writing no more elements than
        // there are means that none is written twice. Counting is much cheaper than keeping who
        // wrote what.
        std::int64_t written = 0;
        for (nki::InstructionId store : writers[output])
            forEachWrittenRun(program, program.instructions[std::size_t(store)],
                              [&](const WrittenRun &run) { written += run.length; });
        if (written > elements)
            subtractLaterWrites(writers[output]);
    }
}

void FinalWrites::subtractLaterWrites(const std::vector<nki::InstructionId> &writers)
{
    Intervals later;
    for (auto store = writers.rbegin(); store != writers.rend(); ++store) {
        std::vector<WrittenRun> &lasting = m_lasting[*store];
        forEachWrittenRun(
            m_program, m_program.instructions[std::size_t(*store)], [&](const WrittenRun &run) {
                later.cover(run.first, run.length, [&](std::int64_t first, std::int64_t length) {
                    lasting.push_back({first, length, run.firstValue + (first - run.first)});
                });
            });
    }
}

void FinalWrites::visit(nki::InstructionId store,
                        const std::function<void(const WrittenRun &)> &visit) const
{
    const auto found = m_lasting.find(store);
    if (found == m_lasting.end()) {
        forEachWrittenRun(m_program, m_program.instructions[std::size_t(store)], visit);
        return;
    }
    for (const WrittenRun &run : found->second)
        visit(run);
}

bool FinalWrites::lasts(nki::InstructionId store) const
{
    const auto found = m_lasting.find(store);
    return found == m_lasting.end() || !found->second.empty();
}

} // namespace accelopt::oracle
