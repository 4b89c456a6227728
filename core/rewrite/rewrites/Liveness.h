// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/KernelModel.h"

#include <vector>

namespace accelopt::rewrite {

/// What the tiles that statements of one block make take of a partition of SBUF.
struct LiveTiles
{
    double together = 0; ///< bytes of all of them
    double peak = 0;     ///< most bytes between two statements, each until it is last read
};

/// Bytes as the kernel is. Tiles that others than these statements read live to the end.
LiveTiles liveTiles(const KernelModel &model, const std::vector<int> &statements);

/// What it costs, in ms for one execution, when these tiles become `factor` times as wide beside
/// all else that the kernel keeps: what SBUF does not hold then goes to HBM and back.
double wideningSpillMs(const KernelModel &model, const LiveTiles &tiles, double factor);

} // namespace accelopt::rewrite
