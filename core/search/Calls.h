// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/KernelRecord.h"

#include <cstdint>
#include <optional>

namespace accelopt::search {

// Names of calls. The same question has the same name in every process that ever asks it.

/// "i2.c0.p3.plan"
CallId planCall(const PlanSlot &slot);
/// "i2.c0.p3.a1.write", or "i2.c0.p3.a1.r1.write" for a repair turn
CallId writeCall(const Turn &turn);
/// "i2.m0.summary"
CallId summaryCall(int iteration, int rank);
/// "judge.<kernel>.search" or "judge.<kernel>.confirmation"
CallId judgeCall(const KernelId &kernel, JudgePurpose purpose);

/// What a role call is about, read back from its name.
struct CallPlace
{
    RoleName role = RoleName::Planner;
    Turn turn;         ///< planner: the plan slot only; executor: all of it
    int iteration = 0; ///< summarizer
    int rank = 0;      ///< summarizer
};

/// Nothing when the name is not one of a role call.
std::optional<CallPlace> callPlace(const CallId &call);

/// Seed of one call: derived from the run's seed and the call's name, the same on every machine.
std::uint64_t callSeed(std::uint64_t runSeed, const CallId &call);

} // namespace accelopt::search
