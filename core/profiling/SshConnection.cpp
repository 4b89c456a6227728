// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SshConnection.h"

#include "core/domain/Resources.h"
#include "core/profiling/ChildLimits.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRandomGenerator>
#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace accelopt::profiling {
namespace {

constexpr qsizetype kLongestLine = qsizetype(64) << 20;
constexpr qsizetype kErrorTail = 2000;

/// Reads the worker from the connection and runs it: nothing of it is in the command line, and one
/// short line is understood by every login shell.
constexpr const char *kBootstrap =
    "import sys;n=int(sys.stdin.buffer.readline());"
    "exec(compile(sys.stdin.buffer.read(n),\"accelopt_host_worker\",\"exec\"))";

} // namespace

SshConnection::SshConnection(HostProfile host, QStringList hidden, QObject *parent)
    : QObject(parent),
      m_host(std::move(host)),
      m_hidden(std::move(hidden))
{
    m_mark = "ACCELOPT-" + QByteArray::number(QRandomGenerator::global()->generate64(), 16);
}

SshConnection::~SshConnection()
{
    m_ended = true;
    if (m_process != nullptr)
        dispose(m_process);
}

QString SshConnection::program()
{
    return qEnvironmentVariable("ACCELOPT_SSH", QStringLiteral("ssh"));
}

qint64 SshConnection::processId() const
{
    return m_process == nullptr ? 0 : m_process->processId();
}

QStringList SshConnection::argumentsFor(const HostProfile &host, const QString &logFile,
                                        const QString &mark)
{
    QStringList arguments{QStringLiteral("-T"), QStringLiteral("-v"), QStringLiteral("-E"),
                          logFile};
    // The user's own options stand first: of two values ssh takes the first one.
    for (const std::string &option : host.options)
        arguments << QString::fromStdString(option);
    for (const char *option :
         {"ControlMaster=no", "ControlPath=none", "ConnectTimeout=15", "ServerAliveInterval=15",
          "ServerAliveCountMax=4", "RequestTTY=no", "ClearAllForwardings=yes", "ForwardAgent=no",
          "RemoteCommand=none", "BatchMode=yes"})
        arguments << QStringLiteral("-o") << QString::fromLatin1(option);
    arguments << QStringLiteral("--") << QString::fromStdString(host.ssh)
              << QStringLiteral("exec %1 -I -u -c '%2' %3")
                     .arg(QString::fromStdString(host.python), QString::fromLatin1(kBootstrap),
                          mark);
    return arguments;
}

void SshConnection::start()
{
    m_process = new QProcess(this);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // A host's configuration may ask for variables of ours.
    for (const QString &name : m_hidden)
        environment.remove(name);
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    m_process->setProcessEnvironment(environment);
    // A session of its own, so that ssh cannot ask on the terminal behind our back.
    m_process->setChildProcessModifier([parent = ::getpid()] {
        ::setsid();
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent)
            ::_exit(1);
    });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &SshConnection::onOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, [this] {
        m_errors += m_process->readAllStandardError();
        m_errors = m_errors.right(kErrorTail);
    });
    connect(m_process, &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
        onOutput();
        end(m_closing                     ? SshEnd::How::Ended
            : how == QProcess::NormalExit ? SshEnd::How::Exited
                                          : SshEnd::How::Crashed,
            status);
    });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(SshEnd::How::NotStarted, 0);
    });
    m_process->start(program(), argumentsFor(m_host, m_folder.filePath(QStringLiteral("ssh.log")),
                                             QString::fromLatin1(m_mark)));
    const std::string_view worker = resource("resources/host_worker.py");
    m_process->write(QByteArray::number(qsizetype(worker.size())) + '\n');
    m_process->write(worker.data(), qint64(worker.size()));
}

void SshConnection::send(const QByteArray &line)
{
    if (m_process != nullptr && !m_ended)
        m_process->write(line + '\n');
}

void SshConnection::close()
{
    m_closing = true;
    if (m_process != nullptr)
        killGroup(*m_process);
}

void SshConnection::onOutput()
{
    if (m_ended)
        return;
    m_buffer += m_process->readAllStandardOutput();
    for (qsizetype at = m_buffer.indexOf('\n'); at >= 0 && !m_ended; at = m_buffer.indexOf('\n')) {
        const QByteArray one = m_buffer.left(at);
        m_buffer.remove(0, at + 1);
        // Before the mark stands what a login shell had to say.
        if (!m_marked)
            m_marked = one.endsWith(m_mark);
        else
            emit line(one);
    }
    if (m_buffer.size() > kLongestLine)
        killGroup(*m_process);
}

void SshConnection::end(SshEnd::How how, int status)
{
    if (std::exchange(m_ended, true))
        return;
    m_errors += m_process->readAllStandardError();
    m_errors = m_errors.right(kErrorTail);
    QFile log(m_folder.filePath(QStringLiteral("ssh.log")));
    SshEnd ended{how, status, {}, m_errors.trimmed().toStdString()};
    if (log.open(QIODevice::ReadOnly))
        ended.log = log.readAll().toStdString();
    emit this->ended(classifySsh(ended, m_host.name));
}

} // namespace accelopt::profiling
