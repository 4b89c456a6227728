// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Timeline.h"
#include "widgets/theme/Theme.h"

#include <QString>
#include <QWidget>
#include <array>
#include <memory>
#include <vector>

namespace accelopt::widgets {

/// A kernel's run laid out in time: a row for each engine and queue of transfers, an event for each
/// instruction, the critical path marked. Events of one source line are picked out together.
///
/// Wheel zooms at the pointer, dragging moves. Keys: + and - zoom, Left and Right move, Home shows
/// all, Up and Down go along the critical path.
class TimelineView : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineView(const Theme *theme, QWidget *parent = nullptr);

    void setTimeline(std::shared_ptr<const nki::Timeline> timeline);
    /// Says instead why there is none.
    void explain(const QString &sentence);
    /// Picks the events of this line out; 0: none.
    void setLine(int line);
    int line() const { return m_line; }
    /// What is in sight, in ns.
    double startNs() const { return m_startNs; }
    double spanNs() const { return m_spanNs; }
    /// Events that stand alone, and those that share a pixel with others, as they were painted
    /// last.
    int paintedAlone() const { return m_alone; }
    int paintedTogether() const { return m_together; }
    /// What a person reads when pointing there.
    QString tipAt(const QPoint &place) const;
    QRectF placeOf(int event) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public slots:
    void showAll();
    /// At a place of the widget.
    void zoomBy(double factor, double x);

signals:
    void lineChosen(int line);

protected:
    void paintEvent(QPaintEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Row
    {
        nki::TimelineRow row;
        std::vector<int> events; ///< by start
        double longestNs = 0;    ///< of an event, so that what begins before is found
    };
    QRectF plot() const;
    QRectF rowRect(std::size_t row) const;
    double toX(double ns) const;
    double toNs(double x) const;
    void setView(double startNs, double spanNs);
    int hitAt(const QPointF &place) const;
    void paintRow(QPainter &painter, const Row &row, const QRectF &area);
    void paintScale(QPainter &painter);
    void choose(int event);

    const Theme *m_theme;
    std::shared_ptr<const nki::Timeline> m_timeline;
    std::vector<Row> m_rows; ///< those that have events
    QString m_why;
    double m_startNs = 0;
    double m_spanNs = 1;
    int m_line = 0;
    int m_onPath = -1; ///< place on the critical path that was gone to last
    int m_alone = 0;
    int m_together = 0;
    double m_dragStartX = 0;
    double m_dragStartNs = 0;
    bool m_dragging = false;
    bool m_dragged = false;
};

/// "12.5 µs"
QString timeText(double ns);

} // namespace accelopt::widgets
