// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace accelopt::nki {

using PatternId = std::int32_t;

/// A strided box: `rank` axes, outermost first. Axis 0 of an on-chip pattern is the partition axis.
/// A stride of 0 repeats the same element (broadcast). Strides are in elements of the storage's
/// linear address.
struct AccessPattern
{
    static constexpr int kMaximumRank = 5;
    std::int8_t rank = 0;
    std::array<std::int64_t, kMaximumRank> size{};
    std::array<std::int64_t, kMaximumRank> stride{};

    bool operator==(const AccessPattern &) const = default;
    /// Elements touched, repeats counted.
    std::int64_t count() const
    {
        std::int64_t n = 1;
        for (int axis = 0; axis < rank; ++axis)
            n *= size[std::size_t(axis)];
        return n;
    }
    /// Elements in each partition: all axes but the first.
    std::int64_t freeCount() const
    {
        return rank == 0 ? 1 : (size[0] == 0 ? 0 : count() / size[0]);
    }
    std::int64_t partitions() const { return rank == 0 ? 1 : size[0]; }
    /// Length of the innermost contiguous run, in elements, neighbouring axes merged where they
    /// continue each other. Never crosses axis 0 of an on-chip pattern when `keepFirstAxis`.
    std::int64_t contiguousRun(bool keepFirstAxis) const;
    /// Distance from the first to the last element touched, in elements.
    std::int64_t extent() const;
    /// "128x512 (stride 512, 1)" for people.
    std::string describe() const;
};

/// Keeps each different pattern once.
class PatternTable
{
public:
    PatternId intern(const AccessPattern &pattern);
    const AccessPattern &operator[](PatternId id) const { return m_patterns[std::size_t(id)]; }
    std::size_t size() const { return m_patterns.size(); }

private:
    static std::size_t hashOf(const AccessPattern &pattern);
    void grow();

    std::vector<AccessPattern> m_patterns;
    /// Open addressing, a power of two and never more than half full; -1: free. A program interns
    /// two patterns per instruction, nearly always ones it has.
    std::vector<PatternId> m_slots;
};

/// Calls `visit(firstElement, length)` for each contiguous run of the pattern at this offset; runs
/// that continue each other are merged. A repeated (stride 0) axis is visited once.
template <typename Visit>
void forEachRun(const AccessPattern &pattern, std::int64_t offset, Visit &&visit)
{
    for (int any = 0; any < pattern.rank; ++any)
        if (pattern.size[std::size_t(any)] == 0)
            return;
    // Merge inner axes into one run as long as they are contiguous, then walk the outer ones.
    std::int64_t run = 1;
    int axis = pattern.rank - 1;
    for (; axis >= 0; --axis) {
        const std::int64_t size = pattern.size[std::size_t(axis)];
        const std::int64_t stride = pattern.stride[std::size_t(axis)];
        if (size == 1 || stride == 0)
            continue;
        if (stride != run)
            break;
        run *= size;
    }
    std::array<std::int64_t, AccessPattern::kMaximumRank> index{};
    std::int64_t position = offset;
    while (true) {
        visit(position, run);
        int outer = axis;
        for (; outer >= 0; --outer) {
            const std::int64_t stride = pattern.stride[std::size_t(outer)];
            if (stride == 0)
                continue;
            position += stride;
            if (++index[std::size_t(outer)] < pattern.size[std::size_t(outer)])
                break;
            position -= stride * pattern.size[std::size_t(outer)];
            index[std::size_t(outer)] = 0;
        }
        if (outer < 0)
            return;
    }
}

} // namespace accelopt::nki
