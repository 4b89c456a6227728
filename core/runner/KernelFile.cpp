// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/KernelFile.h"

#include "core/nki/syntax/SyntaxHelper.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace accelopt::runner {

Result<std::string> readKernel(const std::filesystem::path &file)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return fail(ErrorCode::WrongUse, fmt::format("{} is a folder, not a kernel", file.string()),
                    "name the Python file that holds the kernel");
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return fail(
            ErrorCode::WrongUse,
            fmt::format("the kernel {} cannot be read ({})", file.string(), std::strerror(errno)),
            "check the path and its permissions");
    std::string text;
    text.resize(nki::SyntaxHelper::kMaximumSourceBytes + 1);
    in.read(text.data(), std::streamsize(text.size()));
    text.resize(std::size_t(in.gcount()));
    if (text.size() > nki::SyntaxHelper::kMaximumSourceBytes)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} is larger than {} KiB, so it is no kernel", file.string(),
                                nki::SyntaxHelper::kMaximumSourceBytes / 1024),
                    "name the Python file that holds the kernel alone");
    return text;
}

} // namespace accelopt::runner
