// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace accelopt::report {

/// The text as any reader takes it: valid UTF-8 without control characters (each becomes the sign
/// for a character that cannot be shown); tabs and line feeds stay.
std::string cleanText(std::string_view text);

/// The same for a page: markup is made harmless as well.
std::string escapedHtml(std::string_view text);

} // namespace accelopt::report
