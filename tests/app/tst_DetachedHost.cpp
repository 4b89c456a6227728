// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/HostHere.h"
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sys/types.h>

using namespace accelopt;
using namespace accelopt::tests;

/// A detached search on a host whose own machine goes away: the host finishes what it was asked,
/// and the search that is taken up again is the one that nothing would have disturbed.
class tst_DetachedHost : public QObject
{
    Q_OBJECT

private slots:
    void aLostMachineCostsNothing();

private:
    std::string path(const char *name) const
    {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    Arguments search(const char *file, const char *place) const
    {
        return {"run", "--task",    "silu", "--shape", "lab",      "-B",
                "1",   "-N",        "4",    "-T",      "2",        "--on",
                place, "--workers", "1",    "--out",   path(file), "--json"};
    }
    std::string canonicalOf(const char *file) const;

    QTemporaryDir m_folder;
};

std::string tst_DetachedHost::canonicalOf(const char *file) const
{
    const Ran ran = runProgram({"export", path(file), "--canonical", path("canonical.txt")});
    if (ran.status != 0)
        return ran.err;
    std::string text = contentOf(path("canonical.txt"));
    const std::string there = "\"near\"";
    for (std::size_t at = text.find(there); at != std::string::npos; at = text.find(there))
        text.replace(at, there.size(), "\"sim\"");
    return text;
}

void tst_DetachedHost::aLostMachineCostsNothing()
{
    const HostHere host;
    const Ran home = runProgram(search("home.accelopt", "sim"));
    QVERIFY2(home.status == 0 || home.status == 1, home.err.c_str());
    Arguments detached = search("far.accelopt", "near");
    detached.push_back("--detach");
    const Ran ran = runProgram(detached);
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const auto pid = pid_t(nlohmann::json::parse(ran.out).at("pid").get<int>());
    // The host has the task: kernels are being judged there, or soon will be.
    const QDir folder(qEnvironmentVariable("XDG_CACHE_HOME") + QStringLiteral("/accelopt/host"));
    QTRY_VERIFY_WITH_TIMEOUT(!folder.entryList({QStringLiteral("task-*")}, QDir::Dirs).isEmpty(),
                             30000);
    QVERIFY(::kill(pid, SIGKILL) == 0 || errno == ESRCH);
    QTRY_VERIFY_WITH_TIMEOUT(::kill(pid, 0) != 0, 30000);
    const Ran resumed = runProgram({"run", "--resume", "--out", path("far.accelopt"), "--json"});
    QVERIFY2(resumed.status == 0 || resumed.status == 1, resumed.err.c_str());
    QCOMPARE(canonicalOf("far.accelopt"), canonicalOf("home.accelopt"));
}

ACCELOPT_TEST(tst_DetachedHost)
#include "tst_DetachedHost.moc"
