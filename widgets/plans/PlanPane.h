// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <QList>
#include <QWidget>
#include <optional>

class QAction;
class QHBoxLayout;
class QTableView;

namespace accelopt::widgets {

class PlanModel;
class RunDocument;
class SelectionHub;
class Theme;

/// The plans of the latest iteration, with the commands that write, edit and drop them.
class PlanPane : public QWidget
{
    Q_OBJECT

public:
    PlanPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
             QWidget *parent = nullptr);

    PlanModel *model() const { return m_model; }
    /// Slot of the selected plan.
    std::optional<PlanSlot> current() const;
    void select(int row);
    /// Buttons for these commands, above the table.
    void setActions(const QList<QAction *> &actions);

signals:
    void currentChanged();

private:
    PlanModel *m_model;
    QTableView *m_view;
    QHBoxLayout *m_buttons;
};

} // namespace accelopt::widgets
