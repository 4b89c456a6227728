// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/TimelineView.h"

#include "widgets/format/Formatting.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets {

namespace {

constexpr int kTimelineRowHeight = 22;
constexpr double kClosestNs = 50; ///< least that is shown across the whole width

Tone toneOf(nki::TimelineRow row)
{
    switch (row) {
    case nki::TimelineRow::Tensor: return Tone::Tensor;
    case nki::TimelineRow::Vector: return Tone::Vector;
    case nki::TimelineRow::Scalar: return Tone::Scalar;
    case nki::TimelineRow::GpSimd: return Tone::GpSimd;
    case nki::TimelineRow::DmaLoad:
    case nki::TimelineRow::DmaStore:
    case nki::TimelineRow::DmaSpill: return Tone::Dma;
    }
    return Tone::Accent;
}

} // namespace

QString timeText(double ns)
{
    const QLocale locale;
    if (ns < 999.5)
        return QStringLiteral("%1 ns").arg(locale.toString(ns, 'f', ns < 10 ? 1 : 0));
    if (ns < 999'500)
        return QStringLiteral("%1 µs").arg(locale.toString(ns / 1e3, 'g', 3));
    return QStringLiteral("%1 ms").arg(locale.toString(ns / 1e6, 'g', 4));
}

TimelineView::TimelineView(const Theme *theme, QWidget *parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("timelineView"));
    setAccessibleName(tr("Timeline"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize TimelineView::sizeHint() const
{
    return {480, kTimelineRowHeight * 6 + 3 * fontMetrics().lineSpacing()};
}

QSize TimelineView::minimumSizeHint() const
{
    return {200, kTimelineRowHeight * 3 + 2 * fontMetrics().lineSpacing()};
}

void TimelineView::setTimeline(std::shared_ptr<const nki::Timeline> timeline)
{
    m_timeline = std::move(timeline);
    m_why.clear();
    m_rows.clear();
    m_onPath = -1;
    if (m_timeline) {
        for (int r = 0; r < nki::kTimelineRowCount; ++r)
            m_rows.push_back({nki::TimelineRow(r), {}, 0});
        for (std::size_t i = 0; i < m_timeline->events.size(); ++i) {
            const nki::TimelineEvent &event = m_timeline->events[i];
            Row &row = m_rows[std::size_t(event.row)];
            row.events.push_back(int(i));
            row.longestNs = std::max(row.longestNs, event.durationNs);
        }
        std::erase_if(m_rows, [](const Row &row) { return row.events.empty(); });
    }
    showAll();
}

void TimelineView::explain(const QString &sentence)
{
    setTimeline(nullptr);
    m_why = sentence;
    update();
}

void TimelineView::setLine(int line)
{
    if (line == m_line)
        return;
    m_line = line;
    update();
}

void TimelineView::showAll()
{
    m_startNs = 0;
    m_spanNs = m_timeline ? std::max(kClosestNs, m_timeline->latencyNs) : 1;
    update();
}

void TimelineView::setView(double startNs, double spanNs)
{
    if (!m_timeline)
        return;
    const double all = std::max(kClosestNs, m_timeline->latencyNs);
    m_spanNs = std::clamp(spanNs, kClosestNs, all);
    m_startNs = std::clamp(startNs, 0.0, all - m_spanNs);
    update();
}

void TimelineView::zoomBy(double factor, double x)
{
    const double fixed = toNs(x);
    const double span = m_spanNs / factor;
    setView(fixed - (fixed - m_startNs) * std::max(kClosestNs, span) / m_spanNs, span);
}

QRectF TimelineView::plot() const
{
    const double line = fontMetrics().lineSpacing();
    return QRectF(rect()).adjusted(
        fontMetrics().horizontalAdvance(QStringLiteral("GpSimd engine 100 %")) + 14, line + 8, -8,
        -line - 6);
}

QRectF TimelineView::rowRect(std::size_t row) const
{
    const QRectF area = plot();
    const double height =
        std::min(double(kTimelineRowHeight * 2), area.height() / double(m_rows.size()));
    return QRectF(area.left(), area.top() + double(row) * height, area.width(), height);
}

double TimelineView::toX(double ns) const
{
    const QRectF area = plot();
    return area.left() + (ns - m_startNs) / m_spanNs * area.width();
}

double TimelineView::toNs(double x) const
{
    const QRectF area = plot();
    return m_startNs + (x - area.left()) / area.width() * m_spanNs;
}

QRectF TimelineView::placeOf(int index) const
{
    if (!m_timeline || index < 0 || index >= int(m_timeline->events.size()))
        return {};
    const nki::TimelineEvent &event = m_timeline->events[std::size_t(index)];
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        if (m_rows[r].row == event.row) {
            const QRectF row = rowRect(r);
            const double left = toX(event.startNs);
            return QRectF(left, row.top() + 3, toX(event.startNs + event.durationNs) - left,
                          row.height() - 6);
        }
    return {};
}

int TimelineView::hitAt(const QPointF &place) const
{
    if (!m_timeline || !plot().contains(place))
        return -1;
    const double slackNs = 2 * m_spanNs / std::max(1.0, plot().width());
    const double at = toNs(place.x());
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        if (!rowRect(r).contains(place))
            continue;
        const Row &row = m_rows[r];
        auto it = std::lower_bound(row.events.begin(), row.events.end(),
                                   at - row.longestNs - slackNs, [this](int event, double ns) {
                                       return m_timeline->events[std::size_t(event)].startNs < ns;
                                   });
        int nearest = -1;
        double nearestNs = slackNs;
        for (; it != row.events.end(); ++it) {
            const nki::TimelineEvent &event = m_timeline->events[std::size_t(*it)];
            if (event.startNs > at + slackNs)
                break;
            const double away = at < event.startNs ? event.startNs - at
                                : at > event.startNs + event.durationNs
                                    ? at - event.startNs - event.durationNs
                                    : 0;
            if (away < nearestNs || (away == 0 && nearest < 0)) {
                nearest = *it;
                nearestNs = away;
            }
        }
        return nearest;
    }
    return -1;
}

QString TimelineView::tipAt(const QPoint &place) const
{
    const int hit = hitAt(place);
    if (hit < 0)
        return {};
    const nki::TimelineEvent &event = m_timeline->events[std::size_t(hit)];
    QStringList lines{
        tr("%1 on the %2")
            .arg(formatting::text(std::string(nki::name(event.opcode))),
                 formatting::text(std::string(nki::name(event.row)))),
        tr("from %1, for %2 (simulated)").arg(timeText(event.startNs), timeText(event.durationNs))};
    if (event.line > 0)
        lines << tr("line %1").arg(event.line);
    else
        lines << tr("added by the compiler");
    if (event.bytes > 0)
        lines << formatting::bytes(event.bytes);
    if (event.criticalNs > 0)
        lines << tr("on the critical path: %1 of the latency").arg(timeText(event.criticalNs));
    return lines.join(QLatin1Char('\n'));
}

void TimelineView::paintRow(QPainter &painter, const Row &row, const QRectF &area)
{
    const QRectF bars = area.adjusted(0, 3, 0, -3);
    const QColor fill = m_theme->color(toneOf(row.row));
    const double pixelNs = m_spanNs / std::max(1.0, area.width());
    const double endNs = m_startNs + m_spanNs;
    auto it = std::lower_bound(row.events.begin(), row.events.end(), m_startNs - row.longestNs,
                               [this](int event, double ns) {
                                   return m_timeline->events[std::size_t(event)].startNs < ns;
                               });
    // What is narrower than a pixel is drawn as one bar with its neighbours.
    std::vector<QRectF> plain;
    std::vector<QRectF> picked;
    std::vector<QRectF> critical;
    QRectF run;
    int inRun = 0;
    const auto endRun = [&] {
        if (inRun > 0)
            plain.push_back(run);
        (inRun > 1 ? m_together : m_alone) += inRun;
        inRun = 0;
    };
    for (; it != row.events.end(); ++it) {
        const nki::TimelineEvent &event = m_timeline->events[std::size_t(*it)];
        if (event.startNs > endNs)
            break;
        if (event.startNs + event.durationNs < m_startNs)
            continue;
        const double left = std::max(area.left(), toX(event.startNs));
        const double right = std::min(area.right(), toX(event.startNs + event.durationNs));
        const QRectF bar(left, bars.top(), std::max(1.0, right - left), bars.height());
        if (event.durationNs < pixelNs && inRun > 0 && bar.left() <= run.right() + 0.5) {
            run.setRight(std::max(run.right(), bar.right()));
            ++inRun;
        } else {
            endRun();
            run = bar;
            inRun = 1;
        }
        if (m_line > 0 && event.line == m_line)
            picked.push_back(bar);
        if (event.criticalNs > 0)
            critical.push_back(QRectF(bar.left(), bars.bottom() - 2, bar.width(), 2));
    }
    endRun();
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.setOpacity(m_line > 0 ? 0.4 : 1);
    painter.drawRects(plain.data(), int(plain.size()));
    painter.setOpacity(1);
    // Edges tell neighbours apart once they are wide enough.
    painter.setPen(QPen(m_theme->color(Tone::Pane), 0));
    painter.setBrush(Qt::NoBrush);
    for (const QRectF &bar : plain)
        if (bar.width() > 4)
            painter.drawLine(bar.topRight(), bar.bottomRight());
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRects(picked.data(), int(picked.size()));
    painter.setBrush(m_theme->color(Tone::Text));
    painter.drawRects(critical.data(), int(critical.size()));
}

void TimelineView::paintScale(QPainter &painter)
{
    const QRectF area = plot();
    // 1, 2 or 5 times a power of ten, so that the words have room.
    const double wanted = m_spanNs * 90 / std::max(90.0, area.width());
    const double power = std::pow(10, std::floor(std::log10(wanted)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0})
        if (factor * power >= wanted)
            step = factor * power;
    painter.setPen(QPen(m_theme->color(Tone::Track), 1));
    for (double ns = std::ceil(m_startNs / step) * step; ns <= m_startNs + m_spanNs; ns += step) {
        const double x = toX(ns);
        painter.setPen(QPen(m_theme->color(Tone::Track), 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(QRectF(x - 60, area.bottom() + 2, 120, fontMetrics().lineSpacing()),
                         Qt::AlignHCenter | Qt::AlignTop, timeText(ns));
    }
}

void TimelineView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->color(Tone::Pane));
    m_alone = m_together = 0;
    if (!m_timeline || m_rows.empty()) {
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(rect().adjusted(14, 14, -14, -14), Qt::AlignCenter | Qt::TextWordWrap,
                         m_why.isEmpty() ? tr("When each instruction of the selected kernel runs "
                                              "is shown here.")
                                         : m_why);
    } else {
        paintScale(painter);
        for (std::size_t r = 0; r < m_rows.size(); ++r) {
            const QRectF area = rowRect(r);
            const nki::TimelineRowTotals &totals = m_timeline->totals(m_rows[r].row);
            painter.setPen(m_theme->color(Tone::Text));
            painter.drawText(
                QRectF(6, area.top(), area.left() - 12, area.height()),
                Qt::AlignLeft | Qt::AlignVCenter,
                fontMetrics().elidedText(
                    QStringLiteral("%1 %2").arg(
                        formatting::text(std::string(nki::name(m_rows[r].row))),
                        formatting::share(totals.busyNs / std::max(1.0, m_timeline->latencyNs))),
                    Qt::ElideRight, int(area.left() - 12)));
            painter.save();
            painter.setClipRect(area);
            paintRow(painter, m_rows[r], area);
            painter.restore();
        }
        QString title = tr("%1 simulated, %2 in sight")
                            .arg(timeText(m_timeline->latencyNs), timeText(m_spanNs));
        if (m_together > 0)
            title += tr("; %1 events share a pixel with others at this zoom").arg(m_together);
        if (m_line > 0)
            title += tr("; line %1 picked out").arg(m_line);
        title += tr("; underlined: the critical path");
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(QRectF(6, 2, width() - 12, fontMetrics().lineSpacing() + 2),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(title, Qt::ElideRight, width() - 12));
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme->color(Tone::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    zoomBy(std::pow(1.0015, event->angleDelta().y()), event->position().x());
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    m_dragging = event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton;
    m_dragged = false;
    m_dragStartX = event->position().x();
    m_dragStartNs = m_startNs;
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    const double moved = event->position().x() - m_dragStartX;
    if (m_dragging && (m_dragged || std::abs(moved) > 5)) {
        m_dragged = true;
        setView(m_dragStartNs - moved / std::max(1.0, plot().width()) * m_spanNs, m_spanNs);
        return;
    }
    setCursor(hitAt(event->position()) < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    const bool wasClick = m_dragging && !m_dragged;
    m_dragging = m_dragged = false;
    if (wasClick && event->button() == Qt::LeftButton)
        choose(hitAt(event->position()));
}

void TimelineView::choose(int index)
{
    const int line = index < 0 ? 0 : m_timeline->events[std::size_t(index)].line;
    setLine(line);
    if (line > 0)
        emit lineChosen(line);
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    const double centre = plot().center().x();
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomBy(1.5, centre); return;
    case Qt::Key_Minus: zoomBy(1 / 1.5, centre); return;
    case Qt::Key_Left: setView(m_startNs - m_spanNs / 4, m_spanNs); return;
    case Qt::Key_Right: setView(m_startNs + m_spanNs / 4, m_spanNs); return;
    case Qt::Key_Home: showAll(); return;
    case Qt::Key_Up:
    case Qt::Key_Down: {
        if (!m_timeline || m_timeline->criticalPath.empty())
            return;
        const int last = int(m_timeline->criticalPath.size()) - 1;
        m_onPath = std::clamp(m_onPath + (event->key() == Qt::Key_Down ? 1 : -1), 0, last);
        const int index = m_timeline->criticalPath[std::size_t(m_onPath)];
        const nki::TimelineEvent &at = m_timeline->events[std::size_t(index)];
        if (at.startNs < m_startNs || at.startNs > m_startNs + m_spanNs)
            setView(at.startNs - m_spanNs / 2, m_spanNs);
        choose(index);
        setAccessibleDescription(tipAt(placeOf(index).center().toPoint()));
        return;
    }
    default: QWidget::keyPressEvent(event);
    }
}

bool TimelineView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const QString tip = tipAt(help->pos());
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(),
                           QStringLiteral("<qt style='white-space:pre'>") + tip.toHtmlEscaped() +
                               QStringLiteral("</qt>"),
                           this);
    return true;
}

} // namespace accelopt::widgets
