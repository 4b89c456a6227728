// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profiling/ChildLimits.h"
#include "core/profiling/WorkerProtocol.h"

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <deque>

class QProcess;

namespace accelopt::profiling {

/// Why a worker is no longer there.
struct WorkerEnd
{
    enum class Cause {
        NotStarted,  ///< the program could not be run, or gave no proper greeting: see error
        Died,        ///< it crashed or was killed from outside
        TimeLimit,   ///< the kernel at work took too long on the wall
        CpuLimit,    ///< the kernel at work used too much CPU time
        OutputLimit, ///< its answer was too long
        BadAnswer,   ///< its answer was not of the protocol
    };
    Cause cause = Cause::Died;
    Error error;         ///< for NotStarted
    std::string message; ///< for people: what happened, with the limit
};

/// One running nkisim. Asynchronous; everything is announced on the thread that made it. After
/// ended() it is of no more use.
class WorkerProcess : public QObject
{
    Q_OBJECT

public:
    WorkerProcess(const QString &program, const ChildLimits &limits, QObject *parent);
    ~WorkerProcess() override;

    void start();
    /// Asks; may be called before ready(). The time of a question starts when it is its turn; a
    /// full check may take ten times as long as the limits say.
    void send(const JudgeRequest &request);
    /// Questions sent and not answered.
    int inFlight() const { return int(m_patience.size()); }
    qint64 processId() const;

signals:
    void ready();
    void answered(const accelopt::profiling::JudgeReply &reply);
    void ended(const accelopt::profiling::WorkerEnd &end);

private:
    void onOutput();
    void onErrorOutput();
    void onFinished();
    void onFailedToStart();
    void takeLine(const QByteArray &line);
    void watch();
    void startTurn();
    void end(WorkerEnd::Cause cause, std::string message, Error error = {});

    QString m_program;
    ChildLimits m_limits;
    QProcess *m_process = nullptr;
    QTimer m_watch;
    QElapsedTimer m_turn;
    double m_cpuAtTurn = 0;
    QByteArray m_buffer;
    QByteArray m_errorTail;
    std::deque<double> m_patience; ///< per question in flight: factor on the time limits
    bool m_ready = false;
    bool m_ended = false;
};

} // namespace accelopt::profiling
