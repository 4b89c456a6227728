// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/PlanWords.h"

#include <algorithm>

namespace accelopt::agents {
namespace {

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return text;
}

} // namespace

const rewrite::Rewrite *rewriteMeant(const std::string &text)
{
    const std::string words = lowerCase(text);
    const rewrite::Rewrite *best = nullptr;
    std::size_t longest = 0;
    for (const auto &candidate : rewrite::allRewrites()) {
        if (words.find(candidate->name()) != std::string::npos)
            return candidate.get();
        for (const std::string &keyword : candidate->keywords())
            if (keyword.size() > longest && words.find(keyword) != std::string::npos) {
                longest = keyword.size();
                best = candidate.get();
            }
    }
    return best;
}

int wordsShared(const std::string &title, const std::string &text)
{
    int matches = 0;
    std::size_t at = 0;
    while (at < title.size()) {
        const std::size_t end = std::min(title.find(' ', at), title.size());
        const std::string word = title.substr(at, end - at);
        if (word.size() > 1 && text.find(word) != std::string::npos)
            ++matches;
        at = end + 1;
    }
    return matches;
}

std::string rewriteNames()
{
    std::string names;
    for (const auto &candidate : rewrite::allRewrites())
        names += (names.empty() ? "" : ", ") + std::string(candidate->name());
    return names;
}

} // namespace accelopt::agents
