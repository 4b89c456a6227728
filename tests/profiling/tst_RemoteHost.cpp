// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/RemoteHost.h"

#include "core/bench/TaskLoader.h"
#include "core/nki/syntax/Lexer.h"
#include "core/profiling/SshConnection.h"
#include "core/profiling/WorkerProtocol.h"
#include "tests/support/SshHere.h"
#include "tests/support/TestMain.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>

using namespace accelopt;
using namespace accelopt::profiling;

/// A host behind a program that stands for ssh and runs what it is told on this machine: the
/// connection, the worker sent over it and the pool are the real ones.
class tst_RemoteHost : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase();
    void judgesOnTheHost();
    void asksAgainWhenTheConnectionBreaks();
    void leavesNothingRunningBehindACut();
    void finishesTheQueueOfADetachedRun();
    void endsTheFarSideWhenNobodyBeats();
    void saysWhatIsMissingThere_data();
    void saysWhatIsMissingThere();
    void readsHostsInWords();
    void putsNothingOfTheUserIntoTheFarShell();

private:
    HostProfile host() const;
    search::JudgeQuestion baseline() const;
    std::optional<Result<search::JudgeAnswer>> judge(RemoteHost &remote,
                                                     search::JudgeQuestion question) const;

    QTemporaryDir m_folder;
    Task m_task;
    std::string m_baseline;
};

void tst_RemoteHost::initTestCase()
{
    const auto task = bench::loadTask(ACCELOPT_SOURCE_DIR "/nkibench/silu", "lab");
    ACCELOPT_VERIFY_OK(task);
    m_task = *task;
    const auto text = bench::readBaseline(m_task);
    ACCELOPT_VERIFY_OK(text);
    m_baseline = *text;
    QVERIFY(tests::standForSsh(m_folder.filePath(QStringLiteral("ssh"))));
    qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("cache")).toLocal8Bit());
}

void tst_RemoteHost::cleanupTestCase()
{
    qunsetenv("ACCELOPT_SSH");
    qunsetenv("XDG_CACHE_HOME");
}

HostProfile tst_RemoteHost::host() const
{
    HostProfile profile;
    profile.name = "h";
    profile.ssh = "h";
    profile.nkisim = ACCELOPT_BIN_DIR "/nkisim";
    profile.python = "/usr/bin/python3";
    profile.workers = 1;
    return profile;
}

search::JudgeQuestion tst_RemoteHost::baseline() const
{
    search::JudgeQuestion question;
    question.kernel = nki::kernelIdentity(m_baseline);
    question.source = m_baseline;
    question.seed = 18446744073709551615u; // survives the way as a number
    return question;
}

std::optional<Result<search::JudgeAnswer>>
tst_RemoteHost::judge(RemoteHost &remote, search::JudgeQuestion question) const
{
    std::optional<Result<search::JudgeAnswer>> answer;
    remote.judge(std::move(question),
                 [&](Result<search::JudgeAnswer> given) { answer = std::move(given); });
    for (int turn = 0; !answer && turn < 6000; ++turn)
        QTest::qWait(10);
    return answer;
}

void tst_RemoteHost::judgesOnTheHost()
{
    RemoteHost remote(host(), m_task, "trn1");
    QSignalSpy opened(&remote, &RemoteHost::opened);
    HostGreeting greeting;
    connect(&remote, &RemoteHost::greeted, &remote,
            [&](const HostGreeting &given) { greeting = given; });
    const auto good = judge(remote, baseline());
    QVERIFY(good.has_value());
    ACCELOPT_VERIFY_OK(*good);
    QVERIFY((*good)->verdict.correct());
    QVERIFY((*good)->profile.latencyMs > 0);
    QVERIFY((*good)->profile.simulated);
    QCOMPARE(opened.count(), 1);
    QVERIFY(!greeting.python.empty() && greeting.cpus > 0 && !greeting.numpy.empty());
    search::JudgeQuestion broken = baseline();
    broken.source += "\n)";
    const auto bad = judge(remote, broken);
    ACCELOPT_VERIFY_OK(*bad);
    QVERIFY((*bad)->verdict.status == VerdictStatus::NotCompiling);
    QCOMPARE(opened.count(), 1); // the same connection
}

