// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tree/KernelTreeCanvas.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/TreeMetrics.h"
#include "widgets/window/SelectionHub.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets {

using namespace tree_metrics;

KernelTreeCanvas::KernelTreeCanvas(RunDocument *document, SelectionHub *hub, const Theme *theme,
                                   QWidget *parent)
    : QAbstractScrollArea(parent),
      m_document(document),
      m_hub(hub),
      m_theme(theme)
{
    setObjectName(QStringLiteral("kernelTree"));
    setAccessibleName(tr("Search tree"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setMinimumSize(240, 160);
    viewport()->setMouseTracking(true);
    connect(document, &RunDocument::updated, this, &KernelTreeCanvas::onUpdated);
    connect(document, &RunDocument::caughtUp, this, &KernelTreeCanvas::onCaughtUp);
    connect(document, &RunDocument::closed, this, &KernelTreeCanvas::onClosed);
    connect(hub, &SelectionHub::selectionChanged, this, [this] {
        const QRectF place = placeOf(m_hub->current());
        setAccessibleDescription(place.isNull() ? QString() : tipAt(place.center().toPoint()));
        reveal(m_hub->current());
        viewport()->update(); // the marks alone; the rest stays as painted
    });
    connect(hub, &SelectionHub::hoverChanged, viewport(), qOverload<>(&QWidget::update));
    connect(theme, &Theme::changed, this, &KernelTreeCanvas::invalidate);
    // A person who scrolls wants to stay there.
    for (QScrollBar *bar : {horizontalScrollBar(), verticalScrollBar()})
        connect(bar, &QScrollBar::actionTriggered, this, [this] { m_following = false; });
}

void KernelTreeCanvas::onClosed()
{
    m_layout.clear();
    m_inBeam.clear();
    m_bestPath.clear();
    m_zoom = 1;
    m_following = true;
    refilter();
    updateScrollBars();
    invalidate();
}

void KernelTreeCanvas::invalidate()
{
    m_back = {};
    viewport()->update();
}

void KernelTreeCanvas::setFilter(const std::set<FilterChip> &chips)
{
    m_filter = chips;
    refilter();
    invalidate();
}

void KernelTreeCanvas::refilter()
{
    m_faint.clear();
    if (!m_filter.empty())
        for (const TreeNode &node : m_layout.nodes())
            if (!fits(m_filter, m_document->state(), node.kernel, m_inBeam))
                m_faint.insert(node.kernel);
    emit filterChanged();
}

void KernelTreeCanvas::setComfort(double factor)
{
    if (factor == m_comfort)
        return;
    m_comfort = factor;
    fit();
}

void KernelTreeCanvas::onUpdated()
{
    if (!m_document->loaded())
        return; // all at once when everything is there
    const search::State &state = m_document->state();
    m_layout.update(state, m_document->kernels());
    m_inBeam.clear();
    for (const search::IterationRecord &iteration : state.iterations) {
        m_inBeam.insert(iteration.candidates.begin(), iteration.candidates.end());
        m_inBeam.insert(iteration.selection.beam.begin(), iteration.selection.beam.end());
    }
    const std::vector<KernelId> path = m_document->pathTo(state.best);
    m_bestPath = std::set<KernelId>(path.begin(), path.end());
    refilter();
    updateScrollBars();
    if (m_following && m_document->writer().written) {
        m_scrollingByUs = true;
        horizontalScrollBar()->setValue(horizontalScrollBar()->maximum());
        m_scrollingByUs = false;
    }
    invalidate();
}

void KernelTreeCanvas::onCaughtUp()
{
    if (m_layout.nodes().empty())
        onUpdated();
    if (m_following && !m_document->writer().written)
        fit();
}

QRectF KernelTreeCanvas::treeArea() const
{
    return QRectF(0, kHeaderHeight, viewport()->width(),
                  std::max(0, viewport()->height() - kHeaderHeight - laneHeight()));
}

int KernelTreeCanvas::lanePerRow() const
{
    return std::max(1, int((kColumnPitch * m_zoom - kChipGap) / (kChipWidth + kChipGap)));
}

int KernelTreeCanvas::laneRowsShown() const
{
    const int rows = (m_layout.laneDepth() + lanePerRow() - 1) / lanePerRow();
    return std::min(rows, kMostLaneRows);
}

int KernelTreeCanvas::laneHeight() const
{
    if (m_layout.lane().empty())
        return 0;
    return kLaneTitle + laneRowsShown() * (kChipHeight + kChipGap) + kChipGap;
}

double KernelTreeCanvas::columnLeft(int column) const
{
    return (kMargin + column * kColumnPitch) * m_zoom - horizontalScrollBar()->value();
}

QRectF KernelTreeCanvas::nodeRect(int node) const
{
    const TreeNode &n = m_layout.nodes()[std::size_t(node)];
    const double top = kHeaderHeight + n.row * kRowPitch * m_zoom - verticalScrollBar()->value();
    return QRectF(columnLeft(n.column), top, kNodeWidth * m_zoom, kNodeHeight * m_zoom);
}

QRectF KernelTreeCanvas::laneCell(int column, int place) const
{
    const double left = columnLeft(column) + place % lanePerRow() * (kChipWidth + kChipGap);
    const double top = viewport()->height() - laneHeight() + kLaneTitle +
                       place / lanePerRow() * (kChipHeight + kChipGap);
    return QRectF(left, top, kChipWidth, kChipHeight);
}

QRectF KernelTreeCanvas::laneRect(int item) const
{
    const LaneItem &lane = m_layout.lane()[std::size_t(item)];
    const int cells = lanePerRow() * laneRowsShown();
    // What does not fit is counted in the last cell.
    const int shown = m_layout.laneSize(lane.column) > cells ? cells - 1 : cells;
    return lane.place < shown ? laneCell(lane.column, lane.place) : QRectF();
}

void KernelTreeCanvas::updateScrollBars()
{
    const QRectF area = treeArea();
    const int width =
        int((2 * kMargin + (m_layout.columns() - 1) * kColumnPitch + kNodeWidth) * m_zoom);
    const int top = int((m_layout.firstRow() * kRowPitch - kMargin) * m_zoom);
    const int bottom = int((m_layout.lastRow() * kRowPitch + kNodeHeight + kMargin) * m_zoom);
    m_scrollingByUs = true;
    horizontalScrollBar()->setRange(0, std::max(0, width - int(area.width())));
    horizontalScrollBar()->setPageStep(std::max(1, int(area.width())));
    horizontalScrollBar()->setSingleStep(int(kColumnPitch * m_zoom / 4));
    if (bottom - top <= int(area.height())) {
        // Everything fits: it stands in the middle.
        const int value = (top + bottom - int(area.height())) / 2;
        verticalScrollBar()->setRange(value, value);
    } else {
        verticalScrollBar()->setRange(top, bottom - int(area.height()));
    }
    verticalScrollBar()->setPageStep(std::max(1, int(area.height())));
    verticalScrollBar()->setSingleStep(int(kRowPitch * m_zoom / 2));
    m_scrollingByUs = false;
}

void KernelTreeCanvas::fit()
{
    if (m_layout.nodes().empty())
        return;
    const double width = 2 * kMargin + (m_layout.columns() - 1) * kColumnPitch + kNodeWidth;
    const double height =
        (m_layout.lastRow() - m_layout.firstRow()) * kRowPitch + kNodeHeight + 2 * kMargin;
    const QRectF area = treeArea();
    const double wanted = std::min(area.width() / width, area.height() / height);
    // Readable is better than complete: what does not fit can be scrolled to.
    m_zoom = std::clamp(wanted, 0.85 * m_comfort, 1.15 * m_comfort);
    updateScrollBars();
    reveal(m_hub->current().empty() ? m_document->state().best : m_hub->current());
    invalidate();
}

void KernelTreeCanvas::setZoom(double zoom, const QPointF &fixed)
{
    const double next = std::clamp(zoom, kSmallestZoom, kLargestZoom);
    const double sceneX = (fixed.x() + horizontalScrollBar()->value()) / m_zoom;
    const double sceneY = (fixed.y() - kHeaderHeight + verticalScrollBar()->value()) / m_zoom;
    m_zoom = next;
    m_following = false;
    updateScrollBars();
    horizontalScrollBar()->setValue(int(sceneX * m_zoom - fixed.x()));
    verticalScrollBar()->setValue(int(sceneY * m_zoom - fixed.y() + kHeaderHeight));
    invalidate();
}

void KernelTreeCanvas::zoomBy(double factor)
{
    setZoom(m_zoom * factor, treeArea().center());
}

void KernelTreeCanvas::resetZoom()
{
    setZoom(1, treeArea().center());
}

QRectF KernelTreeCanvas::placeOf(const KernelId &kernel) const
{
    if (const int node = m_layout.nodeOf(kernel); node >= 0)
        return nodeRect(node);
    if (const int item = m_layout.failedOf(kernel); item >= 0)
        return laneRect(item);
    return {};
}

void KernelTreeCanvas::reveal(const KernelId &kernel)
{
    const QRectF rect = placeOf(kernel);
    if (rect.isNull())
        return;
    const QRectF area = treeArea();
    const double margin = kMargin * m_zoom;
    if (rect.left() - margin < 0)
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(rect.left() - margin));
    else if (rect.right() + margin > area.right())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() +
                                        int(rect.right() + margin - area.right()));
    if (m_layout.nodeOf(kernel) < 0)
        return;
    if (rect.top() - margin < area.top())
        verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                      int(rect.top() - margin - area.top()));
    else if (rect.bottom() + margin > area.bottom())
        verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                      int(rect.bottom() + margin - area.bottom()));
}

