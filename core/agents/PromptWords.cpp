// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/PromptWords.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::agents {
namespace {

constexpr std::size_t kMostLinesTold = 12;
constexpr std::size_t kMostPastTold = 24;

std::string shapeWords(const Shape &shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

std::string fenced(const std::string &code)
{
    // A fence longer than any in the code, so that the code cannot end it.
    std::size_t longest = 2;
    for (std::size_t at = 0; at < code.size(); ++at) {
        std::size_t ticks = 0;
        while (at + ticks < code.size() && code[at + ticks] == '`')
            ++ticks;
        longest = std::max(longest, ticks);
        at += ticks;
    }
    const std::string fence(longest + 1, '`');
    return fence + "python\n" + code + (code.ends_with('\n') ? "" : "\n") + fence + "\n";
}

} // namespace

PromptDetails detailsOf(const ModelProfile &profile)
{
    return {profile.tellPeak, profile.tellFindings, profile.tellLines};
}

std::string taskWords(const Task &task, const std::string &reference)
{
    std::string text =
        fmt::format("{}: {}\n\nArguments, in this order:\n", task.title, task.description);
    for (const TaskArgument &argument : task.arguments)
        text += argument.scalar ? fmt::format("- {}: the Python number {:g}\n", argument.name,
                                              argument.parameter)
                                : fmt::format("- {}: {} {}\n", argument.name, argument.dtype,
                                              shapeWords(argument.shape));
    text += "\nResults:\n";
    for (const TaskResult &result : task.results)
        text += fmt::format("- {}: {} {}\n", result.name, result.dtype, shapeWords(result.shape));
    for (const TaskLayout &layout : task.layouts) {
        text += fmt::format("\nA kernel may instead use the layout \"{}\" (row-major reshapes): "
                            "arguments",
                            layout.name);
        for (const Shape &shape : layout.arguments)
            text += " " + (shape.empty() ? std::string("number") : shapeWords(shape));
        text += ", results";
        for (const Shape &shape : layout.results)
            text += " " + shapeWords(shape);
        text += ".\n";
    }
    text += fmt::format("\nA kernel is right when the L2 norm of its error is below {:g} of the L2 "
                        "norm of the reference result.\n",
                        task.tolerance);
    if (!task.entryPoint.empty())
        text += fmt::format("The kernel's function is called {}.\n", task.entryPoint);
    if (!reference.empty())
        text += "\nThe numpy reference:\n\n" + fenced(reference);
    return text;
}

std::string profileWords(const Profile &profile, const PromptDetails &details)
{
    if (profile.latencyMs <= 0)
        return {};
    std::string text = fmt::format("latency: {:.4g} ms ({}, {})\n", profile.latencyMs,
                                   profile.device, profile.simulated ? "simulated" : "measured");
    if (details.peak && profile.percentOfPeak)
        text += fmt::format("percent of the roofline's peak: {:.1f}\n", *profile.percentOfPeak);
    if (details.peak && !profile.bound.empty())
        text += fmt::format("the task is bound by: {}\n", profile.bound);
    for (const auto &[name, value] : profile.counters)
        text += fmt::format("{}: {:.6g}\n", name, value);
    if (details.findings && !profile.findings.empty()) {
        text += "\nFindings:\n";
        for (const Finding &finding : profile.findings) {
            text += fmt::format("- {}: {}. {}", finding.rule, finding.condition, finding.cause);
            if (finding.place.line > 0)
                text += fmt::format(" (line {})", finding.place.line);
            text += fmt::format(" Advice: {}\n", finding.advice);
        }
    }
    if (details.lines && !profile.lines.empty()) {
        std::vector<LineCost> lines = profile.lines;
        std::stable_sort(lines.begin(), lines.end(),
                         [](const LineCost &a, const LineCost &b) { return a.busyNs > b.busyNs; });
        lines.resize(std::min(lines.size(), kMostLinesTold));
        text += "\nLines that keep engines and DMA busiest:\n";
        for (const LineCost &line : lines)
            text +=
                fmt::format("- line {}: {:.4g} us busy, {:.4g} MB moved, {:.0f} instructions\n",
                            line.line, line.busyNs / 1e3, line.dmaBytes / 1e6, line.instructions);
    }
    return text;
}

std::string experienceWords(std::span<const ExperienceItem> items)
{
    std::string text;
    for (const ExperienceItem &item : items) {
        text += fmt::format("### {} ({}, {:.3g}x)\n\n{}\n", item.title,
                            item.positive ? "did help" : "did harm", item.speedup, item.strategy);
        if (!item.before.empty())
            text += "\nSlow:\n" + fenced(item.before);
        if (!item.after.empty())
            text += "\nFast:\n" + fenced(item.after);
        text += '\n';
    }
    return text;
}

std::string pastWords(std::span<const search::PastAttempt> past)
{
    if (past.size() > kMostPastTold)
        past = past.subspan(past.size() - kMostPastTold);
    std::string text;
    for (const search::PastAttempt &one : past) {
        text += fmt::format("- {}: ", one.planTitle);
        if (one.duplicate)
            text += "changed nothing\n";
        else if (one.verdict == VerdictStatus::Correct)
            text += fmt::format("{:.3g}x\n", one.speedup);
        else
            text += fmt::format("{}\n", name(one.verdict));
    }
    return text;
}

std::string verdictWords(const Verdict &verdict, const std::string &source)
{
    std::string text = fmt::format("verdict: {}\n", name(verdict.status));
    for (const Reason &reason : verdict.reasons) {
        text += reason.place.line > 0 ? fmt::format("line {}: ", reason.place.line) : "";
        text += reason.message;
        if (!reason.rule.empty())
            text += fmt::format(" [{}]", reason.rule);
        text += '\n';
        if (const std::string caret = caretText(source, reason.place); !caret.empty())
            text += caret + (caret.ends_with('\n') ? "" : "\n");
        if (!reason.hint.empty())
            text += "legal would be: " + reason.hint + '\n';
    }
    return text;
}

} // namespace accelopt::agents
