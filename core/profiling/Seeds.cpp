// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/Seeds.h"

#include "core/domain/Hash.h"

#include <fmt/format.h>
#include <string>

namespace accelopt::profiling {
namespace {

const char *nameOf(JudgePurpose purpose)
{
    return purpose == JudgePurpose::Search ? "search" : "confirmation";
}

std::uint64_t derived(const std::string &text)
{
    // 60 bits: the reference driver and JSON readers keep them exactly.
    constexpr std::size_t kDigits = 15;
    return std::stoull(sha256(text).substr(0, kDigits), nullptr, 16);
}

} // namespace

std::vector<std::uint64_t> secretSeeds(std::uint64_t runSeed, JudgePurpose purpose, int count)
{
    std::vector<std::uint64_t> seeds;
    for (int i = 0; i < count; ++i)
        seeds.push_back(derived(fmt::format("inputs/{}/{}/{}", runSeed, nameOf(purpose), i)));
    return seeds;
}

std::uint64_t samplingSeed(std::uint64_t runSeed, JudgePurpose purpose, const KernelId &kernel)
{
    return derived(fmt::format("stores/{}/{}/{}", runSeed, nameOf(purpose), kernel.value));
}

} // namespace accelopt::profiling
