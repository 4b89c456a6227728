// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Next.h"

#include "core/search/Calls.h"

namespace accelopt::search {

namespace {

/// Merges the three work lists of the search phase by slot: a plan comes before its attempts, and
/// an attempt's judgement where the attempt stands.
std::vector<Command> searchCommands(const State &state)
{
    std::vector<Command> commands;
    commands.reserve(state.openPlans.size() + state.openAttempts.size() +
                     state.openJudgements.size());
    auto plan = state.openPlans.begin();
    auto attempt = state.openAttempts.begin();
    auto judgement = state.openJudgements.begin();
    // Slots before `slot` of both other lists go first; comparing plan slots keeps the merge
    // simple.
    const auto takeBefore = [&](const PlanSlot *slot) {
        while (true) {
            const bool anAttempt =
                attempt != state.openAttempts.end() && (!slot || attempt->plan < *slot);
            const bool aJudgement = judgement != state.openJudgements.end() &&
                                    (!slot || judgement->first.slot.plan < *slot);
            if (aJudgement && (!anAttempt || judgement->first.slot < *attempt)) {
                commands.push_back(Judge{judgeCall(judgement->second, JudgePurpose::Search),
                                         judgement->second, JudgePurpose::Search});
                ++judgement;
            } else if (anAttempt) {
                const AttemptRecord *record = search::attempt(state, *attempt);
                const int repair = record ? static_cast<int>(record->turns.size()) : 0;
                commands.push_back(
                    AskExecutor{writeCall(Turn{*attempt, repair}), *attempt, repair});
                ++attempt;
            } else {
                return;
            }
        }
    };
    for (; plan != state.openPlans.end(); ++plan) {
        takeBefore(&*plan);
        commands.push_back(AskPlanner{planCall(*plan), *plan});
    }
    takeBefore(nullptr);
    return commands;
}

} // namespace

std::vector<Command> next(const State &state)
{
    switch (state.phase) {
    case Phase::NotOpened:
    case Phase::Finished: return {};
    case Phase::Baseline:
        return {Judge{judgeCall(state.opened.baseline, JudgePurpose::Search), state.opened.baseline,
                      JudgePurpose::Search}};
    case Phase::Search: return searchCommands(state);
    case Phase::Curate: {
        std::vector<Command> commands;
        for (const auto &[iteration, rank] : state.openPairs)
            commands.push_back(AskSummarizer{summaryCall(iteration, rank), iteration, rank});
        return commands;
    }
    case Phase::WaitForPerson:
        return {WaitForPerson{CallId("person"),
                              "Every correct kernel has been dropped, so there is nothing to build "
                              "on. Take one of them back, pin one, or stop the run."}};
    case Phase::Confirm: {
        std::vector<Command> commands;
        for (const KernelId &kernel : state.openConfirmations)
            commands.push_back(Judge{judgeCall(kernel, JudgePurpose::Confirmation), kernel,
                                     JudgePurpose::Confirmation});
        return commands;
    }
    case Phase::Ready: return {Finish{CallId("finish"), state.stop.text}};
    }
    return {};
}

const CallId &callId(const Command &command)
{
    return std::visit([](const auto &one) -> const CallId & { return one.call; }, command);
}

} // namespace accelopt::search
