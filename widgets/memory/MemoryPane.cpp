// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/MemoryPane.h"

#include "widgets/format/Formatting.h"
#include "widgets/models/MemoryModel.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTextEdit>

namespace accelopt::widgets {

namespace {

/// Gives the sign its colour and makes lessons that are out of use quiet.
class MemoryDelegate : public QStyledItemDelegate
{
public:
    MemoryDelegate(const Theme *theme, QObject *parent)
        : QStyledItemDelegate(parent),
          m_theme(theme)
    {}

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        Tone tone = Tone::Text;
        if (!index.data(MemoryModel::ReachesPromptsRole).toBool())
            tone = Tone::QuietText;
        else if (index.column() == MemoryModel::Sign || index.column() == MemoryModel::Speedup)
            tone = index.data(MemoryModel::PositiveRole).toBool() ? Tone::Faster : Tone::Slower;
        option->palette.setColor(QPalette::Text, m_theme->color(tone));
        if (index.column() == MemoryModel::Sign)
            option->font.setBold(true);
    }

private:
    const Theme *m_theme;
};

} // namespace

MemoryPane::MemoryPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                       QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_theme(theme),
      m_model(new MemoryModel(document, this))
{
    setObjectName(QStringLiteral("memoryPane"));
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
    m_view = new QTableView;
    m_view->setObjectName(QStringLiteral("memoryTable"));
    m_view->setAccessibleName(tr("Lessons"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new MemoryDelegate(theme, m_view));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setShowGrid(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_view->horizontalHeader()->setHighlightSections(false);
    const int character = fontMetrics().averageCharWidth();
    m_view->setColumnWidth(MemoryModel::Sign, character * 4);
    m_view->setColumnWidth(MemoryModel::Speedup, character * 10);
    m_view->horizontalHeader()->setMinimumSectionSize(character * 4);
    m_view->horizontalHeader()->setSectionResizeMode(MemoryModel::Title, QHeaderView::Stretch);
    m_view->setColumnWidth(MemoryModel::Status, character * 12);
    m_text = new QTextEdit;
    m_text->setObjectName(QStringLiteral("memoryText"));
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(tr("Selected lesson"));
    m_text->setPlaceholderText(
        tr("Select a lesson to read it; its two kernels are then compared."));
    splitter->addWidget(m_view);
    splitter->addWidget(m_text);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    m_stack->addWidget(splitter);

    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) {
                showItem();
                if (const search::MemoryItem *item = m_model->itemAt(current.row());
                    item != nullptr && current.isValid() && m_view->hasFocus())
                    m_hub->setBoth(item->item.fast, item->item.slow);
            });
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &MemoryPane::refresh);
    connect(m_model, &QAbstractItemModel::modelReset, this, &MemoryPane::refresh);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &MemoryPane::showItem);
    connect(theme, &Theme::changed, this, &MemoryPane::showItem);
    refresh();
}

void MemoryPane::refresh()
{
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0);
    if (m_model->rowCount() > 0 && !m_view->currentIndex().isValid())
        m_view->selectRow(0);
    showItem();
}

void MemoryPane::showItem()
{
    const QModelIndex index = m_view->currentIndex();
    const search::MemoryItem *record = index.isValid() ? m_model->itemAt(index.row()) : nullptr;
    if (record == nullptr) {
        m_text->clear();
        return;
    }
    const ExperienceItem &item = record->item;
    const auto words = [](const std::string &text) {
        return formatting::text(text).toHtmlEscaped().replace(QLatin1Char('\n'),
                                                              QStringLiteral("<br>"));
    };
    const QString color = m_theme->color(item.positive ? Tone::Faster : Tone::Slower).name();
    QString html = QStringLiteral("<p style='margin:0 0 4px 0'><b>") + words(item.title) +
                   QStringLiteral("</b></p><p style='margin:0 0 6px 0;color:") + color +
                   QStringLiteral("'>");
    html += (item.positive ? tr("+ do this: %1 is %2 faster than %3 (simulated)")
                           : tr("− avoid this: %3 is slower, %1 is %2 faster (simulated)"))
                .arg(m_document->name(item.fast), formatting::speedup(item.speedup),
                     m_document->name(item.slow))
                .toHtmlEscaped();
    html += QStringLiteral("</p><p style='margin:0 0 6px 0'>") + words(item.strategy) +
            QStringLiteral("</p>");
    const auto snippet = [&](const QString &title, const std::string &text) {
        if (text.empty())
            return;
        html += QStringLiteral("<p style='margin:4px 0 0 0'><b>") + title.toHtmlEscaped() +
                QStringLiteral("</b></p><pre style='margin:2px 0 4px 0'>") +
                formatting::snippet(text).toHtmlEscaped() + QStringLiteral("</pre>");
    };
    snippet(tr("Slow"), item.before);
    snippet(tr("Fast"), item.after);
    m_text->setHtml(html);
}

} // namespace accelopt::widgets
