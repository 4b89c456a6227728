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
    connect(hub, &SelectionHub::hoverChanged, this, [this] {
        // The old mark and the new one alone.
        const QRectF place = placeOf(m_hub->hovered());
        viewport()->update(m_hoverMark.toAlignedRect());
        m_hoverMark = place.isNull() ? QRectF() : place.adjusted(-6, -6, 6, 6);
        viewport()->update(m_hoverMark.toAlignedRect());
    });
    connect(theme, &Theme::changed, this, &KernelTreeCanvas::invalidate);
    // A person who scrolls wants to stay there.
    for (QScrollBar *bar : {horizontalScrollBar(), verticalScrollBar()})
        connect(bar, &QScrollBar::actionTriggered, this, [this] { m_following = false; });
}

void KernelTreeCanvas::onClosed()
{
    m_back = {};
    m_layout.clear();
    m_inBeam.clear();
    m_beamTaken = 0;
    m_records.clear();
    m_baselineMs = 0;
    m_trunkEnds.clear();
    m_paintedColumns = 0;
    m_paintedBest = {};
    m_paintedLane = 0;
    m_hoverMark = {};
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
    if (chips.empty())
        emit filterChanged();
    invalidate();
}

const search::KernelRecord *KernelTreeCanvas::recordOf(int node) const
{
    // Records of a run stay where they are as long as it is open.
    if (m_records.size() < m_layout.nodes().size())
        m_records.resize(m_layout.nodes().size(), nullptr);
    const search::KernelRecord *&record = m_records[std::size_t(node)];
    if (record == nullptr)
        record = search::kernel(m_document->state(), m_layout.nodes()[std::size_t(node)].kernel);
    return record;
}

double KernelTreeCanvas::factorOf(const search::KernelRecord &record) const
{
    return record.rankable && m_baselineMs > 0 ? m_baselineMs / record.profile.latencyMs : 0;
}

void KernelTreeCanvas::refilter()
{
    const bool had = !m_faint.empty();
    m_faint.clear();
    m_faintCount = 0;
    if (!m_filter.empty()) {
        m_faint.resize(m_layout.nodes().size(), 0);
        const bool asksForBeam = m_filter.contains(FilterChip::Beam);
        for (int i = 0; i < int(m_faint.size()); ++i) {
            const search::KernelRecord *record = recordOf(i);
            const bool fitting =
                record != nullptr && fits(m_filter, *record, factorOf(*record),
                                          asksForBeam && m_inBeam.contains(record->id));
            m_faint[std::size_t(i)] = fitting ? 0 : 1;
            m_faintCount += fitting ? 0 : 1;
        }
    }
    if (had || !m_faint.empty())
        emit filterChanged();
}

void KernelTreeCanvas::setComfort(double factor)
{
    if (factor == m_comfort)
        return;
    m_comfort = factor;
    fit();
}

void KernelTreeCanvas::takeBeam()
{
    const auto &iterations = m_document->state().iterations;
    for (std::size_t i = m_beamTaken; i < iterations.size(); ++i) {
        const search::IterationRecord &iteration = iterations[i];
        m_inBeam.insert(iteration.candidates.begin(), iteration.candidates.end());
        m_inBeam.insert(iteration.selection.beam.begin(), iteration.selection.beam.end());
        if (i + 1 < iterations.size())
            m_beamTaken = i + 1; // its choice is made
    }
}

QRectF KernelTreeCanvas::columnStrip(int from) const
{
    const double left = columnLeft(from) - (kColumnPitch - kNodeWidth) * m_zoom - 2;
    return QRectF(left, 0, std::max(0.0, viewport()->width() - left), viewport()->height());
}

