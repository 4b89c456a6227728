// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/AccessPattern.h"

#include <algorithm>
#include <cstdlib>

namespace accelopt::nki {

std::int64_t AccessPattern::contiguousRun(bool keepFirstAxis) const
{
    std::int64_t run = 1;
    for (int axis = rank - 1; axis >= (keepFirstAxis ? 1 : 0); --axis) {
        const std::int64_t length = size[std::size_t(axis)];
        if (length == 0)
            return 0;
        if (length == 1)
            continue;
        if (stride[std::size_t(axis)] != run)
            break;
        run *= length;
    }
    return run;
}

std::int64_t AccessPattern::extent() const
{
    std::int64_t distance = 0;
    for (int axis = 0; axis < rank; ++axis)
        if (size[std::size_t(axis)] > 1)
            distance += (size[std::size_t(axis)] - 1) * std::abs(stride[std::size_t(axis)]);
    return distance;
}

std::string AccessPattern::describe() const
{
    if (rank == 0)
        return "1 element";
    std::string sizes;
    std::string strides;
    for (int axis = 0; axis < rank; ++axis) {
        if (axis > 0) {
            sizes += 'x';
            strides += ", ";
        }
        sizes += std::to_string(size[std::size_t(axis)]);
        strides += std::to_string(stride[std::size_t(axis)]);
    }
    return sizes + " (stride " + strides + ")";
}

std::size_t PatternTable::hashOf(const AccessPattern &pattern)
{
    // Multiply-and-fold over the used axes; the constants are odd numbers with well spread bits.
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ std::uint64_t(pattern.rank);
    for (std::size_t axis = 0; axis < std::size_t(pattern.rank); ++axis) {
        hash = (hash ^ std::uint64_t(pattern.size[axis])) * 0xd6e8feb86659fd93ULL;
        hash = (hash ^ std::uint64_t(pattern.stride[axis])) * 0xa0761d6478bd642fULL;
        hash ^= hash >> 32;
    }
    return std::size_t(hash);
}

void PatternTable::grow()
{
    m_slots.assign(std::max<std::size_t>(64, 2 * m_slots.size()), -1);
    const std::size_t last = m_slots.size() - 1;
    for (std::size_t id = 0; id < m_patterns.size(); ++id) {
        std::size_t slot = hashOf(m_patterns[id]) & last;
        while (m_slots[slot] >= 0)
            slot = (slot + 1) & last;
        m_slots[slot] = PatternId(id);
    }
}

PatternId PatternTable::intern(const AccessPattern &pattern)
{
    if (2 * (m_patterns.size() + 1) > m_slots.size())
        grow();
    const std::size_t last = m_slots.size() - 1;
    std::size_t slot = hashOf(pattern) & last;
    for (; m_slots[slot] >= 0; slot = (slot + 1) & last)
        if (m_patterns[std::size_t(m_slots[slot])] == pattern)
            return m_slots[slot];
    m_slots[slot] = PatternId(m_patterns.size());
    m_patterns.push_back(pattern);
    return m_slots[slot];
}

} // namespace accelopt::nki
