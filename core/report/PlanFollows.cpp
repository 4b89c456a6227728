// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/PlanFollows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace accelopt::report {

namespace {

std::string lower(std::string text)
{
    for (char &c : text)
        if (c >= 'A' && c <= 'Z')
            c = char(c - 'A' + 'a');
    return text;
}

/// Names of the rewrites that the plan's directive carries out: of its one step, or of all of
/// several. A setting of the tuner is called "tune".
std::set<std::string> rewritesOf(const Plan &plan)
{
    std::set<std::string> names;
    const nlohmann::json directive = nlohmann::json::parse(plan.directive, nullptr, false);
    const auto take = [&names](const nlohmann::json &step) {
        if (!step.is_object())
            return;
        const auto rewrite = step.find("rewrite");
        if (rewrite != step.end() && rewrite->is_string())
            names.insert(rewrite->get<std::string>());
        else if (step.contains("tune"))
            names.insert("tune");
    };
    if (directive.is_object() && directive.contains("steps"))
        for (const nlohmann::json &step : directive["steps"])
            take(step);
    else
        take(directive);
    names.erase(std::string());
    return names;
}

/// A lesson of several rewrites names them as "fuse-loops+widen-tile".
std::set<std::string> rewritesOf(const ExperienceItem &item)
{
    std::set<std::string> names;
    const auto tag = item.tags.find("rewrite");
    if (tag == item.tags.end())
        return names;
    std::size_t at = 0;
    while (at < tag->second.size()) {
        const std::size_t end = std::min(tag->second.find('+', at), tag->second.size());
        if (end > at)
            names.insert(tag->second.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

} // namespace

bool follows(const Plan &plan, const ExperienceItem &item)
{
    const std::set<std::string> done = rewritesOf(plan);
    const std::set<std::string> advised = rewritesOf(item);
    if (!done.empty() && !advised.empty())
        return std::includes(done.begin(), done.end(), advised.begin(), advised.end());
    const std::string words = lower(plan.title + "\n" + plan.text);
    constexpr std::size_t kShortestTitle = 8; // shorter ones stand in any prose
    return (!item.id.empty() &&
            words.find("[" + lower(item.id.value) + "]") != std::string::npos) ||
           (item.title.size() >= kShortestTitle &&
            words.find(lower(item.title)) != std::string::npos);
}

} // namespace accelopt::report
