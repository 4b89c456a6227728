// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/agents/OfflinePlanner.h"
#include "core/agents/TrackRecord.h"

using namespace accelopt;
using namespace accelopt::agents;
using search::PastAttempt;

namespace {

const KernelId kCandidate("candidate");

Idea site(const std::string &rewrite, double promise, const std::string &result)
{
    Idea idea;
    idea.steps = {Step{Step::Kind::Place, rewrite, {{"statement", 1}, {"at", result}}, {}}};
    idea.names = {rewrite};
    idea.title = "Use " + rewrite + " for " + result;
    idea.directive = directiveOf(idea.steps);
    idea.result = KernelId(result);
    idea.promise = promise;
    return idea;
}

Idea setting(std::int64_t from, std::int64_t value)
{
    Idea idea;
    idea.kind = IdeaKind::Setting;
    idea.steps = {
        Step{Step::Kind::Tune, {}, {{"constant", "tile"}, {"from", from}, {"value", value}}, {}}};
    idea.names = {"tune"};
    idea.title = "Set tile to " + std::to_string(value) + " instead of " + std::to_string(from);
    idea.directive = directiveOf(idea.steps);
    idea.result = KernelId("tile " + std::to_string(value));
    idea.turning = turningOf(idea.steps[0].parameters);
    return idea;
}

PastAttempt outcome(const Idea &idea, VerdictStatus verdict, double speedup,
                    const std::string &parent = "parent")
{
    PastAttempt past;
    past.parent = KernelId(parent);
    past.planTitle = idea.title + " there";
    past.directive = idea.directive;
    past.verdict = verdict;
    past.speedup = speedup;
    past.kernel = KernelId("other " + idea.result.value);
    past.iteration = 0;
    return past;
}

std::string order(const std::vector<Idea> &ideas, const TrackRecord &record,
                  const std::set<KernelId> &taken = {})
{
    std::string text;
    for (const Idea *idea : rankedIdeas(ideas, record, taken))
        text += (text.empty() ? "" : ", ") + idea->result.value;
    return text;
}

TrackRecord recordOf(const std::vector<PastAttempt> &past,
                     const std::vector<search::Experience> &items = {}, const Profile &profile = {})
{
    return {kCandidate, past, items, profile};
}

} // namespace

class tst_TrackRecord : public QObject
{
    Q_OBJECT

private slots:
    void withoutHistoryThePromiseDecides()
    {
        const std::vector<Idea> ideas{site("a", 1.02, "k1"), site("b", 1.1, "k2"),
                                      site("c", 1.05, "k3")};
        QCOMPARE(order(ideas, recordOf({})), std::string("k2, k3, k1"));
    }

    void outcomesChangeTheOrder_data()
    {
        QTest::addColumn<int>("verdict");
        QTest::addColumn<double>("speedup");
        QTest::addColumn<std::string>("expected");
        QTest::newRow("a rewrite that was wrong sinks")
            << int(VerdictStatus::Wrong) << 0.0 << std::string("k2, k1");
        QTest::newRow("a rewrite that was slower sinks")
            << int(VerdictStatus::Correct) << 0.8 << std::string("k2, k1");
        QTest::newRow("a rewrite that gained stays in front")
            << int(VerdictStatus::Correct) << 1.2 << std::string("k1, k2");
    }
    void outcomesChangeTheOrder()
    {
        QFETCH(int, verdict);
        QFETCH(double, speedup);
        QFETCH(std::string, expected);
        const std::vector<Idea> ideas{site("a", 1.10, "k1"), site("b", 1.08, "k2")};
        QCOMPARE(order(ideas, recordOf({outcome(ideas[0], VerdictStatus(verdict), speedup)})),
                 expected);
    }

    void aRewriteThatWonRises()
    {
        const std::vector<Idea> ideas{site("a", 1.10, "k1"), site("b", 1.08, "k2")};
        QCOMPARE(order(ideas, recordOf({outcome(ideas[1], VerdictStatus::Correct, 1.3)})),
                 std::string("k2, k1"));
    }

    void lessonsCountFullyWhereTheBoundIsTheSame()
    {
        search::Experience lesson;
        lesson.positive = true;
        lesson.tags = {{"rewrite", "b"}, {"bound", "vector"}};
        const Idea idea = site("b", 1.08, "k2");
        Profile same;
        same.bound = "vector";
        Profile other;
        other.bound = "memory";
        const double without = recordOf({}).weight(idea);
        const double alike = recordOf({}, {lesson}, same).weight(idea);
        const double unlike = recordOf({}, {lesson}, other).weight(idea);
        QCOMPARE(without, 1.0);
        QVERIFY(alike > unlike);
        QVERIFY(unlike > 1);
        lesson.positive = false;
        QVERIFY(recordOf({}, {lesson}, same).weight(idea) < 1);
    }

