// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Next.h"

#include "core/search/Calls.h"

namespace accelopt::search {

namespace {

Command judge(const KernelId &kernel, JudgePurpose purpose)
{
    return Judge{judgeCall(kernel, purpose), kernel, purpose};
}

/// Merges the three work lists of the search phase by slot: a plan comes before its attempts, and
/// an attempt's judgement where the attempt stands.
class SearchCommands
{
public:
    SearchCommands(const State &state, Limits limits)
        : m_state(state),
          m_limits(limits),
          m_plan(state.openPlans.begin()),
          m_attempt(state.openAttempts.begin()),
          m_judgement(state.openJudgements.begin())
    {}

    std::vector<Command> take()
    {
        while (true) {
            const bool aPlan = m_limits.roleCalls > 0 && m_plan != m_state.openPlans.end();
            const bool anAttempt =
                m_limits.roleCalls > 0 && m_attempt != m_state.openAttempts.end();
            const bool aJudgement =
                m_limits.judgements > 0 && m_judgement != m_state.openJudgements.end();
            if (aJudgement && !(aPlan && *m_plan <= m_judgement->first.slot.plan) &&
                !(anAttempt && *m_attempt <= m_judgement->first.slot))
                takeJudgement();
            else if (anAttempt && !(aPlan && *m_plan <= m_attempt->plan))
                takeAttempt();
            else if (aPlan)
                takePlan();
            else
                return std::move(m_commands);
        }
    }

private:
    void takePlan()
    {
        m_commands.push_back(AskPlanner{planCall(*m_plan), *m_plan});
        ++m_plan;
        --m_limits.roleCalls;
    }

    void takeAttempt()
    {
        const AttemptRecord *record = attempt(m_state, *m_attempt);
        const int repair = record ? static_cast<int>(record->turns.size()) : 0;
        m_commands.push_back(AskExecutor{writeCall(Turn{*m_attempt, repair}), *m_attempt, repair});
        ++m_attempt;
        --m_limits.roleCalls;
    }

    void takeJudgement()
    {
        m_commands.push_back(judge(m_judgement->second, JudgePurpose::Search));
        ++m_judgement;
        --m_limits.judgements;
    }

    const State &m_state;
    Limits m_limits;
    std::set<PlanSlot>::const_iterator m_plan;
    std::set<AttemptSlot>::const_iterator m_attempt;
    std::map<Turn, KernelId>::const_iterator m_judgement;
    std::vector<Command> m_commands;
};

} // namespace

std::vector<Command> next(const State &state, Limits limits)
{
    switch (state.phase) {
    case Phase::NotOpened:
    case Phase::Finished: return {};
    case Phase::Baseline:
        if (limits.judgements == 0)
            return {};
        return {judge(state.opened.baseline, JudgePurpose::Search)};
    case Phase::Search: return SearchCommands(state, limits).take();
    case Phase::Curate: {
        std::vector<Command> commands;
        for (const auto &[iteration, rank] : state.openPairs) {
            if (commands.size() == limits.roleCalls)
                break;
            commands.push_back(AskSummarizer{summaryCall(iteration, rank), iteration, rank});
        }
        return commands;
    }
    case Phase::WaitForPerson:
        return {WaitForPerson{CallId("person"),
                              "Every correct kernel has been dropped, so there is nothing to build "
                              "on. Take one of them back, pin one, or stop the run."}};
    case Phase::Confirm: {
        std::vector<Command> commands;
        for (const KernelId &kernel : state.openConfirmations) {
            if (commands.size() == limits.judgements)
                break;
            commands.push_back(judge(kernel, JudgePurpose::Confirmation));
        }
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
