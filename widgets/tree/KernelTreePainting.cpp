// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/tree/TreeMetrics.h"
#include "widgets/window/SelectionHub.h"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace accelopt::widgets {

using namespace tree_metrics;

namespace {

/// A baseline is cut at its corners, so that its shape tells it from the others.
QPainterPath outline(const QRectF &rect, bool isBaseline, double zoom)
{
    QPainterPath path;
    if (!isBaseline) {
        path.addRoundedRect(rect, 6 * zoom, 6 * zoom);
        return path;
    }
    const double cut = 9 * zoom;
    path.addPolygon(QPolygonF{
        QPointF(rect.left() + cut, rect.top()), QPointF(rect.right() - cut, rect.top()),
        QPointF(rect.right(), rect.center().y()), QPointF(rect.right() - cut, rect.bottom()),
        QPointF(rect.left() + cut, rect.bottom()), QPointF(rect.left(), rect.center().y())});
    path.closeSubpath();
    return path;
}

QPainterPath star(const QPointF &centre, double radius)
{
    QPolygonF polygon;
    for (int i = 0; i < 10; ++i) {
        const double angle = -M_PI / 2 + i * M_PI / 5;
        const double r = i % 2 == 0 ? radius : radius * 0.45;
        polygon << centre + QPointF(r * std::cos(angle), r * std::sin(angle));
    }
    QPainterPath path;
    path.addPolygon(polygon);
    path.closeSubpath();
    return path;
}

QString chipSign(const LaneItem &item, const search::State &state)
{
    switch (item.kind) {
    case LaneKind::Duplicate: return QStringLiteral("=");
    case LaneKind::NoKernel: return QStringLiteral("∅");
    case LaneKind::Failed: break;
    }
    const search::KernelRecord *record = search::kernel(state, item.kernel);
    return record == nullptr ? QStringLiteral("✗")
                             : formatting::verdictSign(record->verdict.status);
}

} // namespace

void KernelTreeCanvas::paintBack(const QRegion &parts)
{
    QPainter painter(&m_back);
    painter.setFont(font());
    for (const QRect &part : parts)
        paintPart(painter, part);
}

void KernelTreeCanvas::paintPart(QPainter &painter, const QRect &part)
{
    painter.setClipRect(part);
    painter.fillRect(part, m_theme->color(Tone::Pane));
    const QRectF inTree = treeArea() & QRectF(part);
    if (!inTree.isEmpty()) {
        painter.save();
        painter.setClipRect(inTree);
        paintEdges(painter, inTree);
        // Marks of nodes reach a little beyond them.
        const QRectF visible = inTree.adjusted(-12, -12, 12, 12);
        const auto [first, last] = columnsBetween(visible.left(), visible.right());
        const double rowHeight = kRowPitch * m_zoom;
        const double top = verticalScrollBar()->value() - kHeaderHeight;
        const int firstRow = int(std::floor((visible.top() + top) / rowHeight)) - 1;
        const int lastRow = int(std::ceil((visible.bottom() + top) / rowHeight)) + 1;
        std::vector<int> nodes;
        for (int column = first; column <= last; ++column) {
            const auto &rows = m_layout.column(column);
            const auto end = rows.upper_bound(lastRow);
            for (auto it = rows.lower_bound(firstRow); it != end; ++it)
                if (nodeRect(it->second).intersects(visible))
                    nodes.push_back(it->second);
        }
        if (m_zoom < kPlainZoom)
            paintPlainNodes(painter, nodes);
        else
            for (const int node : nodes)
                paintNode(painter, node);
        painter.restore();
    }
    paintColumns(painter, part);
    paintLane(painter, part);
}

