// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

namespace accelopt::search {

// beta of ALGORITHM: which kernels the next iteration starts from.

/// Updates the best-so-far and the progress counter with the iteration's fastest kernel.
void trackBest(State &state, IterationRecord &iteration);

/// Chooses the beam that follows the iteration and gives every kernel considered its fate. May be
/// repeated when a person's decisions or the configuration have changed.
void select(State &state, IterationRecord &iteration);

/// Gives each attempt of a settled iteration the fate that does not depend on the beam: not
/// correct, duplicate, not the fastest of its group, failed, skipped.
void judgeAttempts(State &state, IterationRecord &iteration);

/// The attempt of the plan whose kernel is the group's fastest rankable one that is not dropped, or
/// -1.
int fastestAttempt(const State &state, const PlanRecord &plan);

} // namespace accelopt::search
