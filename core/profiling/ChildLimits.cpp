// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/ChildLimits.h"

#include <QFile>
#include <QProcess>
#include <csignal>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace accelopt::profiling {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The shadow memory of a sanitizer is private memory of many terabytes.
constexpr bool kMemoryCanBeLimited = false;
#else
constexpr bool kMemoryCanBeLimited = true;
#endif

constexpr const char *kPassedOn[] = {"PATH",
                                     "LANG",
                                     "LC_ALL",
                                     "LC_CTYPE",
                                     "TMPDIR",
                                     "TZ",
                                     "LD_LIBRARY_PATH",
                                     "ASAN_OPTIONS",
                                     "TSAN_OPTIONS",
                                     "UBSAN_OPTIONS",
                                     "LSAN_OPTIONS",
                                     "OPENBLAS_CORETYPE"};

void setLimit(int resource, rlim_t value)
{
    rlimit limit{};
    if (::getrlimit(__rlimit_resource_t(resource), &limit) != 0)
        return;
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    limit.rlim_max = limit.rlim_cur;
    ::setrlimit(__rlimit_resource_t(resource), &limit);
}

} // namespace

void confine(QProcess &process, const ChildLimits &limits, const QStringList &extraEnvironment)
{
    QStringList environment = extraEnvironment;
    for (const char *name : kPassedOn)
        if (qEnvironmentVariableIsSet(name))
            environment << QString::fromLatin1(name) + QLatin1Char('=') +
                               QString::fromLocal8Bit(qgetenv(name));
    process.setEnvironment(environment);

    const pid_t parent = ::getpid();
    // Between fork and exec only calls that are safe in a signal handler are allowed.
    process.setChildProcessModifier([limits, parent] {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) // it died before the line above
            ::_exit(1);
        setLimit(RLIMIT_CORE, 0);
        setLimit(RLIMIT_FSIZE, rlim_t(limits.fileBytes));
        if (kMemoryCanBeLimited && limits.memoryBytes > 0)
            setLimit(RLIMIT_DATA, rlim_t(limits.memoryBytes));
    });
}

void killGroup(QProcess &process)
{
    const qint64 id = process.processId();
    if (id <= 0)
        return;
    // The group exists once the child has run its modifier; until then the child alone is meant.
    if (::kill(pid_t(-id), SIGKILL) != 0)
        ::kill(pid_t(id), SIGKILL);
}

void dispose(QProcess *process)
{
    constexpr int kBlinkMs = 300;
    process->setParent(nullptr);
    process->disconnect();
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
        return;
    }
    killGroup(*process);
    if (process->waitForFinished(kBlinkMs)) {
        delete process;
        return;
    }
    // Deleting a running QProcess would wait up to half a minute.
    QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
}

double cpuSecondsOf(std::int64_t processId)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(processId));
    if (processId <= 0 || !file.open(QIODevice::ReadOnly))
        return -1;
    // The name in parentheses may contain blanks; the state follows it as field 3.
    const QByteArray text = file.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    constexpr qsizetype kUser = 14 - 3;
    constexpr qsizetype kSystem = 15 - 3;
    if (fields.size() <= kSystem)
        return -1;
    const double ticks = fields[kUser].toDouble() + fields[kSystem].toDouble();
    return ticks / double(::sysconf(_SC_CLK_TCK));
}

} // namespace accelopt::profiling
