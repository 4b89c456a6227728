// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/LoopTree.h"

namespace accelopt::rewrite {

/// What a nest keeps in SBUF between the statements that write tiles and those that read them.
struct Residence
{
    double bytesPerPartition = 0; ///< alive at once
    double spillMs = 0;           ///< moving what does not fit to HBM and back
};

/// A rough estimate that only ranks orders of loops: a tensor needs as many tiles as the loops
/// write between a write and its read, that is inside the innermost loop around both. What exceeds
/// the 160 KiB that compilers have been seen to use goes to HBM and comes back for each reader.
Residence residenceOf(const KernelModel &model, const std::vector<LoopNode> &nest);

} // namespace accelopt::rewrite
