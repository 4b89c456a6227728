// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SimWorkerLoop.h"

#include "core/profiling/SelfTest.h"
#include "tests/oracle/TinyTask.h"
#include "tests/support/TestMain.h"

#include <sstream>

using namespace accelopt;
using namespace accelopt::profiling;

class tst_SimWorkerLoop : public QObject
{
    Q_OBJECT

private slots:
    void theArithmeticOfThisMachineIsRight();
    void greetsAndAnswersInOrder();
    void aTaskThatChangedIsRefused();
    void nonsenseIsAnsweredToo();

private:
    JudgeRequest question(std::int64_t id, const std::string &source) const;

    tests::TinyTask m_task;
};

JudgeRequest tst_SimWorkerLoop::question(std::int64_t id, const std::string &source) const
{
    JudgeRequest request;
    request.id = id;
    request.source = source;
    request.taskFolder = m_task.folder().string();
    request.shapeName = "lab";
    const auto task = m_task.load();
    request.taskHash = task ? task->hash : "";
    const auto tensors = m_task.tensors(1);
    if (tensors)
        request.tensors = {*tensors};
    return request;
}

void tst_SimWorkerLoop::theArithmeticOfThisMachineIsRight()
{
    const auto fit = testArithmetic();
    ACCELOPT_VERIFY_OK(fit);
}

void tst_SimWorkerLoop::greetsAndAnswersInOrder()
{
    std::stringstream questions;
    questions << encode(question(1, std::string(tests::kTinyKernel))) << "\n\n"
              << encode(question(2, "def kernel(x, z:\n")) << "\n";
    std::stringstream answers;
    SimWorkerLoop loop("7.8.9");
    QCOMPARE(loop.run(questions, answers), 0);

    std::string line;
    QVERIFY(std::getline(answers, line));
    const auto hello = decodeHello(line);
    ACCELOPT_VERIFY_OK(hello);
    QCOMPARE(hello->software, std::string("7.8.9"));
    QVERIFY(!hello->modelVersion.empty());

    QVERIFY(std::getline(answers, line));
    const auto first = decodeReply(line);
    ACCELOPT_VERIFY_OK(first);
    QCOMPARE(first->id, std::int64_t(1));
    QVERIFY(!first->error);
    QVERIFY2(first->verdict.correct(), line.c_str());
    QCOMPARE(first->profile.modelVersion, hello->modelVersion);
    QVERIFY(!first->profile.lines.empty());

    QVERIFY(std::getline(answers, line));
    const auto second = decodeReply(line);
    ACCELOPT_VERIFY_OK(second);
    QCOMPARE(second->id, std::int64_t(2));
    QCOMPARE(second->verdict.status, VerdictStatus::NotCompiling);
    QVERIFY(!std::getline(answers, line));
}

void tst_SimWorkerLoop::aTaskThatChangedIsRefused()
{
    SimWorkerLoop loop("1");
    JudgeRequest request = question(1, std::string(tests::kTinyKernel));
    request.taskHash = "of another time";
    const JudgeReply reply = loop.answer(encode(request));
    QVERIFY(reply.error.has_value());
    QCOMPARE(reply.error->code, ErrorCode::WrongUse);
    QCOMPARE(reply.id, std::int64_t(1));
}

void tst_SimWorkerLoop::nonsenseIsAnsweredToo()
{
    SimWorkerLoop loop("1");
    const JudgeReply reply = loop.answer("what?");
    QVERIFY(reply.error.has_value());
    QCOMPARE(reply.error->code, ErrorCode::Format);
}

ACCELOPT_TEST(tst_SimWorkerLoop)
#include "tst_SimWorkerLoop.moc"
