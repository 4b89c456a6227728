// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/domain/RunConfig.h"
#include "core/search/State.h"

#include <optional>
#include <string>
#include <vector>

namespace accelopt::runner {

/// Bounds on what may be spent; one that is not there does not bind.
struct Budget
{
    std::optional<int> kernels;
    std::optional<double> usd;
    std::optional<double> minutes; ///< of the run's own wall clock

    bool any() const { return kernels || usd || minutes; }
    bool operator==(const Budget &) const = default;
};

Budget budgetOf(const RunConfig &config);
void setBudget(RunConfig &config, const Budget &budget);

/// One of several runs that share a budget, at rest.
struct Standing
{
    std::string name;    ///< for people
    bool open = false;   ///< nothing but its budget stopped it: it could go on
    bool closed = false; ///< passed over in an earlier round, and never asked again
    Budget bound;        ///< what it has been given so far
    int kernels = 0;     ///< spent
    double usd = 0;
    double minutes = 0;
    int kernelsPerIteration = 1; ///< at most
    int iterations = 0;          ///< done
    int iterationsLeft = 0;      ///< up to its own bound
    int iterationsWithoutGain = 0;
    double lastGain = 1; ///< best latency before its last iteration / after it
    search::Saturation saturation = search::Saturation::Unknown;
    std::string saturationText;
    std::string ended; ///< why it ended, when it is not open
};

/// What the state of a run at rest says about it.
Standing standingOf(const std::string &name, const search::State &state);
/// True when nothing but a bound of its budget keeps the run from going on, and its end was not
/// begun.
bool stoppedByBudgetOnly(const search::State &state);

/// A round of handing out.
struct HandOut
{
    struct Move
    {
        std::size_t run = 0; ///< index of the standing
        BudgetMoved event;
        bool closes = false; ///< the run gets no more, now or later
    };
    std::vector<Move> moves; ///< in the order of the runs; empty: nobody can use what is left
};

/// What each of `runs` runs gets at first: half of an equal share, at least one iteration when the
/// share allows it. Fails with WrongUse when there is not a kernel for each run.
Result<Budget> firstGrant(const Budget &total, int runs, int lanes, int kernelsPerIteration);

/// Gives what nobody has spent to the runs that still gain, two iterations' worth at a time, and
/// passes those over that are saturated: near their peak, or without a gain for two iterations.
/// Only when no run gains any more do all get something that are not near their peak. A function of
/// the standings alone, so that it decides alike after a crash. `lanes` runs are under way at once:
/// that many minutes pass in one minute of the whole.
HandOut handOut(const Budget &total, int lanes, int round, const std::vector<Standing> &standings);

} // namespace accelopt::runner
