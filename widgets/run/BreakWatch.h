// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QString>
#include <set>
#include <span>

namespace accelopt::widgets {

/// Where a search halts by itself.
enum class BreakPoint {
    Plans,        ///< before an iteration's plans are asked for
    Lessons,      ///< before an iteration's lessons are asked for
    Confirmation, ///< before the best kernels are judged again
    NewBest,      ///< a kernel became the best
    Suspicious,   ///< a kernel is faster than its task allows
    Proposal,     ///< a lesson waits for approval
    Budget,       ///< 80 % of a budget is spent
};
std::span<const BreakPoint> allBreakPoints();
/// A stable name for settings: "new-best".
QString name(BreakPoint point);
/// "when there is a new best kernel"
QString text(BreakPoint point);

/// Notices, from one state of a run to the next, that a break point was reached.
class BreakWatch
{
public:
    void setPoints(std::set<BreakPoint> points) { m_points = std::move(points); }
    const std::set<BreakPoint> &points() const { return m_points; }
    /// From here on; what was there before breaks nothing.
    void begin(const search::State &state);
    /// Why to halt now, in words; empty when nothing was reached since the last look.
    QString look(const search::State &state);

private:
    struct Seen
    {
        std::size_t iterations = 0;
        search::Phase phase = search::Phase::NotOpened;
        KernelId best;
        int suspicious = 0;
        std::size_t proposals = 0;
        double budgetShare = 0;
    };
    static Seen see(const search::State &state);

    std::set<BreakPoint> m_points;
    Seen m_seen;
};

/// The largest share of a budget that is spent, 0 to 1 (and more); 0 without a budget.
double budgetShare(const search::State &state);
/// Lessons that wait for a person.
std::size_t proposalCount(const search::State &state);

} // namespace accelopt::widgets
