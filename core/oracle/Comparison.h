// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/execute/Executor.h"
#include "core/oracle/FinalWrites.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace accelopt::oracle {

/// Limits of the comparison with the reference; all follow from the task's tolerance.
///
/// Measured on right kernels that tile, order and sum otherwise than the reference (the 14 tasks'
/// baselines and the published ones against a float64 reference, on drawn inputs and the tasks'
/// suites): the norm is 3e-8 to 6e-7 (mamba 2.3e-6); the worst element is off by 1e-7 to 2.2e-5 of
/// max(|reference|, RMS of its row), on mamba's wide inputs by 1.4e-4. Tolerances are 2e-5 (mamba
/// 3e-5). The element limit of 25 tolerances lets each of them pass with a factor of five to spare,
/// and still sees one element that is off by a thousandth of its row.
/// The share of far-off elements is for what neither of the two sees: a kernel that replaces values
/// far below the largest of their row by zeros (96 % of a softmax's output). A right kernel misses
/// a value by a quarter of itself only where sums cancel to less than 1e-5 of their terms, far
/// below one in a thousand elements.
struct ComparisonLimits
{
    double relativeL2 = 2e-5;
    double element = 5e-4;
    double farOff = 0.25;         ///< |out - ref| / |ref| above which an element counts as far off
    double farOffShare = 1e-3;    ///< of the checked elements
    double smallestMeant = 1e-30; ///< smaller reference values are not asked to be met relatively

    static ComparisonLimits forTolerance(double tolerance);
};

/// A result of the reference, in C order.
struct ReferenceValues
{
    const float *elements = nullptr;
    std::int64_t count = 0;
    /// Elements that share one scale: the innermost axis, or more of them when it is shorter
    /// than 64.
    std::int64_t rowLength = 1;
};

/// One element that misses the reference.
struct Deviation
{
    std::int32_t output = 0;
    std::int64_t element = 0; ///< linear index in the result
    double value = 0;
    double expected = 0;
    nki::InstructionId store = nki::kNoInstruction;
    double error = 0; ///< |value - expected| / max(|expected|, RMS of the row)
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

private:
    struct Sums
    {
        double error = 0;
        double reference = 0;
        std::int64_t checked = 0;
    };

    void addRun(const nki::StoredRegion &region, const WrittenRun &run);
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
