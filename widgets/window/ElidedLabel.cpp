// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/ElidedLabel.h"

#include <QPainter>

namespace accelopt::widgets {

ElidedLabel::ElidedLabel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString &text)
{
    if (text == m_text)
        return;
    m_text = text;
    setToolTip(text.toHtmlEscaped());
    setAccessibleName(text);
    update();
}

QSize ElidedLabel::sizeHint() const
{
    // Little is asked for and everything is taken, so that a long text never pushes others away.
    return {fontMetrics().averageCharWidth() * 12, fontMetrics().height() + 4};
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    const QRect area = rect().adjusted(8, 0, -8, 0);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_text, Qt::ElideRight, area.width()));
}

} // namespace accelopt::widgets
