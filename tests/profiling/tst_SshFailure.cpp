// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SshFailure.h"

#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::profiling;

class tst_SshFailure : public QObject
{
    Q_OBJECT

private slots:
    void tellsTheCasesApart_data();
    void tellsTheCasesApart();
    void knowsWhatOurOwnEndIs();
};

void tst_SshFailure::tellsTheCasesApart_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("log");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("words");
    QTest::addColumn<bool>("again");
    const auto row = [](const char *what, int status, const QByteArray &log, const char *kind,
                        const char *words, bool again) {
        QTest::newRow(what) << status << QString::fromUtf8(log) << QString::fromUtf8(kind)
                            << QString::fromUtf8(words) << again;
    };
    const char *const in =
        "debug1: x\r\nAuthenticated to trn1 ([127.0.0.1]:22) using \"publickey\".\r\n";
    row("a wrong line in the configuration", 255,
        "/home/u/.ssh/config: line 3: Bad configuration option: hostnme\r\n"
        "/home/u/.ssh/config: terminating, 1 bad configuration options\r\n",
        "config", "line 3", false);
    row("a control path that is too long", 255, "ControlPath too long ('/very' >= 108 bytes)\r\n",
        "config", "too long", false);
    row("a folder for the control path that is not there", 255,
        "unix_listener: cannot bind to path /no/x.abc: No such file or directory\r\n", "config",
        "cannot bind", false);
    row("a name that nobody knows", 255,
        "ssh: Could not resolve hostname trn1: Name or service not known\r\n", "unreachable",
        "name of trn1", true);
    row("a host that is booting", 255, "ssh: connect to host trn1 port 22: Connection refused\r\n",
        "unreachable", "booting", true);
    row("an address that nobody has", 255,
        "ssh: connect to host trn1 port 22: No route to host\r\n", "unreachable", "no way", true);
    row("no network", 255, "ssh: connect to host trn1 port 22: Network is unreachable\r\n",
        "unreachable", "no network", true);
    row("a black hole", 255, "ssh: connect to host trn1 port 22: Connection timed out\r\n",
        "unreachable", "does not answer", true);
    row("a server that says nothing", 255,
        "Connection timed out during banner exchange\r\nConnection to 127.0.0.1 port 22 timed "
        "out\r\n",
        "unreachable", "says nothing", true);
    row("something else that listens there", 255,
        "kex_exchange_identification: Connection closed by remote host\r\n"
        "Connection closed by 127.0.0.1 port 22\r\n",
        "handshake", "hung up", true);
    row("a server with too many connections", 255,
        "kex_exchange_identification: read: Connection reset by peer\r\n"
        "Connection reset by 127.0.0.1 port 22\r\n",
        "handshake", "too many", true);
    row("a proxy program that is not there", 255,
        "sh: 1: exec: aws: not found\r\nkex_exchange_identification: Connection closed by remote "
        "host\r\nConnection closed by UNKNOWN port 65535\r\n",
        "proxy", "aws: not found", true);
    row("a jump host that cannot reach it", 255,
        "channel 0: open failed: connect failed: Connection refused\r\nstdio forwarding failed\r\n"
        "kex_exchange_identification: Connection closed by remote host\r\n"
        "Connection closed by UNKNOWN port 65535\r\n",
        "proxy", "open failed", true);
    row("a proxy command that fails", 255,
        "aws: TargetNotConnected\r\nkex_exchange_identification: Connection closed by remote "
        "host\r\n"
        "Connection closed by UNKNOWN port 65535\r\n",
        "proxy", "TargetNotConnected", true);
    row("a host key that has changed", 255,
        "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n"
        "Host key verification failed.\r\n",
        "hostkey_changed", "key has changed", false);
    row("a host key that nobody has confirmed", 255,
        "No ED25519 host key is known for trn1 and you have requested strict checking.\r\n"
        "Host key verification failed.\r\n",
        "hostkey_unknown", "confirmed", false);
    row("a host key that would have to be asked about", 255, "Host key verification failed.\r\n",
        "hostkey_unknown", "confirmed", false);
    row("a user who is not let in", 255, "u@trn1: Permission denied (publickey).\r\n", "auth",
        "let you in", false);
    row("a key file that is not there", 255,
        "Warning: Identity file /k not accessible: No such file or directory.\r\n"
        "u@trn1: Permission denied (publickey).\r\n",
        "auth", "/k not accessible", false);
    row("a key file that others may read", 255,
        "@         WARNING: UNPROTECTED PRIVATE KEY FILE!          @\r\n"
        "u@trn1: Permission denied (publickey).\r\n",
        "auth", "others may read", false);
    const auto after = [&](const char *more) { return QByteArray(in).append(more); };
    row("no python there", 127,
        after("debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\r\n"),
        "worker_missing", "python3", false);
    row("a worker that ended by itself", 255,
        after("debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\r\n"),
        "remote_exit", "status 255", true);
    row("a worker that ended with a small status", 3,
        after("debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\r\n"),
        "remote_exit", "status 3", true);
    row("a worker that was killed under a shell", 137,
        after("debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\r\n"
              "sh: line 1: 4711 Killed python3\r\n"),
        "remote_signal", "memory", true);
    row("a dead socket of the user's own sharing", 255,
        "Control socket connect(/home/u/.ssh/s): Connection refused\r\n", "config",
        "Control socket", false);
    row("a shared connection with too many sessions", 255,
        "mux_client_request_session: session request failed: Session open refused by peer\r\n",
        "handshake", "no further session", true);
    row("a shared connection that broke", 255,
        "mux_client_request_session: read from master failed: Broken pipe\r\n", "lost", "broke",
        true);
    row("a shared connection that ends without a word", 255,
        "debug1: mux_client_request_session: master session id: 2\r\n", "lost", "shared connection",
        true);
    row("a worker that was killed", 255,
        after("debug1: client_input_channel_req: channel 0 rtype exit-signal reply 0\r\n"),
        "remote_signal", "memory", true);
    row("a session that was cut", 255,
        after("Connection to 127.0.0.1 closed by remote host.\r\nTransferred: sent 1\r\n"), "lost",
        "broke", true);
    row("a link that is down", 255, after("Timeout, server 127.0.0.1 not responding.\r\n"), "lost",
        "stopped answering", true);
    row("a first address that refuses, before a good one", 255,
        "debug1: connect to address ::1 port 22: Connection refused\r\n"
        "Authenticated to trn1 ([127.0.0.1]:22).\r\nclosed by remote host.\r\n",
        "lost", "broke", true);
}

