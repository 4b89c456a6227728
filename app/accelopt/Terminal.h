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
    /// The same with a bar, "silu [###---] 3 of at most 6  best 0.7 ms": where the terminal is
    /// narrow the bar shrinks, because the figures matter more.
    static void progress(std::string_view what, int done, int all, std::string_view rest);
    static void clearProgress();
    static bool hasPerson();
    /// "[#####-----] 12 of at most 24"; without the brackets and what is between them for a width
    /// of 0.
    static std::string bar(int done, int all, int width = 24);
};

enum class Columns {
    Figures,        ///< the first column left, the others right
    FiguresAndText, ///< the last one left, too
};

/// Columns of text, aligned.
std::string table(const std::vector<std::vector<std::string>> &rows,
                  Columns columns = Columns::Figures);

} // namespace accelopt::cli
