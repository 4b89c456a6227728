// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/execute/Executor.h"
#include "core/oracle/FinalWrites.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace accelopt::oracle {

/// Limits of the comparison with the reference.
///
/// The norm's is the task's tolerance, as published. The element's is 32 times what the reference
/// itself shows when it is worked out in single precision on the same inputs: a right kernel tiles,
/// orders and sums otherwise, which costs a few times that noise. It is never below 1e-6 and never
/// above 25 tolerances; a task may set another one (and says why).
/// The share of far-off elements is for what neither of the two sees: a kernel that replaces values
/// far below the largest of their row by zeros (96 % of a softmax's output). Errors within the
/// last place of the row's scale do not count: in the tails, a right formula of another form (a
/// logistic function by way of tanh) leaves no more digits than that.
struct ComparisonLimits
{
    double relativeL2 = 2e-5;
    double element = 5e-4;     ///< of results that do not bring their own
    double farOff = 0.25;      ///< |out - ref| / |ref| above which an element counts as far off
    double farOffShare = 1e-3; ///< of the checked elements
    double farOffNoise =
        1.2e-7; ///< of the row's RMS: errors up to its last place are never far off
    double smallestMeant = 1e-30; ///< smaller reference values are not asked to be met relatively

    static ComparisonLimits forTolerance(double tolerance);
    /// The element limit for a reference that shows `noise` in single precision.
    double elementFor(double noise) const;
};

/// A result of the reference, in C order.
struct ReferenceValues
{
    const float *elements = nullptr;
    std::int64_t count = 0;
    /// Elements that share one scale: the innermost axis, or more of them when it is shorter
    /// than 64.
    std::int64_t rowLength = 1;
    /// What the result is a small change of, or null: errors are then held against the change.
    const float *base = nullptr;
    double elementLimit = 0; ///< 0: ComparisonLimits::element
};

/// One element that misses the reference.
struct Deviation
{
    std::int32_t output = 0;
    std::int64_t element = 0; ///< linear index in the result
    double value = 0;
    double expected = 0;
    nki::InstructionId store = nki::kNoInstruction;
    double error = 0; ///< |value - expected| / max(|expected|, RMS of the row); both less the base
};

/// Compares what a kernel stored with the reference, region by region.
class Comparison
{
public:
    Comparison(std::vector<ReferenceValues> references, const ComparisonLimits &limits);

    /// Takes in the values of one store that last.
    void add(const nki::StoredRegion &region, const FinalWrites &finalWrites);

    /// The largest relative L2 norm of the error over the checked elements of one result.
    double relativeL2() const;
    /// The largest error of an element, against max(|reference|, RMS of the row).
    double worstElement() const { return m_worst ? m_worst->error : 0; }
    /// Share of the checked elements that are far off their own value.
    double farOffShare() const;
    std::int64_t checked() const;
    std::int64_t total() const;
    std::int64_t notFinite() const { return m_notFinite; }
    std::int64_t outsideLimit() const { return m_outsideLimit; }

    /// The element with the lowest index (of the first result that has one) that is not finite.
    const std::optional<Deviation> &firstNotFinite() const { return m_firstNotFinite; }
    /// The same for elements beyond the element limit.
    const std::optional<Deviation> &firstOutsideLimit() const { return m_firstOutside; }
    /// The same for elements that are far off their own value.
    const std::optional<Deviation> &firstFarOff() const { return m_firstFarOff; }
    const std::optional<Deviation> &worst() const { return m_worst; }
    /// The limit that elements of this result are held to.
    double elementLimit(std::int32_t output) const;

private:
    struct Sums
    {
        double error = 0;
        double reference = 0;
        std::int64_t checked = 0;
    };

    void addRun(const nki::StoredRegion &region, const WrittenRun &run);
    void examine(const nki::StoredRegion &region, std::int64_t first, const float *values,
                 std::int64_t count, double scale);
    double rowScale(std::size_t output, std::int64_t element);

    std::vector<ReferenceValues> m_references;
    ComparisonLimits m_limits;
    std::vector<Sums> m_sums;
    std::vector<std::vector<float>> m_rowScales; ///< RMS per row, negative: not worked out yet
    std::int64_t m_notFinite = 0;
    std::int64_t m_outsideLimit = 0;
    std::int64_t m_farOff = 0;
    std::optional<Deviation> m_firstNotFinite;
    std::optional<Deviation> m_firstOutside;
    std::optional<Deviation> m_firstFarOff;
    std::optional<Deviation> m_worst;
};

} // namespace accelopt::oracle
