// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Latency.h"

#include <algorithm>

namespace accelopt::nki {

Timing closedFormTiming(const Totals &totals, const MachineTable &table)
{
    Timing timing;
    timing.busyNs = totals.busyNs;
    double sum = 0;
    double busiest = 0;
    for (const double busy : totals.busyNs) {
        sum += busy;
        busiest = std::max(busiest, busy);
    }
    timing.latencyNs = table.launchNs + busiest + table.overlapShare * (sum - busiest);
    return timing;
}

Interval latencyInterval(double latencyMs, const MachineTable &table)
{
    const double width =
        latencyMs < table.fittedFromMs ? 2 * table.relativeHalfWidth : table.relativeHalfWidth;
    return {latencyMs * std::max(0.0, 1 - width), latencyMs * (1 + width)};
}

} // namespace accelopt::nki
