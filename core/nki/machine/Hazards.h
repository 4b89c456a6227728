// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

#include <cstdint>
#include <vector>

namespace accelopt::nki {

/// What each instruction of a compiled program has to wait for.
struct Hazards
{
    /// `before` must have ended before the instruction that lists it begins.
    struct Edge
    {
        std::int32_t after = 0;
        std::int32_t next = -1; ///< the following edge of the same `before`
    };
    std::vector<std::int32_t> firstEdge; ///< by instruction, -1: none
    std::vector<Edge> edges;
    std::vector<std::int32_t> waitsFor; ///< by instruction: number of edges that lead to it
};

/// Finds them:
///  - a region is read after the instructions that wrote it, and overwritten after those that read
///  or wrote it (a tile made outside a loop serialises its passes, NKI block dimension guide);
///  - room: a tile takes the SBUF bytes or PSUM banks of tiles that ended before it, those that
///  ended longest ago first, so how many turns of a loop fit into memory decides how far ahead they
///  may run.
/// Regions are boxes of partitions and free elements; of many small ones only the latest are known.
Hazards findHazards(const Lowered &lowered, const MachineTable &table);

} // namespace accelopt::nki