    void aLessonOfSeveralRewritesIsSharedAmongThem()
    {
        search::Experience lesson;
        lesson.tags = {{"rewrite", "a+b"}};
        const double shared = recordOf({}, {lesson}).weight(site("b", 1.08, "k"));
        lesson.tags = {{"rewrite", "b"}};
        QVERIFY(shared > 1);
        QVERIFY(shared < recordOf({}, {lesson}).weight(site("b", 1.08, "k")));
    }

    void nothingIsTriedTwice_data()
    {
        QTest::addColumn<std::string>("what");
        QTest::newRow("the same directive on the same kernel") << std::string("directive");
        QTest::newRow("a kernel that a relative's plan wrote") << std::string("kernel");
        QTest::newRow("the same words, which gave no correct kernel elsewhere")
            << std::string("title");
        QTest::newRow("a kernel that the run knows") << std::string("taken");
    }
    void nothingIsTriedTwice()
    {
        QFETCH(std::string, what);
        const std::vector<Idea> ideas{site("a", 1.10, "k1"), site("b", 1.08, "k2")};
        PastAttempt past = outcome(ideas[0], VerdictStatus::Correct, 1.2);
        std::set<KernelId> taken;
        if (what == "directive") {
            past.parent = kCandidate;
            // Spaces and the order of fields say nothing.
            past.directive = R"({"rewrite": "a", "parameters": {"statement": 1,   "at": "k1"}})";
        } else if (what == "kernel") {
            past.kernel = ideas[0].result;
        } else if (what == "title") {
            past.planTitle = ideas[0].title;
            past.verdict = VerdictStatus::NotCompiling;
        } else {
            taken.insert(ideas[0].result);
        }
        QCOMPARE(order(ideas, recordOf({past}), taken), std::string("k2"));
    }

    void fewSamplesSeeManyRewrites()
    {
        const std::vector<Idea> ideas{site("a", 1.30, "k1"), site("a", 1.29, "k2"),
                                      site("a", 1.28, "k3"), site("b", 1.20, "k4"),
                                      site("c", 1.18, "k5")};
        QCOMPARE(order(ideas, recordOf({})), std::string("k1, k4, k5, k2, k3"));
    }

    void kindsTakeTurns()
    {
        std::vector<Idea> ideas{site("a", 1.30, "s1"), site("b", 1.20, "s2"),
                                site("c", 1.50, "chain"), site("d", 0.99, "unsure")};
        ideas[2].kind = IdeaKind::Chain;
        ideas[3].kind = IdeaKind::Unsure;
        ideas.push_back(site("e", 1.1, "s3"));
        QCOMPARE(order(ideas, recordOf({})), std::string("chain, s1, s2, unsure, s3"));
    }

    void settingsWaitUntilNothingElseGains()
    {
        const std::vector<Idea> ideas{setting(512, 1024), site("a", 1.10, "s1"),
                                      site("b", 1.08, "s2")};
        QCOMPARE(order(ideas, recordOf({})), std::string("s1, s2, tile 1024"));
        PastAttempt past = outcome(site("c", 1.1, "s3"), VerdictStatus::Correct, 0.99);
        QCOMPARE(order(ideas, recordOf({past})), std::string("s1, s2, tile 1024"));
        past.parent = kCandidate;
        QVERIFY(recordOf({past}).gainedNothing());
        QCOMPARE(order(ideas, recordOf({past})), std::string("tile 1024, s1, s2"));
        past.speedup = 1.1;
        QVERIFY(!recordOf({past}).gainedNothing());
    }

    void onlyTheLastIterationSaysWhetherAnythingIsGained()
    {
        PastAttempt first =
            outcome(site("c", 1.1, "s3"), VerdictStatus::Correct, 1.2, kCandidate.value);
        PastAttempt second =
            outcome(site("d", 1.1, "s4"), VerdictStatus::Wrong, 0, kCandidate.value);
        second.iteration = 1;
        QVERIFY(recordOf({first, second}).gainedNothing());
        first.iteration = 2;
        QVERIFY(!recordOf({first, second}).gainedNothing());
    }

    void aKnobIsTurnedTheWayThatHelped()
    {
        const Idea up = setting(512, 1024);
        const Idea down = setting(512, 256);
        const TrackRecord better =
            recordOf({outcome(setting(256, 512), VerdictStatus::Correct, 1.1)});
        QVERIFY(better.weight(up) > 1);
        QVERIFY(better.weight(up) > better.weight(down));
        const TrackRecord worse =
            recordOf({outcome(setting(256, 512), VerdictStatus::Correct, 0.9)});
        QVERIFY(worse.weight(up) < 1);
        QVERIFY(worse.weight(down) > 1);
        // A size that is too large says nothing for the smaller ones.
        const TrackRecord broken =
            recordOf({outcome(setting(256, 512), VerdictStatus::NotCompiling, 0)});
        QVERIFY(broken.weight(up) < 1);
        QCOMPARE(broken.weight(down), 1.0);
    }

