// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/MemoryPane.h"

#include "widgets/dialogs/ReasonDialog.h"
#include "widgets/dialogs/TextDialog.h"
#include "widgets/format/Formatting.h"
#include "widgets/memory/MemoryCard.h"
#include "widgets/models/MemoryModel.h"
#include "widgets/run/BreakWatch.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTextEdit>
#include <QToolButton>
#include <algorithm>
#include <set>

namespace accelopt::widgets {

namespace {

/// Plans named one by one below a lesson; the rest is counted.
constexpr std::size_t kMostPlansListed = 12;

QString quoted(const std::string &title)
{
    return QStringLiteral("“%1”").arg(formatting::text(title));
}

QString htmlOf(const std::string &text)
{
    return formatting::text(text).toHtmlEscaped().replace(QLatin1Char('\n'),
                                                          QStringLiteral("<br>"));
}

QString lessonParagraph(const QString &html)
{
    return QStringLiteral("<p style='margin:0 0 6px 0'>") + html + QStringLiteral("</p>");
}

/// What a lesson advises, for telling two of them apart.
std::string adviceOf(const ExperienceItem &item)
{
    const auto rewrite = item.tags.find("rewrite");
    return (item.positive ? "+" : "-") +
           (rewrite == item.tags.end() ? item.title : rewrite->second);
}

} // namespace

std::vector<ItemId> approvableByRule(const RunDocument &document)
{
    const search::State &state = document.state();
    if (proposalCount(state) == 0)
        return {};                                      // asked after every change of the run
    std::map<std::string, std::set<KernelId>> lineages; ///< by advice, what it was learnt on
    std::set<std::string> used;
    for (const search::MemoryItem &item : state.items) {
        lineages[adviceOf(item.item)].insert(item.item.slow);
        if (item.status == search::ItemStatus::Active)
            used.insert(adviceOf(item.item));
    }
    std::vector<ItemId> items;
    for (const search::MemoryItem &item : state.items) {
        if (item.status != search::ItemStatus::Proposed)
            continue;
        const search::KernelRecord *slow = search::kernel(state, item.item.slow);
        const search::KernelRecord *fast = search::kernel(state, item.item.fast);
        if (slow == nullptr || fast == nullptr || tied(slow->profile, fast->profile) ||
            lineages[adviceOf(item.item)].size() < 2 || !used.insert(adviceOf(item.item)).second)
            continue;
        items.push_back(item.item.id);
    }
    return items;
}

MemoryPane::MemoryPane(RunDocument *document, SelectionHub *hub, DecisionDesk *desk,
                       const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_desk(desk),
      m_theme(theme),
      m_model(new MemoryModel(document, this)),
      m_shown(new QSortFilterProxyModel(this))
{
    setObjectName(QStringLiteral("memoryPane"));
    m_shown->setSourceModel(m_model);
    m_shown->setSortRole(MemoryModel::QueueRole);
    m_shown->sort(MemoryModel::Title);
    m_stack = new QStackedLayout(this);
    auto *empty = new QLabel(tr("Lessons appear here. After each iteration the search compares "
                                "kernels with what they were made from, and notes what made "
                                "them faster or slower."));
    empty->setWordWrap(true);
    empty->setAlignment(Qt::AlignCenter);
    empty->setMargin(14);
    m_stack->addWidget(empty);

    auto *splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    m_view = new QListView;
    m_view->setObjectName(QStringLiteral("memoryTable"));
    m_view->setAccessibleName(tr("Lessons"));
    m_view->setModel(m_shown);
    m_view->setModelColumn(MemoryModel::Title);
    m_view->setItemDelegate(new MemoryCard(theme, m_view));
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setUniformItemSizes(true);
    m_text = new QTextEdit;
    m_text->setObjectName(QStringLiteral("memoryText"));
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(tr("Selected lesson"));
    m_text->setPlaceholderText(
        tr("Select a lesson to read it; its two kernels are then compared."));
    auto *lower = new QWidget;
    auto *column = new QVBoxLayout(lower);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_buttons = new QHBoxLayout;
    m_buttons->setContentsMargins(2, 2, 2, 0);
    m_buttons->setSpacing(2);
    column->addLayout(m_buttons);
    column->addWidget(m_text, 1);
    splitter->addWidget(m_view);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    m_stack->addWidget(splitter);

    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        showItem();
        if (const search::MemoryItem *item = current(); item != nullptr && m_view->hasFocus())
            m_hub->setBoth(item->item.fast, item->item.slow);
        emit currentChanged();
    });
    connect(m_shown, &QAbstractItemModel::rowsInserted, this, &MemoryPane::refresh);
    connect(m_shown, &QAbstractItemModel::modelReset, this, &MemoryPane::refresh);
    connect(m_shown, &QAbstractItemModel::dataChanged, this, [this] {
        showItem();
        emit currentChanged();
    });
    connect(theme, &Theme::changed, this, &MemoryPane::showItem);
    setFocusProxy(m_view);
    refresh();
}

