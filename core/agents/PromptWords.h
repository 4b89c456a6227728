// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/ModelProfile.h"
#include "core/domain/Task.h"
#include "core/search/Interfaces.h"

#include <span>
#include <string>
#include <string_view>

namespace accelopt::agents {

/// Headings of a planner's prompt around the lessons of the memory.
inline constexpr std::string_view kLessonsHeading = "## What earlier kernels have taught";
inline constexpr std::string_view kKernelHeading = "## The kernel to improve";

/// Which parts of a profile a prompt tells.
struct PromptDetails
{
    bool peak = true;
    bool findings = true;
    bool lines = true;
};

PromptDetails detailsOf(const ModelProfile &profile);

/// The task in words: what is computed, arguments, results, tolerance, and the numpy reference.
std::string taskWords(const Task &task, const std::string &reference);
/// Latency, counters and, as `details` say, % of peak, bound, findings and the lines that cost
/// most.
std::string profileWords(const Profile &profile, const PromptDetails &details);
/// The items of the memory, each with its sign and speedup; empty when there are none.
std::string experienceWords(std::span<const ExperienceItem> items);
/// What earlier plans on this kernel and its relatives came to; empty when there are none.
std::string pastWords(std::span<const search::PastAttempt> past);
/// What the checker said, with the lines it points at.
std::string verdictWords(const Verdict &verdict, const std::string &source);

} // namespace accelopt::agents
