// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Verdict.h"

#include "core/domain/JsonFields.h"

#include <algorithm>

namespace accelopt {

using json_fields::get;

std::string_view name(VerdictStatus status)
{
    switch (status) {
    case VerdictStatus::Correct: return "correct";
    case VerdictStatus::Wrong: return "wrong";
    case VerdictStatus::NotCompiling: return "not_compiling";
    case VerdictStatus::RunFailed: return "run_failed";
    case VerdictStatus::Suspicious: return "suspicious";
    case VerdictStatus::Unsupported: return "unsupported";
    }
    return "run_failed";
}

std::optional<VerdictStatus> verdictStatus(std::string_view text)
{
    for (VerdictStatus status : kVerdictStatuses)
        if (name(status) == text)
            return status;
    return std::nullopt;
}

void to_json(nlohmann::json &json, const SourcePlace &place)
{
    json = {{"line", place.line},
            {"column", place.column},
            {"end_line", place.endLine},
            {"end_column", place.endColumn}};
}

void from_json(const nlohmann::json &json, SourcePlace &place)
{
    get(json, "line", place.line);
    get(json, "column", place.column);
    get(json, "end_line", place.endLine);
    get(json, "end_column", place.endColumn);
}

void to_json(nlohmann::json &json, const Reason &reason)
{
    json = {{"layer", reason.layer},
            {"rule", reason.rule},
            {"message", reason.message},
            {"hint", reason.hint},
            {"place", reason.place}};
}

void from_json(const nlohmann::json &json, Reason &reason)
{
    get(json, "layer", reason.layer);
    get(json, "rule", reason.rule);
    get(json, "message", reason.message);
    get(json, "hint", reason.hint);
    get(json, "place", reason.place);
}

void to_json(nlohmann::json &json, const Verdict &verdict)
{
    json = {{"status", name(verdict.status)},
            {"reasons", verdict.reasons},
            {"figures", json_fields::figures(verdict.figures)},
            {"simulated", verdict.simulated}};
}

void from_json(const nlohmann::json &json, Verdict &verdict)
{
    const std::string text = json.at("status").get<std::string>();
    const std::optional<VerdictStatus> status = verdictStatus(text);
    if (!status)
        json_fields::refuse("unknown verdict: " + text);
    verdict.status = *status;
    get(json, "reasons", verdict.reasons);
    verdict.figures = json_fields::figures(json.at("figures"));
    get(json, "simulated", verdict.simulated);
}

namespace {

/// Longest part of a source line that is shown, in bytes; about the width of a terminal.
constexpr std::size_t kShownBytes = 96;

bool startsCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::size_t characters(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

std::string_view lineOf(std::string_view source, int number)
{
    for (int i = 1; i < number; ++i) {
        const std::size_t end = source.find('\n');
        if (end == std::string_view::npos)
            return {};
        source.remove_prefix(end + 1);
    }
    source = source.substr(0, source.find('\n'));
    if (!source.empty() && source.back() == '\r')
        source.remove_suffix(1);
    return source;
}

} // namespace

std::string caretText(std::string_view source, const SourcePlace &place)
{
    if (place.line < 1 || place.column < 1)
        return {};
    const std::string_view line = lineOf(source, place.line);
    // One past the end is a place too: something is missing there.
    if (line.empty() || static_cast<std::size_t>(place.column) > line.size() + 1)
        return {};

    const std::size_t start = static_cast<std::size_t>(place.column) - 1;
    std::size_t end = line.size();
    if (place.endLine <= place.line)
        end = std::clamp(static_cast<std::size_t>(std::max(place.endColumn - 1, 0)), start,
                         line.size());

    std::size_t first = 0;
    std::size_t last = line.size();
    if (line.size() > kShownBytes) {
        first = start > kShownBytes / 2 ? start - kShownBytes / 2 : 0;
        last = std::min(line.size(), first + kShownBytes);
        first = last - kShownBytes;
        while (first < start && !startsCharacter(line[first]))
            ++first;
        while (last < line.size() && last > start && !startsCharacter(line[last]))
            --last;
    }
    end = std::min(end, last);

    const std::string before = first > 0 ? "..." : "";
    const std::string after = last < line.size() ? "..." : "";
    std::string text = before + std::string(line.substr(first, last - first)) + after;
    // A tab has no fixed width; a space keeps the caret under its place.
    std::replace(text.begin(), text.end(), '\t', ' ');
    text += '\n';
    text.append(before.size() + characters(line.substr(first, start - first)), ' ');
    text += '^';
    const std::size_t marked = end > start ? characters(line.substr(start, end - start)) : 0;
    if (marked > 1)
        text.append(marked - 1, '~');
    return text;
}

} // namespace accelopt
