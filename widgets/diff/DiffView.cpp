// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/diff/DiffView.h"

#include "widgets/diff/CodeStyle.h"
#include "widgets/diff/DiffMap.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/ElidedLabel.h"
#include "widgets/window/SelectionHub.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>
#include <algorithm>

namespace accelopt::widgets {

namespace {

constexpr int kChangedMarker = 0;
constexpr int kOnlyHereMarker = 1;
constexpr int kCurrentMarker = 2;
constexpr int kPartIndicator = 8; // those below belong to lexers
constexpr int kPaddingStyle = 40; // above those of the lexer
constexpr int kNumberStyle = 41;

} // namespace

DiffView::DiffView(RunDocument *document, SelectionHub *hub, const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_theme(theme)
{
    setObjectName(QStringLiteral("diffView"));
    m_stack = new QStackedLayout(this);
    m_empty = new QLabel;
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setTextFormat(Qt::PlainText);
    m_empty->setMargin(20);
    m_stack->addWidget(m_empty);

    auto *page = new QWidget;
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_leftTitle = new ElidedLabel;
    m_rightTitle = new ElidedLabel;
    m_counter = new QLabel;
    m_previous = new QToolButton;
    m_previous->setArrowType(Qt::UpArrow);
    m_previous->setToolTip(tr("Previous change (Alt+Up)"));
    m_previous->setAccessibleName(tr("Previous change"));
    m_next = new QToolButton;
    m_next->setArrowType(Qt::DownArrow);
    m_next->setToolTip(tr("Next change (Alt+Down)"));
    m_next->setAccessibleName(tr("Next change"));
    for (QToolButton *button : {m_previous, m_next})
        button->setAutoRaise(true);
    m_left = makeEditor(QStringLiteral("diffLeft"));
    m_right = makeEditor(QStringLiteral("diffRight"));
    m_left->setAccessibleName(tr("What it is compared with"));
    m_right->setAccessibleName(tr("Selected kernel"));
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setChildrenCollapsible(false);
    const auto addSide = [this](QsciScintilla *editor, const QList<QWidget *> &header) {
        auto *side = new QWidget;
        auto *sideColumn = new QVBoxLayout(side);
        sideColumn->setContentsMargins(0, 0, 0, 0);
        sideColumn->setSpacing(0);
        auto *headerRow = new QHBoxLayout;
        headerRow->setContentsMargins(0, 3, 4, 3);
        for (QWidget *widget : header)
            headerRow->addWidget(widget, widget == header.front() ? 1 : 0);
        sideColumn->addLayout(headerRow);
        sideColumn->addWidget(editor, 1);
        m_splitter->addWidget(side);
    };
    addSide(m_left, {m_leftTitle});
    addSide(m_right, {m_rightTitle, m_counter, m_previous, m_next});
    // Both headers as high as the one with buttons, so that equal rows stand side by side.
    m_leftTitle->setMinimumHeight(m_next->sizeHint().height());
    m_map = new DiffMap(theme);
    auto *row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_splitter, 1);
    row->addWidget(m_map);
    column->addLayout(row, 1);
    m_stack->addWidget(page);

    connect(m_previous, &QToolButton::clicked, this, &DiffView::previousChange);
    connect(m_next, &QToolButton::clicked, this, &DiffView::nextChange);
    connect(m_left->verticalScrollBar(), &QScrollBar::valueChanged, this,
            [this] { onScrolled(m_left, m_right); });
    connect(m_right->verticalScrollBar(), &QScrollBar::valueChanged, this,
            [this] { onScrolled(m_right, m_left); });
    connect(m_left->horizontalScrollBar(), &QScrollBar::valueChanged, this,
            [this](int value) { m_right->horizontalScrollBar()->setValue(value); });
    connect(m_right->horizontalScrollBar(), &QScrollBar::valueChanged, this,
            [this](int value) { m_left->horizontalScrollBar()->setValue(value); });
    connect(m_map, &DiffMap::rowChosen, this, [this](int target) {
        m_right->verticalScrollBar()->setValue(target -
                                               m_right->verticalScrollBar()->pageStep() / 2);
    });
    connect(m_right, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) {
        // The first line is the title.
        if (!m_syncing && m_hasTexts && m_right->hasFocus() && line > 0)
            emit lineChosen(line);
    });
    connect(hub, &SelectionHub::selectionChanged, this, &DiffView::refresh);
    connect(document, &RunDocument::textReady, this, &DiffView::refresh);
    connect(document, &RunDocument::closed, this, &DiffView::refresh);
    connect(document, &RunDocument::updated, this, [this] {
        // Figures in the titles may have come in.
        if (m_hasTexts) {
            m_leftTitle->setText(titleFor(m_leftKernel));
            m_rightTitle->setText(titleFor(m_rightKernel));
        }
    });
    connect(theme, &Theme::changed, this, [this] {
        applyTheme(m_left);
        applyTheme(m_right);
        m_leftKernel = m_rightKernel = {};
        refresh();
    });
    setFocusProxy(m_right);
    refresh();
}

