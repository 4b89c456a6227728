// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/diff/CodeStyle.h"

#include "widgets/theme/Theme.h"

#include <QColor>
#include <QFont>
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#include <utility>

namespace accelopt::widgets {

void applyCodeStyle(QsciScintilla *editor, const Theme &theme)
{
    const auto color = [&theme](Tone tone) { return theme.color(tone); };
    QsciLexer *lexer = editor->lexer();
    const QFont font = Theme::codeFont();
    lexer->setDefaultFont(font);
    lexer->setDefaultPaper(color(Tone::Pane));
    lexer->setDefaultColor(color(Tone::CodeText));
    lexer->setFont(font, -1);
    lexer->setPaper(color(Tone::Pane), -1);
    lexer->setColor(color(Tone::CodeText), -1);
    const std::pair<int, Tone> tones[] = {
        {QsciLexerPython::Comment, Tone::CodeComment},
        {QsciLexerPython::CommentBlock, Tone::CodeComment},
        {QsciLexerPython::Number, Tone::CodeNumber},
        {QsciLexerPython::Keyword, Tone::CodeKeyword},
        {QsciLexerPython::DoubleQuotedString, Tone::CodeString},
        {QsciLexerPython::SingleQuotedString, Tone::CodeString},
        {QsciLexerPython::TripleSingleQuotedString, Tone::CodeString},
        {QsciLexerPython::TripleDoubleQuotedString, Tone::CodeString},
        {QsciLexerPython::DoubleQuotedFString, Tone::CodeString},
        {QsciLexerPython::SingleQuotedFString, Tone::CodeString},
        {QsciLexerPython::ClassName, Tone::CodeName},
        {QsciLexerPython::FunctionMethodName, Tone::CodeName},
        {QsciLexerPython::Decorator, Tone::CodeName},
    };
    for (const auto &[style, tone] : tones)
        lexer->setColor(color(tone), style);
    editor->setPaper(color(Tone::Pane));
    editor->setColor(color(Tone::CodeText));

    editor->setMarginType(0, QsciScintilla::TextMarginRightJustified);
    editor->setMarginsFont(font);
    editor->setMarginsBackgroundColor(color(Tone::MarginPaper));
    editor->setMarginsForegroundColor(color(Tone::MarginText));
    editor->setMarginWidth(1, 0);
    editor->setCaretForegroundColor(color(Tone::Text));
    editor->setSelectionBackgroundColor(color(Tone::Accent));
    editor->setSelectionForegroundColor(color(Tone::AccentText));
    editor->setMatchedBraceBackgroundColor(color(Tone::Raised));
    editor->setMatchedBraceForegroundColor(color(Tone::Accent));
}

} // namespace accelopt::widgets