KernelTreeCanvas::Hit KernelTreeCanvas::hitAt(const QPointF &place) const
{
    if (place.y() >= viewport()->height() - laneHeight()) {
        for (std::size_t i = 0; i < m_layout.lane().size(); ++i)
            if (laneRect(int(i)).contains(place))
                return {-1, int(i)};
        return {};
    }
    if (place.y() < kHeaderHeight)
        return {};
    const double x = (place.x() + horizontalScrollBar()->value()) / m_zoom - kMargin;
    const double y = (place.y() - kHeaderHeight + verticalScrollBar()->value()) / m_zoom;
    const int column = int(std::floor(x / kColumnPitch));
    const int row = int(std::floor(y / kRowPitch));
    const auto &nodes = m_layout.column(column);
    const auto it = nodes.find(row);
    if (it != nodes.end() && nodeRect(it->second).contains(place))
        return {it->second, -1};
    return {};
}

KernelId KernelTreeCanvas::kernelOf(const Hit &hit) const
{
    if (hit.node >= 0)
        return m_layout.nodes()[std::size_t(hit.node)].kernel;
    if (hit.laneItem >= 0)
        return m_layout.lane()[std::size_t(hit.laneItem)].kernel;
    return {};
}

QString KernelTreeCanvas::tipAt(const QPoint &place) const
{
    const Hit hit = hitAt(place);
    const search::State &state = m_document->state();
    if (hit.laneItem >= 0) {
        const LaneItem &item = m_layout.lane()[std::size_t(hit.laneItem)];
        const QString reason = formatting::text(item.reason);
        return item.kernel.empty() ? reason
                                   : m_document->name(item.kernel) + QStringLiteral(": ") + reason;
    }
    if (hit.node < 0)
        return {};
    const KernelId &id = m_layout.nodes()[std::size_t(hit.node)].kernel;
    const search::KernelRecord *record = search::kernel(state, id);
    if (record == nullptr)
        return {};
    QStringList lines{m_document->name(id)};
    if (record->judged) {
        lines << formatting::latency(record->profile);
        lines << tr("%1 over the baseline")
                     .arg(formatting::signedSpeedup(search::speedupOverBaseline(state, id)));
        const KernelId parent = m_document->parentOf(id);
        if (!parent.empty() && parent != state.opened.baseline)
            lines << tr("%1 over %2, from which it was made")
                         .arg(formatting::signedSpeedup(search::speedup(state, parent, id)),
                              m_document->name(parent));
    }
    if (record->first)
        if (const auto *plan = search::plan(state, record->first->slot.plan))
            lines << formatting::text(plan->plan.title);
    if (!record->fate.text.empty())
        lines << formatting::text(record->fate.text);
    return lines.join(QLatin1Char('\n'));
}

