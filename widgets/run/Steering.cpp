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
    if (state.phase == search::Phase::Finished)
        return fail(ErrorCode::WrongUse, "the run is finished",
                    "go on with it first (Run menu), with more iterations");
    const search::KernelRecord *from = search::kernel(state, candidate);
    if (from == nullptr || !from->judged)
        return fail(ErrorCode::WrongUse, "the kernel it is made from is not judged yet",
                    "wait for its verdict, or start from another one");
    // Of its own candidate if it can be; else in the place of another one's plan.
    std::optional<PlanSlot> slot = openPlanSlot(state, candidate);
    if (!slot)
        slot = openPlanSlot(state, {});
    if (!slot)
        return fail(ErrorCode::WrongUse, "the search waits for no plan at the moment",
                    "a kernel takes the place of a plan, and all plans of this iteration are made "
                    "or asked for: it gets the first place of the next iteration");
    PersonsAnswer answer =
        personsPlan(state, *slot, title,
                    from->rankable ? "A person wrote the kernel of this plan."
                                   : "A person wrote the kernel of this plan, from kernel " +
                                         shortId(candidate) + ", which is not correct.");
    if (from->rankable)
        std::get<PlanMade>(answer.bodies.front()).plan.parent = candidate;
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
