// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Comparison.h"

#include "core/oracle/ComparisonRows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace accelopt::oracle {
namespace {

/// One piece of a row; only pieces in which something stands out are gone through one by one.
constexpr std::int64_t kPiece = 512;
constexpr double kNoiseFactor = 32;
constexpr double kLeastElementLimit = 1e-6;
constexpr double kMostTolerances = 25;
/// A result that is a small change of something large is known to a few units of its last place.
constexpr double kUpdateRounding = 4.0 / (1 << 23);

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
    limits.element = kMostTolerances * tolerance;
    // Noise as large as the tolerance misses by a quarter all values below four tolerances of their
    // scale.
    limits.farOffShare = std::max(limits.farOffShare, tolerance / limits.farOff * 4);
    return limits;
}

double ComparisonLimits::elementFor(double noise) const
{
    return std::clamp(kNoiseFactor * noise, kLeastElementLimit,
                      std::max(kLeastElementLimit, element));
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
        const double sum =
            sumOfSquares(reference.elements + first,
                         reference.base ? reference.base + first : nullptr, end - first);
        scale = float(std::sqrt(sum / double(end - first)));
    }
    return scale;
}

void Comparison::add(const nki::StoredRegion &region, const FinalWrites &finalWrites)
{
    finalWrites.visit(region.instruction, [&](const WrittenRun &run) { addRun(region, run); });
}

double Comparison::elementLimit(std::int32_t output) const
{
    const double own = m_references[std::size_t(output)].elementLimit;
    return own > 0 ? own : m_limits.element;
}

void Comparison::addRun(const nki::StoredRegion &region, const WrittenRun &run)
{
    const auto output = std::size_t(region.output);
    const ReferenceValues &reference = m_references[output];
    Sums &sums = m_sums[output];
    const std::int64_t length = std::max<std::int64_t>(reference.rowLength, 1);
    RowLimits limits;
    limits.element = float(elementLimit(region.output));
    limits.farOff = float(m_limits.farOff);
    limits.smallestMeant = float(m_limits.smallestMeant);
    limits.rounding = reference.base ? float(kUpdateRounding) : 0;
    std::int64_t done = 0;
    while (done < run.length) {
        const std::int64_t element = run.first + done;
        const double scale = rowScale(output, element);
        const std::int64_t count = std::min({run.length - done, length - element % length, kPiece});
        limits.scale = float(scale);
        limits.noise = float(m_limits.farOffNoise * scale);
        limits.worst = m_worst ? float(m_worst->error) : 0;
        const float *values = region.values.data() + run.firstValue + done;
        const RowSums piece =
            compareRow(values, reference.elements + element,
                       reference.base ? reference.base + element : nullptr, count, limits);
        sums.error += piece.error;
        sums.reference += piece.reference;
        if (piece.look)
            examine(region, element, values, count, scale);
        done += count;
    }
    sums.checked += run.length;
}

void Comparison::examine(const nki::StoredRegion &region, std::int64_t first, const float *values,
                         std::int64_t count, double scale)
{
    const ReferenceValues &reference = m_references[std::size_t(region.output)];
    const double limit = elementLimit(region.output);
    for (std::int64_t i = 0; i < count; ++i) {
        const double value = values[i];
        const double expected = reference.elements[first + i];
        const double base = reference.base ? double(reference.base[first + i]) : 0;
        const double rounding = reference.base ? kUpdateRounding * std::abs(expected) : 0;
        const double difference = std::abs(value - expected) - rounding;
        const double magnitude = std::abs(expected - base);
        const double against = std::max(magnitude, scale);
        // Written so that a NaN on either side fails.
        const bool farOff = magnitude >= m_limits.smallestMeant &&
                            !(difference <= m_limits.farOff * magnitude) &&
                            !(difference <= m_limits.farOffNoise * scale);
        const bool outside = !(difference <= limit * against);
        const bool finite = std::isfinite(value);
        const double error = !finite          ? std::numeric_limits<double>::infinity()
                             : against > 0    ? difference / against
                             : difference > 0 ? std::numeric_limits<double>::infinity()
                                              : 0;
        if (!farOff && !outside && finite && (m_worst ? error <= m_worst->error : error == 0))
            continue;
        const Deviation found{region.output, first + i, value, expected, region.instruction, error};
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