int KernelTreeCanvas::workUnderWay(int iteration) const
{
    int count = 0;
    for (const search::PlanRecord &plan :
         m_document->state().iterations[std::size_t(iteration)].plans) {
        if (plan.status == search::PlanStatus::Open)
            ++count;
        for (const search::AttemptRecord &attempt : plan.attempts)
            if (attempt.status == search::AttemptStatus::Open ||
                attempt.status == search::AttemptStatus::Written)
                ++count;
    }
    return count;
}

void KernelTreeCanvas::resizeEvent(QResizeEvent *)
{
    m_back = {};
    updateScrollBars();
    if (m_following && m_document->loaded() && !m_document->writer().written)
        fit();
}

void KernelTreeCanvas::scrollContentsBy(int, int)
{
    invalidate();
}

void KernelTreeCanvas::mousePressEvent(QMouseEvent *event)
{
    m_dragStart = event->pos();
    m_dragOrigin = QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
    m_dragging = event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton;
    m_dragged = false;
}

void KernelTreeCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint moved = event->pos() - m_dragStart;
    if (m_dragging && (m_dragged || moved.manhattanLength() > 6)) {
        m_dragged = true;
        m_following = false;
        viewport()->setCursor(Qt::ClosedHandCursor);
        horizontalScrollBar()->setValue(m_dragOrigin.x() - moved.x());
        verticalScrollBar()->setValue(m_dragOrigin.y() - moved.y());
        return;
    }
    const KernelId under = kernelOf(hitAt(event->position()));
    viewport()->setCursor(under.empty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
    m_hub->setHovered(under);
}

void KernelTreeCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    const bool wasClick = m_dragging && !m_dragged;
    m_dragging = m_dragged = false;
    viewport()->unsetCursor();
    if (!wasClick || event->button() != Qt::LeftButton)
        return;
    const KernelId under = kernelOf(hitAt(event->position()));
    if (under.empty())
        return;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        m_hub->setSecond(under);
    else
        m_hub->setCurrent(under);
}

void KernelTreeCanvas::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        setZoom(m_zoom * std::pow(1.0015, event->angleDelta().y()), event->position());
        event->accept();
        return;
    }
    m_following = false;
    QAbstractScrollArea::wheelEvent(event);
}

KernelId KernelTreeCanvas::neighbour(int key) const
{
    const search::State &state = m_document->state();
    const KernelId &current = m_hub->current();
    if (key == Qt::Key_Home || current.empty())
        return state.opened.baseline;
    if (key == Qt::Key_End)
        return state.best;
    if (key == Qt::Key_Left)
        return m_document->parentOf(current);
    const int node = m_layout.nodeOf(current);
    if (node < 0) {
        // In the lane, Up and Down walk along it.
        const auto &lane = m_layout.lane();
        for (int i = m_layout.failedOf(current) + (key == Qt::Key_Down ? 1 : -1);
             i >= 0 && i < int(lane.size()); i += key == Qt::Key_Down ? 1 : -1)
            if (lane[std::size_t(i)].kind == LaneKind::Failed)
                return lane[std::size_t(i)].kernel;
        return {};
    }
    if (key == Qt::Key_Right) {
        KernelId best;
        double bestMs = 0;
        for (const TreeNode &child : m_layout.nodes()) {
            if (child.parent != node)
                continue;
            const search::KernelRecord *record = search::kernel(state, child.kernel);
            if (record != nullptr && (best.empty() || record->profile.latencyMs < bestMs)) {
                best = child.kernel;
                bestMs = record->profile.latencyMs;
            }
        }
        return best;
    }
    const TreeNode &at = m_layout.nodes()[std::size_t(node)];
    const auto &column = m_layout.column(at.column);
    auto it = column.find(at.row);
    if (key == Qt::Key_Up)
        return it == column.begin() ? KernelId()
                                    : m_layout.nodes()[std::size_t(std::prev(it)->second)].kernel;
    ++it;
    return it == column.end() ? KernelId() : m_layout.nodes()[std::size_t(it->second)].kernel;
}

void KernelTreeCanvas::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
            if (const KernelId next = neighbour(event->key()); !next.empty())
                m_hub->setCurrent(next);
            return;
        }
        break;
    default: break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

bool KernelTreeCanvas::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const QString tip = tipAt(help->pos());
        if (tip.isEmpty())
            QToolTip::hideText();
        else // words of agents stand in it: never as rich text
            QToolTip::showText(help->globalPos(),
                               QStringLiteral("<qt style='white-space:pre'>") +
                                   tip.toHtmlEscaped() + QStringLiteral("</qt>"),
                               viewport());
        return true;
    }
    if (event->type() == QEvent::Leave)
        m_hub->setHovered({});
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace accelopt::widgets