QsciScintilla *DiffView::makeEditor(const QString &name)
{
    auto *editor = new QsciScintilla;
    editor->setObjectName(name);
    editor->setUtf8(true);
    editor->setReadOnly(true);
    editor->setFrameShape(QFrame::NoFrame);
    editor->setWrapMode(QsciScintilla::WrapNone);
    editor->setFolding(QsciScintilla::NoFoldStyle);
    editor->setTabWidth(4);
    editor->setMinimumSize(120, 60);
    editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1);
    editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1);
    auto *lexer = new QsciLexerPython(editor);
    lexer->setFoldQuotes(false);
    editor->setLexer(lexer);
    applyTheme(editor);
    return editor;
}

void DiffView::applyTheme(QsciScintilla *editor)
{
    const auto color = [this](Tone tone) { return m_theme->color(tone); };
    applyCodeStyle(editor, *m_theme);
    const bool isLeft = editor->objectName() == QStringLiteral("diffLeft");
    editor->markerDefine(QsciScintilla::Background, kChangedMarker);
    editor->markerDefine(QsciScintilla::Background, kOnlyHereMarker);
    editor->setMarkerBackgroundColor(color(isLeft ? Tone::RemovedPaper : Tone::AddedPaper),
                                     kChangedMarker);
    editor->setMarkerBackgroundColor(color(isLeft ? Tone::RemovedPaper : Tone::AddedPaper),
                                     kOnlyHereMarker);
    editor->markerDefine(QsciScintilla::RightTriangle, kCurrentMarker);
    editor->setMarkerBackgroundColor(color(Tone::Accent), kCurrentMarker);
    editor->setMarkerForegroundColor(color(Tone::Accent), kCurrentMarker);
    editor->setMarginType(1, QsciScintilla::SymbolMargin);
    editor->setMarginMarkerMask(1, 1 << kCurrentMarker);
    editor->setMarginWidth(1, 14);
    editor->indicatorDefine(QsciScintilla::FullBoxIndicator, kPartIndicator);
    editor->setIndicatorDrawUnder(true, kPartIndicator);
    editor->setIndicatorForegroundColor(color(isLeft ? Tone::RemovedWord : Tone::AddedWord),
                                        kPartIndicator);
    editor->SendScintilla(QsciScintilla::SCI_INDICSETALPHA, kPartIndicator, 255L);
    editor->SendScintilla(QsciScintilla::SCI_INDICSETOUTLINEALPHA, kPartIndicator, 0L);
    editor->recolor();
}

