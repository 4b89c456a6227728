// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/LoopTree.h"

namespace accelopt::rewrite {

/// Banks of PSUM: so many sums or products can wait at once.
inline constexpr double kPsumBanks = 8;

/// What a nest keeps in SBUF between the statements that write tiles and those that read them.
struct Residence
{
    double bytesPerPartition = 0; ///< alive at once
    double spillMs = 0;           ///< moving what does not fit to HBM and back
    double psumTiles = 0;         ///< of the tensor in PSUM that needs the most at once
    /// True when PSUM holds that, or no less was needed before.
    bool fitsPsum(const Residence &before) const;
};

/// A free axis of a tensor taken for a block axis: what if it stood in front of the partitions?
struct BlockAxis
{
    std::string tensor;
    std::size_t axis = 0;
};

/// A rough estimate that only ranks orders of loops, in the manner of a cache. A tensor needs as
/// many tiles as are used in one pass of the innermost loop around all its uses. Where a pass needs
/// more than the 160 KiB that compilers have been seen to use, that share of the tiles goes to HBM
/// and comes back, as often as loops that do not tell tiles apart repeat the reading.
Residence residenceOf(const KernelModel &model, const std::vector<LoopNode> &nest,
                      const BlockAxis &moved = {});

/// True when all passes of what a loop does before its statement number `cut` (text at the end does
/// not count) may run before all passes of the rest, and PSUM holds what waits in between.
bool canSplit(const KernelModel &model, int loop, std::size_t cut);

/// The whole kernel from its first loop to its last, with what stands between; nothing when it
/// cannot be read as a nest.
std::optional<std::vector<LoopNode>> wholeNest(const KernelModel &model);

} // namespace accelopt::rewrite
