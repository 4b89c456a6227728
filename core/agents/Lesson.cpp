// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Lesson.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace accelopt::agents {
namespace {

// Beyond this many lines on a side the comparison table would not be worth its memory.
constexpr std::size_t kMaximumLines = 2000;

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        lines.push_back(line);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

std::string chosen(const std::vector<std::string_view> &lines, const std::vector<bool> &common,
                   int most)
{
    std::string result;
    int taken = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (common[i] || lines[i].find_first_not_of(" \t") == std::string_view::npos)
            continue;
        if (taken == most) {
            result += "...\n";
            break;
        }
        if (taken > 0 && i != last + 1)
            result += "...\n";
        result += std::string(lines[i]) + "\n";
        last = i;
        ++taken;
    }
    return result;
}

} // namespace

std::pair<std::string, std::string> changedLines(std::string_view before, std::string_view after,
                                                 int most)
{
    std::vector<std::string_view> a = linesOf(before);
    std::vector<std::string_view> b = linesOf(after);
    a.resize(std::min(a.size(), kMaximumLines));
    b.resize(std::min(b.size(), kMaximumLines));
    // Longest common subsequence of lines.
    const std::size_t width = b.size() + 1;
    std::vector<std::uint16_t> table((a.size() + 1) * width, 0);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            table[i * width + j] =
                a[i] == b[j] ? static_cast<std::uint16_t>(table[(i + 1) * width + j + 1] + 1)
                             : std::max(table[(i + 1) * width + j], table[i * width + j + 1]);
    std::vector<bool> commonA(a.size(), false);
    std::vector<bool> commonB(b.size(), false);
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j])
            commonA[i++] = commonB[j++] = true;
        else if (table[(i + 1) * width + j] >= table[i * width + j + 1])
            ++i;
        else
            ++j;
    }
    return {chosen(a, commonA, most), chosen(b, commonB, most)};
}

std::string movedCounters(const Profile &before, const Profile &after, int count)
{
    struct Moved
    {
        std::string name;
        double from;
        double to;
        double change;
    };
    std::vector<Moved> moved;
    for (const auto &[name, from] : before.counters) {
        const auto found = after.counters.find(name);
        if (found == after.counters.end() || !std::isfinite(from) || !std::isfinite(found->second))
            continue;
        const double scale = std::max(std::abs(from), std::abs(found->second));
        const double change = scale > 0 ? std::abs(from - found->second) / scale : 0;
        // A fraction of an engine's time that moves by less than a hundredth says nothing.
        const bool fraction = name.ends_with("_percent");
        if (change > 0.01 && (!fraction || std::abs(from - found->second) > 0.01))
            moved.push_back({name, from, found->second, change});
    }
    std::stable_sort(moved.begin(), moved.end(),
                     [](const Moved &a, const Moved &b) { return a.change > b.change; });
    moved.resize(std::min(moved.size(), static_cast<std::size_t>(std::max(count, 0))));
    std::string result;
    for (const Moved &one : moved)
        result += fmt::format("{}{} {:.4g} -> {:.4g}", result.empty() ? "" : ", ", one.name,
                              one.from, one.to);
    return result;
}

} // namespace accelopt::agents
