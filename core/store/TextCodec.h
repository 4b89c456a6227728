// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace accelopt::store {

/// The largest text that a run file takes, in bytes: far above any prompt or kernel, and a bound on
/// what a damaged or hostile file can make a reader allocate.
inline constexpr std::size_t kTextLimitBytes = std::size_t{64} << 20;

/// A text as the run file keeps it.
struct StoredText
{
    std::string codec; ///< "zstd" or "raw"
    std::string bytes;
};

/// Compresses a text; keeps it as it is when that is not longer.
StoredText encodeText(std::string_view text);

/// The text again; `sizeBytes` is its length before compression. Fails with Newer for an unknown
/// codec and with Format when the bytes do not give a text of that length.
Result<std::string> decodeText(std::string_view codec, std::int64_t sizeBytes,
                               std::string_view bytes);

} // namespace accelopt::store
