// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Recording.h"

#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::agents;

class tst_Recording : public QObject
{
    Q_OBJECT

private slots:
    void givesTheSameAnswersAgain();
};

void tst_Recording::givesTheSameAnswersAgain()
{
    PlanMade plan;
    plan.call = CallId("i0.c0.p0.plan");
    plan.plan.title = "T";
    plan.plan.text = "Do it.";
    plan.usage.usd = 3;
    AttemptMade attempt;
    attempt.call = CallId("i0.c0.p0.a0.write");
    attempt.text = TextId("k");
    CallFailed failed;
    failed.call = CallId("i0.c0.p1.plan");
    failed.reason = "the answer holds no plan";
    PairSummarized lesson;
    lesson.call = CallId("i0.m0.summary");
    lesson.item.title = "L";
    lesson.item.tags["bound"] = "memory";
    const std::vector<Event> events{{1, "big", 0, plan},
                                    {2, "small", 0, attempt},
                                    {3, "big", 0, failed},
                                    {4, "big", 0, lesson}};
    Recording recording(
        events, [](const TextId &id) -> Result<std::string> { return "text of " + id.value; },
        "old.accelopt");
    QCOMPARE(recording.size(), std::size_t(4));
    int answered = 0;
    recording.plan(plan.call, {}, [&](const auto &reply) {
        QCOMPARE(reply.answer->title, std::string("T"));
        QCOMPARE(reply.author, std::string("big"));
        QCOMPARE(reply.usage.usd, 0.0); // paid long ago
        ++answered;
    });
    recording.write(attempt.call, {}, [&](const auto &reply) {
        QCOMPARE(reply.answer->source, std::string("text of k"));
        ++answered;
    });
    recording.plan(failed.call, {}, [&](const auto &reply) {
        QVERIFY(!reply.answer);
        QCOMPARE(reply.answer.error().message, failed.reason);
        ++answered;
    });
    recording.summarize(lesson.call, {}, [&](const auto &reply) {
        QCOMPARE(reply.answer->title, std::string("L"));
        QCOMPARE(reply.answer->tags.at("bound"), std::string("memory"));
        ++answered;
    });
    recording.plan(CallId("i9.c0.p0.plan"), {}, [&](const auto &reply) {
        QVERIFY(!reply.answer);
        QVERIFY(reply.answer.error().message.find("old.accelopt") != std::string::npos);
        ++answered;
    });
    QCOMPARE(answered, 5);
}

ACCELOPT_TEST(tst_Recording)
#include "tst_Recording.moc"
