// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/diff/DiffAlignment.h"

#include <QWidget>

namespace accelopt::widgets {

class Theme;

/// A strip beside the comparison that shows where its changes are; a click goes there.
class DiffMap : public QWidget
{
    Q_OBJECT

public:
    explicit DiffMap(const Theme *theme, QWidget *parent = nullptr);

    void setAlignment(const DiffAlignment &alignment);
    /// The rows that are on screen.
    void setVisibleRows(int first, int count);
    void setCurrentChange(int change);
    QSize sizeHint() const override { return {14, 100}; }

signals:
    void rowChosen(int row);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    void choose(double y);

    const Theme *m_theme;
    DiffAlignment m_alignment;
    int m_first = 0;
    int m_count = 0;
    int m_current = -1;
};

} // namespace accelopt::widgets
