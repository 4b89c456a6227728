// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <string>

namespace accelopt::search {

// How a run moves from phase to phase. Used by apply() only.

/// Draws every conclusion that the state allows: ends phases, starts iterations, ends the search.
void advance(State &state);

/// No new work is begun from here on; what was begun is finished. The first reason stands.
void requestStop(State &state, StopCode code, std::string text);

/// Takes up a run that had stopped, or changes the configuration of one that goes on.
void continueRun(State &state, const RunConfig &config);

/// Changes the run's own bounds, and takes it up again when a bound that has grown had stopped it.
/// What it learnt about its progress stays, unlike after continueRun().
void moveBudget(State &state, const BudgetMoved &moved);

/// Ends the confirmation without the judgements still open.
void abandonConfirmation(State &state, const std::string &reason);

} // namespace accelopt::search
