// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/diff/DiffMap.h"

#include "widgets/theme/Theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

namespace accelopt::widgets {

DiffMap::DiffMap(const Theme *theme, QWidget *parent) : QWidget(parent), m_theme(theme)
{
    setFixedWidth(14);
    setToolTip(tr("Where the two kernels differ; click to go there"));
    connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void DiffMap::setAlignment(const DiffAlignment &alignment)
{
    m_alignment = alignment;
    m_current = -1;
    update();
}

void DiffMap::setVisibleRows(int first, int count)
{
    m_first = first;
    m_count = count;
    update();
}

void DiffMap::setCurrentChange(int change)
{
    m_current = change;
    update();
}

void DiffMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->color(Tone::MarginPaper));
    if (m_alignment.rows <= 0)
        return;
    // A short text is not stretched: its rows keep their height.
    const double rows = std::max(m_alignment.rows, m_count);
    const double scale = height() / rows;
    for (std::size_t i = 0; i < m_alignment.changes.size(); ++i) {
        const DiffChange &change = m_alignment.changes[i];
        const QRectF bar(3, change.row * scale, width() - 6, std::max(3.0, change.rows * scale));
        painter.fillRect(bar, m_theme->color(int(i) == m_current ? Tone::Accent : Tone::Best));
    }
    painter.setPen(m_theme->color(Tone::Line));
    painter.drawRect(QRectF(0.5, m_first * scale, width() - 1.0,
                            std::min(double(height()) - 1 - m_first * scale, m_count * scale)));
}

void DiffMap::choose(double y)
{
    const double rows = std::max(m_alignment.rows, m_count);
    if (height() > 0)
        emit rowChosen(int(y / height() * rows));
}

void DiffMap::mousePressEvent(QMouseEvent *event)
{
    choose(event->position().y());
}

void DiffMap::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons().testFlag(Qt::LeftButton))
        choose(event->position().y());
}

} // namespace accelopt::widgets