void DiffView::decorate(QsciScintilla *editor, const DiffSide &side)
{
    // Through Scintilla itself: the editor's own calls set their style anew for every line.
    const auto send = [editor](unsigned int message, unsigned long first, const char *second) {
        editor->SendScintilla(message, first, second);
    };
    editor->markerDeleteAll();
    editor->clearAnnotations();
    editor->clearMarginText();
    const QsciStyle padding(kPaddingStyle, QStringLiteral("padding"),
                            m_theme->color(Tone::QuietText), m_theme->color(Tone::PaddingPaper),
                            Theme::codeFont(), true);
    const QsciStyle number(kNumberStyle, QStringLiteral("number"), m_theme->color(Tone::MarginText),
                           m_theme->color(Tone::MarginPaper), Theme::codeFont());
    padding.apply(editor);
    number.apply(editor);
    for (std::size_t line = 0; line < side.marks.size(); ++line) {
        if (side.marks[line] == LineMark::Changed)
            editor->SendScintilla(QsciScintilla::SCI_MARKERADD, line, long(kChangedMarker));
        else if (side.marks[line] == LineMark::OnlyHere)
            editor->SendScintilla(QsciScintilla::SCI_MARKERADD, line, long(kOnlyHereMarker));
    }
    editor->setAnnotationDisplay(QsciScintilla::AnnotationStandard);
    for (const auto &[line, rows] : side.padding) {
        send(QsciScintilla::SCI_ANNOTATIONSETTEXT, static_cast<unsigned long>(line),
             std::string(std::size_t(rows - 1), '\n').c_str());
        editor->SendScintilla(QsciScintilla::SCI_ANNOTATIONSETSTYLE,
                              static_cast<unsigned long>(line), long(kPaddingStyle));
    }
    editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, kPartIndicator);
    for (const ChangedPart &part : side.parts) {
        const long start =
            editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, part.line) + part.start;
        editor->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, start, long(part.length));
    }
    // Numbers of the kernel's own lines, as verdicts name them: the title has none.
    for (std::size_t line = 1; line < side.marks.size(); ++line) {
        send(QsciScintilla::SCI_MARGINSETTEXT, line, std::to_string(line).c_str());
        editor->SendScintilla(QsciScintilla::SCI_MARGINSETSTYLE, line, long(kNumberStyle));
    }
    editor->setMarginWidth(0, QStringLiteral(" 0000"));
}

void DiffView::compare(const std::string &left, const QString &leftTitle, const std::string &right,
                       const QString &rightTitle)
{
    const std::string leftText = shownText(left);
    const std::string rightText = shownText(right);
    const Result<DiffAlignment> aligned = alignTexts(leftText, rightText);
    if (!aligned) {
        explain(formatting::text(describe(aligned.error())));
        return;
    }
    m_alignment = *aligned;
    m_change = -1;
    m_syncing = true;
    // Nothing can be padded above the first line, so a title stands there.
    m_left->setText(QStringLiteral("# ") + leftTitle + QLatin1Char('\n') +
                    QString::fromStdString(leftText));
    m_right->setText(QStringLiteral("# ") + rightTitle + QLatin1Char('\n') +
                     QString::fromStdString(rightText));
    decorate(m_left, m_alignment.left);
    decorate(m_right, m_alignment.right);
    for (QsciScintilla *editor : {m_left, m_right}) {
        editor->verticalScrollBar()->setValue(0);
        editor->horizontalScrollBar()->setValue(0);
    }
    m_syncing = false;
    m_leftTitle->setText(leftTitle);
    m_rightTitle->setText(rightTitle);
    m_map->setAlignment(m_alignment);
    m_hasTexts = true;
    m_stack->setCurrentIndex(1);
    onScrolled(m_right, m_left);
    updateCounter();
}

QString DiffView::titleFor(const KernelId &kernel) const
{
    const search::KernelRecord *record = search::kernel(m_document->state(), kernel);
    QString title = m_document->name(kernel);
    if (record == nullptr)
        return title;
    if (!record->judged)
        return title + tr(", being judged");
    if (!record->verdict.correct())
        return title + QStringLiteral(", ") + formatting::verdict(record->verdict.status);
    return title + QStringLiteral(", ") + formatting::latency(record->profile);
}

void DiffView::explain(const QString &sentence)
{
    m_hasTexts = false;
    m_leftKernel = m_rightKernel = {};
    m_alignment = {};
    m_empty->setText(sentence);
    m_stack->setCurrentIndex(0);
}

