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

void KernelTreeCanvas::paintBack()
{
    const QSize size = viewport()->size();
    m_back = QPixmap(size * devicePixelRatioF());
    m_back.setDevicePixelRatio(devicePixelRatioF());
    m_back.fill(m_theme->color(Tone::Pane));
    QPainter painter(&m_back);
    painter.setFont(font());
    painter.save();
    painter.setClipRect(treeArea());
    paintEdges(painter);
    const QRectF visible = treeArea().adjusted(-4, -4, 4, 4);
    const int first = std::max(
        0, int((horizontalScrollBar()->value() / m_zoom - kMargin - kNodeWidth) / kColumnPitch));
    const double rowHeight = kRowPitch * m_zoom;
    const int firstRow = int(std::floor(verticalScrollBar()->value() / rowHeight)) - 1;
    const int lastRow = firstRow + int(visible.height() / rowHeight) + 3;
    for (int column = first; column < m_layout.columns() && columnLeft(column) < visible.right();
         ++column) {
        const auto &rows = m_layout.column(column);
        const auto end = rows.upper_bound(lastRow);
        for (auto it = rows.lower_bound(firstRow); it != end; ++it)
            if (nodeRect(it->second).intersects(visible))
                paintNode(painter, it->second);
    }
    painter.restore();
    paintColumns(painter);
    paintLane(painter);
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
    if (m_back.isNull() || m_back.devicePixelRatio() != devicePixelRatioF())
        paintBack();
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

void KernelTreeCanvas::paintColumns(QPainter &painter)
{
    const search::State &state = m_document->state();
    const QRectF header(0, 0, viewport()->width(), kHeaderHeight);
    painter.fillRect(header, m_theme->color(Tone::Pane));
    painter.setPen(m_theme->color(Tone::Line));
    painter.drawLine(header.bottomLeft(), header.bottomRight());
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.88);
    QFont bold = font();
    bold.setBold(true);
    for (int column = 0; column < m_layout.columns(); ++column) {
        const double left = columnLeft(column);
        const double width = kColumnPitch * m_zoom;
        if (left > viewport()->width() || left + width < 0)
            continue;
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

QPainterPath KernelTreeCanvas::edgePath(int child) const
{
    const QRectF to = nodeRect(child);
    const QRectF from = nodeRect(m_layout.nodes()[std::size_t(child)].parent);
    QPainterPath path(QPointF(from.right(), from.center().y()));
    // The bend stays in the gap before the child's column, so that the line runs along rows.
    const double x = to.left() - (kColumnPitch - kNodeWidth) * m_zoom;
    path.lineTo(x, from.center().y());
    path.cubicTo((x + to.left()) / 2, from.center().y(), (x + to.left()) / 2, to.center().y(),
                 to.left(), to.center().y());
    return path;
}

void KernelTreeCanvas::paintEdges(QPainter &painter)
{
    const QRectF area = treeArea();
    const auto isVisible = [&](int child) {
        const TreeNode &node = m_layout.nodes()[std::size_t(child)];
        if (node.parent < 0)
            return false;
        const QRectF to = nodeRect(child);
        const QRectF from = nodeRect(node.parent);
        return to.right() > 0 && from.left() < area.right() &&
               std::max(to.bottom(), from.bottom()) > area.top() &&
               std::min(to.top(), from.top()) < area.bottom();
    };
    const auto onBestPath = [&](int child) {
        const TreeNode &node = m_layout.nodes()[std::size_t(child)];
        return m_bestPath.contains(node.kernel) &&
               m_bestPath.contains(m_layout.nodes()[std::size_t(node.parent)].kernel);
    };
    painter.setBrush(Qt::NoBrush);
    std::vector<int> visible;
    std::vector<int> best;
    for (int i = 0; i < int(m_layout.nodes().size()); ++i)
        if (isVisible(i))
            (onBestPath(i) ? best : visible).push_back(i);
    painter.setPen(QPen(m_theme->color(Tone::Line), 1.2));
    if (visible.size() < kMostSmoothEdges) {
        // Smoothing is dear, and cannot be seen where lines are many and short.
        painter.setRenderHint(QPainter::Antialiasing);
        for (const int child : visible)
            painter.drawPath(edgePath(child));
    } else {
        painter.setPen(m_theme->color(Tone::Line));
        std::vector<QLineF> lines;
        lines.reserve(visible.size());
        for (const int child : visible) {
            const QRectF to = nodeRect(child);
            const QRectF from = nodeRect(m_layout.nodes()[std::size_t(child)].parent);
            lines.emplace_back(from.right(), from.center().y(), to.left(), to.center().y());
        }
        painter.drawLines(lines.data(), int(lines.size()));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme->color(Tone::Best), 2.2));
    for (const int child : best)
        painter.drawPath(edgePath(child));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void KernelTreeCanvas::paintNode(QPainter &painter, int index)
{
    const search::State &state = m_document->state();
    const KernelId &id = m_layout.nodes()[std::size_t(index)].kernel;
    const search::KernelRecord *record = search::kernel(state, id);
    if (record == nullptr)
        return;
    const QRectF rect = nodeRect(index);
    const bool isBaseline = id == state.opened.baseline;
    const bool isBest = id == state.best && !isBaseline;
    const bool inBeam = m_inBeam.contains(id);
    const double factor = search::speedupOverBaseline(state, id);

    Tone paper = Tone::Raised;
    if (isBest)
        paper = Tone::BestPaper;
    else if (!isBaseline && factor >= 1.0005)
        paper = Tone::FasterPaper;
    else if (!isBaseline && factor > 0 && factor <= 0.9995)
        paper = Tone::SlowerPaper;
    Tone frame = inBeam ? Tone::QuietText : Tone::Line;
    if (isBest)
        frame = Tone::Best;

    const bool faint = m_faint.contains(id);
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

void KernelTreeCanvas::paintLane(QPainter &painter)
{
    const int height = laneHeight();
    if (height == 0)
        return;
    const search::State &state = m_document->state();
    const QRectF area(0, viewport()->height() - height, viewport()->width(), height);
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
    std::map<int, int> hidden;
    for (std::size_t i = 0; i < m_layout.lane().size(); ++i) {
        const LaneItem &item = m_layout.lane()[i];
        const QRectF rect = laneRect(int(i));
        if (rect.isNull()) {
            ++hidden[item.column];
            continue;
        }
        if (rect.right() < 0 || rect.left() > area.right())
            continue;
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
        painter.drawText(laneCell(column, lanePerRow() * laneRowsShown() - 1), Qt::AlignCenter,
                         QStringLiteral("+%1").arg(count));
    painter.setFont(font());
}

} // namespace accelopt::widgets
