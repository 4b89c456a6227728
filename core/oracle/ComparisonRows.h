// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace accelopt::oracle {

/// How far apart an element may be from its reference before it is looked at one by one.
struct RowLimits
{
    float scale = 0;         ///< RMS of the row
    float element = 0;       ///< of max(|reference|, scale)
    float farOff = 0;        ///< of |reference|
    float noise = 0;         ///< absolute: no difference up to this makes an element far off
    float smallestMeant = 0; ///< smaller references are never far off
    float rounding = 0;      ///< of |reference|: what rounding a sum costs, taken off the error
    float worst = 0;         ///< of max(|reference|, scale): the largest error so far
};

/// What a piece of a row adds to the sums, and whether one of its elements needs a look.
struct RowSums
{
    double error = 0;
    double reference = 0;
    bool look = false;
};

/// Compares `count` values with their references; `base` (may be null) is what both are a change
/// of.
RowSums compareRow(const float *values, const float *references, const float *base,
                   std::int64_t count, const RowLimits &limits);

/// Sum of the squares of `values`, less `base` where it is not null.
double sumOfSquares(const float *values, const float *base, std::int64_t count);

} // namespace accelopt::oracle
