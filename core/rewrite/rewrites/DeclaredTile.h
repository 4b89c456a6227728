// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/KernelModel.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace accelopt::rewrite {

/// A tile as it is written in its declaration. Also of names that are summed up with +=, which
/// KernelModel::declarations() leaves out because they are bound more than once.
struct DeclaredTile
{
    std::vector<nki::NodeId> dimensions;
    std::size_t partitionAxis = 0;
    bool psum = false;
    double blocks = 1;
    double bytes = 0; ///< of a partition, of one block, as float32
};

/// Nothing when the statement declares no tile on the chip with a shape of known extents.
std::optional<DeclaredTile> declaredTile(const KernelModel &model, int statement);

} // namespace accelopt::rewrite
