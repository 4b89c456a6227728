// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/search/Interfaces.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::agents {

/// What stands between ``` fences in an answer, first to last, without the fences and the word
/// behind the opening one. A fence that is never closed counts only when `text` is all there is
/// of it and something follows the fence.
std::vector<std::string> fencedBlocks(std::string_view text);

/// The plan in an answer: a line "Title: ..." and the prose. NotGood error when it holds no prose.
Result<search::PlannerAnswer> readPlan(const std::string &answer);

/// The kernel in an answer: its first fenced block, or all of it when it has no fence and is
/// plainly a kernel. NotGood error that says what is missing.
Result<search::ExecutorAnswer> readKernelAnswer(const std::string &answer);

/// The lesson in an answer: "Title: ...", prose, a block with the slow and one with the fast code.
/// "NO LESSON" declines. NotGood error when it is neither.
Result<search::SummarizerAnswer> readLesson(const std::string &answer);

} // namespace accelopt::agents
