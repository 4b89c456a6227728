// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"
#include "tests/search/World.h"

#include <optional>
#include <string>
#include <vector>

namespace accelopt::search::tests {

/// Builds the state at the end of an iteration's profiling by hand: kernels are named after their
/// latency, a group is the list of its attempts' latencies, and an attempt without a latency is
/// wrong.
class Sketch
{
public:
    using Group = std::vector<std::optional<double>>;

    explicit Sketch(double baselineMs, double tieMargin = 0) : m_tieMargin(tieMargin)
    {
        state.opened.baseline = add(baselineMs);
        state.best = state.opened.baseline;
        state.patienceReferenceMs = baselineMs;
        state.phase = Phase::Search;
    }

    static KernelId id(double latencyMs)
    {
        std::string name = std::to_string(latencyMs);
        name.erase(name.find_last_not_of('0') + 1);
        return KernelId(name);
    }

    KernelId add(double latencyMs, std::optional<Turn> first = {}, KernelId parent = {})
    {
        const KernelId kernel = id(latencyMs);
        auto [found, isNew] = state.kernels.try_emplace(kernel);
        if (!isNew)
            return kernel;
        KernelRecord &record = found->second;
        const KernelJudged judged = judgedCorrect(kernel.value, latencyMs, m_tieMargin);
        record.id = kernel;
        record.first = first;
        record.parent = parent;
        record.judged = true;
        record.verdict = judged.verdict;
        record.profile = judged.profile;
        record.rankable = true;
        state.ranking.insert(RankKey{latencyMs, kernel});
        return kernel;
    }

    /// One entry of `groups` per candidate: its groups.
    IterationRecord &iteration(const std::vector<double> &candidates,
                               const std::vector<std::vector<Group>> &groups)
    {
        IterationRecord &made = state.iterations.emplace_back();
        made.index = static_cast<int>(state.iterations.size()) - 1;
        for (const double latencyMs : candidates)
            made.candidates.push_back(add(latencyMs));
        for (const auto &ofOne : groups)
            made.plansPerCandidate =
                std::max(made.plansPerCandidate, static_cast<int>(ofOne.size()));
        for (std::size_t c = 0; c < groups.size(); ++c)
            for (std::size_t p = 0; p < groups[c].size(); ++p)
                addPlan(made, PlanSlot{made.index, static_cast<int>(c), static_cast<int>(p)},
                        groups[c][p]);
        made.implemented = true;
        return made;
    }

    State state;

private:
    void addPlan(IterationRecord &made, const PlanSlot &slot, const Group &group)
    {
        PlanRecord &plan = made.plans.emplace_back();
        plan.status = PlanStatus::Made;
        plan.plan.slot = slot;
        plan.plan.parent = made.candidates[static_cast<std::size_t>(slot.candidate)];
        for (std::size_t a = 0; a < group.size(); ++a) {
            AttemptRecord &attempt = plan.attempts.emplace_back();
            attempt.status = AttemptStatus::Done;
            const Turn turn{{slot, static_cast<int>(a)}, 0};
            TurnRecord written;
            if (group[a]) {
                written.kernel = add(*group[a], turn, plan.plan.parent);
            } else {
                written.kernel = KernelId("wrong " + describe(turn.slot));
                KernelRecord &record = state.kernels[written.kernel];
                record.id = written.kernel;
                record.first = turn;
                record.parent = plan.plan.parent;
                record.judged = true;
                record.verdict = judgedAs(written.kernel.value, VerdictStatus::Wrong).verdict;
            }
            attempt.turns.push_back(written);
        }
    }

    double m_tieMargin;
};

/// The names of kernels, for comparing beams: "1.5 2.0".
template <typename Tag> std::string names(const std::vector<Id<Tag>> &ids)
{
    std::string text;
    for (const auto &id : ids)
        text += (text.empty() ? "" : " ") + id.value;
    return text;
}

} // namespace accelopt::search::tests
