// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Program.h"

#include <cstdint>
#include <vector>

namespace accelopt::nki {

/// The pattern whose axes the conditions of an instruction's mask are about: the data of an
/// instruction that reduces, the first output of any other.
inline const AccessPattern &maskBox(const Program &program, const Instruction &instruction)
{
    switch (instruction.opcode) {
    case Opcode::Reduce:
    case Opcode::PartitionReduce:
    case Opcode::BatchNormStats:
    case Opcode::BatchNormAggregate:
    case Opcode::Max8: return program.pattern(program.inputsOf(instruction).front());
    default: return program.pattern(program.outputsOf(instruction).front());
    }
}

/// Whether an instruction reads its destination, too: accumulation, loop_reduce after its first
/// pass, a shuffle that leaves some partitions as they are.
bool readsDestination(const Program &program, const Instruction &instruction);

/// Calls `visit(n)` for the linear number n of each element of the box that all conditions select,
/// ascending.
template <typename Visit>
void forEachSelected(const Mask &mask, const AccessPattern &box, Visit &&visit)
{
    constexpr std::size_t kRank = AccessPattern::kMaximumRank;
    if (box.count() == 0)
        return;
    std::array<std::int64_t, kRank> index{};
    std::int64_t number = 0;
    while (true) {
        bool selected = true;
        for (const AffineCondition &condition : mask) {
            std::int64_t value = condition.constant;
            for (std::size_t axis = 0; axis < kRank; ++axis)
                value += condition.coefficient[axis] * index[axis];
            selected = selected && value >= 0;
        }
        if (selected)
            visit(number);
        ++number;
        int axis = box.rank - 1;
        for (; axis >= 0; --axis) {
            if (++index[std::size_t(axis)] < box.size[std::size_t(axis)])
                break;
            index[std::size_t(axis)] = 0;
        }
        if (axis < 0)
            return;
    }
}

/// The linear address of each element of a region, in the order of its axes, repeats kept.
std::vector<std::int64_t> addressesOf(const AccessPattern &pattern, std::int64_t offset);

} // namespace accelopt::nki
