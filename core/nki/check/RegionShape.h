// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/AccessPattern.h"

#include <array>
#include <cstdint>
#include <vector>

namespace accelopt::nki {

/// An access pattern put in order: partitions apart from the free axes, free axes by falling
/// stride, merged where they continue each other, repeats dropped. Two patterns that touch the same
/// elements in another order have the same shape.
struct RegionShape
{
    struct Axis
    {
        std::int64_t size = 1;
        std::int64_t stride = 0;
    };
    std::int64_t row = -1; ///< elements per partition it was made for; 0: one linear row
    std::int64_t partitions = 1;
    std::int64_t partitionStep = 1;
    std::int64_t run = 1;        ///< elements in a row, innermost
    std::int64_t shift = 0;      ///< of the offset, where strides are negative
    std::int64_t freeExtent = 0; ///< from the first to the last element of a partition
    std::int64_t extent = 0;     ///< from the first to the last element of all
    std::int64_t divisor = 1;    ///< greatest common divisor of the run and the strides
    std::array<Axis, AccessPattern::kMaximumRank> axes{}; ///< around the run, outermost first
    std::int8_t axisCount = 0;
    bool empty = false;
    bool byPartition = true; ///< false: axis 0 does not step over whole partitions

    /// `row` 0 takes all axes as steps through one linear row.
    static RegionShape of(const AccessPattern &pattern, std::int64_t row);
};

/// The shapes of a program's patterns, each worked out when first asked for.
class RegionShapes
{
public:
    explicit RegionShapes(const PatternTable &patterns)
        : m_patterns(patterns),
          m_rows(patterns.size()),
          m_linear(patterns.size())
    {}
    const RegionShape &linear(PatternId id) { return get(m_linear, id, 0); }
    /// For a storage with `row` elements per partition.
    const RegionShape &partitioned(PatternId id, std::int64_t row) { return get(m_rows, id, row); }

private:
    const RegionShape &get(std::vector<RegionShape> &shapes, PatternId id, std::int64_t row)
    {
        RegionShape &shape = shapes[std::size_t(id)];
        if (shape.row != row)
            shape = RegionShape::of(m_patterns[id], row);
        return shape;
    }
    const PatternTable &m_patterns;
    std::vector<RegionShape> m_rows;
    std::vector<RegionShape> m_linear;
};

} // namespace accelopt::nki
