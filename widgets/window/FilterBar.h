// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;

namespace accelopt::widgets {

class KernelTreeCanvas;

/// The chips above the tree, and how many kernels fit those that are on.
class FilterBar : public QWidget
{
    Q_OBJECT

public:
    explicit FilterBar(KernelTreeCanvas *tree, QWidget *parent = nullptr);

    /// A chip for each of these commands.
    void setActions(const QList<QAction *> &actions);
    QString countText() const;

private:
    void refresh();

    KernelTreeCanvas *m_tree;
    QHBoxLayout *m_row;
    QLabel *m_count;
};

} // namespace accelopt::widgets
