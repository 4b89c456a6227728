// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/LoopTree.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace accelopt::rewrite {

/// When two statements touch the same elements: pairs (loop around the first, loop around the
/// second) whose variables must then have equal values. More may hold than is found, never less is
/// claimed.
struct Overlap
{
    bool possible = true; ///< false: they never do
    std::set<std::pair<int, int>> equal;
};

/// For two accesses of the same tensor, from the block and slice arithmetic of their indices:
/// 1024 * i + 128 * j + (0..127) is the same element for equal i and j only.
Overlap overlapOf(const KernelModel &model, const Access &first, int firstStatement,
                  const Access &second, int secondStatement);

/// True when the statement gives the name to a new value, as opposed to writing a part of a tensor.
bool bindsName(const KernelModel &model, const Statement &statement, const std::string &name);

/// Every access of a tensor besides its declaration; nothing when the kernel mentions it in any
/// other way.
std::optional<std::vector<Access>> everyAccess(const KernelModel &model, const std::string &name);

/// Two statements of which the second reads what the first writes.
struct Flow
{
    int writer = -1;
    int reader = -1;
    std::string tensor;
    Overlap overlap;
};
std::vector<Flow> flowsBetween(const KernelModel &model, const std::vector<LoopLeaf> &first,
                               const std::vector<LoopLeaf> &second);

/// True when the statements of `before`, run in the order of `after`, compute the same (up to the
/// order of sums): every value is made before it is read and read before it is replaced, names
/// keep their meaning, no variable captures another. Passes of an affine_range depend on each other
/// by accumulation only, as NKI demands. `before` is as in the text; both hold the same statements.
bool computesTheSame(const KernelModel &model, const std::vector<LoopNode> &before,
                     const std::vector<LoopNode> &after);

} // namespace accelopt::rewrite
