// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <string>
#include <string_view>
#include <vector>

namespace accelopt::search {

/// Why things are as they are, one sentence per entry. `id` is that of a kernel (or a prefix of at
/// least six digits that fits only one), a plan ("i2.c0.p3"), an attempt ("i2.c0.p3.a1"), an item
/// ("e2.0"), a pair
/// ("i2.m0"), an iteration ("i2"), or "run". Empty when the run knows nothing of that name.
std::vector<std::string> why(const State &state, std::string_view id);

} // namespace accelopt::search
