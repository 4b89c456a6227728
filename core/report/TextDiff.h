// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace accelopt::report {

enum class DiffLineKind { Context, Removed, Added, Hunk };

/// One line of a unified diff; line numbers count from 1, 0 where the side has no such line.
struct DiffLine
{
    DiffLineKind kind = DiffLineKind::Context;
    int oldLine = 0;
    int newLine = 0;
    std::string text;
};

/// Line differences of two texts, by libgit2, with this many unchanged lines around each change.
Result<std::vector<DiffLine>> diffLines(std::string_view oldText, std::string_view newText,
                                        int context);

/// The differences as a patch that `patch -p1` and `git apply` take.
Result<std::string> unifiedPatch(std::string_view oldText, std::string_view newText,
                                 const std::string &fileName);

} // namespace accelopt::report