void MemoryPane::setActions(const QList<QAction *> &actions)
{
    for (QAction *action : actions) {
        auto *button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch(1);
}

void MemoryPane::refresh()
{
    m_stack->setCurrentIndex(m_shown->rowCount() > 0 ? 1 : 0);
    if (m_shown->rowCount() > 0 && !m_view->currentIndex().isValid())
        m_view->setCurrentIndex(m_shown->index(0, MemoryModel::Title));
    showItem();
    emit currentChanged();
}

const search::MemoryItem *MemoryPane::current() const
{
    const QModelIndex index = m_shown->mapToSource(m_view->currentIndex());
    return index.isValid() ? m_model->itemAt(index.row()) : nullptr;
}

bool MemoryPane::select(const ItemId &item)
{
    for (int row = 0; row < m_shown->rowCount(); ++row) {
        const QModelIndex index = m_shown->index(row, MemoryModel::Title);
        const search::MemoryItem *one = m_model->itemAt(m_shown->mapToSource(index).row());
        if (one != nullptr && one->item.id == item) {
            m_view->setCurrentIndex(index);
            return true;
        }
    }
    return false;
}

QString MemoryPane::detailText() const
{
    return m_text->toPlainText();
}

QString MemoryPane::whyNot(Decision decision) const
{
    if (const QString why = m_desk->whyNot(); !why.isEmpty())
        return why;
    const search::MemoryItem *item = current();
    if (item == nullptr)
        return tr("No lesson is selected");
    using Status = search::ItemStatus;
    switch (decision) {
    case Decision::ApproveItem:
        return item->status == Status::Active ? tr("The lesson is in use already") : QString();
    case Decision::RejectItem:
        if (item->status == Status::Rejected)
            return tr("The lesson is rejected already");
        return item->status == Status::FellOut ? tr("The lesson has fallen out already")
                                               : QString();
    default: return {};
    }
}

void MemoryPane::decide(Decision decision, const QString &words, const std::string &reason)
{
    const search::MemoryItem *item = current();
    if (item == nullptr)
        return;
    PersonDecided decided;
    decided.decision = decision;
    decided.item = item->item.id;
    decided.reason = reason;
    const bool waited = item->status == search::ItemStatus::Proposed;
    m_desk->decide(decided, words.arg(quoted(item->item.title)));
    if (waited)
        selectNextWaiting();
}

void MemoryPane::selectNextWaiting()
{
    const int from = m_view->currentIndex().row();
    for (int step = 1; step < m_shown->rowCount(); ++step) {
        const QModelIndex index =
            m_shown->index((from + step) % m_shown->rowCount(), MemoryModel::Title);
        if (index.data(MemoryModel::WaitsRole).toBool()) {
            m_view->setCurrentIndex(index);
            return;
        }
    }
}

void MemoryPane::approve()
{
    decide(Decision::ApproveItem, tr("approve %1"));
}

void MemoryPane::pin()
{
    const search::MemoryItem *item = current();
    if (item != nullptr && item->pinned)
        decide(Decision::UnpinItem, tr("unpin %1"));
    else
        decide(Decision::PinItem, tr("pin %1"));
}

void MemoryPane::reject()
{
    const search::MemoryItem *item = current();
    if (item == nullptr)
        return;
    auto *dialog =
        new ReasonDialog(tr("Reject a lesson"),
                         tr("Why should planners not be told %1?").arg(quoted(item->item.title)),
                         {tr("The difference is only noise"), tr("Another lesson says the same"),
                          tr("It holds for this kernel only")},
                         window());
    connect(dialog, &ReasonDialog::given, this, [this, id = item->item.id](const QString &reason) {
        if (select(id))
            decide(Decision::RejectItem, tr("reject %1"), reason.toStdString());
    });
    dialog->open();
}

void MemoryPane::edit()
{
    const search::MemoryItem *item = current();
    if (item == nullptr)
        return;
    TextQuestion question;
    question.title = tr("Edit a lesson");
    question.explanation =
        tr("Planners are told the new words from now on; the old ones stay in the run.");
    question.lineLabel = tr("&Title:");
    question.line = formatting::text(item->item.title);
    question.textLabel = tr("&Lesson:");
    question.text = formatting::text(item->item.strategy);
    question.accept = tr("Save");
    auto *dialog = new TextDialog(question, window());
    connect(dialog, &TextDialog::given, this,
            [this, id = item->item.id, title = item->item.title](const QString &line,
                                                                 const QString &text) {
                PersonDecided decided;
                decided.decision = Decision::EditItem;
                decided.item = id;
                decided.title = line.toStdString();
                decided.strategy = text.toStdString();
                m_desk->decide(decided, tr("edit %1").arg(quoted(title)));
            });
    dialog->open();
}

void MemoryPane::approveByRule()
{
    std::vector<PersonDecided> decisions;
    for (const ItemId &item : approvableByRule(*m_document)) {
        PersonDecided decided;
        decided.decision = Decision::ApproveItem;
        decided.item = item;
        decided.reason = "by rule: can be told apart, learnt in two lineages, not in use yet";
        decisions.push_back(std::move(decided));
    }
    m_desk->decide(decisions, tr("approve %1")
                                  .arg(formatting::count(qint64(decisions.size()), tr("lesson"),
                                                         tr("lessons"))));
}

QString MemoryPane::evidenceHtml(const search::MemoryItem &record) const
{
    const ExperienceItem &item = record.item;
    const QString color = m_theme->color(item.positive ? Tone::Faster : Tone::Slower).name();
    const search::State &state = m_document->state();
    const search::KernelRecord *slow = search::kernel(state, item.slow);
    const search::KernelRecord *fast = search::kernel(state, item.fast);
    QString sentence;
    if (slow == nullptr || fast == nullptr) {
        sentence = item.positive ? tr("+ do this: it made a kernel of another run %1 faster")
                                 : tr("− avoid this: it made a kernel of another run %1 slower");
        sentence = sentence.arg(formatting::speedup(item.speedup));
    } else {
        sentence = (item.positive ? tr("+ do this: %1 (%4) is %2 faster than %3 (%5)")
                                  : tr("− avoid this: %3 (%5) is slower, %1 (%4) is %2 faster"))
                       .arg(m_document->name(item.fast), formatting::speedup(item.speedup),
                            m_document->name(item.slow), formatting::latency(fast->profile),
                            formatting::latency(slow->profile));
        if (tied(slow->profile, fast->profile))
            sentence += tr("; within the margin of %1, so the two cannot be told apart")
                            .arg(formatting::share(
                                std::max(slow->profile.tieMargin, fast->profile.tieMargin)));
    }
    QString html = QStringLiteral("<p style='margin:0 0 6px 0;color:%1'>%2</p>")
                       .arg(color, sentence.toHtmlEscaped());
    QStringList facts;
    if (item.iteration >= 0)
        facts << tr("learnt in iteration %1 of %2")
                     .arg(item.iteration + 1)
                     .arg(state.iterations.size());
    if (!item.plan.empty())
        facts << tr("plan %1").arg(formatting::text(item.plan.value));
    if (!record.author.empty())
        facts << tr("written by %1").arg(formatting::text(record.author));
    if (record.edited)
        facts << tr("edited; was %1").arg(quoted(record.originalTitle));
    if (!record.fate.text.empty())
        facts << formatting::text(record.fate.text);
    for (const auto &[tag, value] : item.tags)
        facts << formatting::text(tag) + QStringLiteral(": ") + formatting::text(value);
    return html + QStringLiteral("<p style='margin:0 0 6px 0;color:%1'>%2</p>")
                      .arg(m_theme->color(Tone::QuietText).name(),
                           facts.join(QStringLiteral(" · ")).toHtmlEscaped());
}

QString MemoryPane::fareHtml(const search::MemoryItem &record) const
{
    const search::State &state = m_document->state();
    QStringList lines;
    std::size_t carried = 0;
    for (const search::IterationRecord &iteration : state.iterations) {
        for (const search::PlanRecord &plan : iteration.plans) {
            const auto &items = plan.plan.usedItems;
            if (std::find(items.begin(), items.end(), record.item.id) == items.end())
                continue;
            if (++carried > kMostPlansListed)
                continue;
            QString outcome = tr("no correct kernel");
            double best = 0;
            for (const search::AttemptRecord &attempt : plan.attempts) {
                const double factor = search::speedup(state, plan.plan.parent, attempt.kernel());
                if (factor <= best)
                    continue;
                best = factor;
                outcome =
                    tr("%1, %2 over %3")
                        .arg(m_document->name(attempt.kernel()), formatting::signedSpeedup(factor),
                             m_document->name(plan.plan.parent));
                const auto &beam = iteration.selection.beam;
                if (std::find(beam.begin(), beam.end(), attempt.kernel()) != beam.end())
                    outcome += tr(", won a place");
            }
            if (!iteration.implemented && best <= 0)
                outcome = tr("under way");
            lines << QStringLiteral("%1 “%2”: %3")
                         .arg(formatting::text(planId(plan.plan.slot).value),
                              formatting::text(plan.plan.title), outcome)
                         .toHtmlEscaped();
        }
    }
    if (carried > kMostPlansListed)
        lines << tr("and %1 more").arg(carried - kMostPlansListed);
    const QString title =
        carried == 0
            ? tr("No prompt has carried it yet.")
            : tr("Prompts that carried it: %1; places won: %2").arg(carried).arg(record.wins);
    return QStringLiteral("<p style='margin:6px 0 0 0'><b>%1</b></p>").arg(title) +
           (lines.isEmpty() ? QString()
                            : QStringLiteral("<p style='margin:2px 0 6px 0'>%1</p>")
                                  .arg(lines.join(QStringLiteral("<br>"))));
}

void MemoryPane::showItem()
{
    const search::MemoryItem *record = current();
    if (record == nullptr) {
        m_text->clear();
        m_text->setProperty("shownHtml", QString());
        return;
    }
    const ExperienceItem &item = record->item;
    QString html = lessonParagraph(QStringLiteral("<b>%1</b>").arg(htmlOf(item.title))) +
                   evidenceHtml(*record) + lessonParagraph(htmlOf(item.strategy));
    const auto snippet = [&](const QString &title, const std::string &text) {
        if (text.empty())
            return;
        html += QStringLiteral("<p style='margin:4px 0 0 0'><b>") + title.toHtmlEscaped() +
                QStringLiteral("</b></p><pre style='margin:2px 0 4px 0'>") +
                formatting::snippet(text).toHtmlEscaped() + QStringLiteral("</pre>");
    };
    snippet(tr("Slow"), item.before);
    snippet(tr("Fast"), item.after);
    html += fareHtml(*record);
    if (m_text->property("shownHtml").toString() == html)
        return; // keeps the place of a person who reads
    m_text->setProperty("shownHtml", html);
    m_text->setHtml(html);
}

} // namespace accelopt::widgets
