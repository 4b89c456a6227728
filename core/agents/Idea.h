// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Directive.h"
#include "core/agents/Tuner.h"
#include "core/domain/Ids.h"

#include <string>
#include <vector>

namespace accelopt::agents {

/// What sort of idea it is; a planner mixes them.
enum class IdeaKind {
    Site,    ///< one rewrite that promises a gain, at one place or everywhere
    Chain,   ///< several that build on each other
    Unsure,  ///< a rewrite that promises nothing by itself, alone or with what it makes possible
    Setting, ///< the tuner's
};

/// Something to try on a kernel.
struct Idea
{
    IdeaKind kind = IdeaKind::Site;
    std::vector<Step> steps;
    std::vector<std::string> names; ///< as namesIn(directive)
    std::string title;
    std::string text;
    std::string directive;
    KernelId result;    ///< the kernel it leads to
    double promise = 1; ///< estimated speedup
    /// How much of the profile speaks for it: 1 is neutral. From the cost of the lines it changes
    /// and from the findings.
    double evidence = 1;
    Turning turning; ///< of a Setting
};

} // namespace accelopt::agents
