// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/WhatIf.h"

#include "core/search/Calls.h"
#include "core/search/Fold.h"
#include "core/search/Next.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace accelopt::widgets {

namespace {

using search::State;

/// What a lesson is about; its name differs when other pairs were taken.
using LessonKey = std::pair<KernelId, KernelId>;

class Refolder
{
public:
    Refolder(const State &recorded, const RunConfig &config) : m_recorded(recorded)
    {
        RunOpened opened = recorded.opened;
        opened.config = config;
        add(opened, "engine");
        for (const search::MemoryItem &item : recorded.items) {
            if (item.item.iteration >= 0 && !item.item.plan.value.empty())
                continue;
            PairSummarized carried; // it was there before the first iteration
            carried.call = CallId("import." + item.item.id.value);
            carried.iteration = -1;
            carried.item = item.item;
            add(carried, "engine");
        }
        for (const search::IterationRecord &iteration : recorded.iterations)
            for (const search::PairRecord &pair : iteration.curation.pairs)
                m_pairs.emplace(LessonKey(pair.slow, pair.fast), &pair);
    }

    WhatIf run()
    {
        while (m_result.endsBecause.empty()) {
            const std::vector<search::Command> commands = search::next(m_state);
            if (commands.empty())
                break;
            bool moved = false;
            for (const search::Command &command : commands) {
                if (!answer(command))
                    break;
                moved = true;
            }
            if (!moved)
                break;
        }
        const int begun = int(m_state.iterations.size());
        const bool lastDone = begun > 0 && m_state.iterations.back().implemented;
        m_result.answeredIterations =
            m_result.finished || lastDone ? begun : std::max(0, begun - 1);
        m_result.exactIterations = std::min(
            m_otherLessonsFrom.value_or(m_result.answeredIterations), m_result.answeredIterations);
        m_result.state = std::move(m_state);
        return std::move(m_result);
    }

private:
    void add(EventBody body, std::string actor)
    {
        search::apply(m_state,
                      Event{m_state.lastSequence + 1, std::move(actor), 0, std::move(body)});
    }

    bool missing(std::string why)
    {
        m_result.endsBecause = std::move(why);
        return false;
    }

    bool answer(const search::Command &command)
    {
        return std::visit([this](const auto &asked) { return reply(asked); }, command);
    }

    /// The recorded plan that was made for the same candidate in the same iteration.
    const search::PlanRecord *recordedPlan(const PlanSlot &slot) const
    {
        const search::PlanRecord *mine = search::plan(m_state, slot);
        if (mine == nullptr || slot.iteration >= int(m_recorded.iterations.size()))
            return nullptr;
        const search::IterationRecord &there = m_recorded.iterations[std::size_t(slot.iteration)];
        const KernelId &candidate =
            m_state.iterations[std::size_t(slot.iteration)].candidates[std::size_t(slot.candidate)];
        for (std::size_t c = 0; c < there.candidates.size(); ++c)
            if (there.candidates[c] == candidate && slot.plan < there.plansPerCandidate)
                return search::plan(m_recorded, {slot.iteration, int(c), slot.plan});
        return nullptr;
    }

    /// The recorded pair of the same kernels: the one of the same rank, or any.
    const search::PairRecord *recordedPair(int iteration, int rank) const
    {
        const search::PairRecord *mine = search::pair(m_state, iteration, rank);
        if (mine == nullptr)
            return nullptr;
        const search::PairRecord *same = search::pair(m_recorded, iteration, rank);
        if (same != nullptr && same->slow == mine->slow && same->fast == mine->fast)
            return same;
        const auto known = m_pairs.find(LessonKey(mine->slow, mine->fast));
        return known == m_pairs.end() ? nullptr : known->second;
    }

    std::set<LessonKey> lessonsOf(const State &state, const std::vector<ItemId> &items) const
    {
        std::set<LessonKey> keys;
        for (const ItemId &id : items)
            if (const search::MemoryItem *item = search::item(state, id))
                keys.emplace(item->item.slow, item->item.fast);
        return keys;
    }

