// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/FilterBar.h"

#include "widgets/tree/KernelTreeCanvas.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace accelopt::widgets {

FilterBar::FilterBar(KernelTreeCanvas *tree, QWidget *parent)
    : QWidget(parent),
      m_tree(tree),
      m_row(new QHBoxLayout(this)),
      m_count(new QLabel)
{
    setObjectName(QStringLiteral("filterBar"));
    m_row->setContentsMargins(6, 2, 6, 2);
    m_row->setSpacing(4);
    auto *label = new QLabel(tr("Show:"));
    m_row->addWidget(label);
    m_count->setObjectName(QStringLiteral("filterCount"));
    connect(tree, &KernelTreeCanvas::filterChanged, this, &FilterBar::refresh);
    refresh();
}

void FilterBar::setActions(const QList<QAction *> &actions)
{
    for (QAction *action : actions) {
        auto *chip = new QToolButton;
        chip->setDefaultAction(action);
        chip->setToolButtonStyle(Qt::ToolButtonTextOnly);
        chip->setFocusPolicy(Qt::TabFocus);
        m_row->addWidget(chip);
    }
    m_row->addWidget(m_count);
    m_row->addStretch(1);
}

QString FilterBar::countText() const
{
    return m_count->text();
}

void FilterBar::refresh()
{
    m_count->setText(m_tree->filter().empty() ? QString()
                                              : tr("%1 of %2 kernels")
                                                    .arg(m_tree->fitting())
                                                    .arg(m_tree->treeLayout().nodes().size()));
}

} // namespace accelopt::widgets
