// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gauges/EngineGauges.h"

#include "widgets/format/Formatting.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets {

namespace {

struct Source
{
    const char *label;
    const char *counter;
    Tone tone;
    const char *help;
};

constexpr Source kSources[] = {
    {QT_TRANSLATE_NOOP("gauges", "Tensor"), "tensor_engine_active_time_percent", Tone::Tensor,
     QT_TRANSLATE_NOOP("gauges", "Share of the time in which the tensor engine multiplies or "
                                 "transposes matrices")},
    {QT_TRANSLATE_NOOP("gauges", "Vector"), "vector_engine_active_time_percent", Tone::Vector,
     QT_TRANSLATE_NOOP("gauges", "Share of the time in which the vector engine works: elementwise "
                                 "arithmetic and reductions")},
    {QT_TRANSLATE_NOOP("gauges", "Scalar"), "scalar_engine_active_time_percent", Tone::Scalar,
     QT_TRANSLATE_NOOP("gauges", "Share of the time in which the scalar engine works: activation "
                                 "functions")},
    {QT_TRANSLATE_NOOP("gauges", "GpSimd"), "gpsimd_engine_active_time_percent", Tone::GpSimd,
     QT_TRANSLATE_NOOP("gauges", "Share of the time in which the GpSimd engine works: what no "
                                 "other engine can do")},
    {QT_TRANSLATE_NOOP("gauges", "DMA"), "dma_active_time_percent", Tone::Dma,
     QT_TRANSLATE_NOOP("gauges", "Share of the time in which data moves between HBM and on-chip "
                                 "memory")},
};

std::optional<double> counter(const Profile &profile, const char *name)
{
    const auto it = profile.counters.find(name);
    if (it == profile.counters.end() || !std::isfinite(it->second))
        return std::nullopt;
    return std::clamp(it->second, 0.0, 1.0);
}

} // namespace

std::vector<GaugeRow> gaugeRows(const Profile &profile, const Profile *reference)
{
    std::vector<GaugeRow> rows;
    for (const Source &source : kSources) {
        const auto value = counter(profile, source.counter);
        if (!value)
            continue;
        GaugeRow row;
        row.label = QCoreApplication::translate("gauges", source.label);
        row.help = QCoreApplication::translate("gauges", source.help);
        row.tone = source.tone;
        row.value = *value;
        if (reference != nullptr)
            row.reference = counter(*reference, source.counter);
        rows.push_back(std::move(row));
    }
    if (profile.percentOfPeak) {
        GaugeRow row;
        row.label = QCoreApplication::translate("gauges", "Peak");
        row.help = QCoreApplication::translate(
            "gauges", "The least time that any kernel of the task needs on this device, as a share "
                      "of this kernel's time");
        row.tone = Tone::Best;
        row.value = std::clamp(*profile.percentOfPeak / 100, 0.0, 1.0);
        if (reference != nullptr && reference->percentOfPeak)
            row.reference = std::clamp(*reference->percentOfPeak / 100, 0.0, 1.0);
        rows.push_back(std::move(row));
    }
    return rows;
}

EngineGauges::EngineGauges(const Theme *theme, QWidget *parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("engineGauges"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void EngineGauges::setRows(std::vector<GaugeRow> rows)
{
    m_rows = std::move(rows);
    QStringList words;
    for (const GaugeRow &row : m_rows)
        words << row.label + QLatin1Char(' ') + formatting::share(row.value);
    setAccessibleName(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

int EngineGauges::rowHeight() const
{
    return fontMetrics().height() + 7;
}

int EngineGauges::titleHeight() const
{
    return m_rows.empty() ? 0 : fontMetrics().height() + 4;
}

QSize EngineGauges::sizeHint() const
{
    return {260, titleHeight() + rowHeight() * int(m_rows.size())};
}

QSize EngineGauges::minimumSizeHint() const
{
    return {200, sizeHint().height()};
}

void EngineGauges::paintEvent(QPaintEvent *)
{
    if (m_rows.empty())
        return;
    QPainter painter(this);
    const QFontMetrics metrics = fontMetrics();
    int labelWidth = 0;
    for (const GaugeRow &row : m_rows)
        labelWidth = std::max(labelWidth, metrics.horizontalAdvance(row.label));
    const int figureWidth = metrics.horizontalAdvance(QStringLiteral("100 % ")) + 6;
    const int referenceWidth = metrics.horizontalAdvance(QStringLiteral("was 100 %")) + 4;
    const int left = labelWidth + 10;
    const int width = std::max(30, this->width() - left - figureWidth - referenceWidth);

    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.88);
    painter.setFont(small);
    painter.setPen(m_theme->color(Tone::QuietText));
    painter.drawText(QRect(left, 0, this->width() - left, titleHeight()),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("share of the time, ▾ baseline"));
    painter.setFont(font());
    int top = titleHeight();
    for (const GaugeRow &row : m_rows) {
        const int height = rowHeight();
        painter.setPen(m_theme->color(Tone::Text));
        painter.drawText(QRect(0, top, labelWidth, height), Qt::AlignLeft | Qt::AlignVCenter,
                         row.label);
        const QRectF track(left, top + 6, width, height - 10);
        painter.fillRect(track, m_theme->color(Tone::Track));
        painter.fillRect(
            QRectF(track.left(), track.top(), track.width() * row.value, track.height()),
            m_theme->color(row.tone));
        if (row.reference) {
            const double x = track.left() + track.width() * *row.reference;
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(m_theme->color(Tone::Text), 1.6));
            painter.drawLine(QPointF(x, track.top() - 1), QPointF(x, track.bottom() + 1));
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme->color(Tone::Text));
            painter.drawPolygon(QPolygonF{QPointF(x - 4, track.top() - 4),
                                          QPointF(x + 4, track.top() - 4),
                                          QPointF(x, track.top() + 2)});
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
        painter.setPen(m_theme->color(Tone::Text));
        painter.drawText(QRect(left + width, top, figureWidth, height),
                         Qt::AlignRight | Qt::AlignVCenter, formatting::share(row.value));
        if (row.reference && std::fabs(*row.reference - row.value) >= 0.005) {
            painter.setPen(m_theme->color(Tone::QuietText));
            painter.drawText(QRect(left + width + figureWidth, top, referenceWidth, height),
                             Qt::AlignRight | Qt::AlignVCenter,
                             tr("was %1").arg(formatting::share(*row.reference)));
        }
        top += height;
    }
}

bool EngineGauges::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = (help->pos().y() - titleHeight()) / std::max(1, rowHeight());
    if (help->pos().y() >= titleHeight() && row < int(m_rows.size()))
        QToolTip::showText(help->globalPos(), m_rows[std::size_t(row)].help, this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace accelopt::widgets
