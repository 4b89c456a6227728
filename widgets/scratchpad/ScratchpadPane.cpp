// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scratchpad/ScratchpadPane.h"

#include "widgets/diff/CodeStyle.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/timeline/TimelineView.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTextEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#include <algorithm>

namespace accelopt::widgets {

namespace {

/// A pause in typing; what follows takes a few tenths of a second at most.
constexpr int kTypingPauseMs = 250;
constexpr int kProblemMarker = 3;

QString occupancyText(const QString &name, const Occupancy &occupancy)
{
    if (occupancy.capacity <= 0)
        return {};
    return QObject::tr("%1 %2 of %3 per partition (%4)")
        .arg(name, formatting::bytes(double(occupancy.bytesPerPartition)),
             formatting::bytes(double(occupancy.capacity)),
             formatting::share(double(occupancy.bytesPerPartition) / double(occupancy.capacity)));
}

double counterValue(const Profile &profile, const char *name)
{
    const auto it = profile.counters.find(name);
    return it == profile.counters.end() ? 0 : it->second;
}

} // namespace

ScratchpadPane::ScratchpadPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                               std::filesystem::path programFolder, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_theme(theme),
      m_lab(new KernelLab(std::move(programFolder), this)),
      m_buttons(new QHBoxLayout),
      m_title(new QLabel),
      m_editor(new QsciScintilla),
      m_verdict(new QLabel),
      m_figures(new QLabel),
      m_details(new QTextEdit),
      m_timeline(new TimelineView(theme))
{
    setObjectName(QStringLiteral("scratchpad"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(4, 2, 4, 0);
    column->setSpacing(2);
    column->addLayout(m_buttons);
    m_title->setTextFormat(Qt::PlainText);
    m_buttons->addWidget(m_title);
    m_buttons->addStretch(1);
    auto *halves = new QSplitter(Qt::Horizontal);
    halves->setChildrenCollapsible(false);
    m_editor->setObjectName(QStringLiteral("scratchpadEditor"));
    m_editor->setAccessibleName(tr("Kernel to try things on"));
    m_editor->setUtf8(true);
    m_editor->setFrameShape(QFrame::NoFrame);
    m_editor->setTabWidth(4);
    m_editor->setIndentationsUseTabs(false);
    m_editor->setAutoIndent(true);
    auto *lexer = new QsciLexerPython(m_editor);
    lexer->setFoldQuotes(false);
    m_editor->setLexer(lexer);
    halves->addWidget(m_editor);
    auto *side = new QWidget;
    auto *sideColumn = new QVBoxLayout(side);
    sideColumn->setContentsMargins(6, 2, 2, 0);
    sideColumn->setSpacing(3);
    for (QLabel *label : {m_verdict, m_figures}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        sideColumn->addWidget(label);
    }
    m_verdict->setObjectName(QStringLiteral("scratchpadVerdict"));
    m_figures->setObjectName(QStringLiteral("scratchpadFigures"));
    auto *lower = new QSplitter(Qt::Vertical);
    lower->setChildrenCollapsible(false);
    m_timeline->setObjectName(QStringLiteral("scratchpadTimeline"));
    lower->addWidget(m_timeline);
    m_details->setObjectName(QStringLiteral("scratchpadFindings"));
    m_details->setAccessibleName(tr("Findings"));
    m_details->setReadOnly(true);
    m_details->setFrameShape(QFrame::NoFrame);
    lower->addWidget(m_details);
    sideColumn->addWidget(lower, 1);
    halves->addWidget(side);
    halves->setStretchFactor(0, 1);
    halves->setStretchFactor(1, 1);
    column->addWidget(halves, 1);
    setFocusProxy(m_editor);

    m_pause.setSingleShot(true);
    m_pause.setInterval(kTypingPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &ScratchpadPane::study);
    connect(m_editor, &QsciScintilla::textChanged, this, [this] {
        m_lab->forget();
        m_verdict->setText(tr("Looking…"));
        m_pause.start();
    });
    connect(m_lab, &KernelLab::reported, this, &ScratchpadPane::showReport);
    connect(m_timeline, &TimelineView::lineChosen, this, [this](int line) {
        m_editor->setSelection(line - 1, 0, line - 1, m_editor->lineLength(line - 1) - 1);
        m_editor->ensureLineVisible(line - 1);
    });
    connect(m_editor, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) {
        if (m_editor->hasFocus())
            m_timeline->setLine(line + 1);
    });
    connect(document, &RunDocument::textReady, this, [this] {
        if (!m_wanted.empty())
            take();
    });
    connect(document, &RunDocument::closed, this, [this] {
        m_wanted = {};
        m_from = {};
        m_lab->forget();
        m_pause.stop();
        m_editor->clear();
        m_pause.stop();
        showReport(nullptr);
    });
    connect(theme, &Theme::changed, this, &ScratchpadPane::applyTheme);
    applyTheme();
    showReport(nullptr);
}

void ScratchpadPane::addAction(QAction *action)
{
    auto *button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_buttons->addWidget(button);
}

void ScratchpadPane::applyTheme()
{
    applyCodeStyle(m_editor, *m_theme);
    m_editor->setMarginType(0, QsciScintilla::NumberMargin);
    m_editor->setMarginWidth(0, QStringLiteral(" 0000"));
    m_editor->markerDefine(QsciScintilla::Background, kProblemMarker);
    m_editor->setMarkerBackgroundColor(m_theme->color(Tone::FailedPaper), kProblemMarker);
    m_editor->recolor();
}

std::string ScratchpadPane::source() const
{
    return m_editor->text().toStdString();
}

QString ScratchpadPane::verdictText() const
{
    return m_verdict->text();
}

void ScratchpadPane::takeSelected()
{
    m_wanted = m_hub->current();
    take();
}

void ScratchpadPane::take()
{
    const search::KernelRecord *record = search::kernel(m_document->state(), m_wanted);
    if (record == nullptr)
        return;
    const std::optional<std::string> text = m_document->text(record->text);
    if (!text)
        return; // textReady() follows
    m_from = m_wanted;
    m_wanted = {};
    m_title->setText(tr("From %1").arg(m_document->name(m_from)));
    m_editor->setText(formatting::text(*text));
    m_pause.stop();
    study();
}

void ScratchpadPane::study()
{
    const search::State &state = m_document->state();
    if (source().empty() || state.phase == search::Phase::NotOpened) {
        showReport(nullptr);
        return;
    }
    m_lab->study(source(), state.opened.task, state.config.shape, state.config.device);
}

void ScratchpadPane::showReport(std::shared_ptr<const LabReport> report)
{
    m_report = std::move(report);
    m_editor->markerDeleteAll(kProblemMarker);
    if (!m_report) {
        m_title->setText(tr("Nothing taken yet"));
        m_verdict->setText(tr("Take a kernel of the run and change it: verdict, figures and "
                              "timeline follow each pause in typing."));
        m_figures->clear();
        m_details->clear();
        m_timeline->explain({});
        emit profileChanged(std::nullopt);
        return;
    }
    QString details;
    if (!m_report->problem.empty()) {
        m_verdict->setText(formatting::text(m_report->problem));
        m_figures->clear();
    } else {
        const Verdict &verdict = m_report->verdict;
        QString words = formatting::verdictSign(verdict.status) + QLatin1Char(' ') +
                        formatting::verdict(verdict.status);
        if (verdict.correct())
            words = tr("✓ keeps the rules; values are compared when the search judges it");
        for (const Reason &reason : verdict.reasons) {
            if (reason.rule == "not_checked")
                continue;
            words += QStringLiteral("\n") +
                     (reason.place.line > 0 ? tr("line %1: ").arg(reason.place.line) : QString()) +
                     formatting::text(reason.message);
            if (!reason.hint.empty())
                words += QStringLiteral(" ") + formatting::text(reason.hint);
            if (reason.place.line > 0)
                m_editor->markerAdd(reason.place.line - 1, kProblemMarker);
        }
        m_verdict->setText(words);
        QStringList figures;
        if (m_report->timed) {
            const Profile &profile = m_report->profile;
            figures << formatting::latency(profile);
            const search::State &state = m_document->state();
            for (const auto &[id, called] : {std::pair(state.opened.baseline, tr("the baseline")),
                                             std::pair(m_from, m_document->name(m_from))}) {
                const search::KernelRecord *other = search::kernel(state, id);
                if (other != nullptr && other->rankable && profile.latencyMs > 0)
                    figures << tr("%1 over %2")
                                   .arg(formatting::signedSpeedup(other->profile.latencyMs /
                                                                  profile.latencyMs),
                                        called);
            }
            figures << tr("HBM %1 read, %2 written")
                           .arg(formatting::bytes(counterValue(profile, "hbm_read_bytes")),
                                formatting::bytes(counterValue(profile, "hbm_write_bytes")));
        }
        for (const QString &line : {occupancyText(QStringLiteral("SBUF"), m_report->sbuf),
                                    occupancyText(QStringLiteral("PSUM"), m_report->psum)})
            if (!line.isEmpty())
                figures << line;
        m_figures->setText(figures.join(QStringLiteral("\n")));
        for (const Finding &finding : m_report->profile.findings)
            details += QStringLiteral("<p style='margin:0 0 6px 0'><b>%1</b><br>%2<br>%3</p>")
                           .arg(formatting::text(finding.condition).toHtmlEscaped(),
                                formatting::text(finding.cause).toHtmlEscaped(),
                                formatting::text(finding.advice).toHtmlEscaped());
        if (details.isEmpty() && m_report->timed)
            details = tr("Nothing stands out.");
    }
    m_details->setHtml(details);
    if (m_report->timeline.events.empty())
        m_timeline->explain(tr("There is a timeline once the kernel can be traced."));
    else
        m_timeline->setTimeline(
            std::shared_ptr<const nki::Timeline>(m_report, &m_report->timeline));
    emit profileChanged(m_report->timed ? std::optional(m_report->profile) : std::nullopt);
}

} // namespace accelopt::widgets
