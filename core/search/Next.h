// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace accelopt::search {

/// Ask the planner for one plan.
struct AskPlanner
{
    CallId call;
    PlanSlot slot;
};

/// Ask the executor for one kernel, or for the repair of one.
struct AskExecutor
{
    CallId call;
    AttemptSlot slot;
    int repair = 0; ///< 0 for the first answer
};

/// Ask the summarizer for the lesson of one pair.
struct AskSummarizer
{
    CallId call;
    int iteration = 0;
    int rank = 0;
};

/// Have a kernel judged.
struct Judge
{
    CallId call;
    KernelId kernel;
    JudgePurpose purpose = JudgePurpose::Search;
};

/// Nothing can go on before a person decides something; `reason` says what.
struct WaitForPerson
{
    CallId call; ///< "person"
    std::string reason;
};

/// Nothing is left to ask: append RunFinished with this reason.
struct Finish
{
    CallId call; ///< "finish"
    std::string reason;
};

using Command = std::variant<AskPlanner, AskExecutor, AskSummarizer, Judge, WaitForPerson, Finish>;

/// The most commands of a kind that next() tells of. A caller that has r role calls under way and
/// room for f more need not look past r + f of them.
struct Limits
{
    std::size_t roleCalls = SIZE_MAX;
    std::size_t judgements = SIZE_MAX;
};

/// What is outstanding, in slot order. Whoever carries commands out starts those that are not under
/// way yet; a command stays in the answer until the event that answers it is applied. Empty before
/// the run is opened and after it is finished. Looks only at what is outstanding, never at the
/// whole run.
std::vector<Command> next(const State &state, Limits limits = {});

/// Stable name of a command; equal names are the same question.
const CallId &callId(const Command &command);

} // namespace accelopt::search
