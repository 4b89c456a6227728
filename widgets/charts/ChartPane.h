// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/charts/ChartData.h"

#include <QTimer>
#include <QWidget>

class QChartView;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedLayout;

namespace accelopt::widgets {

class RunDocument;
class Theme;

/// Charts of the open run. Its figures are worked out only while the pane can be seen.
class ChartPane : public QWidget
{
    Q_OBJECT

public:
    ChartPane(RunDocument *document, const Theme *theme, QWidget *parent = nullptr);

    ChartKind kind() const;
    void setKind(ChartKind kind);
    /// What is drawn.
    const ChartData &shown() const { return m_data; }
    /// Everything that is known is drawn.
    bool settled() const;
    bool saveImage(const QString &file) const;
    bool saveData(const QString &file) const;

signals:
    /// Something a person should read.
    void problem(const QString &sentence);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void ask();
    void redraw();
    void draw();
    void onFigures();
    void exportImage();
    void exportData();

    RunDocument *m_document;
    const Theme *m_theme;
    ChartData m_data;
    QComboBox *m_kind;
    QComboBox *m_counter;
    QLabel *m_remark;
    QLabel *m_empty;
    QPushButton *m_image;
    QPushButton *m_table;
    QChartView *m_view;
    QStackedLayout *m_stack;
    QTimer m_wait; ///< figures are not asked for more often than this
    bool m_asked = false;
    bool m_stale = true;
};

} // namespace accelopt::widgets
