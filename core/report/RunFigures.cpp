// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/RunFigures.h"

#include "core/bench/Roofline.h"
#include "core/report/PlanFollows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <system_error>
#include <tuple>

namespace accelopt::report {

namespace {

/// Seconds of searching at each event: TimePassed says what the time before it came to, and within
/// that time the clock tells.
std::vector<double> searchedSeconds(std::span<const Event> events)
{
    std::vector<double> seconds(events.size(), 0.0);
    double passed = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto *time = std::get_if<TimePassed>(&events[i].body);
        if (time == nullptr)
            continue;
        const double spent = std::isfinite(time->seconds) ? std::max(0.0, time->seconds) : 0.0;
        const double began = events[i].unixSeconds - spent;
        for (; from <= i; ++from)
            seconds[from] = passed + std::clamp(events[from].unixSeconds - began, 0.0, spent);
        passed += spent;
        seconds[i] = passed;
    }
    // What came after the last account is not accounted for: it may be a person's decision days
    // later.
    for (; from < events.size(); ++from)
        seconds[from] = passed;
    return seconds;
}

/// Calls are named after their iteration ("i2.m0.summary"); a summarizer's has no slot.
int iterationOf(const CallId &call, int otherwise)
{
    const std::string &name = call.value;
    int number = 0;
    if (name.size() < 2 || name.front() != 'i')
        return otherwise;
    const auto read = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    return read.ec == std::errc() && *read.ptr == '.' ? number : otherwise;
}

std::optional<double> mean(const std::vector<double> &values)
{
    return bench::geometricMean(values);
}

/// Collects what the events say, then concludes.
class Collector
{
public:
    explicit Collector(std::span<const Event> events)
        : m_events(events),
          m_seconds(searchedSeconds(events))
    {}

    RunFigures figures()
    {
        for (std::size_t i = 0; i < m_events.size(); ++i) {
            m_at = i;
            std::visit([this](const auto &body) { take(body); }, m_events[i].body);
        }
        if (!m_seconds.empty())
            m_run.seconds = m_seconds.back();
        orderKernels();
        concludeBest();
        concludePlans();
        concludeIterations();
        concludeCost();
        concludeMemory();
        return std::move(m_run);
    }

private:
    struct Written
    {
        AttemptSlot slot;
        int repair = 0;
        KernelId kernel;
        auto key() const { return std::tuple(slot, repair); }
    };

    IterationFigures &iteration(int index)
    {
        IterationFigures &found = m_iterations[index];
        found.iteration = index;
        return found;
    }
    /// `at` below 0: for no iteration of this run.
    void spend(RoleName role, int at, const Usage &usage)
    {
        m_run.usage[role] += usage;
        if (at >= 0)
            iteration(at).usage += usage;
        m_spent[m_at] += usage;
    }

    void take(const RunOpened &body)
    {
        if (m_opened)
            return;
        m_opened = true;
        m_run.opened = body;
        m_run.config = body.config;
        m_run.device = body.config.device;
        m_run.modelVersion = body.modelVersion;
    }
    /// Events that say nothing about figures.
    template <typename Body> void take(const Body &) {}
    void take(const PlanMade &body)
    {
        if (!m_plans.emplace(body.plan.slot, PlanFigures{body.plan, 0, 0, {}, false}).second)
            return;
        ++iteration(body.plan.slot.iteration).plans;
        spend(RoleName::Planner, body.plan.slot.iteration, body.usage);
    }
    void take(const AttemptMade &body)
    {
        m_written.push_back({body.slot, body.repair, body.kernel});
        ++iteration(body.slot.plan.iteration).written;
        spend(RoleName::Executor, body.slot.plan.iteration, body.usage);
    }
    void take(const CallFailed &body)
    {
        const int at = iterationOf(body.call, body.slot.iteration);
        ++iteration(at).failedCalls;
        spend(body.role, at, body.usage);
    }
    void take(const KernelJudged &body)
    {
        if (body.purpose == JudgePurpose::Confirmation) {
            m_confirmations[body.kernel] = body.verdict.status;
            return;
        }
        if (m_judged.emplace(body.kernel, &body).second)
            m_judgedAt.emplace_back(m_at, body.kernel);
    }
    void take(const PairSummarized &body)
    {
        spend(RoleName::Summarizer, body.iteration, body.usage);
        if (!body.declined && m_itemIds.insert(body.item.id).second)
            m_items.push_back(body.item);
    }
    void take(const PersonDecided &body)
    {
        if (body.decision == Decision::DropKernel)
            m_dropped.insert(body.kernel);
        else if (body.decision == Decision::UndropKernel)
            m_dropped.erase(body.kernel);
    }
    void take(const RunContinued &body)
    {
        m_run.config = body.config;
        m_run.stoppedBecause.clear();
    }
    void take(const RunFinished &body) { m_run.stoppedBecause = body.reason; }

