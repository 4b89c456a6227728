// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QsciScintilla;

namespace accelopt::widgets {

class Theme;

/// Gives an editor with a Python lexer the theme's colours: text, paper, margins, caret and
/// selection. To be called again when the theme changes; recolor() is left to the caller.
void applyCodeStyle(QsciScintilla *editor, const Theme &theme);

} // namespace accelopt::widgets
