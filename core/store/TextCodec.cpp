// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/TextCodec.h"

#include <fmt/format.h>
#include <zstd.h>

namespace accelopt::store {

namespace {

// Texts are a few KiB: a higher level costs microseconds and saves a tenth of the file.
constexpr int kLevel = 9;

} // namespace

StoredText encodeText(std::string_view text)
{
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    const std::size_t length =
        ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kLevel);
    if (ZSTD_isError(length) || length >= text.size())
        return {"raw", std::string(text)};
    packed.resize(length);
    return {"zstd", std::move(packed)};
}

Result<std::string> decodeText(std::string_view codec, std::int64_t sizeBytes,
                               std::string_view bytes)
{
    const char *kHint = "Use a copy of the run file.";
    if (sizeBytes < 0 || static_cast<std::uint64_t>(sizeBytes) > kTextLimitBytes)
        return fail(ErrorCode::Format,
                    fmt::format("a text of the run claims to be {} bytes long", sizeBytes), kHint);
    const auto size = static_cast<std::size_t>(sizeBytes);
    if (codec == "raw") {
        if (bytes.size() != size)
            return fail(ErrorCode::Format, "a text of the run is cut short", kHint);
        return std::string(bytes);
    }
    if (codec != "zstd")
        return fail(ErrorCode::Newer,
                    fmt::format("a text of the run is compressed in a way (\"{}\") that this "
                                "version of the workbench does not know",
                                codec),
                    "Update the workbench to open it.");
    std::string text(size, '\0');
    const std::size_t length =
        ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(length) || length != size)
        return fail(ErrorCode::Format, "a text of the run cannot be decompressed", kHint,
                    ZSTD_isError(length) ? ZSTD_getErrorName(length) : "wrong length");
    return text;
}

} // namespace accelopt::store