void tst_RemoteHost::asksAgainWhenTheConnectionBreaks()
{
    RemoteHost remote(host(), m_task, "trn1");
    remote.setBackoff(0);
    QSignalSpy opened(&remote, &RemoteHost::opened);
    QSignalSpy troubled(&remote, &RemoteHost::troubled);
    const auto before = judge(remote, baseline());
    ACCELOPT_VERIFY_OK(*before);
    // Cut while a question is under way, three times.
    int cuts = 0;
    std::optional<Result<search::JudgeAnswer>> answer;
    remote.judge(baseline(), [&](Result<search::JudgeAnswer> given) { answer = std::move(given); });
    for (int turn = 0; !answer && turn < 6000; ++turn) {
        if (cuts < 3 && opened.count() == cuts + 1 && remote.connectionProcessId() > 0) {
            QCOMPARE(::kill(-pid_t(remote.connectionProcessId()), SIGKILL), 0);
            ++cuts;
        }
        QTest::qWait(10);
    }
    QVERIFY(answer.has_value());
    ACCELOPT_VERIFY_OK(*answer);
    QVERIFY(cuts >= 1);
    QVERIFY(troubled.count() >= 1);
    QCOMPARE((*answer)->profile.latencyMs, (*before)->profile.latencyMs);
    QVERIFY((*answer)->verdict == (*before)->verdict);
}

void tst_RemoteHost::leavesNothingRunningBehindACut()
{
    auto remote = std::make_unique<RemoteHost>(host(), m_task, "trn1");
    const auto first = judge(*remote, baseline());
    ACCELOPT_VERIFY_OK(*first);
    // The far side leads a process group of its own, found by its parent.
    const qint64 connection = remote->connectionProcessId();
    QVERIFY(connection > 0);
    const auto mine = [&] {
        QProcess ps;
        ps.start(QStringLiteral("ps"), {QStringLiteral("-eo"), QStringLiteral("args")});
        ps.waitForFinished();
        return ps.readAllStandardOutput().contains(ACCELOPT_BIN_DIR "/nkisim --pool");
    };
    QVERIFY(mine());
    remote.reset();
    QTRY_VERIFY_WITH_TIMEOUT(!mine(), 10000);
}

