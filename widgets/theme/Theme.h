// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <span>

class QApplication;

namespace accelopt::widgets {

/// What a colour means. Panes and models name tones; only the theme knows colours.
enum class Tone {
    Window,       ///< behind panes and bars
    Pane,         ///< paper of lists, trees and editors
    Raised,       ///< paper of cards and tooltips on a pane
    Text,         ///< what is read first
    QuietText,    ///< labels and units
    Line,         ///< rules, frames, edges of the tree
    Accent,       ///< selection, focus, the path of the best kernel
    AccentText,   ///< text on the accent
    Faster,       ///< text of a figure better than what it is compared with
    FasterPaper,  ///< paper of a node that is faster than the baseline
    Slower,       ///< text of a figure worse than what it is compared with
    SlowerPaper,  ///< paper of a node that is slower than the baseline
    Best,         ///< frame and star of the best kernel
    BestPaper,    ///< paper of the best kernel's node
    Failed,       ///< text and sign of what did not work
    FailedPaper,  ///< paper of what did not work
    Notice,       ///< text on the notice bar
    NoticePaper,  ///< paper of the notice bar
    AddedPaper,   ///< lines that only the right text has
    RemovedPaper, ///< lines that only the left text has
    AddedWord,    ///< changed part of a line, right
    RemovedWord,  ///< changed part of a line, left
    PaddingPaper, ///< filler where the other side has more lines
    MarginPaper,
    MarginText,
    CodeText,
    CodeKeyword,
    CodeComment,
    CodeString,
    CodeNumber,
    CodeName, ///< names that are defined, decorators
    Track,    ///< empty part of a gauge
    Tensor,   ///< gauge fills, one per engine
    Vector,
    Scalar,
    GpSimd,
    Dma,
};

enum class ThemeKind { Light, Dark, HighContrast };

/// A tone of text with a tone of paper it stands on; such pairs must be readable.
struct TextPair
{
    Tone text;
    Tone paper;
};

/// Contrast of two colours as WCAG 2 defines it, 1 to 21.
double contrastRatio(const QColor &a, const QColor &b);

/// The one table of colours, light and dark, and what follows from it.
class Theme : public QObject
{
    Q_OBJECT

public:
    explicit Theme(ThemeKind kind, QObject *parent = nullptr);

    ThemeKind kind() const { return m_kind; }
    QColor color(Tone tone) const { return color(m_kind, tone); }
    static QColor color(ThemeKind kind, Tone tone);
    QPalette palette() const;
    /// Fixed-width font for code, as large as the application's font.
    static QFont codeFont();
    /// Every pair of text and paper that panes use.
    static std::span<const TextPair> textPairs();

    /// Fusion with this theme's palette.
    void apply(QApplication &application) const;

public slots:
    void setKind(accelopt::widgets::ThemeKind kind);

signals:
    void changed();

private:
    ThemeKind m_kind;
};

} // namespace accelopt::widgets
