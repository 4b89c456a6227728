// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/search/State.h"

#include <optional>
#include <string>
#include <vector>

namespace accelopt::widgets {

// What a person writes into a run in the place of an agent: plans and kernels. A person's answer
// takes an open slot, so that it is judged, ranked and remembered like any other, and its actor
// "human" keeps it apart in statistics.

/// Events to be written, with the texts they name.
struct PersonsAnswer
{
    std::vector<EventBody> bodies;
    std::vector<Text> texts;
};

/// The first slot of the iteration under way that waits for a plan for this candidate; any
/// candidate for an empty name. Nothing when there is none.
std::optional<PlanSlot> openPlanSlot(const search::State &state, const KernelId &candidate);
/// A plan that nobody has begun to carry out: it can be rewritten or dropped.
bool isRewritable(const search::State &state, const PlanSlot &slot);

/// A plan of a person's for this slot, which is open or rewritable.
PersonsAnswer personsPlan(const search::State &state, const PlanSlot &slot,
                          const std::string &title, const std::string &text);
/// A kernel of a person's made from any kernel of the run, with the plan that it stands for. It
/// takes the place of one of that kernel's plans, or of another candidate's when it has none. Only
/// this kernel is tried for the plan. Fails with WrongUse, and says what to do, when no plan is
/// waited for, the run is finished, or the text is no kernel.
Result<PersonsAnswer> personsKernel(const search::State &state, const KernelId &candidate,
                                    const std::string &title, const std::string &source);
/// The plan is not carried out (any more): what of it is not begun is given up.
PersonsAnswer droppedPlan(const search::State &state, const PlanSlot &slot,
                          const std::string &reason);

} // namespace accelopt::widgets
