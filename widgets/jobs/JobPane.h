// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QTableView;

namespace accelopt::widgets {

class JobModel;
class RunDocument;
class SelectionHub;
class Theme;

/// What is being asked and judged, what waits, and what failed.
class JobPane : public QWidget
{
    Q_OBJECT

public:
    JobPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
            QWidget *parent = nullptr);

    JobModel *model() const { return m_model; }
    QString summary() const;

signals:
    void summaryChanged();

private:
    void refresh();

    RunDocument *m_document;
    JobModel *m_model;
    QLabel *m_summary;
    QPushButton *m_read;
    QTableView *m_view;
};

} // namespace accelopt::widgets
