// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/AnswerReader.h"

#include <algorithm>
#include <cctype>

namespace accelopt::agents {
namespace {

constexpr std::size_t kLongestTitle = 120;

std::string_view trimmedAnswer(std::string_view text)
{
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Number of backticks that open or close a block; 0 when the line does neither.
std::size_t fenceLength(std::string_view line)
{
    std::size_t blanks = 0;
    while (blanks < line.size() && line[blanks] == ' ')
        ++blanks;
    line.remove_prefix(blanks);
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    return ticks >= 3 ? ticks : 0;
}

bool startsWithWord(std::string_view line, std::string_view word)
{
    return line.size() >= word.size() &&
           std::equal(word.begin(), word.end(), line.begin(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) ==
                      std::tolower(static_cast<unsigned char>(b));
           });
}

struct TitleAndProse
{
    std::string title;
    std::string prose; ///< without title and without fenced blocks
};

TitleAndProse titleAndProse(const std::string &answer)
{
    TitleAndProse read;
    std::size_t fence = 0;
    for (std::string_view line : linesOf(answer)) {
        if (const std::size_t ticks = fenceLength(line);
            ticks > 0 && (fence == 0 || ticks >= fence)) {
            fence = fence == 0 ? ticks : 0;
            continue;
        }
        if (fence > 0)
            continue;
        std::string_view bare = trimmedAnswer(line);
        while (bare.starts_with('#') || bare.starts_with('*'))
            bare.remove_prefix(1);
        bare = trimmedAnswer(bare);
        if (read.title.empty() && startsWithWord(bare, "title:")) {
            bare.remove_prefix(6);
            while (bare.starts_with('*') || bare.starts_with(' '))
                bare.remove_prefix(1);
            while (bare.ends_with('*'))
                bare.remove_suffix(1);
            read.title = std::string(trimmedAnswer(bare)).substr(0, kLongestTitle);
            continue;
        }
        read.prose += std::string(line) + '\n';
    }
    read.prose = std::string(trimmedAnswer(read.prose));
    if (read.title.empty()) {
        const std::string_view first =
            std::string_view(read.prose)
                .substr(0, std::min(read.prose.find('\n'), read.prose.size()));
        read.title = std::string(first.substr(0, std::min(first.find(". "), kLongestTitle)));
    }
    return read;
}

} // namespace

std::vector<std::string> fencedBlocks(std::string_view text)
{
    std::vector<std::string> blocks;
    std::size_t fence = 0;
    std::string block;
    for (std::string_view line : linesOf(text)) {
        const std::size_t ticks = fenceLength(line);
        if (fence == 0) {
            if (ticks > 0) {
                fence = ticks;
                block.clear();
            }
            continue;
        }
        // Only ticks, and as many as opened it, close a block.
        if (ticks >= fence &&
            trimmedAnswer(line).find_first_not_of('`') == std::string_view::npos) {
            blocks.push_back(block);
            fence = 0;
            continue;
        }
        block += std::string(line) + '\n';
    }
    if (fence > 0 && !trimmedAnswer(block).empty())
        blocks.push_back(block);
    return blocks;
}

Result<search::PlannerAnswer> readPlan(const std::string &answer)
{
    search::PlannerAnswer plan;
    plan.title = titleAndProse(answer).title;
    // The executor is given all of it, code snippets included.
    plan.text = std::string(trimmedAnswer(answer));
    if (plan.title.empty())
        return fail(ErrorCode::NotGood, "the answer holds no plan");
    return plan;
}

Result<search::ExecutorAnswer> readKernelAnswer(const std::string &answer)
{
    const std::vector<std::string> blocks = fencedBlocks(answer);
    if (!blocks.empty() && !trimmedAnswer(blocks.front()).empty())
        return search::ExecutorAnswer{blocks.front()};
    const std::string_view bare = trimmedAnswer(answer);
    if (blocks.empty() && bare.find("def ") != std::string_view::npos &&
        (bare.starts_with("import ") || bare.starts_with("from ") || bare.starts_with("@") ||
         bare.starts_with("def ") || bare.starts_with("#")))
        return search::ExecutorAnswer{std::string(bare) + "\n"};
    return fail(ErrorCode::NotGood, "the answer holds no kernel: there is no fenced block in it");
}

Result<search::SummarizerAnswer> readLesson(const std::string &answer)
{
    search::SummarizerAnswer lesson;
    const std::string_view bare = trimmedAnswer(answer);
    if (startsWithWord(bare, "no lesson")) {
        lesson.declined = true;
        return lesson;
    }
    const TitleAndProse read = titleAndProse(answer);
    if (read.title.empty() || read.prose.empty())
        return fail(ErrorCode::NotGood, "the answer holds no lesson");
    lesson.title = read.title;
    lesson.strategy = read.prose;
    const std::vector<std::string> blocks = fencedBlocks(answer);
    if (!blocks.empty())
        lesson.before = blocks.front();
    if (blocks.size() > 1)
        lesson.after = blocks[1];
    lesson.tags["dialect"] = "nki-classic";
    return lesson;
}

} // namespace accelopt::agents
