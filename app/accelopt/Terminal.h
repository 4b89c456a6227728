// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace accelopt::cli {

/// What the terminal program prints. Results go to stdout, everything else to stderr; a progress
/// line is shown only to a person at a terminal.
class Terminal
{
public:
    static void message(std::string_view text);
    static void result(std::string_view text);
    /// Replaces the progress line.
    static void progress(std::string_view text);
    static void clearProgress();
    static bool hasPerson();
    /// "[#####-----] 12 of 24"
    static std::string bar(int done, int all, int width = 24);
};

/// Columns of text, aligned: the first column left, the others right.
std::string table(const std::vector<std::vector<std::string>> &rows);

} // namespace accelopt::cli