void DiffView::refresh()
{
    const KernelId right = m_hub->current();
    const search::State &state = m_document->state();
    const search::KernelRecord *rightRecord = search::kernel(state, right);
    if (rightRecord == nullptr) {
        explain(m_document->isOpen()
                    ? tr("Select a kernel in the tree or the list: its text is shown here beside "
                         "that of the kernel it was made from.")
                    : tr("Two kernels are compared here."));
        return;
    }
    KernelId left = m_hub->second().empty() ? m_document->parentOf(right) : m_hub->second();
    const search::KernelRecord *leftRecord = search::kernel(state, left);
    if (leftRecord == nullptr) {
        left = right;
        leftRecord = rightRecord;
    }
    if (m_hasTexts && left == m_leftKernel && right == m_rightKernel)
        return;
    const auto leftText = m_document->text(leftRecord->text);
    const auto rightText = m_document->text(rightRecord->text);
    if (!leftText || !rightText)
        return; // textReady() follows
    compare(*leftText, titleFor(left), *rightText, titleFor(right));
    m_leftKernel = left;
    m_rightKernel = right;
    if (!m_alignment.changes.empty())
        goTo(0);
}

void DiffView::onScrolled(QsciScintilla *from, QsciScintilla *to)
{
    m_map->setVisibleRows(from->verticalScrollBar()->value(),
                          from->verticalScrollBar()->pageStep());
    if (m_syncing || QApplication::keyboardModifiers().testFlag(Qt::AltModifier))
        return;
    m_syncing = true;
    to->verticalScrollBar()->setValue(from->verticalScrollBar()->value());
    m_syncing = false;
}

void DiffView::updateCounter()
{
    const int changes = int(m_alignment.changes.size());
    m_previous->setEnabled(changes > 0);
    m_next->setEnabled(changes > 0);
    if (m_hasTexts && changes == 0)
        m_counter->setText(tr("no difference"));
    else if (m_change < 0)
        m_counter->setText(formatting::count(changes, tr("change"), tr("changes")));
    else
        m_counter->setText(tr("change %1 of %2").arg(m_change + 1).arg(changes));
    m_map->setCurrentChange(m_change);
}

void DiffView::goTo(int change)
{
    m_change = change;
    const DiffChange &target = m_alignment.changes[std::size_t(change)];
    m_syncing = true;
    for (QsciScintilla *editor : {m_left, m_right}) {
        const int line = editor == m_left ? target.leftLine : target.rightLine;
        const int page = int(editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
        editor->markerDeleteAll(kCurrentMarker);
        editor->markerAdd(line, kCurrentMarker);
        editor->setCursorPosition(line, 0);
        // Two lines of what stands before, or in the middle when there is room.
        const int above = std::max(2, (page - target.rows) / 3);
        editor->verticalScrollBar()->setValue(std::max(0, target.row - above));
    }
    m_syncing = false;
    onScrolled(m_right, m_left);
    updateCounter();
}

void DiffView::showLine(int line)
{
    if (!m_hasTexts || line < 1 || line >= m_right->lines())
        return;
    m_syncing = true;
    m_right->setSelection(line, 0, line, m_right->lineLength(line) - 1);
    m_right->ensureLineVisible(line);
    m_syncing = false;
}

void DiffView::nextChange()
{
    if (!m_alignment.changes.empty())
        goTo((m_change + 1) % int(m_alignment.changes.size()));
}

void DiffView::previousChange()
{
    const int changes = int(m_alignment.changes.size());
    if (changes > 0)
        goTo(m_change <= 0 ? changes - 1 : m_change - 1);
}

void DiffView::zoomBy(int points)
{
    for (QsciScintilla *editor : {m_left, m_right})
        editor->zoomIn(points);
}

void DiffView::resetZoom()
{
    for (QsciScintilla *editor : {m_left, m_right})
        editor->zoomTo(0);
}

} // namespace accelopt::widgets