void tst_RemoteHost::finishesTheQueueOfADetachedRun()
{
    // The machine of the run goes away, not ssh: only its own process ends, and the far side reads
    // the end of its input.
    const QString answers = m_folder.filePath(QStringLiteral("cache/accelopt/host/answers"));
    search::JudgeQuestion question = baseline();
    question.seed = 77;
    {
        RemoteHost remote(host(), m_task, "trn1");
        remote.setWhenCut(WhenCut::Finish);
        QSignalSpy opened(&remote, &RemoteHost::opened);
        remote.judge(question, [](Result<search::JudgeAnswer>) {});
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() == 1, 20000);
        remote.setBackoff(1000);
        QCOMPARE(::kill(pid_t(remote.connectionProcessId()), SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(remote.connectionProcessId() == 0, 20000);
    }
    // Nobody is connected: the answer is put aside all the same.
    const auto aside = [&] {
        return QDir(answers)
            .entryList({QStringLiteral("*")}, QDir::Files)
            .filter(QRegularExpression(QStringLiteral("^[0-9a-f]{64}$")));
    };
    QTRY_COMPARE_WITH_TIMEOUT(aside().size(), 1, 60000);
    // Marked, so that it shows that the next connection takes it instead of judging again.
    QFile file(answers + QLatin1Char('/') + aside().front());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray line = file.readAll();
    file.close();
    auto known = decodeReply({line.constData(), std::size_t(line.size())});
    ACCELOPT_VERIFY_OK(known);
    QVERIFY(known->verdict.correct());
    known->verdict.figures["marked"] = 1;
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(QByteArray::fromStdString(encode(*known)));
    file.close();
    RemoteHost again(host(), m_task, "trn1");
    const auto answer = judge(again, question);
    QVERIFY(answer.has_value());
    ACCELOPT_VERIFY_OK(*answer);
    QVERIFY((*answer)->verdict == known->verdict);
    QVERIFY((*answer)->profile == known->profile);
    QVERIFY(aside().isEmpty()); // fetched once, then forgotten
}

void tst_RemoteHost::endsTheFarSideWhenNobodyBeats()
{
    // A connection that is there but silent: only the lease can end the far side.
    HostProfile profile = host();
    SshConnection connection(profile, {}, nullptr);
    QSignalSpy lines(&connection, &SshConnection::line);
    std::optional<SshFailure> ended;
    connect(&connection, &SshConnection::ended, &connection,
            [&](const SshFailure &failure) { ended = failure; });
    connection.start();
    QTRY_VERIFY_WITH_TIMEOUT(lines.count() >= 1, 20000);
    connection.send(R"({"kind":"open","nkisim":"/nowhere","workers":1,"lease":0.5,"device":"trn1",)"
                    R"("task":{"hash":"x","folder":"x","shape":"lab","files":{}}})");
    QTRY_VERIFY_WITH_TIMEOUT(ended.has_value(), 20000);
    QVERIFY(ended->kind == SshClass::RemoteExit);
    QVERIFY2(ended->message.find("status 4") != std::string::npos, ended->message.c_str());
}

void tst_RemoteHost::saysWhatIsMissingThere_data()
{
    QTest::addColumn<QString>("python");
    QTest::addColumn<QString>("nkisim");
    QTest::addColumn<QString>("words");
    QTest::newRow("no python") << "/nowhere/python3"
                               << "nkisim"
                               << "python3 is not found";
    QTest::newRow("no simulator") << "/usr/bin/python3"
                                  << "/nowhere/nkisim"
                                  << "there is no program /nowhere/nkisim";
}

void tst_RemoteHost::saysWhatIsMissingThere()
{
    QFETCH(QString, python);
    QFETCH(QString, nkisim);
    QFETCH(QString, words);
    HostProfile profile = host();
    profile.python = python.toStdString();
    profile.nkisim = nkisim.toStdString();
    RemoteHost remote(profile, m_task, "trn1");
    const auto answer = judge(remote, baseline());
    QVERIFY(answer.has_value() && !answer->has_value());
    QVERIFY(answer->error().code == ErrorCode::Environment);
    QVERIFY2(answer->error().message.find(words.toStdString()) != std::string::npos,
             answer->error().message.c_str());
    QVERIFY(!answer->error().hint.empty());
}

void tst_RemoteHost::readsHostsInWords()
{
    const auto hosts = readHosts(
        R"({"hosts": [{"name": "trn1", "ssh": "me@there", "options": ["-p", "2222"], "workers": 3}]})",
        "hosts.json");
    ACCELOPT_VERIFY_OK(hosts);
    QCOMPARE(hosts->front().ssh, std::string("me@there"));
    QCOMPARE(hosts->front().options.size(), std::size_t(2));
    QCOMPARE(hosts->front().python, std::string("python3"));
    for (const char *bad :
         {"{", R"({"hosts": [{"name": "sim"}]})", R"({"hosts": [{"name": "a", "pyton": "x"}]})",
          R"({"hosts": [{"name": "a", "python": "x; rm -rf y"}]})",
          R"({"hosts": [{"name": "a"}, {"name": "a"}]})",
          R"({"hosts": [{"name": "a", "lease_seconds": 0}]})",
          R"({"hosts": [{"name": "a", "judge_with": "magic"}]})",
          R"({"hosts": [{"name": "a", "compile_at_once": 0}]})"}) {
        const auto refused = readHosts(bad, "hosts.json");
        QVERIFY2(!refused, bad);
        QVERIFY(refused.error().message.find("hosts.json") != std::string::npos);
    }
}

void tst_RemoteHost::putsNothingOfTheUserIntoTheFarShell()
{
    HostProfile profile = host();
    profile.ssh = "-oProxyCommand=evil";
    const QStringList arguments =
        SshConnection::argumentsFor(profile, QStringLiteral("/log"), QStringLiteral("MARK"));
    // A name that begins with a dash stands behind "--".
    const qsizetype name = arguments.indexOf(QStringLiteral("-oProxyCommand=evil"));
    QCOMPARE(arguments.at(name - 1), QStringLiteral("--"));
    QVERIFY(arguments.contains(QStringLiteral("ServerAliveInterval=15")));
    QVERIFY(arguments.contains(QStringLiteral("ControlPath=none")));
    QVERIFY(!arguments.join(QLatin1Char(' ')).contains(QStringLiteral("StrictHostKeyChecking")));
}

ACCELOPT_TEST(tst_RemoteHost)
#include "tst_RemoteHost.moc"
