// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace accelopt::agents {

/// The share (0-1) of a planner's prompt that the lessons of the memory take, by length; for
/// prompts as they are kept with a call, as text or as JSON. 0 when the prompt carries none, or is
/// not of ours.
double lessonShare(std::string_view prompt);

} // namespace accelopt::agents
