// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/nki/machine/Counters.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// Latency without a schedule: T = launch + busiest engine + share x (sum of the others). The share
/// stands for what dependences and limited lookahead keep from overlapping; it is fitted
/// (MachineTable::overlapShare).
Timing closedFormTiming(const Totals &totals, const MachineTable &table);

/// Milliseconds within which the true latency is believed to lie. Twice as wide below the shortest
/// kernel the model was fitted on, where the launch dominates and nothing is measured.
Interval latencyInterval(double latencyMs, const MachineTable &table);

} // namespace accelopt::nki
