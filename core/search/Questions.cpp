// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Questions.h"

#include "core/search/Calls.h"
#include "core/search/Curate.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace accelopt::search {

namespace {

std::string sourceOf(const KernelRecord *record, const TextLookup &texts)
{
    return record ? texts(record->text) : std::string();
}

/// Tells the kernel itself, its ancestors and its siblings from all others.
class Relatives
{
public:
    Relatives(const State &state, const KernelId &candidate) : m_state(state)
    {
        const KernelRecord *self = kernel(state, candidate);
        if (self)
            m_parent = self->parent;
        for (const KernelRecord *at = self; at; at = kernel(state, at->parent))
            m_line.insert(at->id);
    }

    bool contains(const KernelId &other) const
    {
        if (m_line.contains(other))
            return true;
        const KernelRecord *record = kernel(m_state, other);
        return record && !m_parent.empty() && record->parent == m_parent;
    }

private:
    const State &m_state;
    KernelId m_parent;
    std::set<KernelId> m_line;
};

/// What the attempts of a plan came to, appended to `past`.
void addOutcomes(const State &state, const PlanRecord &record, std::vector<PastAttempt> &past)
{
    const PlanSlot &slot = record.plan.slot;
    for (std::size_t a = 0; a < record.attempts.size(); ++a) {
        const AttemptRecord &attempt = record.attempts[a];
        const KernelRecord *written = kernel(state, attempt.kernel());
        if (!written)
            continue;
        PastAttempt one;
        one.parent = record.plan.parent;
        one.planTitle = record.plan.title;
        one.directive = record.plan.directive;
        one.verdict = written->verdict.status;
        one.speedup = speedup(state, one.parent, written->id);
        one.duplicate = isDuplicate(
            state, Turn{{slot, static_cast<int>(a)}, static_cast<int>(attempt.turns.size()) - 1});
        one.iteration = slot.iteration;
        one.kernel = written->id;
        past.push_back(std::move(one));
    }
}

/// Kernels written in finished iterations, newest first, and the baseline.
std::vector<KernelId> knownKernels(const State &state)
{
    std::vector<KernelId> known;
    for (auto iteration = state.iterations.rbegin(); iteration != state.iterations.rend();
         ++iteration) {
        if (!iteration->implemented)
            continue;
        for (auto plan = iteration->plans.rbegin(); plan != iteration->plans.rend(); ++plan)
            for (auto attempt = plan->attempts.rbegin(); attempt != plan->attempts.rend();
                 ++attempt) {
                if (known.size() + 1 >= kMostKnownKernels)
                    break;
                if (!attempt->turns.empty())
                    known.push_back(attempt->kernel());
            }
        if (known.size() + 1 >= kMostKnownKernels)
            break;
    }
    known.push_back(state.opened.baseline);
    return known;
}

} // namespace

std::vector<PastAttempt> pastAttempts(const State &state, const KernelId &candidate)
{
    const Relatives relatives(state, candidate);
    std::vector<PastAttempt> past; // newest first
    for (auto iteration = state.iterations.rbegin();
         iteration != state.iterations.rend() && past.size() < kMostPastAttempts; ++iteration) {
        if (!iteration->implemented)
            continue;
        std::vector<bool> related;
        for (const KernelId &one : iteration->candidates)
            related.push_back(relatives.contains(one));
        std::vector<PastAttempt> here;
        for (const PlanRecord &plan : iteration->plans) {
            const auto index = static_cast<std::size_t>(plan.plan.slot.candidate);
            if (index < related.size() && related[index])
                addOutcomes(state, plan, here);
        }
        past.insert(past.end(), std::make_move_iterator(here.rbegin()),
                    std::make_move_iterator(here.rend()));
    }
    if (past.size() > kMostPastAttempts)
        past.resize(kMostPastAttempts);
    std::reverse(past.begin(), past.end());
    return past;
}

