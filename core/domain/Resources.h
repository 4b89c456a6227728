// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace accelopt {

/// Text of a file embedded at build time, by its path below the source root
/// ("resources/syntax_helper.py"). Empty when there is no such file.
std::string_view resource(std::string_view path);

/// All embedded files as (path, text). Made at build time.
std::span<const std::pair<std::string_view, std::string_view>> embeddedFiles();

} // namespace accelopt
