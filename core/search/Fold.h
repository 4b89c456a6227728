// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <span>

namespace accelopt::search {

/// Takes one event into the state and draws the conclusions that follow from it. An event that
/// makes no sense for the state is noted in state.complaints and otherwise ignored. O(log n)
/// amortised over a run of n kernels.
void apply(State &state, const Event &event);

/// The state after these events of a run, from its first.
State fold(std::span<const Event> events);

} // namespace accelopt::search