    const KernelJudged *judgement(const KernelId &id) const
    {
        const auto found = m_judged.find(id);
        return found == m_judged.end() ? nullptr : found->second;
    }
    /// latency(reference) / latency(kernel) when both are correct and of one kind.
    std::optional<double> speedup(const KernelId &reference, const KernelId &kernel) const
    {
        const KernelJudged *slow = judgement(reference);
        const KernelJudged *fast = judgement(kernel);
        if (slow == nullptr || fast == nullptr || !slow->verdict.correct() ||
            !fast->verdict.correct() || !comparable(slow->profile, fast->profile) ||
            !(slow->profile.latencyMs > 0) || !(fast->profile.latencyMs > 0))
            return std::nullopt;
        return slow->profile.latencyMs / fast->profile.latencyMs;
    }

    KernelFigures kernelFigures(const KernelId &id) const
    {
        KernelFigures figures;
        figures.id = id;
        figures.dropped = m_dropped.contains(id);
        if (const auto again = m_confirmations.find(id); again != m_confirmations.end())
            figures.confirmation = name(again->second);
        const KernelJudged *judged = judgement(id);
        if (judged == nullptr)
            return figures;
        figures.judged = true;
        figures.verdict = judged->verdict.status;
        if (!judged->verdict.correct()) {
            if (!judged->verdict.reasons.empty())
                figures.reason = judged->verdict.reasons.front().message;
            return figures;
        }
        figures.latencyMs = judged->profile.latencyMs;
        figures.intervalMs = judged->profile.intervalMs;
        figures.tieMargin = judged->profile.tieMargin;
        figures.percentOfPeak = judged->profile.percentOfPeak;
        figures.bound = judged->profile.bound;
        figures.counters = judged->profile.counters;
        figures.speedup = speedup(m_run.opened.baseline, id);
        return figures;
    }

    void orderKernels()
    {
        std::stable_sort(m_written.begin(), m_written.end(),
                         [](const Written &a, const Written &b) { return a.key() < b.key(); });
        // Candidates are the kernels that plans were made for, and so are the winners.
        std::map<std::pair<int, int>, KernelId> beam;
        // A person's plan may start from any kernel, so the others are asked first.
        for (const bool ofPerson : {false, true})
            for (const auto &[slot, plan] : m_plans)
                if ((plan.plan.author == "human") == ofPerson)
                    beam.emplace(std::pair(slot.iteration, slot.candidate), plan.plan.parent);
        std::set<KernelId> candidates;
        for (const auto &[place, kernel] : beam) {
            CandidateFigures figures{place.first, place.second, kernel, {}, {}};
            if (const KernelJudged *judged = judgement(kernel); judged && judged->verdict.correct())
                figures.latencyMs = judged->profile.latencyMs;
            figures.speedup = speedup(m_run.opened.baseline, kernel);
            m_run.candidates.push_back(figures);
            candidates.insert(kernel);
        }
        if (m_opened) {
            KernelFigures baseline = kernelFigures(m_run.opened.baseline);
            baseline.wasCandidate = candidates.contains(m_run.opened.baseline);
            m_kernelIndex.emplace(m_run.opened.baseline, m_run.kernels.size());
            m_run.kernels.push_back(std::move(baseline));
        }
        for (const Written &written : m_written) {
            if (!m_kernelIndex.emplace(written.kernel, m_run.kernels.size()).second) {
                ++iteration(written.slot.plan.iteration).duplicates;
                continue;
            }
            KernelFigures figures = kernelFigures(written.kernel);
            figures.slot = written.slot;
            figures.repair = written.repair;
            figures.wasCandidate = candidates.contains(written.kernel);
            if (const auto plan = m_plans.find(written.slot.plan); plan != m_plans.end()) {
                figures.parent = plan->second.plan.parent;
                figures.planTitle = plan->second.plan.title;
                figures.speedupOverParent = speedup(figures.parent, written.kernel);
            }
            m_run.kernels.push_back(std::move(figures));
        }
    }

