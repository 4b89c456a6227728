// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/LessonShare.h"

#include "core/agents/PromptWords.h"

namespace accelopt::agents {

double lessonShare(std::string_view prompt)
{
    // The last one: what a kernel or a lesson says about headings stands between the two.
    const std::size_t end = prompt.rfind(kKernelHeading);
    const std::size_t begin = prompt.find(kLessonsHeading);
    if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin)
        return 0;
    return double(end - begin) / double(prompt.size());
}

} // namespace accelopt::agents
