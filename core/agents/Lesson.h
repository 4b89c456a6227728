// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"

#include <string>
#include <string_view>
#include <utility>

namespace accelopt::agents {

/// The lines of two texts that the other does not have, in order, at most `lines` of each; gaps
/// between them are marked with "...".
std::pair<std::string, std::string> changedLines(std::string_view before, std::string_view after,
                                                 int lines = 24);

/// "vector_engine_active_time_percent 0.776 -> 0.153" for the counters that moved most, at most
/// `count`.
std::string movedCounters(const Profile &before, const Profile &after, int count = 5);

} // namespace accelopt::agents
