// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Program.h"

namespace accelopt::nki {

/// Where two iterations part: the passes (children of their last common iteration) that lead to
/// each. `first` or `second` is -1 when that iteration is the common one itself.
struct Parting
{
    std::int32_t common = 0;
    std::int32_t first = -1;
    std::int32_t second = -1;
};

/// Walks up the tree of iterations; cost is the depth.
inline Parting part(const Program &program, std::int32_t first, std::int32_t second)
{
    const auto &iterations = program.iterations;
    Parting result;
    std::int32_t a = first;
    std::int32_t b = second;
    while (iterations[std::size_t(a)].depth > iterations[std::size_t(b)].depth) {
        result.first = a;
        a = iterations[std::size_t(a)].parent;
    }
    while (iterations[std::size_t(b)].depth > iterations[std::size_t(a)].depth) {
        result.second = b;
        b = iterations[std::size_t(b)].parent;
    }
    while (a != b) {
        result.first = a;
        result.second = b;
        a = iterations[std::size_t(a)].parent;
        b = iterations[std::size_t(b)].parent;
    }
    result.common = a;
    return result;
}

/// True when no loop around the iteration has its passes in a fixed order.
inline bool onlyAffine(const Program &program, std::int32_t iteration)
{
    for (std::int32_t at = iteration; at > 0; at = program.iterations[std::size_t(at)].parent)
        if (program.iterations[std::size_t(at)].kind == LoopKind::Sequential)
            return false;
    return true;
}

} // namespace accelopt::nki