    void concludeBest()
    {
        const KernelJudged *baseline = judgement(m_run.opened.baseline);
        if (baseline != nullptr)
            m_run.simulated = baseline->verdict.simulated;
        if (baseline == nullptr || !baseline->verdict.correct())
            return;
        m_run.simulated = baseline->profile.simulated;
        m_run.device = baseline->profile.device;
        m_run.modelVersion = baseline->profile.modelVersion;
        m_run.baselineMs = baseline->profile.latencyMs;
        std::map<int, const KernelFigures *> fastest;
        for (const KernelFigures &kernel : m_run.kernels) {
            if (!kernel.speedup || kernel.dropped)
                continue;
            const KernelFigures *&known = fastest[kernel.slot ? kernel.slot->plan.iteration : -1];
            if (known == nullptr || isFaster(kernel, *known))
                known = &kernel;
        }
        const KernelFigures *best = nullptr;
        for (const auto &[iteration, kernel] : fastest) {
            if (isGain(*kernel, best))
                best = kernel;
            m_bestAfter[iteration] = *best->speedup;
        }
        // A run never ends with a best kernel that is known not to be right.
        const std::string correct(name(VerdictStatus::Correct));
        if (best != nullptr && !best->confirmation.empty() && best->confirmation != correct) {
            const KernelFigures *other = nullptr;
            for (const KernelFigures &kernel : m_run.kernels)
                if (kernel.speedup && !kernel.dropped && kernel.confirmation == correct &&
                    (other == nullptr || isFaster(kernel, *other)))
                    other = &kernel;
            best = other != nullptr ? other : best;
        }
        if (best == nullptr)
            return;
        m_run.best = best->id;
        m_run.bestMs = best->latencyMs;
        m_run.bestSpeedup = best->speedup;
        m_run.bestPercentOfPeak = best->percentOfPeak;
        if (!best->confirmation.empty())
            m_run.confirmed = best->confirmation == correct;
    }

    static bool isFaster(const KernelFigures &kernel, const KernelFigures &other)
    {
        return std::tie(*kernel.latencyMs, kernel.id) < std::tie(*other.latencyMs, other.id);
    }
    /// Is the kernel faster than the best, and can the two be told apart?
    static bool isGain(const KernelFigures &kernel, const KernelFigures *best)
    {
        if (best == nullptr)
            return true;
        const double gain = *best->latencyMs - *kernel.latencyMs;
        return gain > 0 && gain > std::max(kernel.tieMargin, best->tieMargin) * *best->latencyMs;
    }

    void concludePlans()
    {
        for (const KernelFigures &kernel : m_run.kernels) {
            if (!kernel.slot)
                continue;
            const auto found = m_plans.find(kernel.slot->plan);
            if (found == m_plans.end())
                continue;
            PlanFigures &plan = found->second;
            ++plan.kernels;
            plan.wonPlace = plan.wonPlace || kernel.wasCandidate;
            if (kernel.judged && kernel.verdict == VerdictStatus::Correct)
                ++plan.correct;
            if (kernel.speedupOverParent)
                plan.bestSpeedupOverParent =
                    std::max(plan.bestSpeedupOverParent.value_or(0), *kernel.speedupOverParent);
        }
        for (const auto &[slot, plan] : m_plans)
            m_run.plans.push_back(plan);
    }

