// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/WorkerProtocol.h"

#include "tests/support/TestMain.h"

#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::profiling;

class tst_WorkerProtocol : public QObject
{
    Q_OBJECT

private slots:
    void aQuestionComesBackAsItWas();
    void anAnswerComesBackAsItWas();
    void aFailureComesBackAsItWas();
    void brokenUtf8InPrintedTextDoesNotCostTheAnswer();
    void aQuestionForAnotherMachineSurvives();
    void anUnfitWorkerSaysWhy();
    void anotherProtocolIsRefused();
    void nonsense_data();
    void nonsense();
};

void tst_WorkerProtocol::aQuestionComesBackAsItWas()
{
    JudgeRequest request;
    request.id = 41;
    request.source = std::string("def kernel(x):\n    pass  # \xff\0\n", 30);
    request.taskFolder = "/tasks/a folder";
    request.shapeName = "lab";
    request.taskHash = "abc";
    request.device = "trn2";
    request.tensors.resize(2);
    request.tensors[0].seed = 18446744073709551615U;
    request.tensors[0].inputs = {"a.npy", ""};
    request.tensors[0].results = {"r.npy"};
    request.tensors[1].seed = 7;
    request.tensors[1].inputs = {"b.npy", ""};
    request.tensors[1].results = {"s.npy"};
    request.tensors[1].suite = "late";
    request.check = oracle::NumberCheck::Full;
    request.quickFlops = 2.5e9;
    request.samplingSeed = 99;
    request.lines = oracle::LineCosts::Omit;
    const std::string line = encode(request);
    QVERIFY(line.find('\n') == std::string::npos);
    const auto back = decodeRequest(line);
    ACCELOPT_VERIFY_OK(back);
    QCOMPARE(back->id, request.id);
    QCOMPARE(back->source, request.source);
    QCOMPARE(back->taskFolder, request.taskFolder);
    QCOMPARE(back->shapeName, request.shapeName);
    QCOMPARE(back->taskHash, request.taskHash);
    QCOMPARE(back->device, request.device);
    QCOMPARE(back->tensors.size(), std::size_t(2));
    QCOMPARE(back->tensors[0].seed, request.tensors[0].seed);
    QCOMPARE(back->tensors[0].inputs, request.tensors[0].inputs);
    QCOMPARE(back->tensors[1].results, request.tensors[1].results);
    QCOMPARE(back->tensors[1].suite, std::string("late"));
    QCOMPARE(back->check, request.check);
    QCOMPARE(back->quickFlops, request.quickFlops);
    QCOMPARE(back->samplingSeed, request.samplingSeed);
    QCOMPARE(back->lines, request.lines);
}

void tst_WorkerProtocol::anAnswerComesBackAsItWas()
{
    JudgeReply reply;
    reply.id = 5;
    reply.verdict.status = VerdictStatus::Correct;
    reply.verdict.figures["relative_l2"] = 1.5e-7;
    reply.profile.device = "trn1";
    reply.profile.latencyMs = 1.25;
    reply.profile.lines = {{12, 3, 4096, 0, 17}};
    reply.layout = "nkibench";
    reply.printed = "hello \"you\"\n";
    reply.seconds = 0.25;
    const auto back = decodeReply(encode(reply));
    ACCELOPT_VERIFY_OK(back);
    QVERIFY(!back->error);
    QCOMPARE(back->id, reply.id);
    QVERIFY(back->verdict == reply.verdict);
    QVERIFY(back->profile == reply.profile);
    QCOMPARE(back->layout, reply.layout);
    QCOMPARE(back->printed, reply.printed);
    QCOMPARE(back->seconds, reply.seconds);
}

