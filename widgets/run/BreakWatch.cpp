// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/BreakWatch.h"

#include "widgets/format/Formatting.h"

#include <QCoreApplication>
#include <algorithm>

namespace accelopt::widgets {

namespace {

constexpr double kBudgetWarning = 0.8;

constexpr BreakPoint kBreakPoints[] = {
    BreakPoint::Plans,      BreakPoint::Lessons,  BreakPoint::Confirmation, BreakPoint::NewBest,
    BreakPoint::Suspicious, BreakPoint::Proposal, BreakPoint::Budget};

QString translated(const char *sentence)
{
    return QCoreApplication::translate("BreakWatch", sentence);
}

} // namespace

std::span<const BreakPoint> allBreakPoints()
{
    return kBreakPoints;
}

QString name(BreakPoint point)
{
    switch (point) {
    case BreakPoint::Plans: return QStringLiteral("plans");
    case BreakPoint::Lessons: return QStringLiteral("lessons");
    case BreakPoint::Confirmation: return QStringLiteral("confirmation");
    case BreakPoint::NewBest: return QStringLiteral("new-best");
    case BreakPoint::Suspicious: return QStringLiteral("suspicious");
    case BreakPoint::Proposal: return QStringLiteral("proposal");
    case BreakPoint::Budget: return QStringLiteral("budget");
    }
    return {};
}

QString text(BreakPoint point)
{
    switch (point) {
    case BreakPoint::Plans: return translated("before the plans of an iteration");
    case BreakPoint::Lessons: return translated("before the lessons of an iteration");
    case BreakPoint::Confirmation: return translated("before the best kernels are confirmed");
    case BreakPoint::NewBest: return translated("when there is a new best kernel");
    case BreakPoint::Suspicious: return translated("when a kernel is suspiciously fast");
    case BreakPoint::Proposal: return translated("when a lesson waits for approval");
    case BreakPoint::Budget: return translated("when 80 % of a budget is spent");
    }
    return {};
}

double budgetShare(const search::State &state)
{
    double share = 0;
    const RunConfig &config = state.config;
    if (config.budgetKernels && *config.budgetKernels > 0)
        share = std::max(share, double(state.counts.written) / *config.budgetKernels);
    if (config.budgetUsd && *config.budgetUsd > 0)
        share = std::max(share, search::totalUsage(state).usd / *config.budgetUsd);
    if (config.budgetMinutes && *config.budgetMinutes > 0)
        share = std::max(share, state.secondsSpent / (60 * *config.budgetMinutes));
    return share;
}

std::size_t proposalCount(const search::State &state)
{
    return std::size_t(
        std::count_if(state.items.begin(), state.items.end(), [](const search::MemoryItem &item) {
            return item.status == search::ItemStatus::Proposed;
        }));
}

BreakWatch::Seen BreakWatch::see(const search::State &state)
{
    const auto suspicious = state.counts.verdicts.find(VerdictStatus::Suspicious);
    return {state.iterations.size(),
            state.phase,
            state.best,
            suspicious == state.counts.verdicts.end() ? 0 : suspicious->second,
            proposalCount(state),
            budgetShare(state)};
}

void BreakWatch::begin(const search::State &state)
{
    m_seen = see(state);
}

QString BreakWatch::look(const search::State &state)
{
    const Seen before = std::exchange(m_seen, see(state));
    const auto wants = [this](BreakPoint point) { return m_points.contains(point); };
    const auto entered = [&](search::Phase phase) {
        return m_seen.phase == phase && before.phase != phase;
    };
    if (wants(BreakPoint::NewBest) && m_seen.best != before.best && !before.best.empty() &&
        !m_seen.best.empty() && m_seen.best != state.opened.baseline)
        return translated("Halted: there is a new best kernel, %1 over the baseline (%2).")
            .arg(formatting::signedSpeedup(search::speedupOverBaseline(state, m_seen.best)),
                 formatting::kindOfFigure(search::kernel(state, m_seen.best)->profile));
    if (wants(BreakPoint::Suspicious) && m_seen.suspicious > before.suspicious)
        return translated("Halted: a kernel is faster than the least work of its task allows.");
    if (wants(BreakPoint::Proposal) && m_seen.proposals > before.proposals)
        return translated("Halted: a lesson waits for your approval.");
    if (wants(BreakPoint::Budget) && m_seen.budgetShare >= kBudgetWarning &&
        before.budgetShare < kBudgetWarning)
        return translated("Halted: %1 of a budget is spent.")
            .arg(formatting::share(m_seen.budgetShare));
    if (wants(BreakPoint::Plans) && m_seen.iterations > before.iterations)
        return translated("Halted before the plans of iteration %1.").arg(m_seen.iterations);
    if (wants(BreakPoint::Lessons) && entered(search::Phase::Curate))
        return translated("Halted before the lessons of iteration %1.").arg(m_seen.iterations);
    if (wants(BreakPoint::Confirmation) && entered(search::Phase::Confirm))
        return translated("Halted before the best kernels are confirmed.");
    return {};
}

} // namespace accelopt::widgets
