// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plans/PlanPane.h"

#include "widgets/models/PlanModel.h"
#include "widgets/theme/TableLook.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace accelopt::widgets {

namespace {

/// Makes plans quiet of which nothing will come.
class PlanDelegate : public QStyledItemDelegate
{
public:
    PlanDelegate(const Theme *theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme)
    {}

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const bool quiet = index.data(PlanModel::QuietRole).toBool();
        option->palette.setColor(QPalette::Text,
                                 m_theme->color(quiet ? Tone::QuietText : Tone::Text));
    }

private:
    const Theme *m_theme;
};

} // namespace

PlanPane::PlanPane(RunDocument *document, SelectionHub *hub, const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_model(new PlanModel(document, this)),
      m_view(new QTableView),
      m_buttons(new QHBoxLayout)
{
    setObjectName(QStringLiteral("planPane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(2, 2, 2, 0);
    column->setSpacing(2);
    m_buttons->setSpacing(2);
    column->addLayout(m_buttons);
    m_view->setObjectName(QStringLiteral("planTable"));
    m_view->setAccessibleName(tr("Plans of the latest iteration"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new PlanDelegate(theme, m_view));
    showOneRowAtATime(m_view, fontMetrics().height() + 8);
    const int character = fontMetrics().averageCharWidth();
    m_view->horizontalHeader()->setMinimumSectionSize(character * 4);
    m_view->setColumnWidth(PlanModel::Slot, character * 10);
    m_view->setColumnWidth(PlanModel::From, character * 9);
    m_view->setColumnWidth(PlanModel::State, character * 15);
    m_view->setColumnWidth(PlanModel::Author, character * 9);
    m_view->horizontalHeader()->setSectionResizeMode(PlanModel::Title, QHeaderView::Stretch);
    column->addWidget(m_view, 1);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, hub](const QModelIndex &index) {
                if (m_view->hasFocus() && index.isValid())
                    if (const KernelId kernel = m_model->kernelAt(index.row()); !kernel.empty())
                        hub->setCurrent(kernel);
                emit currentChanged();
            });
    connect(m_model, &QAbstractItemModel::modelReset, this, &PlanPane::currentChanged);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &PlanPane::currentChanged);
    setFocusProxy(m_view);
}

std::optional<PlanSlot> PlanPane::current() const
{
    const QModelIndex index = m_view->currentIndex();
    return index.isValid() ? m_model->slotAt(index.row()) : std::nullopt;
}

void PlanPane::select(int row)
{
    m_view->setCurrentIndex(m_model->index(row, PlanModel::Title));
}

void PlanPane::setActions(const QList<QAction *> &actions)
{
    for (QAction *action : actions) {
        auto *button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch(1);
}

} // namespace accelopt::widgets
