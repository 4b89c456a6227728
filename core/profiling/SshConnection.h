// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profiling/HostProfile.h"
#include "core/profiling/SshFailure.h"

#include <QByteArray>
#include <QObject>
#include <QStringList>
#include <QTemporaryDir>

class QProcess;

namespace accelopt::profiling {

/// One direct connection to a host by the system's ssh, with the worker sent over it. Lines go both
/// ways. After ended() it is of no more use.
class SshConnection : public QObject
{
    Q_OBJECT

public:
    /// `hidden` are environment variables that ssh is not given.
    SshConnection(HostProfile host, QStringList hidden, QObject *parent);
    ~SshConnection() override;

    void start();
    /// One line without its end.
    void send(const QByteArray &line);
    /// Ends the connection; ended() follows.
    void close();
    qint64 processId() const;

    /// The ssh program; $ACCELOPT_SSH names another one.
    static QString program();
    /// What is behind the program's name; for a test.
    static QStringList argumentsFor(const HostProfile &host, const QString &logFile,
                                    const QString &mark);

signals:
    /// A line of the worker, after its mark.
    void line(const QByteArray &line);
    void ended(const accelopt::profiling::SshFailure &failure);

private:
    void onOutput();
    void end(SshEnd::How how, int status);

    HostProfile m_host;
    QStringList m_hidden;
    QTemporaryDir m_folder;
    QProcess *m_process = nullptr;
    QByteArray m_mark;
    QByteArray m_buffer;
    QByteArray m_errors;
    bool m_marked = false;
    bool m_closing = false;
    bool m_ended = false;
};

} // namespace accelopt::profiling
