// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Why.h"

#include "core/search/Calls.h"
#include "core/search/Words.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::search {

namespace {

/// Shortest prefix of a kernel's id that is taken for the whole.
constexpr std::size_t kShortestPrefix = 6;

using Sentences = std::vector<std::string>;

const KernelRecord *kernelByPrefix(const State &state, std::string_view text)
{
    if (const KernelRecord *exact = kernel(state, KernelId(std::string(text))))
        return exact;
    if (text.size() < kShortestPrefix)
        return nullptr;
    const auto first = state.kernels.lower_bound(KernelId(std::string(text)));
    if (first == state.kernels.end() || !first->first.value.starts_with(text))
        return nullptr;
    const auto second = std::next(first);
    if (second != state.kernels.end() && second->first.value.starts_with(text))
        return nullptr;
    return &first->second;
}

std::string planTitle(const PlanRecord &plan)
{
    return plan.plan.title.empty() ? planId(plan.plan.slot).value
                                   : fmt::format("\"{}\"", plan.plan.title);
}

std::string_view doneTo(Decision decision)
{
    switch (decision) {
    case Decision::PinKernel: return "pinned it to the beam";
    case Decision::UnpinKernel: return "unpinned it";
    case Decision::DropKernel: return "dropped it";
    case Decision::UndropKernel: return "took it back";
    case Decision::ApproveItem: return "approved it";
    case Decision::RejectItem: return "rejected it";
    case Decision::PinItem: return "pinned it to the memory";
    case Decision::UnpinItem: return "unpinned it";
    case Decision::EditItem: return "edited it";
    case Decision::ProposeItem: return "took the decision on it back";
    case Decision::Stop: break;
    }
    return "decided on it";
}

/// What persons decided on a kernel or an item, in the order in which they did.
template <typename Concerns>
void tellDecisions(const State &state, const Concerns &concerns, Sentences &told)
{
    for (const PersonDecided &decision : state.decisions)
        if (concerns(decision))
            told.push_back(fmt::format("A person {}{}.", doneTo(decision.decision),
                                       decision.reason.empty() ? "" : ": " + decision.reason));
}

/// "iteration 3", "iterations 1 to 3 and 5"; counted from one. `indices` ascend.
std::string iterationWords(const std::vector<int> &indices)
{
    std::vector<std::string> ranges;
    for (std::size_t i = 0; i < indices.size();) {
        std::size_t last = i;
        while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1)
            ++last;
        ranges.push_back(last == i ? fmt::format("{}", indices[i] + 1)
                                   : fmt::format("{} to {}", indices[i] + 1, indices[last] + 1));
        i = last + 1;
    }
    std::string words = indices.size() == 1 ? "iteration " : "iterations ";
    for (std::size_t i = 0; i < ranges.size(); ++i)
        words += (i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ") + ranges[i];
    return words;
}

/// Where else the kernel was written, whether plans were made for it, and what was learnt from it.
void tellUse(const State &state, const KernelRecord &record, Sentences &told)
{
    std::vector<std::string> again;
    std::vector<int> candidate;
    for (const IterationRecord &iteration : state.iterations) {
        if (std::find(iteration.candidates.begin(), iteration.candidates.end(), record.id) !=
            iteration.candidates.end())
            candidate.push_back(iteration.index);
        for (const PlanRecord &plan : iteration.plans)
            for (std::size_t a = 0; a < plan.attempts.size(); ++a)
                for (std::size_t turn = 0; turn < plan.attempts[a].turns.size(); ++turn) {
                    const Turn here{{plan.plan.slot, static_cast<int>(a)}, static_cast<int>(turn)};
                    if (plan.attempts[a].turns[turn].kernel == record.id && record.first != here)
                        again.push_back(describe(here.slot));
                }
    }
    if (!candidate.empty())
        told.push_back(fmt::format("It was a candidate of {}.", iterationWords(candidate)));
    if (again.size() == 1)
        told.push_back(
            fmt::format("It was written again as {}, and not judged again.", again.front()));
    else if (!again.empty())
        told.push_back(fmt::format("It was written again {} times, first as {}, and not judged "
                                   "again.",
                                   again.size(), again.front()));
    for (const MemoryItem &learnt : state.items)
        if (learnt.item.slow == record.id || learnt.item.fast == record.id)
            told.push_back(fmt::format("It is the {} kernel of the lesson {}, {}, which is {}.",
                                       learnt.item.fast == record.id ? "fast" : "slow",
                                       learnt.item.id.value, times(learnt.item.speedup),
                                       name(learnt.status)));
}

Sentences whyKernel(const State &state, const KernelRecord &record)
{
    Sentences told;
    if (record.first) {
        const PlanRecord *from = plan(state, record.first->slot.plan);
        told.push_back(
            fmt::format("Written {} in iteration {} as {} for the plan {}, from kernel {}.",
                        record.origin == Origin::Human ? "by a person" : "by the executor",
                        record.iteration + 1, describe(record.first->slot),
                        from ? planTitle(*from) : std::string("?"), shortId(record.parent)));
    } else {
        told.push_back("The baseline, from which the search starts.");
    }
    if (!record.judged) {
        told.push_back("Not judged yet.");
    } else if (!record.verdict.correct()) {
        told.push_back(fmt::format("Judged: {}.", verdictWords(record.verdict)));
        for (std::size_t i = 1; i < record.verdict.reasons.size(); ++i)
            told.push_back("Also: " + record.verdict.reasons[i].message);
    } else {
        std::string sentence =
            fmt::format("Judged correct: {}", milliseconds(record.profile.latencyMs));
        if (const double gain = speedup(state, record.parent, record.id); gain > 0)
            sentence += fmt::format(", {} against its parent", times(gain));
        if (const double gain = speedupOverBaseline(state, record.id); gain > 0 && record.first)
            sentence += fmt::format(", {} against the baseline", times(gain));
        if (record.profile.percentOfPeak)
            sentence += fmt::format(", {:.1f} % of peak", *record.profile.percentOfPeak);
        told.push_back(sentence + ".");
    }
    if (record.fate.code != FateCode::Pending)
        told.push_back(fmt::format("Fate: {}.", record.fate.text));
    else if (record.judged)
        told.push_back("Nothing is concluded about it yet: its iteration is under way.");
    if (state.best == record.id)
        told.push_back("It is the best kernel so far.");
    tellUse(state, record, told);
    if (record.confirmation && !record.confirmation->reason.empty())
        told.push_back(fmt::format("At the end: {}.", record.confirmation->reason));
    tellDecisions(
        state, [&](const PersonDecided &made) { return made.kernel == record.id; }, told);
    return told;
}

Sentences whyAttempt(const State &state, const AttemptRecord &record)
{
    Sentences told;
    for (std::size_t turn = 0; turn < record.turns.size(); ++turn) {
        const KernelRecord *written = kernel(state, record.turns[turn].kernel);
        told.push_back(fmt::format("{} kernel {}: {}.", turn == 0 ? "Wrote" : "Repaired it to",
                                   shortId(record.turns[turn].kernel),
                                   written && written->judged ? verdictWords(written->verdict)
                                                              : "not judged yet"));
    }
    if (record.fate.code != FateCode::Pending)
        told.push_back(fmt::format("Fate: {}.", record.fate.text));
    else if (!record.failure.empty())
        told.push_back(record.failure);
    if (told.empty())
        told.push_back(fmt::format("The attempt is {}.", name(record.status)));
    return told;
}

Sentences whyPlan(const State &state, const PlanRecord &record)
{
    Sentences told;
    told.push_back(fmt::format(
        "Planned for kernel {}: {}.", shortId(record.plan.parent),
        record.status == PlanStatus::Made ? planTitle(record) : std::string(name(record.status))));
    if (!record.failure.empty())
        told.push_back(record.failure);
    if (!record.plan.usedItems.empty())
        told.push_back(
            fmt::format("Its prompt held {}.", count(static_cast<int>(record.plan.usedItems.size()),
                                                     "experience item", "experience items")));
    for (std::size_t a = 0; a < record.attempts.size(); ++a)
        for (const std::string &sentence : whyAttempt(state, record.attempts[a]))
            told.push_back(fmt::format("Attempt {}: {}", a, sentence));
    const IterationRecord &iteration =
        state.iterations[static_cast<std::size_t>(record.plan.slot.iteration)];
    for (const GroupOutcome &group : iteration.curation.groups)
        if (group.plan == record.plan.slot)
            told.push_back(fmt::format("Memory: {}.", group.text));
    return told;
}

/// The plans whose prompts held the item, the ones that gained most first, and how they fared.
void tellAdoption(const State &state, const MemoryItem &record, Sentences &told)
{
    struct Carrier
    {
        const PlanRecord *plan;
        double speedup; ///< of its best kernel against the parent; 0 without a correct one
        const Fate *fate;
    };
    std::vector<Carrier> carriers;
    int correct = 0;
    for (const IterationRecord &iteration : state.iterations)
        for (const PlanRecord &plan : iteration.plans) {
            const auto &used = plan.plan.usedItems;
            if (std::find(used.begin(), used.end(), record.item.id) == used.end())
                continue;
            Carrier carrier{&plan, 0, nullptr};
            for (const AttemptRecord &attempt : plan.attempts) {
                const double gain = speedup(state, plan.plan.parent, attempt.kernel());
                if (carrier.fate == nullptr || gain > carrier.speedup)
                    carrier.fate = &attempt.fate;
                carrier.speedup = std::max(carrier.speedup, gain);
            }
            correct += carrier.speedup > 0;
            carriers.push_back(carrier);
        }
    told.push_back(fmt::format(
        "It was in the prompt of {}; {} of them gave a correct kernel, {} won a place in the beam.",
        count(record.prompts, "plan", "plans"), correct, record.wins));
    std::stable_sort(carriers.begin(), carriers.end(),
                     [](const Carrier &a, const Carrier &b) { return a.speedup > b.speedup; });
    constexpr std::size_t kMostPlans = 5; // the rest is in the exported tables
    for (std::size_t i = 0; i < std::min(carriers.size(), kMostPlans); ++i)
        told.push_back(
            fmt::format("Plan {}, {}: {}{}.", planId(carriers[i].plan->plan.slot).value,
                        planTitle(*carriers[i].plan),
                        carriers[i].speedup > 0 ? times(carriers[i].speedup) + " against its parent"
                                                : std::string("no correct kernel"),
                        carriers[i].fate != nullptr && carriers[i].fate->code != FateCode::Pending
                            ? "; " + carriers[i].fate->text
                            : std::string()));
    if (carriers.size() > kMostPlans)
        told.push_back(fmt::format("And {}.", count(static_cast<int>(carriers.size() - kMostPlans),
                                                    "more plan", "more plans")));
}

Sentences whyItem(const State &state, const MemoryItem &record)
{
    Sentences told;
    const bool ownPair = [&] {
        for (const IterationRecord &iteration : state.iterations)
            for (std::size_t rank = 0; rank < iteration.curation.pairs.size(); ++rank)
                if (iteration.curation.pairs[rank].status == PairStatus::Summarized &&
                    iteration.curation.pairs[rank].item.id == record.item.id)
                    return true;
        return false;
    }();
    const std::string sign = record.item.positive ? "do this" : "avoid the reverse";
    if (ownPair)
        told.push_back(fmt::format("Learnt in iteration {} from the plan {}: {} is {} faster than "
                                   "{} ({}).",
                                   record.item.iteration + 1, record.item.plan.value,
                                   shortId(record.item.fast), times(record.item.speedup),
                                   shortId(record.item.slow), sign));
    else
        told.push_back(fmt::format("Learnt in another run, where it stood for {} ({}).",
                                   times(record.item.speedup), sign));
    told.push_back(fmt::format("Fate: {}.", record.fate.text));
    std::vector<int> held;
    for (const IterationRecord &iteration : state.iterations) {
        const std::vector<ItemId> &memory = iteration.curation.memory;
        if (std::find(memory.begin(), memory.end(), record.item.id) != memory.end())
            held.push_back(iteration.index);
    }
    if (!held.empty())
        told.push_back(fmt::format("It was in the memory after {}.", iterationWords(held)));
    if (record.edited)
        told.push_back(
            fmt::format("A person edited it; before, it was called \"{}\".", record.originalTitle));
    tellAdoption(state, record, told);
    tellDecisions(
        state, [&](const PersonDecided &made) { return made.item == record.item.id; }, told);
    return told;
}

Sentences whyPair(const PairRecord &record)
{
    Sentences told;
    told.push_back(fmt::format("A {} pair of the plan {}: {} is {} faster than {}.",
                               record.positive ? "positive" : "negative", planId(record.plan).value,
                               shortId(record.fast), times(record.speedup), shortId(record.slow)));
    told.push_back(fmt::format("It is {}{}.", name(record.status),
                               record.reason.empty() ? "" : ": " + record.reason));
    if (record.status == PairStatus::Summarized)
        told.push_back(
            fmt::format("Its lesson is {}, \"{}\".", record.item.id.value, record.item.title));
    return told;
}

Sentences whyIteration(const State &state, const IterationRecord &record)
{
    Sentences told;
    told.push_back(fmt::format("Started from {}.", count(static_cast<int>(record.candidates.size()),
                                                         "candidate", "candidates")));
    if (!record.implemented) {
        told.push_back("It is under way.");
        return told;
    }
    told.push_back(fmt::format("{}, {} of them correct.",
                               count(record.profiled, "new kernel judged", "new kernels judged"),
                               record.correct));
    if (const KernelRecord *best = kernel(state, record.best))
        told.push_back(fmt::format("The best afterwards was {} with {}.", shortId(best->id),
                                   milliseconds(best->profile.latencyMs)));
    told.push_back(fmt::format("Verdict: {}; {}.", name(record.saturation), record.saturationText));
    for (const SelectionEntry &entry : record.selection.entries)
        told.push_back(fmt::format("Kernel {}: {}.", shortId(entry.kernel), entry.fate.text));
    return told;
}

Sentences whyRun(const State &state)
{
    Sentences told;
    if (state.phase == Phase::NotOpened)
        return told;
    if (isStopping(state))
        told.push_back(fmt::format("It ends because: {}.", state.stop.text));
    else
        told.push_back("It goes on.");
    for (const BudgetMoved &moved : state.budgetMoves)
        told.push_back(fmt::format("Budget, round {}: {}.", moved.round, moved.reason));
    for (const auto &[iteration, rank] : state.keptPairs)
        told.push_back(fmt::format("Pair i{}.m{} has no item yet: {}.", iteration, rank,
                                   pair(state, iteration, rank)->reason));
    for (const std::string &complaint : state.complaints)
        told.push_back(fmt::format("Ignored: {}.", complaint));
    return told;
}

Sentences sentencesAbout(const State &state, std::string_view id)
{
    if (id == "run")
        return whyRun(state);
    if (const MemoryItem *found = item(state, ItemId(std::string(id))))
        return whyItem(state, *found);
    // Plans, attempts, pairs and iterations are named like the calls about them.
    const std::string text(id);
    if (const auto place = callPlace(CallId(text + ".plan")))
        if (const PlanRecord *found = plan(state, place->turn.slot.plan))
            return whyPlan(state, *found);
    if (const auto place = callPlace(CallId(text + ".write")))
        if (const AttemptRecord *found = attempt(state, place->turn.slot))
            return whyAttempt(state, *found);
    if (const auto place = callPlace(CallId(text + ".summary")))
        if (const PairRecord *found = pair(state, place->iteration, place->rank))
            return whyPair(*found);
    if (const auto place = callPlace(CallId(text + ".m0.summary")))
        if (static_cast<std::size_t>(place->iteration) < state.iterations.size())
            return whyIteration(state,
                                state.iterations[static_cast<std::size_t>(place->iteration)]);
    if (const KernelRecord *found = kernelByPrefix(state, id))
        return whyKernel(state, *found);
    return {};
}

} // namespace

std::vector<std::string> why(const State &state, std::string_view id)
{
    Sentences told = sentencesAbout(state, id);
    // Reasons are whole sentences at times.
    for (std::string &sentence : told)
        if (sentence.ends_with("..") && !sentence.ends_with("..."))
            sentence.pop_back();
    return told;
}

} // namespace accelopt::search
