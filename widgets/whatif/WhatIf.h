// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/RunConfig.h"
#include "core/search/State.h"

#include <string>

namespace accelopt::widgets {

/// A recorded run, searched once more with another configuration and no call: every question that
/// the engine asks is answered from the record, until one comes that was never asked.
struct WhatIf
{
    search::State state; ///< as far as the record carries
    /// Iterations in which every question was the recorded one, lessons included: what is said of
    /// them is what the search would have done.
    int exactIterations = 0;
    /// Iterations in which the answers are recorded ones, although planners would have been told
    /// other lessons, and might have answered otherwise.
    int answeredIterations = 0;
    /// The refolded run came to its end.
    bool finished = false;
    /// Why it goes no further, for people; says which kernel or lesson is missing.
    std::string endsBecause;
};

/// Refolds the run. `recorded` is not changed; no time is spent but computing.
WhatIf whatIf(const search::State &recorded, const RunConfig &config);

} // namespace accelopt::widgets
