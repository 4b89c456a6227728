// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/machine/MachineTable.h"
#include "tests/nki/support/ProgramBuilder.h"

#include <algorithm>

namespace accelopt::tests {

/// The table of a device that ships with the program.
inline const nki::MachineTable &deviceTable(const std::string &device = "trn1")
{
    static const nki::Machine trn1 = *nki::Machine::load("trn1");
    static const nki::Machine trn2 = *nki::Machine::load("trn2");
    return device == "trn2" ? trn2.table() : trn1.table();
}

/// How many instructions with this opcode are left.
inline long countOf(const nki::Lowered &lowered, nki::Opcode opcode)
{
    return std::ranges::count_if(lowered.instructions, [opcode](const nki::LoweredInstruction &i) {
        return i.opcode == opcode;
    });
}

inline long countOf(const nki::Lowered &lowered, nki::Origin origin)
{
    return std::ranges::count_if(lowered.instructions, [origin](const nki::LoweredInstruction &i) {
        return i.origin == origin;
    });
}

/// Rows [row, row + 128) and columns [column, column + columns) of a matrix in HBM with `width`
/// columns.
inline nki::Operand hbmBox(ProgramBuilder &b, ProgramBuilder::TensorId matrix, std::int64_t width,
                           std::int64_t row, std::int64_t column, std::int64_t columns)
{
    return b.boxed(matrix, row * width + column, {{128, width}, {columns, 1}});
}

} // namespace accelopt::tests
