// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/BudgetSharing.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace accelopt::runner {

using search::Saturation;
using search::StopCode;

namespace {

/// A run without a gain for so many iterations makes room for others.
constexpr int kIterationsWithoutGain = 2;
/// Budget is handed out for so many iterations at a time, so that a run that has ceased to gain
/// gives way soon.
constexpr int kIterationsPerGrant = 2;
/// Amounts of money and minutes below this share of the whole are not cut into pieces any more.
constexpr double kSmallShare = 0.05;

bool gains(const Standing &run)
{
    if (run.saturation == Saturation::NearPeak)
        return false;
    return run.iterations < kIterationsWithoutGain ||
           run.iterationsWithoutGain < kIterationsWithoutGain;
}

/// Why a run makes room for others.
std::string saturated(const Standing &run)
{
    if (!run.open)
        return run.ended.empty() ? "it has ended" : run.ended;
    if (run.saturation == Saturation::NearPeak)
        return fmt::format("near peak: {}", run.saturationText);
    return fmt::format("no gain for {} iterations, {}: {}", run.iterationsWithoutGain,
                       name(run.saturation), run.saturationText);
}

/// Why a run gets more.
std::string alive(const Standing &run)
{
    if (run.iterations < kIterationsWithoutGain)
        return "it has only begun";
    if (run.lastGain > 1)
        return fmt::format("it still gains, {:.3f}x in its last iteration", run.lastGain);
    if (run.iterationsWithoutGain < kIterationsWithoutGain)
        return "it gained an iteration ago";
    return "no run gains any more, and it is not near its peak";
}

template <typename Unit> Unit spentBy(const std::vector<Standing> &runs, Unit Standing::*unit)
{
    return std::accumulate(runs.begin(), runs.end(), Unit(0),
                           [&](Unit sum, const Standing &run) { return sum + run.*unit; });
}

/// What is left of money or time, cut for one of so many runs.
double slice(double total, double spent, std::size_t receivers)
{
    const double left = std::max(0.0, total - spent);
    const double piece = left <= kSmallShare * total ? left : left / 2;
    return piece / double(receivers);
}

std::vector<std::size_t> chooseReceivers(const std::vector<Standing> &runs)
{
    std::vector<std::size_t> chosen;
    const auto collect = [&](auto wanted) {
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i].open && !runs[i].closed && runs[i].iterationsLeft > 0 && wanted(runs[i]))
                chosen.push_back(i);
    };
    collect(gains);
    if (chosen.empty())
        collect([](const Standing &run) { return run.saturation != Saturation::NearPeak; });
    return chosen;
}

/// Kernels for each receiver; those that gained most come first when there are not enough.
std::vector<int> cutKernels(int left, const std::vector<Standing> &runs,
                            const std::vector<std::size_t> &receivers)
{
    std::vector<std::size_t> order(receivers.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return runs[receivers[a]].lastGain > runs[receivers[b]].lastGain;
    });
    std::vector<int> pieces(receivers.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Standing &run = runs[receivers[order[k]]];
        const int others = int(order.size() - k);
        const int fair = left / others + (left % others > 0 ? 1 : 0);
        const int most =
            run.kernelsPerIteration * std::min(kIterationsPerGrant, run.iterationsLeft);
        pieces[order[k]] = std::min({fair, most, left});
        left -= pieces[order[k]];
    }
    return pieces;
}

std::string amounts(const BudgetMoved &moved)
{
    std::string text;
    const auto add = [&](const std::string &amount) {
        text += (text.empty() ? "" : ", ") + amount;
    };
    if (moved.kernels > 0)
        add(fmt::format("{} more kernel{}", moved.kernels, moved.kernels == 1 ? "" : "s"));
    if (moved.usd > 0)
        add(fmt::format("${:.4g} more", moved.usd));
    if (moved.minutes > 0)
        add(fmt::format("{:.3g} more minutes", moved.minutes));
    return text;
}

