// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>

class QWidget;

namespace accelopt::workbench {

/// Saves a picture of a window once its content is there, and says how that went.
class Screenshot : public QObject
{
    Q_OBJECT

public:
    /// `ready` is asked again and again until it has said yes several times in a row.
    Screenshot(QWidget *window, QString file, std::function<bool()> ready,
               QObject *parent = nullptr);

signals:
    void saved();
    void failed(const QString &message);

private:
    void look();

    QWidget *m_window;
    QString m_file;
    std::function<bool()> m_ready;
    QTimer m_timer;
    int m_calm = 0;
};

} // namespace accelopt::workbench