    bool reply(const search::AskPlanner &asked)
    {
        const search::PlanRecord *plan = recordedPlan(asked.slot);
        const auto &candidates = m_state.iterations[std::size_t(asked.slot.iteration)].candidates;
        const KernelId &candidate = candidates[std::size_t(asked.slot.candidate)];
        if (plan == nullptr || plan->status == search::PlanStatus::Open)
            return missing(fmt::format(
                "iteration {}: plan {} for kernel {} was never asked for in the recorded run",
                asked.slot.iteration + 1, asked.slot.plan + 1, shortId(candidate)));
        if (!m_otherLessonsFrom) {
            std::vector<ItemId> told;
            for (const ExperienceItem &item : search::experiences(m_state))
                told.push_back(item.id);
            if (plan->status == search::PlanStatus::Made && plan->plan.author != "human" &&
                lessonsOf(m_state, told) != lessonsOf(m_recorded, plan->plan.usedItems))
                m_otherLessonsFrom = asked.slot.iteration;
        }
        if (plan->status != search::PlanStatus::Made) {
            CallFailed failed;
            failed.call = asked.call;
            failed.slot = asked.slot;
            failed.reason = plan->failure;
            add(failed, "recorded");
            return true;
        }
        PlanMade made;
        made.call = asked.call;
        made.plan = plan->plan;
        made.plan.slot = asked.slot;
        add(made, plan->plan.author == "human" ? "human" : "recorded");
        return true;
    }

    bool reply(const search::AskExecutor &asked)
    {
        const search::PlanRecord *plan = recordedPlan(asked.slot.plan);
        if (plan == nullptr || asked.slot.attempt >= int(plan->attempts.size()))
            return missing(fmt::format("iteration {}: kernel {} of a plan was never written in the "
                                       "recorded run",
                                       asked.slot.plan.iteration + 1, asked.slot.attempt + 1));
        const search::AttemptRecord &attempt = plan->attempts[std::size_t(asked.slot.attempt)];
        if (asked.repair < int(attempt.turns.size())) {
            const search::TurnRecord &turn = attempt.turns[std::size_t(asked.repair)];
            AttemptMade made;
            made.call = asked.call;
            made.slot = asked.slot;
            made.kernel = turn.kernel;
            made.text = turn.text;
            made.usage = turn.usage;
            made.repair = asked.repair;
            add(made, turn.author);
            return true;
        }
        if (attempt.failure.empty())
            return missing(fmt::format("iteration {}: the kernel of {} was never written or "
                                       "repaired in the recorded run",
                                       asked.slot.plan.iteration + 1,
                                       planId(plan->plan.slot).value));
        CallFailed failed;
        failed.call = asked.call;
        failed.role = RoleName::Executor;
        failed.slot = asked.slot.plan;
        failed.attempt = asked.slot.attempt;
        failed.reason = attempt.failure;
        add(failed, "recorded");
        return true;
    }

    bool reply(const search::AskSummarizer &asked)
    {
        const search::PairRecord *known = recordedPair(asked.iteration, asked.rank);
        const bool hasItem = known != nullptr && known->status == search::PairStatus::Summarized;
        if (hasItem || (known != nullptr && known->status == search::PairStatus::Declined)) {
            PairSummarized summarized;
            summarized.call = asked.call;
            summarized.iteration = asked.iteration;
            summarized.rank = asked.rank;
            summarized.declined = !hasItem;
            summarized.item = known->item;
            add(summarized, known->author);
            return true;
        }
        // The search goes on without the lesson; only what planners are told differs.
        CallFailed failed;
        failed.call = asked.call;
        failed.role = RoleName::Summarizer;
        failed.reason = "no lesson was drawn from this pair in the recorded run";
        add(failed, "recorded");
        return true;
    }

    bool reply(const search::Judge &asked)
    {
        const search::KernelRecord *record = search::kernel(m_recorded, asked.kernel);
        KernelJudged judged;
        judged.kernel = asked.kernel;
        judged.purpose = asked.purpose;
        if (asked.purpose == JudgePurpose::Confirmation) {
            if (record == nullptr || !record->confirmation || !record->confirmation->judged)
                return missing("the search is at its end; its best kernels were not judged a "
                               "second time in the recorded run");
            judged.verdict = record->confirmation->verdict;
            judged.profile = record->confirmation->profile;
        } else {
            if (record == nullptr || !record->judged)
                return missing(fmt::format("kernel {} was not judged in the recorded run",
                                           shortId(asked.kernel)));
            judged.verdict = record->verdict;
            judged.profile = record->profile;
        }
        add(judged, "recorded");
        return true;
    }

    bool reply(const search::WaitForPerson &asked) { return missing(asked.reason); }

    bool reply(const search::Finish &asked)
    {
        add(RunFinished{asked.reason}, "engine");
        m_result.finished = true;
        m_result.endsBecause = asked.reason;
        return true;
    }

    const State &m_recorded;
    State m_state;
    WhatIf m_result;
    std::map<LessonKey, const search::PairRecord *> m_pairs;
    std::optional<int> m_otherLessonsFrom; ///< iteration
};

} // namespace

WhatIf whatIf(const search::State &recorded, const RunConfig &config)
{
    if (recorded.phase == search::Phase::NotOpened) {
        WhatIf nothing;
        nothing.endsBecause = "there is no run";
        return nothing;
    }
    return Refolder(recorded, config).run();
}

} // namespace accelopt::widgets
