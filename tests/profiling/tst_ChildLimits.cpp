// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/ChildLimits.h"

#include "tests/support/TestMain.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <csignal>

using namespace accelopt::profiling;

class tst_ChildLimits : public QObject
{
    Q_OBJECT

private slots:
    void theEnvironmentIsAnAllowList();
    void memoryIsLimited();
    void filesAreLimited();
    void theWholeGroupIsKilled();
    void cpuTimeIsSeen();
};

namespace {

/// Runs a line of Python under the limits and gives what it printed.
QByteArray python(const QString &code, const ChildLimits &limits = {})
{
    QProcess process;
    confine(process, limits, {QStringLiteral("EXTRA=1")});
    process.start(QStringLiteral("/usr/bin/python3"),
                  {QStringLiteral("-I"), QStringLiteral("-c"), code});
    process.waitForFinished(30000);
    return process.readAllStandardOutput();
}

} // namespace

void tst_ChildLimits::theEnvironmentIsAnAllowList()
{
    qputenv("ACCELOPT_TEST_KEY", "secret");
    const QByteArray seen =
        python(QStringLiteral("import os; print(' '.join(sorted(os.environ)))"));
    qunsetenv("ACCELOPT_TEST_KEY");
    const QList<QByteArray> names = seen.trimmed().split(' ');
    QVERIFY(names.contains("PATH"));
    QVERIFY(names.contains("EXTRA"));
    QVERIFY(!names.contains("ACCELOPT_TEST_KEY"));
    QVERIFY(!names.contains("HOME"));
}

void tst_ChildLimits::memoryIsLimited()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("memory is not limited under sanitizers");
#endif
    ChildLimits limits;
    limits.memoryBytes = 256 << 20;
    const QString code = QStringLiteral("try:\n    b = bytearray(%1)\n    print('had it')\n"
                                        "except MemoryError:\n    print('refused')\n");
    QCOMPARE(python(code.arg(64 << 20), limits).trimmed(), QByteArray("had it"));
    QCOMPARE(python(code.arg(512 << 20), limits).trimmed(), QByteArray("refused"));
}

void tst_ChildLimits::filesAreLimited()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("big"));
    ChildLimits limits;
    limits.fileBytes = 100000;
    python(QStringLiteral("open('%1', 'wb').write(bytes(1000000))").arg(path), limits);
    QVERIFY(QFileInfo(path).size() <= 100000);
}

void tst_ChildLimits::theWholeGroupIsKilled()
{
    auto *process = new QProcess;
    confine(*process, {}, {});
    process->start(QStringLiteral("/bin/sh"),
                   {QStringLiteral("-c"), QStringLiteral("sleep 1000 & echo $!; wait")});
    QVERIFY(process->waitForReadyRead(30000));
    const auto grandchild = pid_t(process->readLine().trimmed().toInt());
    QVERIFY(grandchild > 0);
    QCOMPARE(::kill(grandchild, 0), 0);
    dispose(process);
    // An orphan in a container without an init stays as a zombie; running it is no more.
    QTRY_VERIFY(cpuSecondsOf(grandchild) < 0 || [&] {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(grandchild));
        return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z");
    }());
}

void tst_ChildLimits::cpuTimeIsSeen()
{
    QVERIFY(cpuSecondsOf(QCoreApplication::applicationPid()) >= 0);
    QCOMPARE(cpuSecondsOf(-1), -1.0);
    QProcess process;
    confine(process, {}, {});
    process.start(QStringLiteral("/usr/bin/python3"),
                  {QStringLiteral("-I"), QStringLiteral("-c"), QStringLiteral("while True: pass")});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(cpuSecondsOf(process.processId()) > 0.2, 30000);
    killGroup(process);
    QVERIFY(process.waitForFinished(30000));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);
}

ACCELOPT_TEST(tst_ChildLimits)
#include "tst_ChildLimits.moc"