PlannerQuestion question(const State &state, const AskPlanner &command, const TextLookup &texts)
{
    PlannerQuestion asked;
    asked.slot = command.slot;
    asked.seed = callSeed(state.config.seed, command.call);
    const PlanRecord *record = plan(state, command.slot);
    if (!record)
        return asked;
    asked.samples =
        state.iterations[static_cast<std::size_t>(command.slot.iteration)].plansPerCandidate;
    asked.candidate = record->plan.parent;
    const KernelRecord *candidate = kernel(state, asked.candidate);
    asked.source = sourceOf(candidate, texts);
    if (candidate)
        asked.profile = candidate->profile;
    if (const KernelRecord *baseline = kernel(state, state.opened.baseline))
        asked.baseline = baseline->profile;
    asked.experiences = experiences(state);
    asked.past = pastAttempts(state, asked.candidate);
    asked.known = knownKernels(state);
    const std::vector<KernelId> &beam =
        state.iterations[static_cast<std::size_t>(command.slot.iteration)].candidates;
    for (std::size_t mate = 0; mate < static_cast<std::size_t>(command.slot.candidate); ++mate)
        if (const KernelRecord *other = kernel(state, beam[mate]))
            asked.before.push_back({other->id, sourceOf(other, texts), other->profile,
                                    pastAttempts(state, other->id)});
    return asked;
}

ExecutorQuestion question(const State &state, const AskExecutor &command, const TextLookup &texts)
{
    ExecutorQuestion asked;
    asked.slot = command.slot;
    asked.repair = command.repair;
    asked.seed = callSeed(state.config.seed, command.call);
    const PlanRecord *record = plan(state, command.slot.plan);
    const AttemptRecord *written = attempt(state, command.slot);
    if (!record || !written)
        return asked;
    asked.plan = record->plan;
    asked.candidate = record->plan.parent;
    asked.source = sourceOf(kernel(state, asked.candidate), texts);
    if (command.repair > 0 && !written->turns.empty()) {
        // The kernel of the last turn, with what was wrong about it.
        asked.previousAnswer = texts(written->turns.back().text);
        if (const KernelRecord *broken = kernel(state, written->kernel()))
            asked.previousVerdict = broken->verdict;
    }
    return asked;
}

SummarizerQuestion question(const State &state, const AskSummarizer &command,
                            const TextLookup &texts)
{
    SummarizerQuestion asked;
    asked.iteration = command.iteration;
    asked.rank = command.rank;
    const PairRecord *taken = pair(state, command.iteration, command.rank);
    if (!taken)
        return asked;
    asked.positive = taken->positive;
    asked.speedup = taken->speedup;
    asked.slow = taken->slow;
    asked.fast = taken->fast;
    const KernelRecord *slow = kernel(state, taken->slow);
    const KernelRecord *fast = kernel(state, taken->fast);
    asked.slowSource = sourceOf(slow, texts);
    asked.fastSource = sourceOf(fast, texts);
    if (slow)
        asked.slowProfile = slow->profile;
    if (fast)
        asked.fastProfile = fast->profile;
    if (const PlanRecord *record = plan(state, taken->plan))
        asked.plan = record->plan;
    return asked;
}

JudgeQuestion question(const State &state, const Judge &command, const TextLookup &texts)
{
    JudgeQuestion asked;
    asked.kernel = command.kernel;
    asked.source = sourceOf(kernel(state, command.kernel), texts);
    asked.purpose = command.purpose;
    asked.seed = state.config.seed;
    return asked;
}

Plan makePlan(const PlannerQuestion &question, const PlannerAnswer &answer, std::string author)
{
    Plan made;
    made.slot = question.slot;
    made.parent = question.candidate;
    made.title = answer.title;
    made.text = answer.text;
    made.directive = answer.directive;
    for (const Experience &experience : question.experiences)
        made.usedItems.push_back(experience.id);
    made.author = std::move(author);
    return made;
}

ExperienceItem makeItem(const SummarizerQuestion &question, const SummarizerAnswer &answer)
{
    ExperienceItem made;
    made.id = itemId(question.iteration, question.rank);
    made.title = answer.title;
    made.strategy = answer.strategy;
    made.before = answer.before;
    made.after = answer.after;
    made.positive = question.positive;
    made.speedup = question.speedup;
    made.slow = question.slow;
    made.fast = question.fast;
    made.plan = planId(question.plan.slot);
    made.iteration = question.iteration;
    made.tags = answer.tags;
    return made;
}

} // namespace accelopt::search
