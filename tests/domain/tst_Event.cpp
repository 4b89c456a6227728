// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Event.h"
#include "core/domain/Hash.h"
#include "tests/support/TestMain.h"

#include <nlohmann/json.hpp>

using namespace accelopt;

namespace {

const Usage kUsage{1, 200, 50, 30, 0.01, 0};

RunOpened opened()
{
    RunOpened event;
    event.config.beamWidth = 7;
    event.task = "silu";
    event.taskHash = "hash";
    event.software = "0.1.0";
    event.modelVersion = "3";
    event.baseline = KernelId("kernel-0");
    event.baselineText = TextId("text-0");
    return event;
}

PlanMade planMade()
{
    PlanMade event;
    event.call = CallId("i1.c0.p2.plan");
    event.plan.slot = {1, 0, 2};
    event.plan.parent = KernelId("kernel-0");
    event.plan.title = "fuse";
    event.plan.usedItems = {ItemId("e0.0")};
    event.usage = kUsage;
    event.prompt = TextId("prompt");
    event.answer = TextId("answer");
    return event;
}

AttemptMade attemptMade()
{
    AttemptMade event;
    event.call = CallId("i1.c0.p2.a1.r1.write");
    event.slot = {{1, 0, 2}, 1};
    event.kernel = KernelId("kernel-1");
    event.text = TextId("text-1");
    event.usage = kUsage;
    event.prompt = TextId("prompt");
    event.answer = TextId("answer");
    event.repair = 1;
    return event;
}

CallFailed callFailed()
{
    CallFailed event;
    event.call = CallId("i1.c0.p2.a1.write");
    event.role = RoleName::Executor;
    event.slot = {1, 0, 2};
    event.attempt = 1;
    event.reason = "no code block";
    event.usage = kUsage;
    event.prompt = TextId("prompt");
    event.answer = TextId("answer");
    return event;
}

KernelJudged judged(VerdictStatus status, JudgePurpose purpose)
{
    KernelJudged event;
    event.kernel = KernelId("kernel-1");
    event.purpose = purpose;
    event.verdict.status = status;
    if (status == VerdictStatus::Correct) {
        event.profile.device = "trn1";
        event.profile.latencyMs = 0.1 + 0.2; // needs all digits
        event.profile.counters = {{"hbm_read_bytes", 12}};
    }
    return event;
}

PairSummarized summarized()
{
    PairSummarized event;
    event.call = CallId("i1.m0.summary");
    event.iteration = 1;
    event.rank = 0;
    event.item.id = ItemId("e1.0");
    event.item.title = "Fuse";
    event.usage = kUsage;
    return event;
}

PersonDecided decided()
{
    PersonDecided event;
    event.decision = Decision::EditItem;
    event.item = ItemId("e1.0");
    event.reason = "clearer";
    event.title = "Fuse loops";
    event.strategy = "Say more.";
    return event;
}

const char *whichKind(int index)
{
    static constexpr const char *kKinds[] = {"run_opened",      "call_started",   "plan_made",
                                             "attempt_made",    "call_failed",    "kernel_judged",
                                             "pair_summarized", "person_decided", "time_passed",
                                             "run_continued",   "run_finished",   "budget_moved"};
    return kKinds[index];
}

} // namespace

Q_DECLARE_METATYPE(EventBody)

class tst_Event : public QObject
{
    Q_OBJECT

private slots:
    void survivesTheLog_data()
    {
        QTest::addColumn<EventBody>("body");
        QTest::addColumn<QString>("subject");
        const auto row = [](const char *name, EventBody body, const char *subject) {
            QTest::newRow(name) << body << QString::fromUtf8(subject);
        };
        row("a run is opened", opened(), "kernel-0");
        row("a call is started", CallStarted{CallId("i1.m0.summary"), RoleName::Summarizer},
            "i1.m0.summary");
        row("a plan is made", planMade(), "i1.c0.p2.plan");
        row("a kernel is written", attemptMade(), "kernel-1");
        row("a call fails", callFailed(), "i1.c0.p2.a1.write");
        row("a kernel is correct", judged(VerdictStatus::Correct, JudgePurpose::Confirmation),
            "kernel-1");
        row("a kernel is wrong", judged(VerdictStatus::Wrong, JudgePurpose::Search), "kernel-1");
        row("a pair is summarized", summarized(), "e1.0");
        PairSummarized declined;
        declined.call = CallId("i1.m1.summary");
        declined.iteration = 1;
        declined.rank = 1;
        declined.declined = true;
        row("a pair is declined", declined, "i1.m1.summary");
        row("a person decides", decided(), "e1.0");
        row("time passes", TimePassed{12.5}, "");
        row("a run is continued", RunContinued{opened().config}, "");
        row("a run is finished", RunFinished{"6 iterations done"}, "");
        row("budget moves", BudgetMoved{2, -3, 0.5, 1.25, "adamw is near its peak"}, "");
    }

