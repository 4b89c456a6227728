// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/Steering.h"

#include "core/nki/syntax/Lexer.h"
#include "core/search/Calls.h"

#include <algorithm>

namespace accelopt::widgets {

namespace {

/// What a kernel of a person's may have at most, like those of agents.
constexpr std::size_t kLongestKernel = 1 << 20;

CallFailed givenUp(const CallId &call, RoleName role, const AttemptSlot &slot, std::string reason)
{
    CallFailed failed;
    failed.call = call;
    failed.role = role;
    failed.slot = slot.plan;
    failed.attempt = slot.attempt;
    failed.reason = std::move(reason);
    return failed;
}

} // namespace

std::optional<PlanSlot> openPlanSlot(const search::State &state, const KernelId &candidate)
{
    for (const PlanSlot &slot : state.openPlans) {
        const search::PlanRecord *record = search::plan(state, slot);
        if (record != nullptr && (candidate.empty() || record->plan.parent == candidate) &&
            !state.callsInDoubt.contains(search::planCall(slot)))
            return slot;
    }
    return std::nullopt;
}

bool isRewritable(const search::State &state, const PlanSlot &slot)
{
    const search::PlanRecord *record = search::plan(state, slot);
    if (record == nullptr || record->status != search::PlanStatus::Made)
        return false;
    for (std::size_t a = 0; a < record->attempts.size(); ++a)
        if (record->attempts[a].status != search::AttemptStatus::Open ||
            !record->attempts[a].turns.empty() ||
            state.callsInDoubt.contains(search::writeCall({{slot, int(a)}, 0})))
            return false;
    return true;
}

PersonsAnswer personsPlan(const search::State &state, const PlanSlot &slot,
                          const std::string &title, const std::string &text)
{
    PlanMade made;
    made.call = search::planCall(slot);
    made.plan.slot = slot;
    if (const search::PlanRecord *record = search::plan(state, slot))
        made.plan.parent = record->plan.parent;
    made.plan.title = title;
    made.plan.text = text;
    made.plan.author = "human";
    return {{made}, {}};
}

Result<PersonsAnswer> personsKernel(const search::State &state, const KernelId &candidate,
                                    const std::string &title, const std::string &source)
{
    if (source.size() > kLongestKernel)
        return fail(ErrorCode::WrongUse, "the text is longer than a kernel may be",
                    "a kernel has at most 1 MB");
    if (state.iterations.empty() || state.openPlans.empty())
        return fail(ErrorCode::WrongUse, "the search waits for no plan at the moment",
                    "pause before the plans of an iteration (Steer menu) and write the kernel "
                    "then");
    const search::IterationRecord &iteration = state.iterations.back();
    const auto &beam = iteration.candidates;
    if (std::find(beam.begin(), beam.end(), candidate) == beam.end())
        return fail(ErrorCode::WrongUse,
                    "the kernel it is made from is no candidate of this iteration",
                    "pin that kernel to the beam, step to the next iteration, and write it then");
    const std::optional<PlanSlot> slot = openPlanSlot(state, candidate);
    if (!slot)
        return fail(ErrorCode::WrongUse, "all plans for this candidate are made",
                    "write it for another candidate, or pause before the plans of the next "
                    "iteration");
    PersonsAnswer answer =
        personsPlan(state, *slot, title, "A person wrote the kernel of this plan.");
    Text text = makeText(source);
    AttemptMade made;
    made.slot = {*slot, 0};
    made.call = search::writeCall({made.slot, 0});
    made.kernel = nki::kernelIdentity(source);
    made.text = text.id;
    answer.texts.push_back(std::move(text));
    answer.bodies.push_back(std::move(made));
    const search::PlanRecord *record = search::plan(state, *slot);
    for (std::size_t a = 1; record != nullptr && a < record->attempts.size(); ++a) {
        const AttemptSlot other{*slot, int(a)};
        answer.bodies.push_back(givenUp(search::writeCall({other, 0}), RoleName::Executor, other,
                                        "a person wrote the only kernel of this plan"));
    }
    return answer;
}

PersonsAnswer droppedPlan(const search::State &state, const PlanSlot &slot,
                          const std::string &reason)
{
    PersonsAnswer answer;
    const search::PlanRecord *record = search::plan(state, slot);
    if (record == nullptr)
        return answer;
    const std::string why = "dropped by a person" + (reason.empty() ? "" : ": " + reason);
    if (record->status == search::PlanStatus::Open) {
        answer.bodies.push_back(givenUp(search::planCall(slot), RoleName::Planner, {slot, 0}, why));
        return answer;
    }
    for (std::size_t a = 0; a < record->attempts.size(); ++a) {
        if (record->attempts[a].status != search::AttemptStatus::Open)
            continue;
        const AttemptSlot attempt{slot, int(a)};
        const int repair = int(record->attempts[a].turns.size());
        answer.bodies.push_back(
            givenUp(search::writeCall({attempt, repair}), RoleName::Executor, attempt, why));
    }
    return answer;
}

} // namespace accelopt::widgets