std::string namesOf(const std::vector<std::string> &names)
{
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

Budget budgetOf(const RunConfig &config)
{
    return {config.budgetKernels, config.budgetUsd, config.budgetMinutes};
}

void setBudget(RunConfig &config, const Budget &budget)
{
    config.budgetKernels = budget.kernels;
    config.budgetUsd = budget.usd;
    config.budgetMinutes = budget.minutes;
}

bool stoppedByBudgetOnly(const search::State &state)
{
    const StopCode code = state.stop.code;
    if (state.phase != search::Phase::Confirm ||
        (code != StopCode::BudgetKernels && code != StopCode::BudgetUsd &&
         code != StopCode::BudgetMinutes))
        return false;
    // Once its end was begun, it is being wound up.
    return std::none_of(state.kernels.begin(), state.kernels.end(), [](const auto &entry) {
        return entry.second.confirmation && entry.second.confirmation->judged;
    });
}

Standing standingOf(const std::string &name, const search::State &state)
{
    const RunConfig &config = state.config;
    Standing run;
    run.name = name;
    run.open = stoppedByBudgetOnly(state);
    run.bound = budgetOf(config);
    run.kernels = state.counts.distinct;
    run.usd = search::totalUsage(state).usd;
    run.minutes = state.secondsSpent / 60;
    run.kernelsPerIteration = (config.useBeam ? config.beamWidth : 1) * config.plansPerCandidate *
                              config.attemptsPerPlan * (1 + config.repairs);
    run.iterations = int(state.iterations.size());
    run.iterationsLeft = std::max(0, config.iterations - run.iterations);
    run.iterationsWithoutGain = state.iterationsWithoutGain;
    if (!state.iterations.empty()) {
        run.saturation = state.iterations.back().saturation;
        run.saturationText = state.iterations.back().saturationText;
        const KernelId before = state.iterations.size() > 1
                                    ? state.iterations[state.iterations.size() - 2].best
                                    : state.opened.baseline;
        run.lastGain = std::max(1.0, search::speedup(state, before, state.iterations.back().best));
    }
    run.ended = state.phase == search::Phase::Finished && !state.finishedReason.empty()
                    ? state.finishedReason
                    : state.stop.text;
    return run;
}

Result<Budget> firstGrant(const Budget &total, int runs, int lanes, int kernelsPerIteration)
{
    Budget grant;
    if (total.kernels) {
        const int share = *total.kernels / runs;
        if (share < 1)
            return fail(ErrorCode::WrongUse,
                        fmt::format("--budget-kernels must be at least {}, one for each of the "
                                    "searches that share it, not {}",
                                    runs, *total.kernels));
        grant.kernels = std::min(share, std::max((share + 1) / 2, kernelsPerIteration));
    }
    if (total.usd)
        grant.usd = *total.usd / runs / 2;
    if (total.minutes)
        grant.minutes = *total.minutes * std::min(lanes, runs) / runs / 2;
    return grant;
}

HandOut handOut(const Budget &total, int lanes, int round, const std::vector<Standing> &standings)
{
    HandOut out;
    const std::vector<std::size_t> receivers = chooseReceivers(standings);
    if (receivers.empty())
        return out;
    const int kernelsLeft =
        total.kernels ? std::max(0, *total.kernels - spentBy(standings, &Standing::kernels)) : 0;
    const std::vector<int> kernels = cutKernels(kernelsLeft, standings, receivers);
    const double usd =
        total.usd ? slice(*total.usd, spentBy(standings, &Standing::usd), receivers.size()) : 0;
    const double allMinutes =
        total.minutes ? *total.minutes * std::min(lanes, int(standings.size())) : 0;
    const double minutes =
        slice(allMinutes, spentBy(standings, &Standing::minutes), receivers.size());

    std::vector<std::string> taking;
    std::vector<HandOut::Move> given;
    for (std::size_t k = 0; k < receivers.size(); ++k) {
        const Standing &run = standings[receivers[k]];
        HandOut::Move move;
        move.run = receivers[k];
        move.event.round = round;
        const bool enough = (!total.kernels || kernels[k] > 0) && (!total.usd || usd > 0) &&
                            (!total.minutes || minutes > 0);
        if (!enough)
            continue;
        // The new bound is what it has spent and its piece.
        if (total.kernels)
            move.event.kernels = run.kernels + kernels[k] - run.bound.kernels.value_or(0);
        if (total.usd)
            move.event.usd = run.usd + usd - run.bound.usd.value_or(0);
        if (total.minutes)
            move.event.minutes = run.minutes + minutes - run.bound.minutes.value_or(0);
        taking.push_back(run.name);
        given.push_back(std::move(move));
    }
    if (given.empty())
        return out;

    std::vector<std::string> giving;
    for (std::size_t i = 0; i < standings.size(); ++i) {
        const Standing &run = standings[i];
        const bool takes = std::any_of(given.begin(), given.end(),
                                       [&](const HandOut::Move &move) { return move.run == i; });
        if (takes || run.closed)
            continue;
        HandOut::Move move;
        move.run = i;
        move.closes = true;
        move.event.round = round;
        if (total.kernels)
            move.event.kernels = std::min(0, run.kernels - run.bound.kernels.value_or(0));
        if (total.usd)
            move.event.usd = std::min(0.0, run.usd - run.bound.usd.value_or(0));
        if (total.minutes)
            move.event.minutes = std::min(0.0, run.minutes - run.bound.minutes.value_or(0));
        move.event.reason = fmt::format("what is left of its share goes to {}: {}", namesOf(taking),
                                        saturated(run));
        if (total.kernels)
            move.event.reason += fmt::format(" ({} of an equal share of {} kernels spent)",
                                             run.kernels, *total.kernels / int(standings.size()));
        giving.push_back(run.name);
        out.moves.push_back(std::move(move));
    }
    for (HandOut::Move &move : given) {
        const Standing &run = standings[move.run];
        move.event.reason = fmt::format("{}: {}", amounts(move.event), alive(run));
        if (!giving.empty())
            move.event.reason += fmt::format("; made room: {}", namesOf(giving));
        out.moves.push_back(std::move(move));
    }
    std::sort(out.moves.begin(), out.moves.end(),
              [](const HandOut::Move &a, const HandOut::Move &b) { return a.run < b.run; });
    return out;
}

} // namespace accelopt::runner
