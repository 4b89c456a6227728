// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Task.h"
#include "core/profiling/HostProfile.h"
#include "core/profiling/SimPool.h"
#include "core/profiling/SshFailure.h"
#include "core/search/Interfaces.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::profiling {

class SshConnection;

/// What a host says of itself when it is reached.
struct HostGreeting
{
    std::string host;
    std::string python;
    std::string numpy;  ///< empty: not there
    std::string neuron; ///< first line of the compiler's version; empty: no Neuron SDK on the PATH
    std::int64_t freeBytes = 0;
    int cpus = 0;
};

/// What the far side does with questions under way when the connection is cut.
enum class WhenCut {
    Stop,  ///< gives them up
    Finish ///< answers them and puts the answers aside for whoever asks again
};

/// Judges kernels of one task on a host over ssh. The task's files go along; references are made
/// there from its seeds. With JudgeWith::Neuron the figures are measured by the Neuron SDK, and
/// what the roof says of them is added here. A connection that breaks is made again, and every
/// question that has no answer is asked again: judging is a function of the question, so that the
/// answers are those of an undisturbed connection. Lives on one thread with an event loop.
class RemoteHost : public QObject, public search::Profiler
{
    Q_OBJECT

public:
    /// `hidden` are environment variables that must not reach ssh.
    RemoteHost(HostProfile host, Task task, std::string device, QStringList hidden = {},
               QObject *parent = nullptr);
    ~RemoteHost() override;

    void judge(search::JudgeQuestion question,
               std::function<void(Result<search::JudgeAnswer>)> done) override;
    /// The general form of judge(), for check and profile. `done` is called once, later.
    void ask(PoolQuestion question, SimPool::Answer done);
    int kernelsAtOnce() const override { return m_kernelsAtOnce; }
    void cancelAll() override;

    /// Before the first question.
    void setWhenCut(WhenCut whenCut) { m_whenCut = whenCut; }
    /// First wait before a connection is made again, doubled with each failure in a row.
    void setBackoff(double seconds) { m_backoffSeconds = seconds; }
    /// Connections in a row without an answer after which it gives up.
    void setMostFailures(int failures) { m_mostFailures = failures; }
    /// The process of the connection; 0 when there is none.
    qint64 connectionProcessId() const;

signals:
    /// For a person who waits.
    void progress(const QString &text);
    /// What a person should know ("the connection to trn1 broke; connecting again").
    void troubled(const QString &text);
    void greeted(const accelopt::profiling::HostGreeting &greeting);
    /// The task is there and the simulator answers.
    void opened(const QString &modelVersion);
    /// The Neuron SDK answers there, in these versions.
    void openedNeuron(const QString &versions);

private:
    struct Job
    {
        QByteArray line;
        SimPool::Answer done;
        KernelId kernel; ///< where the host keeps what was measured
    };
    void post(std::int64_t id, Job job);
    void keepFastest(const KernelId &kernel, double latencyMs);
    void connectNow();
    void onLine(const QByteArray &line);
    void onEnded(const SshFailure &failure);
    void onFailed(const std::string &what, const std::string &message);
    void takeAnswer(std::int64_t id, const QByteArray &line);
    void sendOpen();
    void beat();
    void giveUp(const Error &error);
    void answerLater(SimPool::Answer done, Result<JudgeReply> answer);
    Result<QByteArray> openLine() const;
    bool measures() const { return m_host.judgeWith == JudgeWith::Neuron; }
    void addRoof(JudgeReply &reply) const;

    HostProfile m_host;
    Task m_task;
    std::string m_device;
    QStringList m_hidden;
    SshConnection *m_connection = nullptr;
    bool m_ready = false;
    std::map<std::int64_t, Job> m_jobs; ///< without an answer, in the order of asking
    std::int64_t m_nextId = 1;
    QTimer m_beat;
    QTimer m_retry;
    double m_backoffSeconds = 2;
    int m_beatsMissed = 0;
    int m_mostFailures = 8;
    int m_failures = 0; ///< connections in a row that gave no answer
    int m_kernelsAtOnce = 4;
    /// What the host keeps longest: the first kernel it measured (a run's baseline), then the
    /// fastest.
    std::vector<std::pair<double, KernelId>> m_fastest;
    WhenCut m_whenCut = WhenCut::Stop;
    std::uint64_t m_generation = 0; ///< grows with cancelAll()
};

} // namespace accelopt::profiling
