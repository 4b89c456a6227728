// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace accelopt::widgets {

class KernelOrder;
class KernelTableModel;
class RunDocument;
class SelectionHub;
class Theme;

/// The kernels as a table that can be sorted and filtered: the second way to everything that the
/// tree shows.
class KernelListPane : public QWidget
{
    Q_OBJECT

public:
    KernelListPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                   QWidget *parent = nullptr);

    KernelTableModel *model() const { return m_model; }
    /// What is on screen after filter and order.
    KernelOrder *shown() const { return m_shown; }

public slots:
    void focusFilter();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void select();
    void refreshCount();

    SelectionHub *m_hub;
    KernelTableModel *m_model;
    KernelOrder *m_shown;
    QLineEdit *m_filter;
    QTableView *m_view;
    QLabel *m_count;
    bool m_selecting = false;
};

} // namespace accelopt::widgets