void tst_SshFailure::tellsTheCasesApart()
{
    QFETCH(int, status);
    QFETCH(QString, log);
    QFETCH(QString, kind);
    QFETCH(QString, words);
    QFETCH(bool, again);
    // What the far shell says of a killed command comes on standard error.
    const QString errors = log.contains(QLatin1String("Killed")) ? log : QString();
    const SshFailure failure =
        classifySsh({SshEnd::How::Exited, status, log.toStdString(), errors.toStdString()}, "trn1");
    QCOMPARE(std::string(name(failure.kind)), kind.toStdString());
    QVERIFY2(failure.message.find(words.toStdString()) != std::string::npos,
             failure.message.c_str());
    QVERIFY(!failure.hint.empty());
    QCOMPARE(mayReconnect(failure.kind), again);
}

void tst_SshFailure::knowsWhatOurOwnEndIs()
{
    QVERIFY(classifySsh({SshEnd::How::NotStarted, 0, {}, {}}, "h").kind == SshClass::Setup);
    QVERIFY(classifySsh({SshEnd::How::Ended, 255, {}, {}}, "h").kind == SshClass::Cancelled);
    // A proxy speaks on standard error, where ssh's log does not hear it.
    const SshFailure proxy = classifySsh(
        {SshEnd::How::Exited, 255, "Connection closed by UNKNOWN port 65535\n", "no-target"}, "h");
    QVERIFY(proxy.kind == SshClass::Proxy);
    QVERIFY(proxy.message.find("no-target") != std::string::npos);
    const Error error = toError({SshClass::Auth, "m", "h"});
    QVERIFY(error.code == ErrorCode::Environment);
    QCOMPARE(error.detail, std::string("auth"));
}

ACCELOPT_TEST(tst_SshFailure)
#include "tst_SshFailure.moc"
