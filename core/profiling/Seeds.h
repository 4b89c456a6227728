// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Ids.h"

#include <cstdint>
#include <vector>

namespace accelopt::profiling {

/// The secret seeds of a run's inputs for one purpose: different for each purpose, the same
/// whenever the run's seed is the same, and nothing that a kernel or an agent is told.
std::vector<std::uint64_t> secretSeeds(std::uint64_t runSeed, JudgePurpose purpose, int count);

/// Decides which stores of a kernel the quick check computes.
std::uint64_t samplingSeed(std::uint64_t runSeed, JudgePurpose purpose, const KernelId &kernel);

} // namespace accelopt::profiling
