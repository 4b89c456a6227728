// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/WorkerProcess.h"

#include "core/nki/machine/Machine.h"

#include <QProcess>
#include <cstring>
#include <fmt/format.h>

namespace accelopt::profiling {
namespace {

constexpr double kGreetingSeconds = 30;
constexpr double kFullCheckPatience = 10;
constexpr int kWatchMs = 200;
constexpr qsizetype kErrorTailBytes = 4096;

std::string_view view(const QByteArray &bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

} // namespace

WorkerProcess::WorkerProcess(const QString &program, const ChildLimits &limits, QObject *parent)
    : QObject(parent),
      m_program(program),
      m_limits(limits),
      m_process(new QProcess(this))
{
    confine(*m_process, limits,
            // The pool has a worker per core: threads within one would only take turns.
            {QStringLiteral("OPENBLAS_NUM_THREADS=1"), QStringLiteral("OMP_NUM_THREADS=1")});
    connect(m_process, &QProcess::readyReadStandardOutput, this, &WorkerProcess::onOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, &WorkerProcess::onErrorOutput);
    connect(m_process, &QProcess::finished, this, &WorkerProcess::onFinished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            onFailedToStart();
    });
    m_watch.setInterval(kWatchMs);
    connect(&m_watch, &QTimer::timeout, this, &WorkerProcess::watch);
}

WorkerProcess::~WorkerProcess()
{
    m_watch.stop();
    dispose(m_process);
}

void WorkerProcess::start()
{
    m_turn.start();
    m_watch.start();
    m_process->start(m_program, {});
}

qint64 WorkerProcess::processId() const
{
    return m_process->processId();
}

void WorkerProcess::send(const JudgeRequest &request)
{
    if (m_ended)
        return;
    m_process->write(QByteArray::fromStdString(encode(request)) + '\n');
    m_patience.push_back(request.check == oracle::NumberCheck::Full ? kFullCheckPatience : 1);
    if (m_patience.size() == 1 && m_ready)
        startTurn();
}

void WorkerProcess::startTurn()
{
    m_turn.start();
    m_cpuAtTurn = cpuSecondsOf(m_process->processId());
    m_watch.start();
}

void WorkerProcess::onOutput()
{
    if (m_ended)
        return;
    m_buffer += m_process->readAllStandardOutput();
    for (qsizetype newline = m_buffer.indexOf('\n'); newline >= 0 && !m_ended;
         newline = m_buffer.indexOf('\n')) {
        const QByteArray line = m_buffer.left(newline);
        m_buffer.remove(0, newline + 1);
        takeLine(line);
    }
    if (!m_ended && m_buffer.size() > m_limits.outputBytes)
        end(WorkerEnd::Cause::OutputLimit,
            fmt::format("judging the kernel gave more than {} bytes of output",
                        m_limits.outputBytes));
}

void WorkerProcess::takeLine(const QByteArray &line)
{
    if (!m_ready) {
        auto hello = decodeHello(view(line));
        if (!hello) {
            end(WorkerEnd::Cause::NotStarted, hello.error().message, hello.error());
            return;
        }
        if (hello->modelVersion != nki::Machine::modelVersion()) {
            end(WorkerEnd::Cause::NotStarted, "",
                {ErrorCode::Environment,
                 fmt::format("the simulator {} has cost model {}, this program expects {}",
                             m_program.toStdString(), hello->modelVersion,
                             nki::Machine::modelVersion()),
                 "Use the nkisim that was installed together with this program.",
                 {}});
            return;
        }
        m_ready = true;
        if (!m_patience.empty())
            startTurn();
        else
            m_watch.stop();
        emit ready();
        return;
    }
    auto reply = decodeReply(view(line));
    if (!reply || m_patience.empty()) {
        end(WorkerEnd::Cause::BadAnswer,
            "the simulator worker gave an answer that is not understood");
        return;
    }
    m_patience.pop_front();
    if (!m_patience.empty())
        startTurn();
    else
        m_watch.stop();
    emit answered(*reply);
}

void WorkerProcess::onErrorOutput()
{
    m_errorTail += m_process->readAllStandardError();
    if (m_errorTail.size() > kErrorTailBytes)
        m_errorTail = m_errorTail.right(kErrorTailBytes);
}

void WorkerProcess::watch()
{
    const double wall = double(m_turn.elapsed()) / 1000;
    if (!m_ready) {
        if (wall > kGreetingSeconds)
            end(WorkerEnd::Cause::NotStarted, "",
                {ErrorCode::Environment,
                 fmt::format("the simulator {} did not greet within {} s", m_program.toStdString(),
                             kGreetingSeconds),
                 "Start it by hand to see what it says.", m_errorTail.toStdString()});
        return;
    }
    if (m_patience.empty())
        return;
    const double cpuLimit = m_limits.cpuSeconds * m_patience.front();
    const double wallLimit = m_limits.wallSeconds * m_patience.front();
    const double cpu = cpuSecondsOf(m_process->processId()) - m_cpuAtTurn;
    if (cpu > cpuLimit)
        end(WorkerEnd::Cause::CpuLimit,
            fmt::format("judging the kernel took more than {:g} s of CPU time", cpuLimit));
    else if (wall > wallLimit)
        end(WorkerEnd::Cause::TimeLimit,
            fmt::format("judging the kernel took more than {:g} s", wallLimit));
}

void WorkerProcess::onFinished()
{
    if (m_ended)
        return;
    // What it wrote before it went is still good.
    onOutput();
    onErrorOutput();
    if (m_ended)
        return;
    const bool crashed = m_process->exitStatus() == QProcess::CrashExit;
    const int code = m_process->exitCode();
    // Qt gives the signal as exit code of a crash.
    const std::string how = crashed ? fmt::format("signal {} ({})", code, ::strsignal(code))
                                    : fmt::format("exit status {}", code);
    if (!m_ready) {
        end(WorkerEnd::Cause::NotStarted, "",
            {ErrorCode::Environment,
             fmt::format("the simulator {} ended at once ({})", m_program.toStdString(), how),
             "Start it by hand to see what it says.", m_errorTail.toStdString()});
        return;
    }
    end(WorkerEnd::Cause::Died, "the simulator worker ended with " + how);
}

void WorkerProcess::onFailedToStart()
{
    end(WorkerEnd::Cause::NotStarted, "",
        {ErrorCode::Environment,
         fmt::format("the simulator {} cannot be started: {}", m_program.toStdString(),
                     m_process->errorString().toStdString()),
         "Install nkisim beside this program, or name it in ACCELOPT_NKISIM.",
         {}});
}

void WorkerProcess::end(WorkerEnd::Cause cause, std::string message, Error error)
{
    if (m_ended)
        return;
    m_ended = true;
    m_watch.stop();
    killGroup(*m_process);
    emit ended({cause, std::move(error), std::move(message)});
}

} // namespace accelopt::profiling
