// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace accelopt::nki {

/// Byte offset of the first byte that keeps the text from being UTF-8 (RFC 3629: no overlong forms,
/// no surrogates, nothing beyond U+10FFFF); nothing when it is UTF-8.
std::optional<std::size_t> invalidUtf8At(std::string_view text);

} // namespace accelopt::nki
