// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/Interfaces.h"
#include "core/search/Next.h"
#include "core/search/State.h"

#include <functional>
#include <string>

namespace accelopt::search {

/// Gives the bytes of a text that an event named.
using TextLookup = std::function<std::string(const TextId &)>;

// The questions behind commands, complete with texts. The command must come from next() on the same
// state.

PlannerQuestion question(const State &state, const AskPlanner &command, const TextLookup &texts);
ExecutorQuestion question(const State &state, const AskExecutor &command, const TextLookup &texts);
SummarizerQuestion question(const State &state, const AskSummarizer &command,
                            const TextLookup &texts);
JudgeQuestion question(const State &state, const Judge &command, const TextLookup &texts);

/// What earlier plans on this kernel, its ancestors and its siblings came to, in finished
/// iterations, oldest first; only the latest kMostPastAttempts of them.
std::vector<PastAttempt> pastAttempts(const State &state, const KernelId &candidate);

/// The plan to put into PlanMade for an answer to this question.
Plan makePlan(const PlannerQuestion &question, const PlannerAnswer &answer, std::string author);
/// The item to put into PairSummarized for an answer to this question.
ExperienceItem makeItem(const SummarizerQuestion &question, const SummarizerAnswer &answer);

} // namespace accelopt::search
