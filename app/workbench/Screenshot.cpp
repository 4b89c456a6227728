// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/Screenshot.h"

#include <QPixmap>
#include <QWidget>

namespace accelopt::workbench {

namespace {

constexpr int kLookEveryMs = 60;
/// Looks in a row that must find the content complete: layouts and scroll bars settle in between.
constexpr int kCalmLooks = 6;

} // namespace

Screenshot::Screenshot(QWidget *window, QString file, std::function<bool()> ready, QObject *parent)
    : QObject(parent),
      m_window(window),
      m_file(std::move(file)),
      m_ready(std::move(ready))
{
    connect(&m_timer, &QTimer::timeout, this, &Screenshot::look);
    m_timer.start(kLookEveryMs);
}

void Screenshot::look()
{
    m_calm = m_ready() ? m_calm + 1 : 0;
    if (m_calm < kCalmLooks)
        return;
    m_timer.stop();
    if (m_window->grab().save(m_file))
        emit saved();
    else
        emit failed(tr("the picture %1 cannot be written; name a .png file in a folder you may "
                       "write")
                        .arg(m_file));
}

} // namespace accelopt::workbench