QRegion KernelTreeCanvas::takeChanges()
{
    const search::State &state = m_document->state();
    const auto nodesBefore = int(m_layout.nodes().size());
    const std::size_t beamBefore = m_inBeam.size();
    m_layout.update(state, m_document->kernels());
    takeBeam();
    const search::KernelRecord *baseline = search::kernel(state, state.opened.baseline);
    const double baselineMs =
        baseline != nullptr && baseline->rankable ? baseline->profile.latencyMs : 0;
    const QRegion all(viewport()->rect());
    const bool sameBest = m_paintedBest == state.best;
    if (!sameBest) {
        const std::vector<KernelId> path = m_document->pathTo(state.best);
        m_bestPath = std::set<KernelId>(path.begin(), path.end());
        m_paintedBest = state.best;
    }
    const bool everything = nodesBefore == 0 || !sameBest || baselineMs != m_baselineMs ||
                            m_paintedLane != laneHeight() || !m_filter.empty() ||
                            m_inBeam.size() != beamBefore;
    m_baselineMs = baselineMs;
    m_paintedLane = laneHeight();
    // New nodes stand in the last columns; what leads to them is repainted with their column.
    int first = std::min(m_paintedColumns, m_layout.columns()) - 1;
    m_paintedColumns = m_layout.columns();
    QRegion changed;
    for (int i = nodesBefore; i < int(m_layout.nodes().size()); ++i)
        first = std::min(first, m_layout.nodes()[std::size_t(i)].column);
    for (const KernelId &kernel : m_document->changedKernels())
        if (const int node = m_layout.nodeOf(kernel); node >= 0 && node < nodesBefore)
            changed += nodeRect(node).adjusted(-8, -8, 8, 8).toAlignedRect();
    const auto &parents = m_layout.parents();
    for (std::size_t i = 0; i < parents.size(); ++i) {
        const auto &[node, end] = parents[i];
        if (i < m_trunkEnds.size() && m_trunkEnds[i] == end)
            continue;
        const QRectF from = nodeRect(node);
        changed +=
            QRectF(from.right() - 2, from.center().y() - 3, columnLeft(end) - from.right() + 2, 6)
                .toAlignedRect();
        if (i >= m_trunkEnds.size())
            m_trunkEnds.push_back(end);
        m_trunkEnds[i] = end;
    }
    if (everything)
        return all;
    changed += columnStrip(std::max(0, first)).toAlignedRect();
    return changed & all;
}

void KernelTreeCanvas::onUpdated()
{
    if (!m_document->loaded())
        return; // all at once when everything is there
    // What was painted moves with the scroll bars; what changed is painted where it is then.
    const QRegion changed = takeChanges();
    if (changed.contains(viewport()->rect()))
        m_back = {};
    refilter();
    const QPoint before(horizontalScrollBar()->value(), verticalScrollBar()->value());
    updateScrollBars();
    if (m_following && m_document->writer().written) {
        m_scrollingByUs = true;
        horizontalScrollBar()->setValue(horizontalScrollBar()->maximum());
        m_scrollingByUs = false;
    }
    const QPoint moved =
        before - QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
    const QRegion places =
        (changed.translated(moved) | changed.translated(moved.x(), 0)) & viewport()->rect();
    if (places.isEmpty())
        return;
    if (!m_back.isNull())
        paintBack(places);
    viewport()->update(places);
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
    m_back = {};
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
    m_back = {};
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

std::pair<int, int> KernelTreeCanvas::columnsBetween(double left, double right) const
{
    const double pitch = kColumnPitch * m_zoom;
    const double offset = horizontalScrollBar()->value() - kMargin * m_zoom;
    const int first = int(std::floor((left + offset) / pitch));
    const int last = int(std::floor((right + offset) / pitch)) + 1;
    return {std::max(0, first), std::min(m_layout.columns() - 1, last)};
}

void KernelTreeCanvas::scrollContentsBy(int dx, int dy)
{
    const double ratio = m_back.devicePixelRatio();
    if (m_back.isNull() || ratio != std::floor(ratio) ||
        std::abs(dx) + std::abs(dy) > std::min(viewport()->width(), viewport()->height()) / 2) {
        invalidate();
        return;
    }
    // What is painted moves; only what comes into view is painted anew. The header and the lane do
    // not move up and down.
    const int scale = int(ratio);
    const auto move = [&](const QRect &area, int x, int y) {
        const QRect device(area.topLeft() * scale, area.size() * scale);
        m_back.scroll(x * scale, y * scale, device);
        return QRegion(area) - QRegion(area.translated(x, y));
    };
    const QRect whole = viewport()->rect();
    const QRect tree = treeArea().toRect();
    QRegion exposed = move(tree, dx, dy);
    if (dx != 0) {
        exposed += move(QRect(0, 0, whole.width(), tree.top()), dx, 0);
        const int lane = laneHeight();
        if (lane > 0) {
            const QRect chips(0, whole.height() - lane + kLaneTitle, whole.width(),
                              lane - kLaneTitle);
            exposed += move(chips, dx, 0);
        }
    }
    paintBack(exposed);
    viewport()->update();
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
