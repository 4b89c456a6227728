// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/KernelListPane.h"

#include "widgets/format/Formatting.h"
#include "widgets/models/KernelOrder.h"
#include "widgets/models/KernelTableModel.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/TableLook.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace accelopt::widgets {

namespace {

/// Turns what a row means into the theme's colours.
class KernelDelegate : public QStyledItemDelegate
{
public:
    KernelDelegate(const Theme *theme, QObject *parent)
        : QStyledItemDelegate(parent),
          m_theme(theme)
    {}

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        using Meaning = KernelTableModel::Meaning;
        QStyledItemDelegate::initStyleOption(option, index);
        const auto meaning = Meaning(index.data(KernelTableModel::MeaningRole).toInt());
        Tone tone = Tone::Text;
        if (meaning == Meaning::Failed || meaning == Meaning::Pending)
            tone = index.column() == KernelTableModel::VerdictColumn && meaning == Meaning::Failed
                       ? Tone::Failed
                       : Tone::QuietText;
        else if (index.column() == KernelTableModel::Speedup && meaning != Meaning::Baseline)
            tone = meaning == Meaning::Slower ? Tone::Slower : Tone::Faster;
        option->palette.setColor(QPalette::Text, m_theme->color(tone));
        if (meaning == Meaning::Best)
            option->font.setBold(true);
        if (meaning == Meaning::Best && index.column() == KernelTableModel::Name)
            option->text += QStringLiteral(" ★");
    }

private:
    const Theme *m_theme;
};

} // namespace

KernelListPane::KernelListPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                               QWidget *parent)
    : QWidget(parent),
      m_hub(hub),
      m_model(new KernelTableModel(document, this)),
      m_shown(new KernelOrder(m_model, this))
{
    setObjectName(QStringLiteral("kernelList"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(4, 4, 4, 0);
    column->setSpacing(4);
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("kernelFilter"));
    m_filter->setPlaceholderText(tr("Filter: name, plan, verdict, hash"));
    m_filter->setAccessibleName(tr("Filter kernels"));
    m_filter->setClearButtonEnabled(true);
    column->addWidget(m_filter);
    m_view = new QTableView;
    m_view->setObjectName(QStringLiteral("kernelTable"));
    m_view->setAccessibleName(tr("Kernels"));
    m_view->setModel(m_shown);
    m_view->setItemDelegate(new KernelDelegate(theme, m_view));
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(KernelTableModel::Latency, Qt::AscendingOrder);
    showOneRowAtATime(m_view, fontMetrics().height() + 8);
    m_view->setMouseTracking(true);
    // Sized once: sizing to contents asks every row at every change.
    const std::pair<int, QString> widest[] = {
        {KernelTableModel::Name, QStringLiteral("baseline")},
        {KernelTableModel::VerdictColumn, QStringLiteral("✓")},
        {KernelTableModel::Latency, QStringLiteral("0.0000 ms")},
        {KernelTableModel::Speedup, QStringLiteral("▲ 1.000×")},
        {KernelTableModel::Iteration, QStringLiteral("It. 0")}};
    QFont bold = font();
    bold.setBold(true);
    m_view->horizontalHeader()->setMinimumSectionSize(20);
    for (const auto &[section, text] : widest)
        m_view->setColumnWidth(section, QFontMetrics(bold).horizontalAdvance(text) + 8);
    column->addWidget(m_view, 1);
    m_count = new QLabel;
    m_count->setContentsMargins(4, 0, 0, 3);
    m_count->setWordWrap(true);
    column->addWidget(m_count);

    connect(m_filter, &QLineEdit::textChanged, m_shown, &KernelOrder::setFilter);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) {
                if (current.isValid() && !m_selecting)
                    m_hub->setCurrent(m_model->kernelAt(m_shown->mapToSource(current).row()));
            });
    connect(m_view, &QTableView::entered, this, [this](const QModelIndex &index) {
        m_hub->setHovered(m_model->kernelAt(m_shown->mapToSource(index).row()));
    });
    connect(hub, &SelectionHub::selectionChanged, this, &KernelListPane::select);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(m_shown, signal, this, &KernelListPane::refreshCount);
    connect(m_shown, &QAbstractItemModel::modelReset, this, [this] {
        refreshCount();
        select(); // the view has forgotten what was selected
    });
    setFocusProxy(m_view);
    refreshCount();
}

void KernelListPane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    // The plan's title takes what is left, but never so little that it says nothing.
    int others = 0;
    for (int column = 0; column < KernelTableModel::Idea; ++column)
        others += m_view->columnWidth(column);
    const int character = fontMetrics().averageCharWidth();
    m_view->setColumnWidth(KernelTableModel::Idea,
                           std::max(character * 12, m_view->viewport()->width() - others));
}

void KernelListPane::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void KernelListPane::select()
{
    const int row = m_model->rowOf(m_hub->current());
    m_selecting = true;
    if (row < 0) {
        m_view->clearSelection();
        m_view->setCurrentIndex({});
    } else {
        const QModelIndex index = m_shown->mapFromSource(m_model->index(row, 0));
        if (index.isValid()) {
            m_view->setCurrentIndex(index);
            m_view->scrollTo(index);
        } else {
            m_view->clearSelection();
        }
    }
    m_selecting = false;
}

void KernelListPane::refreshCount()
{
    const int all = m_model->rowCount();
    const int shown = m_shown->rowCount();
    if (all == 0)
        m_count->setText(tr("Kernels are listed here as they are written."));
    else if (shown < all)
        m_count->setText(tr("%1 of %2 match the filter").arg(shown).arg(all));
    else
        m_count->setText(formatting::count(all, tr("kernel"), tr("kernels")) +
                         tr(", figures simulated"));
}

} // namespace accelopt::widgets
