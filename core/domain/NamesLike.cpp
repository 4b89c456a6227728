// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/NamesLike.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace accelopt {

namespace {

constexpr std::size_t kShortestPart = 3;
constexpr std::size_t kMostNamesLike = 3;

/// Letters to insert, remove, replace or exchange with the next one to make one name of the other.
std::size_t editDistance(const std::string &a, const std::string &b)
{
    std::vector<std::size_t> before, last, row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

} // namespace

std::vector<std::string> namesLike(const std::string &wanted, const std::vector<std::string> &names)
{
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string &name : names) {
        const bool part = wanted.size() >= kShortestPart && name.find(wanted) != std::string::npos;
        const std::size_t distance = part ? 1 : editDistance(wanted, name);
        if (distance <= std::max<std::size_t>(2, wanted.size() / 3) && distance < wanted.size())
            near.emplace_back(distance, name);
    }
    std::sort(near.begin(), near.end());
    std::vector<std::string> like;
    for (std::size_t i = 0; i < near.size() && i < kMostNamesLike; ++i)
        like.push_back(near[i].second);
    return like;
}

} // namespace accelopt
