// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace accelopt::store {

/// As many events as there are.
inline constexpr std::size_t kAllEvents = std::numeric_limits<std::size_t>::max();

/// One of the tables in which a run file says what its events come to. A value is nothing, a whole
/// number, a number or a text.
struct ViewTable
{
    using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
    std::vector<std::string> columns;
    std::vector<std::vector<Value>> rows;
    bool operator==(const ViewTable &) const = default;
};

/// Names of the view tables: run, call, plan, attempt, kernel, item, decision, ranking, iteration.
/// What their columns mean stands in resources/store/views-1.sql.
std::span<const std::string_view> viewTableNames();

} // namespace accelopt::store
