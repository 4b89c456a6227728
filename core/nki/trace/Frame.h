// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace accelopt::nki {

/// Local names of a function: which slot each has.
struct Names
{
    std::unordered_map<std::string, int> slots;
};

/// Values of one call of a function (or of the module).
struct Frame
{
    const Names *names = nullptr;
    std::vector<Value> values;
    Frame *closure = nullptr;
    /// By slot: the pass (of a loop that NKI traces once) in which the name was last bound; its
    /// complement (-1 - pass) when that pass is over.
    std::vector<std::int32_t> boundIn;
    /// Slots bound in the loop passes that are open, innermost last: tiles end with their pass.
    std::vector<std::vector<int>> passes;
    bool captured = false; ///< a function or class was defined in it: it outlives its call
};

/// The programs of a kernel that was called with a grid; they are traced one after the other.
struct Launch
{
    std::vector<std::int64_t> grid;
    std::vector<std::int64_t> program; ///< of the one being traced
    std::int32_t iteration = 0;        ///< its pass
    std::int32_t outside = 0;          ///< the pass around all of them
    std::vector<Value> shared;         ///< results, made by the first program and met by the others
    std::size_t met = 0;               ///< how many of them the program has come to
};

} // namespace accelopt::nki
