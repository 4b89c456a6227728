// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/Questions.h"
#include "core/search/State.h"

#include <nlohmann/json_fwd.hpp>

namespace accelopt::search {

/// The run without times, costs and order of arrival: kernels, plans, verdicts, selections, memory,
/// reasons. Two runs are equal when this is equal. Texts are named by their hashes; with `texts`,
/// the sources of the kernels are written out as well.
nlohmann::json canonical(const State &state, const TextLookup &texts = {});

} // namespace accelopt::search
