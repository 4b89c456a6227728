// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/Theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QStyle>
#include <QStyleFactory>
#include <QToolTip>
#include <cmath>

namespace accelopt::widgets {

namespace {

struct Row
{
    Tone tone;
    QRgb light;
    QRgb dark;
    QRgb contrast; ///< light on black, at least 7:1
};

// Blue for better and orange for worse rather than green and red, which many people cannot tell
// apart; signs and words say the same again.
constexpr Row kTable[] = {
    {Tone::Window, 0xfff0f2f4, 0xff1d2125, 0xff101010},
    {Tone::Pane, 0xffffffff, 0xff14171a, 0xff000000},
    {Tone::Raised, 0xfff8fafb, 0xff22272c, 0xff161616},
    {Tone::Text, 0xff1b2126, 0xffe6eaee, 0xffffffff},
    {Tone::QuietText, 0xff56616b, 0xff9daab5, 0xffdde3e8},
    {Tone::Line, 0xffc3cbd2, 0xff414a53, 0xffa8b2ba},
    {Tone::Accent, 0xff1a63b8, 0xff5aa2f0, 0xffffd633},
    {Tone::AccentText, 0xffffffff, 0xff0b1117, 0xff000000},
    {Tone::Faster, 0xff0b5aa8, 0xff7cb8f7, 0xff8fd0ff},
    {Tone::FasterPaper, 0xffdceafa, 0xff1c3550, 0xff002a55},
    {Tone::Slower, 0xff9a4a00, 0xfff0a860, 0xffffb86b},
    {Tone::SlowerPaper, 0xfffbe9d6, 0xff45301a, 0xff4a2400},
    {Tone::Best, 0xff8a6200, 0xffe8bd4a, 0xffffe14d},
    {Tone::BestPaper, 0xfffdf2cc, 0xff42360f, 0xff3d3200},
    {Tone::Failed, 0xff9b2335, 0xfff28b9a, 0xffff9aa8},
    {Tone::FailedPaper, 0xfff8e4e7, 0xff43212a, 0xff4a0012},
    {Tone::Notice, 0xff4a3a00, 0xfff3e2a8, 0xfffff4b0},
    {Tone::NoticePaper, 0xfffff3c4, 0xff453a14, 0xff3d3200},
    {Tone::AddedPaper, 0xffe2eefc, 0xff172c45, 0xff001f40},
    {Tone::RemovedPaper, 0xfffdeadb, 0xff3d2a19, 0xff331a00},
    {Tone::AddedWord, 0xffb5d3f5, 0xff2b5282, 0xff00457f},
    {Tone::RemovedWord, 0xfff7cfa8, 0xff744a1f, 0xff663300},
    {Tone::PaddingPaper, 0xffeceff1, 0xff21262b, 0xff202020},
    {Tone::MarginPaper, 0xfff4f6f7, 0xff1a1e22, 0xff101010},
    {Tone::MarginText, 0xff626d77, 0xff93a0ab, 0xffdde3e8},
    {Tone::CodeText, 0xff1b2126, 0xffdfe5ea, 0xffffffff},
    {Tone::CodeKeyword, 0xff6a2aa0, 0xffc9a2f2, 0xffe3b8ff},
    {Tone::CodeComment, 0xff4c5c66, 0xffa3b2bd, 0xffd2dae0},
    {Tone::CodeString, 0xff1c6235, 0xff97d3a4, 0xffa8f0b8},
    {Tone::CodeNumber, 0xff8a3a10, 0xfff0b48c, 0xffffc8a0},
    {Tone::CodeName, 0xff0b4f8f, 0xff93c6f8, 0xffa8d8ff},
    {Tone::Track, 0xffe2e6ea, 0xff2f363d, 0xff4a4a4a},
    {Tone::Tensor, 0xff3366b0, 0xff6ea4ea, 0xff6fb0ff},
    {Tone::Vector, 0xff2a8a7a, 0xff4dbba8, 0xff40e0c8},
    {Tone::Scalar, 0xff8a55b5, 0xffb48adf, 0xffd09cff},
    {Tone::GpSimd, 0xffa06a1a, 0xffd6a04c, 0xffffc04d},
    {Tone::Dma, 0xff56707f, 0xff8fadbe, 0xffb8d4e8},
};

constexpr TextPair kTextPairs[] = {
    {Tone::Text, Tone::Window},
    {Tone::Text, Tone::Pane},
    {Tone::Text, Tone::Raised},
    {Tone::Text, Tone::FasterPaper},
    {Tone::Text, Tone::SlowerPaper},
    {Tone::Text, Tone::BestPaper},
    {Tone::Text, Tone::FailedPaper},
    {Tone::QuietText, Tone::Window},
    {Tone::QuietText, Tone::Pane},
    {Tone::QuietText, Tone::Raised},
    {Tone::AccentText, Tone::Accent},
    {Tone::Accent, Tone::Pane},
    {Tone::Faster, Tone::Pane},
    {Tone::Faster, Tone::Window},
    {Tone::Faster, Tone::FasterPaper},
    {Tone::Slower, Tone::Pane},
    {Tone::Slower, Tone::Window},
    {Tone::Slower, Tone::SlowerPaper},
    {Tone::Best, Tone::Pane},
    {Tone::Best, Tone::BestPaper},
    {Tone::Faster, Tone::BestPaper},
    {Tone::Failed, Tone::Pane},
    {Tone::Failed, Tone::Window},
    {Tone::Failed, Tone::FailedPaper},
    {Tone::Notice, Tone::NoticePaper},
    {Tone::MarginText, Tone::MarginPaper},
    {Tone::QuietText, Tone::PaddingPaper},
    {Tone::CodeText, Tone::Pane},
    {Tone::CodeText, Tone::AddedPaper},
    {Tone::CodeText, Tone::RemovedPaper},
    {Tone::CodeText, Tone::AddedWord},
    {Tone::CodeText, Tone::RemovedWord},
    {Tone::CodeKeyword, Tone::Pane},
    {Tone::CodeKeyword, Tone::AddedPaper},
    {Tone::CodeKeyword, Tone::RemovedPaper},
    {Tone::CodeComment, Tone::Pane},
    {Tone::CodeComment, Tone::AddedPaper},
    {Tone::CodeComment, Tone::RemovedPaper},
    {Tone::CodeString, Tone::Pane},
    {Tone::CodeString, Tone::AddedPaper},
    {Tone::CodeString, Tone::RemovedPaper},
    {Tone::CodeNumber, Tone::Pane},
    {Tone::CodeNumber, Tone::AddedPaper},
    {Tone::CodeNumber, Tone::RemovedPaper},
    {Tone::CodeName, Tone::Pane},
    {Tone::CodeName, Tone::AddedPaper},
    {Tone::CodeName, Tone::RemovedPaper},
};

double luminance(const QColor &color)
{
    const auto linear = [](double channel) {
        return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

} // namespace

double contrastRatio(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

Theme::Theme(ThemeKind kind, QObject *parent) : QObject(parent), m_kind(kind) {}

QColor Theme::color(ThemeKind kind, Tone tone)
{
    for (const Row &row : kTable)
        if (row.tone == tone)
            return QColor::fromRgb(kind == ThemeKind::Light  ? row.light
                                   : kind == ThemeKind::Dark ? row.dark
                                                             : row.contrast);
    return {};
}

QPalette Theme::palette() const
{
    QPalette palette;
    const QColor text = color(Tone::Text);
    const QColor quiet = color(Tone::QuietText);
    palette.setColor(QPalette::Window, color(Tone::Window));
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, color(Tone::Pane));
    palette.setColor(QPalette::AlternateBase, color(Tone::Raised));
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::PlaceholderText, quiet);
    palette.setColor(QPalette::Button, color(Tone::Window));
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, color(Tone::Failed));
    palette.setColor(QPalette::Highlight, color(Tone::Accent));
    palette.setColor(QPalette::HighlightedText, color(Tone::AccentText));
    palette.setColor(QPalette::Link, color(Tone::Accent));
    palette.setColor(QPalette::ToolTipBase, color(Tone::Raised));
    palette.setColor(QPalette::ToolTipText, text);
    const bool light = m_kind == ThemeKind::Light;
    palette.setColor(QPalette::Light, color(Tone::Window).lighter(light ? 105 : 140));
    palette.setColor(QPalette::Midlight, color(Tone::Window).lighter(light ? 102 : 120));
    palette.setColor(QPalette::Mid, color(Tone::Line));
    palette.setColor(QPalette::Dark, color(Tone::Line).darker(light ? 115 : 130));
    palette.setColor(QPalette::Shadow, QColor(0, 0, 0));
    if (m_kind == ThemeKind::HighContrast) {
        // On black, edges are seen only where they are lighter.
        palette.setColor(QPalette::Light, QColor(0x70, 0x70, 0x70));
        palette.setColor(QPalette::Midlight, QColor(0x50, 0x50, 0x50));
        palette.setColor(QPalette::Dark, color(Tone::Line));
        palette.setColor(QPalette::Button, QColor(0x24, 0x24, 0x24));
    }
    const QColor faint = light ? QColor(0x9a, 0xa3, 0xab) : QColor(0x67, 0x72, 0x7c);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faint);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, color(Tone::Line));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, text);
    return palette;
}

QFont Theme::codeFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(QApplication::font().pointSizeF());
    return font;
}

std::span<const TextPair> Theme::textPairs()
{
    return kTextPairs;
}

void Theme::apply(QApplication &application) const
{
    if (QApplication::style() == nullptr ||
        QApplication::style()->objectName() != QStringLiteral("fusion"))
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.setPalette(palette());
    QToolTip::setPalette(palette());
}

void Theme::setKind(ThemeKind kind)
{
    if (m_kind == kind)
        return;
    m_kind = kind;
    if (auto *application = qobject_cast<QApplication *>(QCoreApplication::instance()))
        apply(*application);
    emit changed();
}

} // namespace accelopt::widgets
