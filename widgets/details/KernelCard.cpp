// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/details/KernelCard.h"

#include "core/search/Why.h"
#include "widgets/format/Formatting.h"
#include "widgets/gauges/EngineGauges.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/TreeLayout.h"
#include "widgets/window/SelectionHub.h"

#include <QLabel>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabWidget>
#include <QTextEdit>
#include <QVBoxLayout>

namespace accelopt::widgets {

namespace {

/// Everything that did not come from this program is shown as it is, never as markup.
QString escaped(const std::string &text)
{
    return formatting::text(text).toHtmlEscaped().replace(QLatin1Char('\n'),
                                                          QStringLiteral("<br>"));
}

QString paragraph(const QString &html)
{
    return QStringLiteral("<p style='margin:0 0 6px 0'>") + html + QStringLiteral("</p>");
}

QString code(const std::string &text)
{
    return QStringLiteral("<pre style='margin:2px 0 6px 0'>") +
           formatting::text(text).toHtmlEscaped() + QStringLiteral("</pre>");
}

} // namespace

KernelCard::KernelCard(RunDocument *document, SelectionHub *hub, const Theme *theme,
                       QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_theme(theme)
{
    setObjectName(QStringLiteral("kernelCard"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 6);
    column->setSpacing(4);
    const auto addLabel = [&](const QString &name) {
        auto *label = new QLabel;
        label->setObjectName(name);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
        return label;
    };
    m_name = addLabel(QStringLiteral("cardName"));
    m_latency = addLabel(QStringLiteral("cardLatency"));
    m_kind = addLabel(QStringLiteral("cardKind"));
    m_factors = addLabel(QStringLiteral("cardFactors"));
    m_peak = addLabel(QStringLiteral("cardPeak"));
    QFont large = font();
    large.setPointSizeF(font().pointSizeF() * 1.7);
    large.setBold(true);
    m_latency->setFont(large);
    QFont bold = font();
    bold.setBold(true);
    m_name->setFont(bold);
    m_gauges = new EngineGauges(theme);
    column->addSpacing(4);
    column->addWidget(m_gauges);
    column->addSpacing(4);
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_why = addTab(QStringLiteral("why"), tr("Why"));
    m_plan = addTab(QStringLiteral("plan"), tr("Plan"));
    m_verdict = addTab(QStringLiteral("verdict"), tr("Verdict"));
    m_findings = addTab(QStringLiteral("findings"), tr("Advice"));
    column->addWidget(m_tabs, 1);

    connect(hub, &SelectionHub::selectionChanged, this, &KernelCard::refresh);
    connect(document, &RunDocument::updated, this, &KernelCard::refresh);
    connect(document, &RunDocument::closed, this, &KernelCard::refresh);
    connect(document, &RunDocument::textReady, this, &KernelCard::refreshTabs);
    connect(theme, &Theme::changed, this, &KernelCard::refresh);
    setFocusProxy(m_tabs);
    refresh();
}

QTextEdit *KernelCard::addTab(const QString &name, const QString &title)
{
    auto *page = new QTextEdit;
    page->setObjectName(name);
    page->setReadOnly(true);
    page->setFrameShape(QFrame::NoFrame);
    page->setAccessibleName(title);
    m_tabs->addTab(page, title);
    return page;
}

QString KernelCard::tabText(const QString &name) const
{
    const auto *page = findChild<QTextEdit *>(name);
    return page == nullptr ? QString() : page->toPlainText();
}

QString KernelCard::heading(const QString &text) const
{
    return QStringLiteral("<p style='margin:6px 0 2px 0'><b>") + text.toHtmlEscaped() +
           QStringLiteral("</b></p>");
}

QString KernelCard::quiet(const QString &text) const
{
    return QStringLiteral("<span style='color:%1'>").arg(m_theme->color(Tone::QuietText).name()) +
           text.toHtmlEscaped() + QStringLiteral("</span>");
}

void KernelCard::refresh()
{
    refreshHead();
    refreshTabs();
}

void KernelCard::refreshHead()
{
    const search::State &state = m_document->state();
    const KernelId &id = m_hub->current();
    const search::KernelRecord *record = search::kernel(state, id);
    const auto tint = [this](QLabel *label, Tone tone) {
        QPalette palette; // only this role: the others follow the window
        palette.setColor(QPalette::WindowText, m_theme->color(tone));
        label->setPalette(palette);
    };
    for (QLabel *label : {m_latency, m_kind, m_factors, m_peak})
        label->setVisible(record != nullptr);
    m_tabs->setVisible(record != nullptr);
    tint(m_kind, Tone::QuietText);
    tint(m_latency, Tone::Text);
    if (record == nullptr) {
        m_name->setText(m_document->isOpen() ? tr("Select a kernel to see how fast it is and why.")
                                             : tr("The selected kernel's figures are shown here."));
        m_gauges->setRows({});
        return;
    }
    QString name = m_document->name(id);
    if (id == state.best && id != state.opened.baseline)
        name += tr(", the best so far");
    m_name->setText(name + QStringLiteral("  ·  ") + formatting::text(shortId(id)));
    if (!record->judged) {
        m_latency->setText(tr("being judged"));
        for (QLabel *label : {m_kind, m_factors, m_peak})
            label->setVisible(false);
        m_gauges->setRows({});
        return;
    }
    if (!record->verdict.correct()) {
        m_latency->setText(formatting::verdictSign(record->verdict.status) + QLatin1Char(' ') +
                           formatting::verdict(record->verdict.status));
        tint(m_latency, Tone::Failed);
        m_kind->setText(record->verdict.reasons.empty()
                            ? QString()
                            : formatting::text(record->verdict.reasons.front().message));
        m_factors->setVisible(false);
        m_peak->setVisible(false);
        m_gauges->setRows({});
        return;
    }
    const Profile &profile = record->profile;
    m_latency->setText(formatting::latency(profile.latencyMs));
    QString kind = formatting::kindOfFigure(profile);
    if (const QString range = formatting::interval(profile.intervalMs); !range.isEmpty())
        kind += tr(", believed within %1").arg(range);
    m_kind->setText(kind);

    const KernelId parent = m_document->parentOf(id);
    const KernelId second = m_hub->second().empty() ? parent : m_hub->second();
    QStringList factors;
    const double overBaseline = search::speedupOverBaseline(state, id);
    if (id == state.opened.baseline)
        factors << tr("the kernel the search starts from");
    else if (overBaseline > 0)
        factors << tr("%1 over the baseline").arg(formatting::signedSpeedup(overBaseline));
    if (!second.empty() && second != state.opened.baseline)
        if (const double factor = search::speedup(state, second, id); factor > 0)
            factors << tr("%1 over %2")
                           .arg(formatting::signedSpeedup(factor), m_document->name(second));
    m_factors->setText(factors.join(QLatin1Char('\n')));
    tint(m_factors, overBaseline >= 1.0005                      ? Tone::Faster
                    : overBaseline > 0 && overBaseline < 0.9995 ? Tone::Slower
                                                                : Tone::Text);
    QStringList peak;
    if (profile.percentOfPeak)
        peak << tr("%1 of peak").arg(formatting::percentOfPeak(*profile.percentOfPeak));
    if (!profile.bound.empty())
        peak << formatting::bound(profile.bound);
    m_peak->setText(peak.join(QStringLiteral(", ")));
    m_peak->setVisible(!peak.isEmpty());

    const search::KernelRecord *baseline = search::kernel(state, state.opened.baseline);
    const bool comparesWithBaseline = baseline != nullptr && baseline != record &&
                                      baseline->judged && baseline->verdict.correct();
    m_gauges->setRows(gaugeRows(profile, comparesWithBaseline ? &baseline->profile : nullptr));
}

QString KernelCard::withNames(QString sentence) const
{
    static const QRegularExpression kHash(QStringLiteral("\\b[0-9a-f]{10}\\b"));
    qsizetype from = 0;
    for (auto match = kHash.match(sentence, from); match.hasMatch();
         match = kHash.match(sentence, from)) {
        const KernelId kernel = m_document->find(match.captured());
        if (kernel.empty()) {
            from = match.capturedEnd();
            continue;
        }
        const QString name = m_document->name(kernel);
        sentence.replace(match.capturedStart(), match.capturedLength(), name);
        from = match.capturedStart() + name.size();
    }
    return sentence;
}

QString KernelCard::whyHtml() const
{
    QString html;
    for (const std::string &sentence : search::why(m_document->state(), m_hub->current().value))
        html += paragraph(withNames(formatting::text(sentence)).toHtmlEscaped());
    return html.isEmpty() ? paragraph(quiet(tr("Nothing has been concluded about it yet."))) : html;
}

QString KernelCard::planHtml() const
{
    const search::State &state = m_document->state();
    const search::KernelRecord *record = search::kernel(state, m_hub->current());
    if (!record->first)
        return paragraph(quiet(tr("It was there from the start; no plan made it.")));
    const search::PlanRecord *plan = search::plan(state, record->first->slot.plan);
    if (plan == nullptr)
        return {};
    QString html = heading(formatting::text(plan->plan.title));
    html += paragraph(escaped(plan->plan.text));
    if (!plan->plan.usedItems.empty()) {
        html += heading(tr("Lessons its prompt held"));
        for (const ItemId &id : plan->plan.usedItems)
            if (const search::MemoryItem *item = search::item(state, id))
                html += paragraph(escaped(item->item.title));
    }
    html += paragraph(quiet(tr("Plan %1, written by %2")
                                .arg(formatting::text(planId(plan->plan.slot).value),
                                     formatting::text(plan->plan.author))));
    return html;
}

QString KernelCard::verdictHtml() const
{
    const search::KernelRecord *record = search::kernel(m_document->state(), m_hub->current());
    if (!record->judged)
        return paragraph(quiet(tr("It is being judged.")));
    const Verdict &verdict = record->verdict;
    QString html = heading(formatting::verdictSign(verdict.status) + QLatin1Char(' ') +
                           formatting::verdict(verdict.status));
    const auto source = verdict.reasons.empty() ? std::nullopt : m_document->text(record->text);
    for (const Reason &reason : verdict.reasons) {
        QString line;
        if (reason.place.line > 0)
            line = tr("Line %1: ").arg(reason.place.line);
        line = line.toHtmlEscaped() + escaped(reason.message);
        if (!reason.rule.empty())
            line += QLatin1Char(' ') +
                    quiet(QLatin1Char('[') + formatting::text(reason.rule) + QLatin1Char(']'));
        html += paragraph(line);
        if (source)
            if (const std::string caret = caretText(*source, reason.place); !caret.empty())
                html += code(caret);
        if (!reason.hint.empty())
            html += paragraph(QStringLiteral("→ ") + escaped(reason.hint));
    }
    const auto figure = [&](const char *key) -> std::optional<double> {
        const auto it = verdict.figures.find(key);
        return it == verdict.figures.end() ? std::nullopt : std::optional(it->second);
    };
    if (const auto error = figure("relative_l2"))
        html += paragraph(
            tr("Relative error (L2 norm) against the reference: %1").arg(*error, 0, 'g', 3));
    if (const auto share = figure("checked_share"))
        html += paragraph(
            tr("Share of the results that was checked: %1").arg(formatting::share(*share)));
    if (record->confirmation && record->confirmation->judged)
        html += heading(record->confirmation->confirmed ? tr("Confirmed at the end of the run")
                                                        : tr("Not confirmed")) +
                paragraph(escaped(record->confirmation->reason));
    return html;
}

QString KernelCard::findingsHtml() const
{
    const search::KernelRecord *record = search::kernel(m_document->state(), m_hub->current());
    QString html;
    for (const Finding &finding : record->profile.findings) {
        html += heading(formatting::text(finding.condition));
        html += paragraph(escaped(finding.cause));
        html += paragraph(QStringLiteral("→ ") + escaped(finding.advice));
    }
    if (html.isEmpty())
        html = paragraph(quiet(record->judged && record->verdict.correct()
                                   ? tr("The profile meets no rule that suggests a change.")
                                   : tr("Only a correct kernel has a profile.")));
    return html;
}

void KernelCard::refreshTabs()
{
    const search::KernelRecord *record = search::kernel(m_document->state(), m_hub->current());
    if (record == nullptr) {
        m_tabbed = {};
        return;
    }
    const auto set = [](QTextEdit *page, const QString &html) {
        if (page->property("html") == html)
            return;
        const int scrolled = page->verticalScrollBar()->value();
        page->setProperty("html", html);
        page->setHtml(html);
        page->verticalScrollBar()->setValue(scrolled);
    };
    set(m_why, whyHtml());
    set(m_plan, planHtml());
    set(m_verdict, verdictHtml());
    set(m_findings, findingsHtml());
    // A kernel that failed is looked at for its verdict.
    if (m_tabbed != m_hub->current()) {
        const bool failed = record->judged && !record->verdict.correct();
        if (failed)
            m_tabs->setCurrentWidget(m_verdict);
        else if (m_tabs->currentWidget() == m_verdict)
            m_tabs->setCurrentWidget(m_why);
        m_tabbed = m_hub->current();
    }
}

} // namespace accelopt::widgets
