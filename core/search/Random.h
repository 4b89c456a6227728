// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace accelopt::search {

/// The engine's only source of chance: SplitMix64 (Steele, Lea, Flood 2014), the same on every
/// machine.
class Random
{
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t next()
    {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t value = m_state;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
        return value ^ (value >> 31);
    }

    /// Uniform in 0 .. bound - 1; bound must be positive.
    std::uint64_t below(std::uint64_t bound)
    {
        // Values above the last whole multiple of bound would favour small remainders.
        const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
        std::uint64_t value = next();
        while (value >= limit)
            value = next();
        return value % bound;
    }

private:
    std::uint64_t m_state;
};

/// Mixes a seed with a name, so that each use of chance has a stream of its own.
inline std::uint64_t mixSeed(std::uint64_t seed, std::string_view name)
{
    // FNV-1a over the bytes, started from the mixed seed.
    std::uint64_t hash = Random(seed).next() ^ 0xCBF29CE484222325ULL;
    for (const char byte : name) {
        hash ^= static_cast<unsigned char>(byte);
        hash *= 0x100000001B3ULL;
    }
    return Random(hash).next();
}

} // namespace accelopt::search