/// What moves with the selection and the pointer, over the rest.
void KernelTreeCanvas::paintMarks(QPainter &painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.save();
    painter.setClipRect(treeArea());
    // What the selected kernel was made from.
    painter.setPen(QPen(m_theme->color(Tone::Accent), 2.2));
    for (KernelId at = m_hub->current(); !at.empty(); at = m_document->parentOf(at)) {
        const int node = m_layout.nodeOf(at);
        if (node < 0)
            break;
        if (m_layout.nodes()[std::size_t(node)].parent >= 0)
            painter.drawPath(edgePath(node));
    }
    const auto ring = [&](const KernelId &kernel, Qt::PenStyle style, double width) {
        const int node = m_layout.nodeOf(kernel);
        if (node < 0)
            return;
        painter.setPen(QPen(m_theme->color(Tone::Accent), width, style));
        painter.drawPath(outline(nodeRect(node).adjusted(-3, -3, 3, 3),
                                 kernel == m_document->state().opened.baseline, m_zoom));
    };
    ring(m_hub->current(), Qt::SolidLine, 2.4);
    if (m_hub->second() != m_hub->current())
        ring(m_hub->second(), Qt::DashLine, 2);
    if (m_hub->hovered() != m_hub->current() && m_hub->hovered() != m_hub->second())
        ring(m_hub->hovered(), Qt::DotLine, 1.4);
    painter.restore();
    for (const KernelId &kernel : {m_hub->current(), m_hub->hovered()}) {
        const int item = m_layout.failedOf(kernel);
        const QRectF rect = item < 0 ? QRectF() : laneRect(item);
        if (rect.isNull())
            continue;
        painter.setPen(QPen(m_theme->color(Tone::Accent), kernel == m_hub->current() ? 2.2 : 1.2));
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void KernelTreeCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    if (m_layout.nodes().empty()) {
        painter.fillRect(viewport()->rect(), m_theme->color(Tone::Pane));
        paintEmpty(painter);
        return;
    }
    if (m_back.isNull() || m_back.devicePixelRatio() != devicePixelRatioF() ||
        m_back.size() != viewport()->size() * devicePixelRatioF()) {
        m_back = QPixmap(viewport()->size() * devicePixelRatioF());
        m_back.setDevicePixelRatio(devicePixelRatioF());
        paintBack(viewport()->rect());
    }
    painter.drawPixmap(0, 0, m_back);
    paintMarks(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme->color(Tone::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void KernelTreeCanvas::paintEmpty(QPainter &painter)
{
    painter.setPen(m_theme->color(Tone::QuietText));
    painter.drawText(viewport()->rect().adjusted(20, 20, -20, -20),
                     Qt::AlignCenter | Qt::TextWordWrap,
                     m_document->isOpen() && !m_document->loaded() ? tr("The run is being read…")
                     : m_document->isOpen()
                         ? tr("The tree of kernels grows here: first the baseline, then a column "
                              "for each iteration.")
                         : tr("No run is open."));
}

void KernelTreeCanvas::paintColumns(QPainter &painter, const QRect &part)
{
    const search::State &state = m_document->state();
    const QRectF header(0, 0, viewport()->width(), kHeaderHeight);
    if (!header.intersects(part))
        return;
    painter.fillRect(header, m_theme->color(Tone::Pane));
    painter.setPen(m_theme->color(Tone::Line));
    // Within the header, which does not move with the tree.
    painter.drawLine(QPointF(0, kHeaderHeight - 1), QPointF(header.right(), kHeaderHeight - 1));
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.88);
    QFont bold = font();
    bold.setBold(true);
    const auto [first, last] = columnsBetween(part.left(), part.right());
    for (int column = first; column <= last; ++column) {
        const double left = columnLeft(column);
        const double width = kColumnPitch * m_zoom;
        QString title = tr("Baseline");
        QString below;
        if (column > 0 && column <= int(state.iterations.size())) {
            const search::IterationRecord &iteration = state.iterations[std::size_t(column - 1)];
            title = width > 110 ? tr("Iteration %1").arg(column) : QString::number(column);
            const int open = iteration.implemented ? 0 : workUnderWay(column - 1);
            below = open > 0
                        ? tr("%1 open").arg(open)
                        : tr("%1 of %2 correct").arg(iteration.correct).arg(iteration.profiled);
        } else if (column == 0) {
            below = formatting::text(state.opened.task);
        }
        painter.setFont(bold);
        painter.setPen(m_theme->color(Tone::Text));
        const QRectF upper(left, 4, width - 8, 17);
        painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(bold).elidedText(title, Qt::ElideRight, upper.width()));
        painter.setFont(small);
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(upper.translated(0, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(small).elidedText(below, Qt::ElideRight, upper.width()));
    }
    painter.setFont(font());
}

QPainterPath KernelTreeCanvas::bendPath(int child) const
{
    const QRectF to = nodeRect(child);
    const double y = nodeRect(m_layout.nodes()[std::size_t(child)].parent).center().y();
    const double x = to.left() - (kColumnPitch - kNodeWidth) * m_zoom;
    QPainterPath path(QPointF(x, y));
    path.cubicTo((x + to.left()) / 2, y, (x + to.left()) / 2, to.center().y(), to.left(),
                 to.center().y());
    return path;
}

QPainterPath KernelTreeCanvas::edgePath(int child) const
{
    // The bend stays in the gap before the child's column, so that the line runs along rows.
    const QRectF from = nodeRect(m_layout.nodes()[std::size_t(child)].parent);
    QPainterPath path(QPointF(from.right(), from.center().y()));
    path.connectPath(bendPath(child));
    return path;
}

void KernelTreeCanvas::paintEdges(QPainter &painter, const QRectF &part)
{
    const double gap = (kColumnPitch - kNodeWidth) * m_zoom;
    painter.setBrush(Qt::NoBrush);
    // Along the row of each parent up to its last child's column, once for all its children.
    std::vector<QLineF> trunks;
    for (const auto &[node, end] : m_layout.parents()) {
        const QRectF from = nodeRect(node);
        const double y = from.center().y();
        const double to = columnLeft(end) - gap;
        if (y < part.top() - 2 || y > part.bottom() + 2 || to < part.left() ||
            from.right() > part.right() || to <= from.right())
            continue;
        trunks.emplace_back(from.right(), y, to, y);
    }
    // And a bend in the gap before each child.
    const auto [first, last] = columnsBetween(part.left() - 2, part.right() + gap + 2);
    std::vector<int> bends;
    for (int column = first; column <= last; ++column)
        for (const auto &[row, child] : m_layout.column(column)) {
            const int parent = m_layout.nodes()[std::size_t(child)].parent;
            if (parent < 0)
                continue;
            const double there = nodeRect(child).center().y();
            const double here = nodeRect(parent).center().y();
            if (std::max(there, here) >= part.top() - 2 &&
                std::min(there, here) <= part.bottom() + 2)
                bends.push_back(child);
        }
    if (bends.size() < kMostSmoothEdges) {
        // Smoothing is dear, and cannot be seen where lines are many and short.
        painter.setPen(QPen(m_theme->color(Tone::Line), 1.2));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.drawLines(trunks.data(), int(trunks.size()));
        for (const int child : bends)
            painter.drawPath(bendPath(child));
    } else {
        painter.setPen(m_theme->color(Tone::Line));
        for (const int child : bends) {
            const QRectF to = nodeRect(child);
            const QRectF from = nodeRect(m_layout.nodes()[std::size_t(child)].parent);
            trunks.emplace_back(to.left() - gap, from.center().y(), to.left(), to.center().y());
        }
        painter.drawLines(trunks.data(), int(trunks.size()));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme->color(Tone::Best), 2.2));
    for (const KernelId &kernel : m_bestPath) {
        const int child = m_layout.nodeOf(kernel);
        if (child < 0 || m_layout.nodes()[std::size_t(child)].parent < 0)
            continue;
        const QPainterPath path = edgePath(child);
        if (path.controlPointRect().adjusted(-3, -3, 3, 3).intersects(part))
            painter.drawPath(path);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

Tone KernelTreeCanvas::paperOf(int node) const
{
    const search::State &state = m_document->state();
    const search::KernelRecord *record = recordOf(node);
    if (record == nullptr || record->id == state.opened.baseline)
        return Tone::Raised;
    if (record->id == state.best)
        return Tone::BestPaper;
    const double factor = factorOf(*record);
    return factor >= 1.0005                 ? Tone::FasterPaper
           : factor > 0 && factor <= 0.9995 ? Tone::SlowerPaper
                                            : Tone::Raised;
}

Tone KernelTreeCanvas::frameOf(int node) const
{
    const search::State &state = m_document->state();
    const KernelId &id = m_layout.nodes()[std::size_t(node)].kernel;
    if (id == state.best && id != state.opened.baseline)
        return Tone::Best;
    return m_inBeam.contains(id) ? Tone::QuietText : Tone::Line;
}

/// Nodes too small for words: boxes of one colour at a time, without smoothing. What stands out
/// among them is painted as always.
void KernelTreeCanvas::paintPlainNodes(QPainter &painter, const std::vector<int> &nodes)
{
    std::map<std::tuple<Tone, Tone, bool>, std::vector<QRectF>> alike;
    std::vector<int> special;
    for (const int node : nodes) {
        const search::KernelRecord *record = recordOf(node);
        if (record == nullptr)
            continue;
        const Tone frame = frameOf(node);
        if (frame == Tone::Best || record->pinned || record->dropped ||
            record->origin != search::Origin::Agent)
            special.push_back(node);
        else
            alike[{paperOf(node), frame, !m_faint.empty() && m_faint[std::size_t(node)] != 0}]
                .push_back(nodeRect(node));
    }
    for (const auto &[look, rects] : alike) {
        const auto &[paper, frame, faint] = look;
        painter.setOpacity(faint ? 0.25 : 1);
        painter.setPen(QPen(m_theme->color(frame), 0));
        painter.setBrush(m_theme->color(paper));
        painter.drawRects(rects.data(), int(rects.size()));
    }
    painter.setOpacity(1);
    for (const int node : special)
        paintNode(painter, node);
}

void KernelTreeCanvas::paintNode(QPainter &painter, int index)
{
    const search::State &state = m_document->state();
    const search::KernelRecord *record = recordOf(index);
    if (record == nullptr)
        return;
    const KernelId &id = record->id;
    const QRectF rect = nodeRect(index);
    const bool isBaseline = id == state.opened.baseline;
    const bool isBest = id == state.best && !isBaseline;
    const bool inBeam = m_inBeam.contains(id);
    const double factor = factorOf(*record);
    const Tone paper = paperOf(index);
    const Tone frame = frameOf(index);

    const bool faint = !m_faint.empty() && m_faint[std::size_t(index)] != 0;
    painter.setOpacity(faint ? 0.25 : 1);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPainterPath shape = outline(rect, isBaseline, m_zoom);
    painter.setPen(QPen(m_theme->color(frame), isBest || inBeam ? 1.8 : 1));
    painter.setBrush(m_theme->color(paper));
    painter.drawPath(shape);
    if (inBeam && !isBaseline) {
        // A bar at the left marks what the search built on.
        painter.save();
        painter.setClipPath(shape, Qt::IntersectClip);
        painter.fillRect(QRectF(rect.left(), rect.top(), 5 * m_zoom, rect.height()),
                         m_theme->color(frame));
        painter.restore();
    }
    painter.setBrush(Qt::NoBrush);
    if (isBest && m_zoom >= 0.3) {
        painter.setPen(QPen(m_theme->color(Tone::Pane), 1));
        painter.setBrush(m_theme->color(Tone::Best));
        painter.drawPath(star(rect.topRight() + QPointF(-4, 3) * m_zoom, 9 * m_zoom));
    }
    paintSigns(painter, rect, *record);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (m_zoom < kTextZoom) {
        painter.setOpacity(1);
        return;
    }

    QFont bold = font();
    bold.setPointSizeF(font().pointSizeF() * m_zoom);
    bold.setBold(true);
    QFont plain = bold;
    plain.setBold(false);
    plain.setPointSizeF(font().pointSizeF() * m_zoom * 0.88);
    const double inset = (isBaseline ? 14 : 11) * m_zoom;
    const QRectF text = rect.adjusted(inset, 3 * m_zoom, -6 * m_zoom, -3 * m_zoom);
    painter.setFont(bold);
    painter.setPen(m_theme->color(Tone::Text));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop,
                     record->judged ? formatting::latency(record->profile.latencyMs)
                                    : tr("being judged"));
    painter.setFont(plain);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignBottom, m_document->name(id));
    if (!isBaseline && factor > 0) {
        const bool faster = factor >= 1.0005;
        painter.setPen(m_theme->color(faster            ? Tone::Faster
                                      : factor < 0.9995 ? Tone::Slower
                                                        : Tone::Text));
        painter.drawText(text, Qt::AlignRight | Qt::AlignBottom, formatting::signedSpeedup(factor));
    }
    painter.setFont(font());
    painter.setOpacity(1);
}

/// What a person did: a pin above the right corner, a line through what was dropped, a second frame
/// around what a person wrote.
void KernelTreeCanvas::paintSigns(QPainter &painter, const QRectF &rect,
                                  const search::KernelRecord &record)
{
    const Tone tone = Tone::Accent;
    painter.setBrush(Qt::NoBrush);
    if (record.origin == search::Origin::Human) {
        painter.setPen(QPen(m_theme->color(tone), 1));
        painter.drawRoundedRect(rect.adjusted(2.5, 2.5, -2.5, -2.5), 4 * m_zoom, 4 * m_zoom);
    }
    if (record.dropped) {
        painter.setPen(QPen(m_theme->color(Tone::Failed), 1.6));
        painter.drawLine(rect.bottomLeft(), rect.topRight());
    }
    if (record.pinned) {
        const QPointF at = rect.topLeft() + QPointF(10, 0) * m_zoom;
        painter.setPen(QPen(m_theme->color(tone), 2));
        painter.drawLine(at, at + QPointF(0, 7) * m_zoom);
        painter.setBrush(m_theme->color(tone));
        painter.drawEllipse(at - QPointF(0, 3) * m_zoom, 4.5 * m_zoom, 4.5 * m_zoom);
    }
}

void KernelTreeCanvas::paintLane(QPainter &painter, const QRect &part)
{
    const int height = laneHeight();
    if (height == 0)
        return;
    const search::State &state = m_document->state();
    const QRectF area(0, viewport()->height() - height, viewport()->width(), height);
    if (!area.intersects(part))
        return;
    painter.fillRect(area, m_theme->color(Tone::Raised));
    painter.setPen(m_theme->color(Tone::Line));
    painter.drawLine(area.topLeft(), area.topRight());
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.88);
    painter.setFont(small);
    painter.setPen(m_theme->color(Tone::QuietText));
    const QString title = tr("Not built on: ✗ does not compile  ≠ wrong  = repeats a known kernel  "
                             "∅ no answer");
    painter.drawText(QRectF(kMargin * m_zoom, area.top() + 2, area.width() - kMargin, kLaneTitle),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(small).elidedText(title, Qt::ElideRight, area.width() - 40));
    painter.setRenderHint(QPainter::Antialiasing);
    const auto [first, last] = columnsBetween(part.left(), part.right());
    const int cells = lanePerRow() * laneRowsShown();
    std::vector<std::pair<int, int>> hidden; // column, count
    std::vector<int> shown;
    for (int column = first; column <= last; ++column) {
        const std::vector<int> &items = m_layout.laneColumn(column);
        const int most = int(items.size()) > cells ? cells - 1 : int(items.size());
        shown.insert(shown.end(), items.begin(), items.begin() + most);
        if (most < int(items.size()))
            hidden.emplace_back(column, int(items.size()) - most);
    }
    for (const int place : shown) {
        const LaneItem &item = m_layout.lane()[std::size_t(place)];
        const QRectF rect = laneRect(place);
        const bool failed = item.kind == LaneKind::Failed;
        painter.setPen(QPen(m_theme->color(failed ? Tone::Failed : Tone::Line), 1,
                            failed ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(m_theme->color(failed ? Tone::FailedPaper : Tone::Pane));
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), failed ? 2 : 9,
                                failed ? 2 : 9);
        painter.setPen(m_theme->color(failed ? Tone::Failed : Tone::QuietText));
        painter.drawText(rect, Qt::AlignCenter, chipSign(item, state));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(m_theme->color(Tone::QuietText));
    for (const auto &[column, count] : hidden)
        painter.drawText(laneCell(column, cells - 1), Qt::AlignCenter,
                         QStringLiteral("+%1").arg(count));
    painter.setFont(font());
}

} // namespace accelopt::widgets
