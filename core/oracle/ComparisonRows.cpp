// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/ComparisonRows.h"

#include <algorithm>
#include <cmath>

// Sanitizers start after the loader has already chosen among the clones, so they do without.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ACCELOPT_WIDE_ROWS __attribute__((target_clones("avx2", "default")))
#else
#define ACCELOPT_WIDE_ROWS
#endif

namespace accelopt::oracle {
namespace {

// Sums are kept in as many lanes as the loops are wide: the same on every processor, and no chain
// of additions that wait for each other.
constexpr std::int64_t kLanes = 8;

struct Lanes
{
    double error[kLanes] = {};
    double reference[kLanes] = {};
    int look[kLanes] = {};
};

double total(const double (&lanes)[kLanes])
{
    double sum = 0;
    for (const double lane : lanes)
        sum += lane;
    return sum;
}

// Written so that a NaN on either side needs a look.
inline __attribute__((always_inline)) void compareLane(float value, float reference, float base,
                                                       const RowLimits &limits, double &error,
                                                       double &squares, int &look)
{
    const float apart = std::fabs(value - reference);
    const float difference = apart - limits.rounding * std::fabs(reference);
    const float magnitude = std::fabs(reference - base);
    const float against = magnitude > limits.scale ? magnitude : limits.scale;
    const int inside = difference <= limits.element * against;
    const int better = difference <= limits.worst * against;
    const int far = (difference > limits.farOff * magnitude) & (difference > limits.noise) &
                    (magnitude >= limits.smallestMeant);
    look |= (1 - (inside & better)) | far;
    error += double(apart) * double(apart);
    squares += double(reference) * double(reference);
}

} // namespace

ACCELOPT_WIDE_ROWS RowSums compareRow(const float *values, const float *references,
                                      const float *base, std::int64_t count,
                                      const RowLimits &limits)
{
    Lanes lanes;
    const std::int64_t whole = count - count % kLanes;
    if (base) {
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t lane = 0; lane < kLanes; ++lane)
                compareLane(values[i + lane], references[i + lane], base[i + lane], limits,
                            lanes.error[lane], lanes.reference[lane], lanes.look[lane]);
    } else {
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t lane = 0; lane < kLanes; ++lane)
                compareLane(values[i + lane], references[i + lane], 0, limits, lanes.error[lane],
                            lanes.reference[lane], lanes.look[lane]);
    }
    for (std::int64_t i = whole; i < count; ++i)
        compareLane(values[i], references[i], base ? base[i] : 0, limits, lanes.error[0],
                    lanes.reference[0], lanes.look[0]);
    RowSums sums{total(lanes.error), total(lanes.reference), false};
    for (const int look : lanes.look)
        sums.look = sums.look || look != 0;
    return sums;
}

ACCELOPT_WIDE_ROWS double sumOfSquares(const float *values, const float *base, std::int64_t count)
{
    double lanes[kLanes] = {};
    const std::int64_t whole = count - count % kLanes;
    if (base) {
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                const double change = double(values[i + lane] - base[i + lane]);
                lanes[lane] += change * change;
            }
    } else {
        for (std::int64_t i = 0; i < whole; i += kLanes)
            for (std::int64_t lane = 0; lane < kLanes; ++lane)
                lanes[lane] += double(values[i + lane]) * double(values[i + lane]);
    }
    for (std::int64_t i = whole; i < count; ++i) {
        const double change = double(values[i] - (base ? base[i] : 0));
        lanes[0] += change * change;
    }
    return total(lanes);
}

} // namespace accelopt::oracle