    void concludeIterations()
    {
        std::map<int, std::vector<double>> beams;
        for (const CandidateFigures &candidate : m_run.candidates)
            if (candidate.speedup)
                beams[candidate.iteration].push_back(*candidate.speedup);
        std::map<int, std::vector<const KernelFigures *>> kernels;
        for (const KernelFigures &kernel : m_run.kernels)
            if (kernel.slot && kernel.judged)
                kernels[kernel.slot->plan.iteration].push_back(&kernel);
        std::optional<double> soFar =
            m_run.baselineMs ? std::optional<double>(1.0) : std::optional<double>();
        for (auto &[index, figures] : m_iterations) {
            if (const std::vector<double> &beam = beams[index]; !beam.empty()) {
                figures.bestCandidateSpeedup = *std::max_element(beam.begin(), beam.end());
                figures.meanCandidateSpeedup = mean(beam);
            }
            std::array<int, kFastThresholds.size()> fast{};
            std::map<std::string, std::vector<double>> counters;
            for (const KernelFigures *kernel : kernels[index]) {
                ++figures.judged;
                ++figures.verdicts[kernel->verdict];
                if (kernel->speedup) {
                    for (std::size_t p = 0; p < kFastThresholds.size(); ++p)
                        fast[p] += *kernel->speedup > kFastThresholds[p] && !kernel->dropped;
                    if (!kernel->dropped)
                        figures.bestNewSpeedup =
                            std::max(figures.bestNewSpeedup.value_or(0), *kernel->speedup);
                    for (const auto &[counter, value] : kernel->counters)
                        counters[counter].push_back(value);
                    counters["latency_ms"].push_back(*kernel->latencyMs);
                    if (kernel->percentOfPeak)
                        counters["percent_of_peak"].push_back(*kernel->percentOfPeak);
                }
            }
            if (const auto after = m_bestAfter.find(index); after != m_bestAfter.end())
                soFar = after->second;
            figures.bestSpeedupSoFar = soFar;
            if (figures.judged > 0) {
                figures.fast.emplace();
                for (std::size_t p = 0; p < fast.size(); ++p)
                    (*figures.fast)[p] = double(fast[p]) / figures.judged;
            }
            for (auto &[counter, values] : counters)
                if (const auto spreadOf = spread(std::move(values)))
                    figures.counters.emplace(counter, *spreadOf);
            m_run.iterations.push_back(std::move(figures));
        }
    }

    void concludeCost()
    {
        if (!m_run.baselineMs)
            return;
        CostPoint point;
        const KernelFigures *best = nullptr;
        std::size_t from = 0;
        const auto spendUntil = [&](std::size_t until) {
            for (auto it = m_spent.lower_bound(from); it != m_spent.end() && it->first <= until;
                 ++it)
                point.usage += it->second;
            from = until + 1;
        };
        for (const auto &[at, kernel] : m_judgedAt) {
            spendUntil(at);
            point.seconds = m_seconds[at];
            const auto index = m_kernelIndex.find(kernel);
            if (index == m_kernelIndex.end())
                continue;
            const KernelFigures &figures = m_run.kernels[index->second];
            if (figures.slot)
                ++point.kernels;
            if (figures.speedup && !figures.dropped && isGain(figures, best))
                best = &figures;
            point.bestSpeedup = best != nullptr ? *best->speedup : 1.0;
            m_run.cost.push_back(point);
        }
        // What was spent after the last judgement was spent as well.
        spendUntil(m_events.size());
        point.seconds = m_run.seconds;
        m_run.cost.push_back(point);
    }

