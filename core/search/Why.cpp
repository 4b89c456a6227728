// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Why.h"

#include "core/search/Calls.h"
#include "core/search/Words.h"

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

void tellDecisions(const State &state, const KernelId &id, Sentences &told)
{
    for (const PersonDecided &decision : state.decisions) {
        if (decision.kernel != id || id.empty())
            continue;
        std::string_view done = "dropped it";
        if (decision.decision == Decision::PinKernel)
            done = "pinned it to the beam";
        else if (decision.decision == Decision::UnpinKernel)
            done = "unpinned it";
        else if (decision.decision == Decision::UndropKernel)
            done = "took it back";
        told.push_back(fmt::format("A person {}{}.", done,
                                   decision.reason.empty() ? "" : ": " + decision.reason));
    }
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
        return told;
    }
    if (!record.verdict.correct()) {
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
    if (state.best == record.id)
        told.push_back("It is the best kernel so far.");
    if (record.confirmation && !record.confirmation->reason.empty())
        told.push_back(fmt::format("At the end: {}.", record.confirmation->reason));
    tellDecisions(state, record.id, told);
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

Sentences whyItem(const MemoryItem &record)
{
    Sentences told;
    if (!record.item.plan.value.empty())
        told.push_back(fmt::format("Learnt in iteration {} from the plan {}: {} is {} faster than "
                                   "{}.",
                                   record.item.iteration + 1, record.item.plan.value,
                                   shortId(record.item.fast), times(record.item.speedup),
                                   shortId(record.item.slow)));
    if (const auto from = record.item.tags.find("from"); from != record.item.tags.end())
        told.push_back(fmt::format("Learnt in another run, {}, where the one kernel was {} faster "
                                   "than the other.",
                                   from->second, times(record.item.speedup)));
    told.push_back(fmt::format("Fate: {}.", record.fate.text));
    if (record.edited)
        told.push_back(
            fmt::format("A person edited it; before, it was called \"{}\".", record.originalTitle));
    told.push_back(fmt::format("It was in the prompt of {}; {} of them won a place in the beam.",
                               count(record.prompts, "plan", "plans"), record.wins));
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

} // namespace

std::vector<std::string> why(const State &state, std::string_view id)
{
    if (id == "run")
        return whyRun(state);
    if (const MemoryItem *found = item(state, ItemId(std::string(id))))
        return whyItem(*found);
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

} // namespace accelopt::search
