// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/AccessPattern.h"

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

std::size_t PatternTable::Hash::operator()(const AccessPattern &pattern) const noexcept
{
    // Multiply-and-fold over the used axes; the constants are odd numbers with well spread bits.
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ std::uint64_t(pattern.rank);
    const auto mix = [&hash](std::int64_t word) {
        hash = (hash ^ std::uint64_t(word)) * 0xd6e8feb86659fd93ULL;
        hash ^= hash >> 32;
    };
    for (std::size_t axis = 0; axis < AccessPattern::kMaximumRank; ++axis) {
        mix(pattern.size[axis]);
        mix(pattern.stride[axis]);
    }
    return std::size_t(hash);
}

PatternId PatternTable::intern(const AccessPattern &pattern)
{
    const auto [entry, isNew] = m_index.try_emplace(pattern, PatternId(m_patterns.size()));
    if (isNew)
        m_patterns.push_back(pattern);
    return entry->second;
}

} // namespace accelopt::nki