    void survivesTheLog()
    {
        QFETCH(EventBody, body);
        QFETCH(QString, subject);
        const std::string kindName(kind(body));
        QCOMPARE(kindName, std::string(whichKind(static_cast<int>(body.index()))));
        QCOMPARE(accelopt::subject(body), subject.toStdString());
        const std::string text = payload(body).dump();
        const Result<EventBody> read =
            eventBody(kindName, kPayloadVersion, nlohmann::json::parse(text));
        ACCELOPT_VERIFY_OK(read);
        QCOMPARE(read->index(), body.index());
        QCOMPARE(payload(*read).dump(), text);
        // The text above could agree while both directions forget a field; these check the fields.
        QVERIFY(payload(*read).is_object());
        if (const auto *attempt = std::get_if<AttemptMade>(&*read)) {
            QCOMPARE(attempt->repair, 1);
            QCOMPARE(attempt->slot, (AttemptSlot{{1, 0, 2}, 1}));
            QCOMPARE(attempt->usage, kUsage);
            QCOMPARE(attempt->text.value, std::string("text-1"));
        }
        if (const auto *judgement = std::get_if<KernelJudged>(&*read)) {
            QCOMPARE(judgement->purpose, std::get<KernelJudged>(body).purpose);
            QCOMPARE(judgement->verdict, std::get<KernelJudged>(body).verdict);
            QCOMPARE(judgement->profile, std::get<KernelJudged>(body).profile);
        }
        if (const auto *plan = std::get_if<PlanMade>(&*read)) {
            QCOMPARE(plan->plan, std::get<PlanMade>(body).plan);
            QCOMPARE(plan->prompt.value, std::string("prompt"));
        }
        if (const auto *failed = std::get_if<CallFailed>(&*read)) {
            QCOMPARE(failed->role, RoleName::Executor);
            QCOMPARE(failed->reason, std::string("no code block"));
            QCOMPARE(failed->attempt, 1);
        }
        if (const auto *run = std::get_if<RunOpened>(&*read)) {
            QCOMPARE(run->config, opened().config);
            QCOMPARE(run->modelVersion, std::string("3"));
        }
        if (const auto *decision = std::get_if<PersonDecided>(&*read)) {
            QCOMPARE(decision->decision, Decision::EditItem);
            QCOMPARE(decision->strategy, std::string("Say more."));
        }
        if (const auto *pair = std::get_if<PairSummarized>(&*read)) {
            QCOMPARE(pair->declined, std::get<PairSummarized>(body).declined);
            QCOMPARE(pair->item, std::get<PairSummarized>(body).item);
        }
        if (const auto *time = std::get_if<TimePassed>(&*read))
            QCOMPARE(time->seconds, 12.5);
        if (const auto *moved = std::get_if<BudgetMoved>(&*read)) {
            QCOMPARE(moved->round, 2);
            QCOMPARE(moved->kernels, -3);
            QCOMPARE(moved->usd, 0.5);
            QCOMPARE(moved->minutes, 1.25);
            QCOMPARE(moved->reason, std::string("adamw is near its peak"));
        }
        if (const auto *finished = std::get_if<RunFinished>(&*read))
            QCOMPARE(finished->reason, std::string("6 iterations done"));
    }

    void refusesWhatItDoesNotKnow_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("version");
        QTest::addColumn<QString>("payload");
        QTest::addColumn<ErrorCode>("code");
        const QString good = QStringLiteral("{\"seconds\": 1}");
        QTest::newRow("an unknown kind is newer")
            << "dream_dreamt" << 1 << good << ErrorCode::Newer;
        QTest::newRow("a later version is newer")
            << "time_passed" << kPayloadVersion + 1 << good << ErrorCode::Newer;
        QTest::newRow("version 0 is damage") << "time_passed" << 0 << good << ErrorCode::Format;
        QTest::newRow("a missing field is damage")
            << "time_passed" << 1 << "{}" << ErrorCode::Format;
        QTest::newRow("a wrong type is damage")
            << "time_passed" << 1 << "{\"seconds\": \"long\"}" << ErrorCode::Format;
        QTest::newRow("no object is damage") << "run_finished" << 1 << "[1]" << ErrorCode::Format;
        QTest::newRow("an unknown role is damage")
            << "call_started" << 1 << "{\"call\": \"x\", \"role\": \"cook\"}" << ErrorCode::Format;
        QTest::newRow("an unknown decision is damage")
            << "person_decided" << 1
            << "{\"decision\":\"eat\",\"kernel\":\"\",\"item\":\"\",\"reason\":\"\",\"title\":"
               "\"\",\"strategy\":\"\"}"
            << ErrorCode::Format;
    }

    void refusesWhatItDoesNotKnow()
    {
        QFETCH(QString, kind);
        QFETCH(int, version);
        QFETCH(QString, payload);
        QFETCH(ErrorCode, code);
        const Result<EventBody> read =
            eventBody(kind.toStdString(), version, nlohmann::json::parse(payload.toStdString()));
        QVERIFY(!read);
        QCOMPARE(read.error().code, code);
        QVERIFY(!read.error().hint.empty());
    }

    void everyDecisionHasItsNameBack()
    {
        for (int i = 0; i <= static_cast<int>(Decision::Stop); ++i) {
            const auto value = static_cast<Decision>(i);
            QCOMPARE(decision(name(value)).value(), value);
        }
        QVERIFY(!decision("sleep").has_value());
    }

    void textsAreNamedByTheirBytes()
    {
        const Text text = makeText("abc");
        QCOMPARE(text.bytes, std::string("abc"));
        QCOMPARE(text.id.value, sha256("abc"));
        QVERIFY(makeText("abd").id != text.id);
    }
};

ACCELOPT_TEST(tst_Event)
#include "tst_Event.moc"
