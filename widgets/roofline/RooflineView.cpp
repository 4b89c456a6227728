// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/RooflineView.h"

#include "core/bench/TaskCatalogue.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets {

namespace {

constexpr double kPointRadius = 3.5;
constexpr std::size_t kManyPoints = 2000;
constexpr int kBetweenLooksMs = 1000;
constexpr double kReach = 8; ///< of the pointer, in pixels
/// Room around the points, in decades.
constexpr double kAirX = 0.35;
constexpr double kAirY = 0.25;

/// "10 GFLOP/s" for a power of ten.
QString rate(double flopsPerSecond)
{
    static constexpr const char *kUnits[] = {"FLOP/s",  "kFLOP/s", "MFLOP/s",
                                             "GFLOP/s", "TFLOP/s", "PFLOP/s"};
    int unit = 0;
    while (flopsPerSecond >= 999.5 && unit < 5) {
        flopsPerSecond /= 1000;
        ++unit;
    }
    return QStringLiteral("%1 %2")
        .arg(flopsPerSecond, 0, 'g', 3)
        .arg(QString::fromLatin1(kUnits[unit]));
}

} // namespace

RooflineView::RooflineView(RunDocument *document, SelectionHub *hub, const Theme *theme,
                           std::filesystem::path programFolder, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_theme(theme),
      m_programFolder(std::move(programFolder))
{
    setObjectName(QStringLiteral("roofline"));
    setAccessibleName(tr("Roofline"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    m_wait.setSingleShot(true);
    connect(&m_wait, &QTimer::timeout, this, &RooflineView::recompute);
    connect(document, &RunDocument::updated, this, &RooflineView::onUpdated);
    connect(document, &RunDocument::caughtUp, this, [this] {
        if (m_stale && m_data.points.empty())
            recompute();
    });
    connect(document, &RunDocument::closed, this, &RooflineView::onClosed);
    connect(hub, &SelectionHub::selectionChanged, this, [this] {
        const auto at = placeOf(m_hub->current());
        setAccessibleDescription(at ? tipAt(*at) : QString());
        update();
    });
    connect(hub, &SelectionHub::hoverChanged, this, qOverload<>(&QWidget::update));
    connect(theme, &Theme::changed, this, [this] {
        m_back = {};
        update();
    });
}

void RooflineView::onClosed()
{
    m_taskName.clear();
    m_task.reset();
    m_device.reset();
    m_problem.clear();
    m_data = {};
    m_draft.reset();
    m_back = {};
    update();
}

void RooflineView::loadTask()
{
    const search::State &state = m_document->state();
    m_taskName = state.opened.task;
    auto task =
        bench::TaskCatalogue::standard(m_programFolder).load(m_taskName, state.config.shape);
    if (!task) {
        m_problem =
            tr("The roof is not known here: %1").arg(formatting::text(describe(task.error())));
        return;
    }
    auto device = bench::deviceRoof(state.config.device);
    if (!device) {
        m_problem = formatting::text(describe(device.error()));
        return;
    }
    m_task = std::move(*task);
    m_device = std::move(*device);
    if (m_task->hash != state.opened.taskHash)
        m_problem = tr("The task has changed since the run was made; the roof is of the task as "
                       "it is now.");
}

void RooflineView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_stale)
        recompute();
}

void RooflineView::onUpdated()
{
    m_stale = true;
    if (!m_document->loaded() || !isVisible() || m_wait.isActive())
        return;
    if (m_document->kernels().size() > kManyPoints)
        m_wait.start(kBetweenLooksMs);
    else
        recompute();
}

void RooflineView::recompute()
{
    m_stale = false;
    const search::State &state = m_document->state();
    if (state.opened.task.empty())
        return;
    if (m_taskName != state.opened.task)
        loadTask();
    if (!m_task)
        return;
    m_data = rooflineData(state, m_document->kernels(), *m_task, *m_device);
    fitAxes();
    m_back = {};
    update();
}

void RooflineView::setDraft(const std::optional<Profile> &profile)
{
    m_draft.reset();
    if (profile && m_task && m_task->minimumWork) {
        const auto counter = [&](const char *name) {
            const auto it = profile->counters.find(name);
            return it == profile->counters.end() ? 0 : it->second;
        };
        const double bytes = counter("hbm_read_bytes") + counter("hbm_write_bytes");
        const double work = m_task->minimumWork->matmulFlops + m_task->minimumWork->vectorFlops;
        if (bytes > 0 && work > 0 && profile->latencyMs > 0)
            m_draft = RooflinePoint{{}, work / bytes, work / (profile->latencyMs / 1000)};
    }
    fitAxes();
    m_back = {};
    update();
}

void RooflineView::fitAxes()
{
    if (m_data.points.empty())
        return;
    double lowX = m_data.leastTrafficIntensity;
    double highX = lowX;
    double lowY = 1e300;
    double highY = m_data.attainable(m_data.leastTrafficIntensity);
    for (const RooflinePoint &point : m_data.points) {
        lowX = std::min(lowX, point.intensity);
        highX = std::max(highX, point.intensity);
        lowY = std::min(lowY, point.flopsPerSecond);
        highY = std::max(highY, point.flopsPerSecond);
    }
    if (m_draft) {
        lowX = std::min(lowX, m_draft->intensity);
        highX = std::max(highX, m_draft->intensity);
        lowY = std::min(lowY, m_draft->flopsPerSecond);
        highY = std::max(highY, m_draft->flopsPerSecond);
    }
    m_lowX = std::log10(lowX) - kAirX;
    m_highX = std::log10(highX) + kAirX;
    m_lowY = std::log10(lowY) - kAirY;
    m_highY = std::log10(highY) + kAirY;
}

QRectF RooflineView::plot() const
{
    const double line = fontMetrics().lineSpacing();
    return QRectF(rect()).adjusted(fontMetrics().horizontalAdvance(QStringLiteral("100 GFLOP/s")) +
                                       8,
                                   line + 4, -10, -2 * line - 6);
}

QPointF RooflineView::place(double intensity, double flopsPerSecond) const
{
    const QRectF area = plot();
    return {area.left() + (std::log10(intensity) - m_lowX) / (m_highX - m_lowX) * area.width(),
            area.bottom() -
                (std::log10(flopsPerSecond) - m_lowY) / (m_highY - m_lowY) * area.height()};
}

std::optional<QPointF> RooflineView::placeOf(const KernelId &kernel) const
{
    for (const RooflinePoint &point : m_data.points)
        if (point.kernel == kernel)
            return place(point.intensity, point.flopsPerSecond);
    return std::nullopt;
}

int RooflineView::hitAt(const QPointF &at) const
{
    int hit = -1;
    double nearest = kReach * kReach;
    for (std::size_t i = 0; i < m_data.points.size(); ++i) {
        const QPointF away =
            place(m_data.points[i].intensity, m_data.points[i].flopsPerSecond) - at;
        const double distance = QPointF::dotProduct(away, away);
        if (distance < nearest) {
            nearest = distance;
            hit = int(i);
        }
    }
    return hit;
}

KernelId RooflineView::reference() const
{
    return m_hub->second().empty() ? m_document->parentOf(m_hub->current()) : m_hub->second();
}

QString RooflineView::tipAt(const QPointF &at) const
{
    const int hit = hitAt(at);
    if (hit < 0)
        return {};
    const RooflinePoint &point = m_data.points[std::size_t(hit)];
    const search::KernelRecord *record = search::kernel(m_document->state(), point.kernel);
    if (record == nullptr)
        return {};
    return tr("%1: %2\n%3 useful FLOP/byte, %4\n%5 of what its traffic allows")
        .arg(m_document->name(point.kernel), formatting::latency(record->profile))
        .arg(point.intensity, 0, 'g', 3)
        .arg(rate(point.flopsPerSecond),
             formatting::share(point.flopsPerSecond / m_data.attainable(point.intensity)));
}

void RooflineView::paintAxes(QPainter &painter)
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    const auto grid = [&](double low, double high, const auto &draw) {
        // Decades, and halves of them where few fit.
        const bool few = high - low < 1.6;
        for (int decade = int(std::floor(low)); decade <= int(std::ceil(high)); ++decade)
            for (const double factor : {1.0, 2.0, 5.0}) {
                const double value = decade + std::log10(factor);
                if (value > low && value < high && (factor == 1.0 || few))
                    draw(std::pow(10, decade) * factor);
            }
    };
    painter.setPen(QPen(m_theme->color(Tone::Track), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    double lastRight = -1e9;
    grid(m_lowX, m_highX, [&](double value) {
        const double x = place(value, std::pow(10, m_lowY)).x();
        painter.setPen(QPen(m_theme->color(Tone::Track), 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const QString label = QString::number(value, 'g', 3);
        const double half = metrics.horizontalAdvance(label) / 2 + 4;
        if (x - half < lastRight)
            return;
        lastRight = x + half;
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(QRectF(x - half, area.bottom() + 2, 2 * half, metrics.lineSpacing()),
                         Qt::AlignCenter, label);
    });
    grid(m_lowY, m_highY, [&](double value) {
        const double y = place(std::pow(10, m_lowX), value).y();
        painter.setPen(QPen(m_theme->color(Tone::Track), 1));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(
            QRectF(0, y - metrics.lineSpacing() / 2, area.left() - 4, metrics.lineSpacing()),
            Qt::AlignRight | Qt::AlignVCenter, rate(value));
    });
    painter.setPen(m_theme->color(Tone::QuietText));
    const QRectF below(4, area.bottom() + metrics.lineSpacing() + 2, width() - 8,
                       metrics.lineSpacing() + 2);
    painter.drawText(below, Qt::AlignCenter,
                     metrics.elidedText(tr("useful FLOP per HBM byte  (simulated)"), Qt::ElideRight,
                                        below.width()));
}

void RooflineView::paintRoof(QPainter &painter)
{
    const QRectF area = plot();
    const double low = std::pow(10, m_lowX);
    const double high = std::pow(10, m_highX);
    QPolygonF roof;
    constexpr int kSteps = 64;
    for (int i = 0; i <= kSteps; ++i) {
        const double x = std::pow(10, m_lowX + (m_highX - m_lowX) * i / kSteps);
        roof << place(x, m_data.attainable(x));
    }
    painter.save();
    painter.setClipRect(area);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const RooflineCeiling &ceiling : m_data.ceilings) {
        painter.setPen(QPen(m_theme->color(Tone::Line), 1, Qt::DashLine));
        painter.drawLine(place(low, ceiling.flopsPerSecond), place(high, ceiling.flopsPerSecond));
    }
    const double best = m_data.leastTrafficIntensity;
    painter.setPen(QPen(m_theme->color(Tone::Line), 1, Qt::DotLine));
    painter.drawLine(place(best, std::pow(10, m_lowY)), place(best, std::pow(10, m_highY)));
    painter.setPen(QPen(m_theme->color(Tone::QuietText), 2));
    painter.drawPolyline(roof);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.restore();

    const QFontMetricsF metrics(font());
    painter.setPen(m_theme->color(Tone::QuietText));
    QString title = tr("roof: HBM");
    for (const RooflineCeiling &ceiling : m_data.ceilings)
        title += QStringLiteral(", ") + ceiling.label;
    painter.drawText(QRectF(4, 0, width() - 8, metrics.lineSpacing() + 2),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title, Qt::ElideRight, width() - 8));
    const QString least = tr("least traffic");
    const double x = place(best, 1).x();
    const double y = area.bottom() - metrics.lineSpacing();
    const double wide = metrics.horizontalAdvance(least) + 4;
    painter.drawText(
        QRectF(x + wide + 4 > area.right() ? x - wide - 4 : x + 4, y, wide, metrics.lineSpacing()),
        Qt::AlignLeft | Qt::AlignVCenter, least);
}

void RooflineView::paintPoints(QPainter &painter)
{
    const search::State &state = m_document->state();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const RooflinePoint &point : m_data.points) {
        const QPointF at = place(point.intensity, point.flopsPerSecond);
        const bool isBaseline = point.kernel == state.opened.baseline;
        const bool isBest = point.kernel == state.best;
        const double factor = search::speedupOverBaseline(state, point.kernel);
        const Tone tone = isBest          ? Tone::Best
                          : isBaseline    ? Tone::Text
                          : factor >= 1.0 ? Tone::Faster
                                          : Tone::Slower;
        painter.setPen(QPen(m_theme->color(Tone::Pane), 1));
        painter.setBrush(m_theme->color(tone));
        // Shape says what colour says: a square is the baseline, a diamond the best, a point
        // downwards slower than the baseline.
        const double r = kPointRadius;
        if (isBaseline)
            painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
        else if (isBest)
            painter.drawPolygon(QPolygonF{{at.x(), at.y() - 2 * r},
                                          {at.x() + 1.6 * r, at.y()},
                                          {at.x(), at.y() + 2 * r},
                                          {at.x() - 1.6 * r, at.y()}});
        else if (tone == Tone::Slower)
            painter.drawPolygon(QPolygonF{
                {at.x() - r, at.y() - r}, {at.x() + r, at.y() - r}, {at.x(), at.y() + r}});
        else
            painter.drawEllipse(at, r, r);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void RooflineView::paintBack()
{
    m_back = QPixmap(size() * devicePixelRatioF());
    m_back.setDevicePixelRatio(devicePixelRatioF());
    m_back.fill(m_theme->color(Tone::Pane));
    QPainter painter(&m_back);
    painter.setFont(font());
    paintAxes(painter);
    paintRoof(painter);
    paintPoints(painter);
}

void RooflineView::paintChosen(QPainter &painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const auto to = placeOf(m_hub->current());
    const auto from = placeOf(reference());
    if (to && from && QLineF(*from, *to).length() > 3 * kPointRadius) {
        QLineF line(*from, *to);
        line.setLength(line.length() - 2 * kPointRadius);
        painter.setPen(QPen(m_theme->color(Tone::Accent), 2));
        painter.drawLine(line);
        const double angle = std::atan2(line.dy(), line.dx());
        const auto barb = [&](double turn) {
            return line.p2() - QPointF(std::cos(angle + turn), std::sin(angle + turn)) * 9;
        };
        painter.setBrush(m_theme->color(Tone::Accent));
        painter.drawPolygon(QPolygonF{line.p2(), barb(0.45), barb(-0.45)});
        painter.setBrush(Qt::NoBrush);
    }
    const auto ring = [&](const std::optional<QPointF> &at, Qt::PenStyle style) {
        if (!at)
            return;
        painter.setPen(QPen(m_theme->color(Tone::Accent), 2, style));
        painter.drawEllipse(*at, 2.2 * kPointRadius, 2.2 * kPointRadius);
    };
    ring(to, Qt::SolidLine);
    ring(from, Qt::DashLine);
    ring(placeOf(m_hub->hovered()), Qt::DotLine);
    const auto label = [&](const KernelId &kernel, const std::optional<QPointF> &at, bool above) {
        if (!at)
            return;
        const QString name = m_document->name(kernel);
        const QFontMetricsF metrics(font());
        const double wide = metrics.horizontalAdvance(name);
        const double x = at->x() + 12 + wide > width() ? at->x() - 12 - wide : at->x() + 12;
        painter.setPen(m_theme->color(Tone::Text));
        painter.drawText(QPointF(x, at->y() + (above ? -6 : metrics.ascent() + 2)), name);
    };
    const bool above = !to || !from || to->y() <= from->y();
    label(m_hub->current(), to, above);
    label(reference(), from, !above);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void RooflineView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QString why = !m_task ? m_problem : m_data.points.empty() ? m_data.whyNot : QString();
    if (m_data.points.empty()) {
        painter.fillRect(rect(), m_theme->color(Tone::Pane));
        painter.setPen(m_theme->color(Tone::QuietText));
        painter.drawText(rect().adjusted(14, 14, -14, -14), Qt::AlignCenter | Qt::TextWordWrap,
                         why.isEmpty() ? tr("Kernels appear here against the roof of the device "
                                            "once they are judged.")
                                       : why);
    } else {
        if (m_back.isNull() || m_back.deviceIndependentSize() != QSizeF(size()))
            paintBack();
        painter.drawPixmap(0, 0, m_back);
        paintChosen(painter);
        if (m_draft) {
            const QPointF at = place(m_draft->intensity, m_draft->flopsPerSecond);
            const double r = 2 * kPointRadius;
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(m_theme->color(Tone::Text), 2));
            painter.setBrush(m_theme->color(Tone::Pane));
            painter.drawPolygon(QPolygonF{{at.x(), at.y() - r},
                                          {at.x() + r, at.y()},
                                          {at.x(), at.y() + r},
                                          {at.x() - r, at.y()}});
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme->color(Tone::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void RooflineView::mouseMoveEvent(QMouseEvent *event)
{
    const int hit = hitAt(event->position());
    m_hub->setHovered(hit < 0 ? KernelId() : m_data.points[std::size_t(hit)].kernel);
    setCursor(hit < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
}

void RooflineView::mouseReleaseEvent(QMouseEvent *event)
{
    const int hit = hitAt(event->position());
    if (hit < 0 || event->button() != Qt::LeftButton)
        return;
    const KernelId kernel = m_data.points[std::size_t(hit)].kernel;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        m_hub->setSecond(kernel);
    else
        m_hub->setCurrent(kernel);
}

void RooflineView::keyPressEvent(QKeyEvent *event)
{
    const int step = event->key() == Qt::Key_Up || event->key() == Qt::Key_Right    ? 1
                     : event->key() == Qt::Key_Down || event->key() == Qt::Key_Left ? -1
                                                                                    : 0;
    if (step == 0 || event->modifiers() != Qt::NoModifier || m_data.points.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    // By speed: up is faster.
    std::vector<const RooflinePoint *> order;
    for (const RooflinePoint &point : m_data.points)
        order.push_back(&point);
    std::sort(order.begin(), order.end(), [](const RooflinePoint *a, const RooflinePoint *b) {
        return a->flopsPerSecond < b->flopsPerSecond;
    });
    const auto at = std::find_if(order.begin(), order.end(), [this](const RooflinePoint *point) {
        return point->kernel == m_hub->current();
    });
    const int next = at == order.end() ? 0 : int(at - order.begin()) + step;
    m_hub->setCurrent(order[std::size_t(std::clamp(next, 0, int(order.size()) - 1))]->kernel);
}

void RooflineView::leaveEvent(QEvent *)
{
    m_hub->setHovered({});
}

bool RooflineView::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace accelopt::widgets
