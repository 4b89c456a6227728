// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace accelopt::nki {

/// What has to be carried out for the asked-for stores, and how long memory must live.
struct Slice
{
    std::vector<InstructionId> instructions; ///< ascending
    std::vector<bool> wanted;                ///< by instruction: an asked-for store
    std::vector<InstructionId>
        lastUse;            ///< by storage: last instruction of the slice that touches it
    std::vector<bool> read; ///< by storage: an instruction of the slice reads it

    static Slice of(const Program &program, const Dependences &dependences,
                    std::span<const InstructionId> stores);
};

/// Instructions behind the stores, the stores among them, ascending.
std::vector<InstructionId> sliceBehind(const Program &program, const Dependences &dependences,
                                       std::span<const InstructionId> stores);

/// Floating-point operations of one instruction: two per multiplication of a product, one per
/// element that an engine computes; moving data costs none.
double flopsOf(const Program &program, const Instruction &instruction);

} // namespace accelopt::nki