void tst_WorkerProtocol::aFailureComesBackAsItWas()
{
    JudgeReply reply;
    reply.id = 6;
    reply.error = Error{ErrorCode::Format, "the file x.npy is cut short", "delete it", "more"};
    const auto back = decodeReply(encode(reply));
    ACCELOPT_VERIFY_OK(back);
    QVERIFY(back->error.has_value());
    QCOMPARE(back->error->code, ErrorCode::Format);
    QCOMPARE(back->error->message, reply.error->message);
    QCOMPARE(back->error->hint, reply.error->hint);
    QCOMPARE(back->error->detail, reply.error->detail);
}

void tst_WorkerProtocol::brokenUtf8InPrintedTextDoesNotCostTheAnswer()
{
    JudgeReply reply;
    reply.id = 7;
    reply.verdict.status = VerdictStatus::Wrong;
    reply.printed = "caf\xc3"; // cut in the middle of a character
    const auto back = decodeReply(encode(reply));
    ACCELOPT_VERIFY_OK(back);
    QCOMPARE(back->verdict.status, VerdictStatus::Wrong);
    QCOMPARE(back->printed, std::string("caf\xef\xbf\xbd"));
}

void tst_WorkerProtocol::aQuestionForAnotherMachineSurvives()
{
    PoolQuestion question;
    question.source = std::string("x = '\xff\0'\n", 8); // any bytes
    question.inputs = {{18446744073709551615u, ""}, {7, "late tiles"}};
    question.check = oracle::NumberCheck::Full;
    question.quickFlops = 3e9;
    question.samplingSeed = 18446744073709551614u;
    question.lines = oracle::LineCosts::Omit;
    const auto back = decodeQuestion(encode(question, 12));
    ACCELOPT_VERIFY_OK(back);
    QCOMPARE(back->id, std::int64_t(12));
    QVERIFY(back->question.source == question.source);
    QVERIFY(back->question.inputs == question.inputs);
    QVERIFY(back->question.check == question.check);
    QCOMPARE(back->question.quickFlops, question.quickFlops);
    QCOMPARE(back->question.samplingSeed, question.samplingSeed);
    QVERIFY(back->question.lines == question.lines);
}

void tst_WorkerProtocol::anUnfitWorkerSaysWhy()
{
    const auto hello = decodeHello(
        encodeUnfit({ErrorCode::Environment, "the self-test failed", "check OpenBLAS", ""}));
    QVERIFY(!hello);
    QCOMPARE(hello.error().code, ErrorCode::Environment);
    QCOMPARE(hello.error().message, std::string("the self-test failed"));
    QCOMPARE(hello.error().hint, std::string("check OpenBLAS"));
}

void tst_WorkerProtocol::anotherProtocolIsRefused()
{
    WorkerHello hello;
    hello.software = "0.1.0";
    hello.modelVersion = "m1";
    const auto same = decodeHello(encode(hello));
    ACCELOPT_VERIFY_OK(same);
    QCOMPARE(same->modelVersion, std::string("m1"));
    hello.protocol = kWorkerProtocol + 1;
    const auto other = decodeHello(encode(hello));
    QVERIFY(!other);
    QCOMPARE(other.error().code, ErrorCode::Environment);
}

void tst_WorkerProtocol::nonsense_data()
{
    QTest::addColumn<std::string>("line");
    QTest::newRow("nothing") << std::string();
    QTest::newRow("no JSON") << std::string("Traceback (most recent call last):");
    QTest::newRow("no object") << std::string("[1, 2]");
    QTest::newRow("an object of another kind") << std::string("{\"kind\": \"bye\"}");
    QTest::newRow("a field of another type")
        << std::string("{\"kind\": \"judge\", \"id\": \"one\", \"source\": 3}");
}

void tst_WorkerProtocol::nonsense()
{
    QFETCH(const std::string, line);
    const auto request = decodeRequest(line);
    QVERIFY(!request);
    QCOMPARE(request.error().code, ErrorCode::Format);
    QVERIFY(!decodeReply(line));
    QVERIFY(!decodeHello(line));
    QVERIFY(!decodeQuestion(line));
}

ACCELOPT_TEST(tst_WorkerProtocol)
#include "tst_WorkerProtocol.moc"
