// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::widgets {

/// What is special about a line of one side.
enum class LineMark {
    Same,
    Changed,  ///< stands beside a line that it differs from
    OnlyHere, ///< the other side has no such line
};

/// A part of a changed line, in bytes of UTF-8.
struct ChangedPart
{
    int line = 0; ///< of the document
    int start = 0;
    int length = 0;
    bool operator==(const ChangedPart &) const = default;
};

/// One side. Lines are those of the shown document, whose line 0 is a title.
struct DiffSide
{
    std::vector<LineMark> marks; ///< one for each line, the title included
    std::map<int, int> padding;  ///< line -> empty rows to be shown below it
    std::vector<ChangedPart> parts;
};

/// A run of lines that differ; where it begins on each side (for a side that has no line of it: the
/// line before).
struct DiffChange
{
    int leftLine = 0;
    int rightLine = 0;
    int row = 0;  ///< first row on screen, the title's is 0
    int rows = 0; ///< height on screen
    bool operator==(const DiffChange &) const = default;
};

/// Two texts side by side: padded so that equal lines stand in equal rows.
struct DiffAlignment
{
    DiffSide left;
    DiffSide right;
    std::vector<DiffChange> changes;
    int rows = 0; ///< height of each side on screen
};

/// A text as the comparison shows it: line ends are \n, none after the last line; what goes beyond
/// kLongestShownLine bytes in a line is replaced by a remark.
std::string shownText(std::string_view text);
inline constexpr std::size_t kLongestShownLine = 2000;

/// Aligns two texts as shownText() gives them.
Result<DiffAlignment> alignTexts(std::string_view left, std::string_view right);

} // namespace accelopt::widgets
