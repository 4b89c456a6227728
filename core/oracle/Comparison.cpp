// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace accelopt::oracle {
namespace {

void keepFirst(std::optional<Deviation> &kept, const Deviation &found)
{
    if (!kept || std::tie(found.output, found.element) < std::tie(kept->output, kept->element))
        kept = found;
}

} // namespace

ComparisonLimits ComparisonLimits::forTolerance(double tolerance)
{
    ComparisonLimits limits;
    limits.relativeL2 = tolerance;
    limits.element = 25 * tolerance;
    // Noise as large as the tolerance misses by a quarter all values below four tolerances of their
    // scale.
    limits.farOffShare = std::max(limits.farOffShare, tolerance / limits.farOff * 4);
    return limits;
}

Comparison::Comparison(std::vector<ReferenceValues> references, const ComparisonLimits &limits)
    : m_references(std::move(references)),
      m_limits(limits),
      m_sums(m_references.size())
{
    for (const ReferenceValues &reference : m_references) {
        const std::int64_t length = std::max<std::int64_t>(reference.rowLength, 1);
        m_rowScales.emplace_back(std::size_t((reference.count + length - 1) / length), -1.0F);
    }
}

double Comparison::rowScale(std::size_t output, std::int64_t element)
{
    const ReferenceValues &reference = m_references[output];
    const std::int64_t length = std::max<std::int64_t>(reference.rowLength, 1);
    const std::int64_t row = element / length;
    float &scale = m_rowScales[output][std::size_t(row)];
    if (scale < 0) {
        const std::int64_t first = row * length;
        const std::int64_t end = std::min(first + length, reference.count);
        double sum = 0;
        for (std::int64_t i = first; i < end; ++i)
            sum += double(reference.elements[i]) * double(reference.elements[i]);
        scale = float(std::sqrt(sum / double(end - first)));
    }
    return scale;
}

void Comparison::add(const nki::StoredRegion &region, const FinalWrites &finalWrites)
{
    finalWrites.visit(region.instruction, [&](const WrittenRun &run) { addRun(region, run); });
}

void Comparison::addRun(const nki::StoredRegion &region, const WrittenRun &run)
{
    const auto output = std::size_t(region.output);
    const ReferenceValues &reference = m_references[output];
    Sums &sums = m_sums[output];
    const std::int64_t length = std::max<std::int64_t>(reference.rowLength, 1);
    std::int64_t done = 0;
    while (done < run.length) {
        const std::int64_t element = run.first + done;
        const double scale = rowScale(output, element);
        const std::int64_t pieceEnd = std::min(run.length, done + (length - element % length));
        for (; done < pieceEnd; ++done) {
            const double value = region.values[std::size_t(run.firstValue + done)];
            const double expected = reference.elements[run.first + done];
            const double difference = std::abs(value - expected);
            const double magnitude = std::abs(expected);
            sums.error += difference * difference;
            sums.reference += expected * expected;
            // Written so that a NaN on either side fails.
            const bool farOff =
                magnitude >= m_limits.smallestMeant && !(difference <= m_limits.farOff * magnitude);
            const bool outside = !(difference <= m_limits.element * std::max(magnitude, scale));
            const bool finite = std::isfinite(value);
            const bool worst =
                difference > 0 &&
                (!m_worst || difference > m_worst->error * std::max(magnitude, scale));
            if (!farOff && !outside && finite && !worst)
                continue;
            Deviation found{region.output, run.first + done,   value,
                            expected,      region.instruction, 0};
            const double against = std::max(magnitude, scale);
            found.error = !finite          ? std::numeric_limits<double>::infinity()
                          : against > 0    ? difference / against
                          : difference > 0 ? std::numeric_limits<double>::infinity()
                                           : 0;
            if (!finite) {
                ++m_notFinite;
                keepFirst(m_firstNotFinite, found);
            }
            if (outside) {
                ++m_outsideLimit;
                keepFirst(m_firstOutside, found);
            }
            if (farOff) {
                ++m_farOff;
                keepFirst(m_firstFarOff, found);
            }
            if (!m_worst || found.error > m_worst->error)
                m_worst = found;
        }
    }
    sums.checked += run.length;
}

double Comparison::relativeL2() const
{
    double largest = 0;
    for (const Sums &sums : m_sums) {
        if (sums.checked == 0)
            continue;
        double norm = std::sqrt(sums.error);
        if (sums.reference > 0)
            norm /= std::sqrt(sums.reference);
        if (std::isnan(norm))
            return norm;
        largest = std::max(largest, norm);
    }
    return largest;
}

double Comparison::farOffShare() const
{
    const std::int64_t count = checked();
    return count == 0 ? 0 : double(m_farOff) / double(count);
}

std::int64_t Comparison::checked() const
{
    std::int64_t count = 0;
    for (const Sums &sums : m_sums)
        count += sums.checked;
    return count;
}

std::int64_t Comparison::total() const
{
    std::int64_t count = 0;
    for (const ReferenceValues &reference : m_references)
        count += reference.count;
    return count;
}

} // namespace accelopt::oracle
