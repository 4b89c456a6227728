// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/program/Program.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace accelopt::nki {

/// A kernel whose latency somebody measured.
struct MeasuredProgram
{
    std::string name;
    Program program;
    double latencyMs = 0;
};

/// Latencies of one measured kernel, in ms.
struct CalibrationRow
{
    std::string name;
    double measuredMs = 0;
    double shippedMs = 0; ///< with the table as it is
    double refitMs = 0;   ///< with the constants refitted on all kernels
    /// With the constants refitted on all others, and without the rules whose only evidence is this
    /// kernel.
    double leftOutMs = 0;
};

/// Mean and largest of |predicted / measured - 1|.
struct CalibrationError
{
    double mean = 0;
    double worst = 0;
};

/// What a refit of a machine's constants came to.
struct Calibration
{
    std::vector<CalibrationRow> rows;      ///< in the order of the measured kernels
    std::map<std::string, double> shipped; ///< the constants that may change, by path
    std::map<std::string, double> refitted;
    CalibrationError shippedError;
    CalibrationError refitError;
    CalibrationError leftOutError;
};

/// Paths of the numbers a refit may change: those of the table that are marked as fitted and that
/// only prices and schedule use. What decides on traffic (capacities) is left as it is.
std::vector<std::string> fittedConstants(const MachineTable &table);

/// Refits these constants on the measured kernels: coordinate descent on the mean squared relative
/// error from the table's own values, each within a factor of two of them. Then once more for each
/// kernel without it, from the common result. Deterministic; some hundred schedules of each kernel.
/// Fails with WrongUse when there are fewer than two kernels or a latency is not positive.
Result<Calibration> calibrate(const Machine &machine, std::span<const MeasuredProgram> kernels);

} // namespace accelopt::nki