    void concludeMemory()
    {
        std::map<ItemId, std::vector<const PlanFigures *>> carriers;
        for (const PlanFigures &plan : m_run.plans)
            for (const ItemId &item :
                 std::set<ItemId>(plan.plan.usedItems.begin(), plan.plan.usedItems.end()))
                carriers[item].push_back(&plan);
        for (const ExperienceItem &item : m_items) {
            ItemFigures figures;
            figures.item = item;
            std::vector<double> used;
            std::vector<double> others;
            for (const PlanFigures *plan : carriers[item.id]) {
                const bool following = follows(plan->plan, item);
                AdoptionFigures adoption;
                adoption.item = item.id;
                adoption.plan = planId(plan->plan.slot);
                adoption.adoption = !following      ? Adoption::Carried
                                    : item.positive ? Adoption::Used
                                                    : Adoption::Repeated;
                adoption.kernels = plan->kernels;
                adoption.correct = plan->correct;
                adoption.bestSpeedupOverParent = plan->bestSpeedupOverParent;
                adoption.wonPlace = plan->wonPlace;
                m_run.adoptions.push_back(adoption);
                ++figures.carried;
                if (following) {
                    ++figures.used;
                    figures.usedCorrect += plan->correct > 0;
                    figures.usedWon += plan->wonPlace;
                } else {
                    figures.otherWon += plan->wonPlace;
                }
                if (plan->bestSpeedupOverParent)
                    (following ? used : others).push_back(*plan->bestSpeedupOverParent);
            }
            figures.usedSpeedup = mean(used);
            figures.otherSpeedup = mean(others);
            m_run.items.push_back(std::move(figures));
        }
    }

    std::span<const Event> m_events;
    std::vector<double> m_seconds;
    std::size_t m_at = 0; ///< place of the event being taken
    bool m_opened = false;
    RunFigures m_run;
    std::map<PlanSlot, PlanFigures> m_plans;
    std::vector<Written> m_written;
    std::map<KernelId, const KernelJudged *> m_judged;
    std::vector<std::pair<std::size_t, KernelId>> m_judgedAt;
    std::map<KernelId, VerdictStatus> m_confirmations;
    std::map<KernelId, std::size_t> m_kernelIndex;
    std::set<KernelId> m_dropped;
    std::vector<ExperienceItem> m_items;
    std::set<ItemId> m_itemIds;
    std::map<int, IterationFigures> m_iterations;
    std::map<int, double> m_bestAfter; ///< speedup of the best kernel after an iteration
    std::map<std::size_t, Usage> m_spent;
};

} // namespace

std::string_view name(Adoption adoption)
{
    switch (adoption) {
    case Adoption::Carried: return "carried";
    case Adoption::Used: return "used";
    case Adoption::Repeated: return "repeated";
    }
    return {};
}

std::optional<Spread> spread(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        const double place = share * double(values.size() - 1);
        const auto below = std::size_t(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (place - double(below)) * (values[above] - values[below]);
    };
    return Spread{values.size(), values.front(), at(0.25), at(0.5), at(0.75), values.back()};
}

AnswerShares answerShares(const RunFigures &run)
{
    AnswerShares shares;
    for (const IterationFigures &iteration : run.iterations) {
        shares.written += iteration.written;
        shares.duplicates += iteration.duplicates;
        shares.judged += iteration.judged;
        if (const auto correct = iteration.verdicts.find(VerdictStatus::Correct);
            correct != iteration.verdicts.end())
            shares.correct += correct->second;
    }
    if (shares.written > 0)
        shares.duplicate = double(shares.duplicates) / shares.written;
    if (shares.judged > 0)
        shares.failing = double(shares.judged - shares.correct) / shares.judged;
    return shares;
}

RunFigures figuresOf(std::span<const Event> events)
{
    return Collector(events).figures();
}

Result<RunFigures> readFigures(store::RunReader &reader)
{
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    const bool opened = std::any_of(events.begin(), events.end(), [](const Event &event) {
        return std::holds_alternative<RunOpened>(event.body);
    });
    if (!opened)
        return fail(ErrorCode::Format,
                    fmt::format("the run file {} holds no run yet", reader.path().string()),
                    "wait until its writer has begun, or name another file");
    RunFigures figures = figuresOf(events);
    figures.file = reader.path().filename().string();
    return figures;
}

} // namespace accelopt::report
