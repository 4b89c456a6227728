// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

namespace accelopt::search {

/// Share of the peak from which a search has little left to gain, in percent (ALGORITHM: stopping).
inline constexpr double kNearPeakPercent = 80;
/// Mean coefficient of variation of the counters below which kernels barely differ.
inline constexpr double kBarelyVaries = 0.05;
/// Share of an iteration's profiled kernels below which few are correct.
inline constexpr double kFewCorrect = 0.25;

/// Mean, over latency and counters, of the coefficient of variation between the distinct correct
/// kernels first written in the iteration. 0 with fewer than two of them.
double counterVariation(const State &state, const IterationRecord &iteration);

/// Fills in the saturation verdict of a settled iteration, with its reason.
void concludeSaturation(const State &state, IterationRecord &iteration);

} // namespace accelopt::search
