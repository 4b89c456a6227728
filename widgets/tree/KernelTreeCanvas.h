// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/tree/TreeFilter.h"
#include "widgets/tree/TreeLayout.h"

#include <QAbstractScrollArea>
#include <QPainterPath>
#include <QPixmap>
#include <set>
#include <utility>
#include <vector>

namespace accelopt::widgets {

class RunDocument;
class SelectionHub;
class Theme;
enum class Tone;

/// The search as a picture: a column per iteration, a node per correct kernel, edges to what it was
/// made from; below it a lane of what did not become a node. Shape and words say what colour says.
///
/// Keys: Left parent, Right best child, Up and Down in the column, Home baseline, End best.
/// Ctrl+wheel zooms, Ctrl+click chooses what to compare with.
class KernelTreeCanvas : public QAbstractScrollArea
{
    Q_OBJECT

public:
    KernelTreeCanvas(RunDocument *document, SelectionHub *hub, const Theme *theme,
                     QWidget *parent = nullptr);

    const TreeLayout &treeLayout() const { return m_layout; }
    double zoom() const { return m_zoom; }
    /// What a person reads when pointing at a place of the viewport; empty where nothing is.
    QString tipAt(const QPoint &place) const;
    /// Where a kernel's node or lane item is on the viewport; null when it has none.
    QRectF placeOf(const KernelId &kernel) const;

    /// Kernels that do not fit all chips become faint; nothing moves.
    void setFilter(const std::set<FilterChip> &chips);
    const std::set<FilterChip> &filter() const { return m_filter; }
    /// How many nodes fit the filter.
    int fitting() const { return int(m_layout.nodes().size()) - m_faintCount; }
    /// Larger nodes and text than usual, for teaching and presenting.
    void setComfort(double factor);

signals:
    void filterChanged();

public slots:
    void fit();
    void zoomBy(double factor);
    void resetZoom();
    /// Scrolls as little as necessary.
    void reveal(const accelopt::KernelId &kernel);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    /// What is under the mouse.
    struct Hit
    {
        int node = -1;
        int laneItem = -1;
    };

    void onUpdated();
    void onCaughtUp();
    void onClosed();
    void refilter();
    /// Paints everything but what changes with the selection into m_back; `parts` of it alone when
    /// the rest is still right.
    void paintBack(const QRegion &parts);
    void paintPart(QPainter &painter, const QRect &part);
    void invalidate();
    /// Takes in what is new in the state; the places of the viewport that look different now.
    QRegion takeChanges();
    void takeBeam();
    const search::KernelRecord *recordOf(int node) const;
    /// Over the baseline; 0 when it is not known.
    double factorOf(const search::KernelRecord &record) const;
    /// Columns of which something can be seen between two places of the viewport.
    std::pair<int, int> columnsBetween(double left, double right) const;
    void paintPlainNodes(QPainter &painter, const std::vector<int> &nodes);
    Tone paperOf(int node) const;
    Tone frameOf(int node) const;
    QRectF columnStrip(int from) const;
    void paintMarks(QPainter &painter);
    void updateScrollBars();
    void setZoom(double zoom, const QPointF &fixed);
    Hit hitAt(const QPointF &place) const;
    KernelId kernelOf(const Hit &hit) const;
    QRectF nodeRect(int node) const;
    QRectF laneRect(int item) const;
    QRectF laneCell(int column, int place) const;
    QRectF treeArea() const;
    int laneHeight() const;
    int laneRowsShown() const;
    int lanePerRow() const;
    double columnLeft(int column) const;
    void paintColumns(QPainter &painter, const QRect &part);
    void paintEdges(QPainter &painter, const QRectF &part);
    void paintNode(QPainter &painter, int node);
    void paintLane(QPainter &painter, const QRect &part);
    void paintSigns(QPainter &painter, const QRectF &rect, const search::KernelRecord &record);
    QPainterPath edgePath(int child) const;
    /// Its last part, in the gap before the child.
    QPainterPath bendPath(int child) const;
    void paintEmpty(QPainter &painter);
    KernelId neighbour(int key) const;
    int workUnderWay(int iteration) const;

    RunDocument *m_document;
    SelectionHub *m_hub;
    const Theme *m_theme;
    TreeLayout m_layout;
    std::set<KernelId> m_inBeam;
    std::set<KernelId> m_bestPath;
    std::set<FilterChip> m_filter;
    std::vector<char> m_faint; ///< by node: does not fit the filter; empty without a filter
    int m_faintCount = 0;
    mutable std::vector<const search::KernelRecord *> m_records; ///< by node; null: not looked up
    std::size_t m_beamTaken = 0; ///< iterations whose beam does not change any more
    double m_baselineMs = 0;
    std::vector<int> m_trunkEnds; ///< of m_layout.parents(), as they are painted
    int m_paintedColumns = 0;
    KernelId m_paintedBest;
    int m_paintedLane = 0; ///< height
    QRectF m_hoverMark;
    QPixmap m_back; ///< null when it has to be painted again
    double m_comfort = 1;
    double m_zoom = 1;
    bool m_following = true; ///< scrolls to what is new, until the person scrolls
    bool m_scrollingByUs = false;
    bool m_dragging = false;
    bool m_dragged = false;
    QPoint m_dragStart;
    QPoint m_dragOrigin;
};

} // namespace accelopt::widgets