    void settingsAreTriedOutwards()
    {
        // One on each side at a time, the nearest; what is beyond waits for what it comes to.
        const std::vector<Idea> ideas{setting(512, 256), setting(512, 128), setting(512, 1024),
                                      setting(512, 2048)};
        QCOMPARE(order(ideas, recordOf({})), std::string("tile 256, tile 1024"));
        PastAttempt wider = outcome(ideas[2], VerdictStatus::Correct, 1.0, kCandidate.value);
        QCOMPARE(order(ideas, recordOf({wider})), std::string("tile 256, tile 2048"));
        wider.speedup = 1.2;
        QCOMPARE(order(ideas, recordOf({wider})), std::string("tile 2048, tile 256"));
    }

    void whatLiesBeyondAClearLossIsPointless_data()
    {
        QTest::addColumn<int>("verdict");
        QTest::addColumn<double>("speedup");
        QTest::addColumn<int>("from");
        QTest::addColumn<bool>("pointless");
        const int correct = int(VerdictStatus::Correct);
        QTest::newRow("slower") << correct << 0.9 << 512 << true;
        QTest::newRow("not compiling") << int(VerdictStatus::NotCompiling) << 0.0 << 512 << true;
        QTest::newRow("hardly slower") << correct << 0.99 << 512 << false;
        QTest::newRow("faster") << correct << 1.1 << 512 << false;
        QTest::newRow("slower than another number") << correct << 0.9 << 384 << false;
    }
    void whatLiesBeyondAClearLossIsPointless()
    {
        QFETCH(int, verdict);
        QFETCH(double, speedup);
        QFETCH(int, from);
        QFETCH(bool, pointless);
        const TrackRecord record =
            recordOf({outcome(setting(from, 256), VerdictStatus(verdict), speedup)});
        QCOMPARE(record.pointless(setting(512, 128)), pointless);
        // The other side and what is nearer are another matter.
        QVERIFY(!record.pointless(setting(512, 1024)));
        QVERIFY(!record.pointless(setting(512, 384)));
        QVERIFY(!record.pointless(site("a", 1.1, "k")));
    }

    void aLessonPromisesWhatItGainedElsewhere()
    {
        search::Experience lesson;
        lesson.speedup = 1.4;
        lesson.tags = {{"rewrite", "b"}, {"bound", "vector"}};
        Profile same;
        same.bound = "vector";
        Profile other;
        other.bound = "memory";
        // The estimate sees nothing in b.
        std::vector<Idea> ideas{site("a", 1.05, "k1"), site("b", 0.999, "k2")};
        ideas[1].kind = IdeaKind::Unsure;
        QCOMPARE(recordOf({}, {lesson}, same).foretold(ideas[1]), 1.06);
        QCOMPARE(recordOf({}, {lesson}, other).foretold(ideas[1]), 1.03);
        QCOMPARE(recordOf({}, {lesson}, same).foretold(ideas[0]), 1.0);
        QCOMPARE(order(ideas, recordOf({}, {}, same)), std::string("k1, k2"));
        QCOMPARE(order(ideas, recordOf({}, {lesson}, same)), std::string("k2, k1"));
        lesson.positive = false;
        QCOMPARE(recordOf({}, {lesson}, same).foretold(ideas[1]), 1.0);
        QCOMPARE(order(ideas, recordOf({}, {lesson}, same)), std::string("k1, k2"));
    }

    void aLessonOfSeveralRewritesPromisesForAllOfThemTogether()
    {
        search::Experience lesson;
        lesson.speedup = 1.4;
        lesson.tags = {{"rewrite", "a+b"}};
        const TrackRecord record = recordOf({}, {lesson});
        Idea both = site("a", 1.0, "k");
        both.kind = IdeaKind::Unsure;
        both.names = {"c", "b", "a"};
        QCOMPARE(record.foretold(both), 1.06);
        both.names = {"a"};
        QCOMPARE(record.foretold(both), 1.0);
        // What the estimate knows of this kernel is worth more than what happened to another.
        both.names = {"a", "b"};
        both.kind = IdeaKind::Chain;
        QCOMPARE(record.foretold(both), 1.0);
        // Numbers that suited another kernel say nothing.
        lesson.tags = {{"rewrite", "tune"}};
        QCOMPARE(recordOf({}, {lesson}).foretold(setting(512, 1024)), 1.0);
    }

    void theSummaryCountsByRewrite()
    {
        QCOMPARE(recordOf({}).summary(), std::string());
        const std::vector<PastAttempt> past{
            outcome(site("widen", 1.1, "k1"), VerdictStatus::Correct, 1.125),
            outcome(site("widen", 1.1, "k2"), VerdictStatus::Wrong, 0),
            outcome(setting(512, 256), VerdictStatus::Correct, 0.9)};
        QCOMPARE(recordOf(past).summary(),
                 std::string("3 plans on it and its relatives: widen 2 times (best 1.12x), "
                             "tune once (no gain)"));
    }
};

ACCELOPT_TEST(tst_TrackRecord)
#include "tst_TrackRecord.moc"
