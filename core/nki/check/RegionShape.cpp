// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/check/RegionShape.h"

#include <algorithm>
#include <numeric>

namespace accelopt::nki {

RegionShape RegionShape::of(const AccessPattern &pattern, std::int64_t row)
{
    RegionShape shape;
    shape.row = row;
    int first = 0;
    if (row > 0 && pattern.rank > 0) {
        first = 1;
        const std::int64_t size = pattern.size[0];
        const std::int64_t stride = pattern.stride[0];
        shape.empty = size == 0;
        if (size > 1 && stride != 0) {
            shape.byPartition = stride > 0 && stride % row == 0;
            shape.partitions = size;
            shape.partitionStep = std::max<std::int64_t>(stride / row, 1);
            shape.extent = (size - 1) * stride;
        }
    }
    int count = 0;
    std::array<Axis, AccessPattern::kMaximumRank> sorted{};
    for (int axis = first; axis < pattern.rank; ++axis) {
        Axis step{pattern.size[std::size_t(axis)], pattern.stride[std::size_t(axis)]};
        if (step.size == 0)
            shape.empty = true;
        if (step.size <= 1 || step.stride == 0)
            continue;
        if (step.stride < 0) {
            shape.shift += (step.size - 1) * step.stride;
            step.stride = -step.stride;
        }
        shape.freeExtent += (step.size - 1) * step.stride;
        int place = count++;
        for (; place > 0 && sorted[std::size_t(place - 1)].stride > step.stride; --place)
            sorted[std::size_t(place)] = sorted[std::size_t(place - 1)];
        sorted[std::size_t(place)] = step;
    }
    shape.extent += shape.freeExtent;
    int used = 0;
    while (used < count && sorted[std::size_t(used)].stride == shape.run)
        shape.run *= sorted[std::size_t(used++)].size;
    shape.divisor = shape.run;
    // Outermost first; an axis that continues the next inner one is the same walk as one longer
    // axis.
    for (int axis = used; axis < count; ++axis) {
        const Axis step = sorted[std::size_t(axis)];
        shape.divisor = std::gcd(shape.divisor, step.stride);
        Axis &inner = shape.axes[0];
        if (shape.axisCount > 0 && inner.size * inner.stride == step.stride) {
            inner.size *= step.size;
            continue;
        }
        std::move_backward(shape.axes.begin(), shape.axes.begin() + shape.axisCount,
                           shape.axes.begin() + shape.axisCount + 1);
        shape.axes[0] = step;
        ++shape.axisCount;
    }
    return shape;
}

} // namespace accelopt::nki
