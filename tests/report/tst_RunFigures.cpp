// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/RunFigures.h"
#include "tests/report/RunStory.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::report;
using accelopt::report::tests::RunStory;

namespace {

RunFigures toldFigures()
{
    RunStory story;
    story.tell();
    return figuresOf(story.events());
}

const KernelFigures &kernelOf(const RunFigures &run, const std::string &id)
{
    for (const KernelFigures &one : run.kernels)
        if (one.id.value == id)
            return one;
    qFatal("no kernel %s", id.c_str());
}

} // namespace

class tst_RunFigures : public QObject
{
    Q_OBJECT

private slots:
    void theRunComesToItsFastestKernel()
    {
        const RunFigures run = toldFigures();
        QCOMPARE(run.best.value, std::string("faster"));
        QCOMPARE(run.baselineMs.value(), 4.0);
        QCOMPARE(run.bestMs.value(), 1.6);
        QCOMPARE(run.bestSpeedup.value(), 2.5);
        QCOMPARE(run.bestPercentOfPeak.value(), 62.5);
        QCOMPARE(run.confirmed.value(), true);
        QCOMPARE(run.stoppedBecause, std::string("2 iterations done"));
        QVERIFY(run.simulated);
        QCOMPARE(run.kernels.size(), std::size_t(5));
        QCOMPARE(kernelOf(run, "faster").speedupOverParent.value(), 1.25);
        QCOMPARE(kernelOf(run, "wrong").reason, std::string("row 3 differs"));
        QVERIFY(kernelOf(run, "fast").wasCandidate);
        QVERIFY(!kernelOf(run, "faster").wasCandidate);
    }

    void iterationsCountKernelsWhereTheyWereFirstWritten()
    {
        const RunFigures run = toldFigures();
        QCOMPARE(run.iterations.size(), std::size_t(2));
        const IterationFigures &first = run.iterations[0];
        QCOMPARE(first.written, 3);
        QCOMPARE(first.duplicates, 1);
        QCOMPARE(first.judged, 2);
        QCOMPARE(first.verdicts.at(VerdictStatus::Wrong), 1);
        QCOMPARE(first.bestCandidateSpeedup.value(), 1.0);
        QCOMPARE(first.bestNewSpeedup.value(), 2.0);
        const IterationFigures &second = run.iterations[1];
        QCOMPARE(second.duplicates, 1);
        QCOMPARE(second.judged, 2);
        QCOMPARE(second.failedCalls, 1);
        QCOMPARE(second.bestCandidateSpeedup.value(), 2.0);
        // The beam holds the kernels of 2 ms and of 4 ms.
        QCOMPARE(second.meanCandidateSpeedup.value(), std::sqrt(2.0));
        QCOMPARE(second.bestSpeedupSoFar.value(), 2.5);
        QCOMPARE(run.candidates.size(), std::size_t(3));
    }

    void fastIsAShareOfAllJudgedKernelsAndFailingOnesCount()
    {
        const RunFigures run = toldFigures();
        // 2.0 is not more than 2.
        const std::array<double, kFastThresholds.size()> first = {0.5, 0.5, 0.5, 0.5, 0.5, 0.0};
        QCOMPARE(run.iterations[0].fast.value(), first);
        const std::array<double, kFastThresholds.size()> second = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
        QCOMPARE(run.iterations[1].fast.value(), second);
    }

    void countersAreSpreadOverTheCorrectKernels()
    {
        const RunFigures run = toldFigures();
        const Spread bytes = run.iterations[1].counters.at("hbm_read_bytes");
        QCOMPARE(bytes, (Spread{2, 50, 75, 100, 125, 150}));
        QCOMPARE(run.iterations[0].counters.at("hbm_read_bytes").count, std::size_t(1));
        QCOMPARE(run.iterations[1].counters.at("latency_ms").maximum, 5.0);
    }

    void quartilesLieBetweenNeighbours()
    {
        QVERIFY(!spread({}));
        QCOMPARE(spread({3}).value(), (Spread{1, 3, 3, 3, 3, 3}));
        QCOMPARE(spread({4, 1, 3, 2}).value(), (Spread{4, 1, 1.75, 2.5, 3.25, 4}));
    }

    void costGrowsWithEveryKernelAndKeepsTheBest()
    {
        const RunFigures run = toldFigures();
        QCOMPARE(run.cost.size(), std::size_t(6)); // baseline, four kernels, the end
        QCOMPARE(run.cost[0].kernels, 0);
        QCOMPARE(run.cost[0].usage.calls, std::int64_t(0));
        QCOMPARE(run.cost[1].kernels, 1);
        QCOMPARE(run.cost[1].usage.calls, std::int64_t(6));
        QCOMPARE(run.cost[1].usage.usd, 0.75);
        QCOMPARE(run.cost[1].usage.unpricedCalls, std::int64_t(4));
        QCOMPARE(run.cost[1].bestSpeedup, 2.0);
        QCOMPARE(run.cost[2].bestSpeedup, 2.0);
        QCOMPARE(run.cost[4].bestSpeedup, 2.5);
        QCOMPARE(run.cost[5].kernels, 4);
        QCOMPARE(run.cost[5].seconds, 16.0);
        for (std::size_t i = 1; i < run.cost.size(); ++i)
            QVERIFY(run.cost[i].seconds >= run.cost[i - 1].seconds);
        QCOMPARE(run.usage.at(RoleName::Planner).calls, std::int64_t(7));
        QCOMPARE(run.usage.at(RoleName::Summarizer).calls, std::int64_t(0));
    }

    void theSharesOfRepeatedAndFailingKernelsAreOfTheWholeRun()
    {
        const AnswerShares shares = answerShares(toldFigures());
        QCOMPARE(shares.written, 6);
        QCOMPARE(shares.duplicates, 2);
        QCOMPARE(shares.judged, 4);
        QCOMPARE(shares.correct, 3);
        QCOMPARE(shares.duplicate.value(), 1.0 / 3);
        QCOMPARE(shares.failing.value(), 0.25);
        RunStory nothing;
        nothing.open();
        QVERIFY(!answerShares(figuresOf(nothing.events())).duplicate);
        QVERIFY(!answerShares(figuresOf(nothing.events())).failing);
    }

    void aPauseIsNoSearching()
    {
        RunStory story;
        story.open();
        story.correct("base", 4);
        story.add(TimePassed{3});
        std::vector<Event> events = story.events();
        Event late = events[1];
        late.unixSeconds = 100000;
        std::get<KernelJudged>(late.body).kernel = KernelId("late");
        events.push_back(late);
        events.push_back({0, "engine", 100001, TimePassed{2}});
        QCOMPARE(figuresOf(events).seconds, 5.0);
        PersonDecided decided;
        decided.kernel = KernelId("base");
        events.push_back({0, "human", 900000, decided});
        QCOMPARE(figuresOf(events).seconds, 5.0);
    }

    void adoptionTellsUseFromCarryingAndRepeating()
    {
        const RunFigures run = toldFigures();
        QCOMPARE(run.adoptions.size(), std::size_t(6));
        std::map<std::string, std::string> found;
        for (const AdoptionFigures &one : run.adoptions)
            found[one.item.value + " " + one.plan.value] = name(one.adoption);
        QCOMPARE(found["e0.0 i1.c0.p0"], std::string("used"));
        QCOMPARE(found["e0.0 i1.c0.p1"], std::string("carried"));
        QCOMPARE(found["e0.1 i1.c0.p1"], std::string("repeated"));
        const ItemFigures &item = run.items[0];
        QCOMPARE(item.carried, 3);
        QCOMPARE(item.used, 1);
        QCOMPARE(item.usedCorrect, 1);
        QCOMPARE(item.usedWon, 0);
        QCOMPARE(item.usedSpeedup.value(), 1.25);
        QCOMPARE(item.otherSpeedup.value(), 0.4);
        QCOMPARE(run.items[1].used, 1);
    }

    void aPlanOfSeveralStepsUsesWhatItsStepsAreAbout_data()
    {
        const QString chain = QStringLiteral(
            R"({"steps":[{"rewrite":"fuse","parameters":{}},{"rewrite":"widen","everywhere":true,)"
            R"("busy_ms":[0,1,0,0]},{"tune":{"constant":"tile","from":1,"value":2}}]})");
        QTest::addColumn<QString>("directive");
        QTest::addColumn<QString>("advised");
        QTest::addColumn<bool>("used");
        QTest::newRow("a lesson of one of the steps") << chain << QStringLiteral("widen") << true;
        QTest::newRow("a lesson of both") << chain << QStringLiteral("fuse+widen") << true;
        QTest::newRow("a lesson of the tuner") << chain << QStringLiteral("tune") << true;
        QTest::newRow("a lesson of one that is missing")
            << chain << QStringLiteral("fuse+hoist") << false;
        QTest::newRow("part of a lesson is not the lesson")
            << QStringLiteral(R"({"rewrite":"widen"})") << QStringLiteral("fuse+widen") << false;
        QTest::newRow("damaged steps")
            << QStringLiteral(R"({"steps":[3,{"rewrite":4}]})") << QStringLiteral("widen") << false;
    }
    void aPlanOfSeveralStepsUsesWhatItsStepsAreAbout()
    {
        QFETCH(QString, directive);
        QFETCH(QString, advised);
        QFETCH(bool, used);
        RunStory story;
        story.open();
        story.correct("base", 4);
        story.item(0, 0, true, advised.toStdString());
        PlanMade made;
        made.plan.slot = {1, 0, 0};
        made.plan.parent = KernelId("base");
        made.plan.directive = directive.toStdString();
        made.plan.usedItems = {ItemId("e0.0")};
        story.add(made);
        QCOMPARE(figuresOf(story.events()).items.at(0).used, used ? 1 : 0);
    }

    void proseUsesAnItemWhenItNamesIt_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("used");
        QTest::newRow("by its title") << "As in: load wider TILES first" << true;
        QTest::newRow("by its name") << "Follows [e0.0] closely" << true;
        QTest::newRow("not at all") << "Do something else" << false;
    }
    void proseUsesAnItemWhenItNamesIt()
    {
        QFETCH(QString, text);
        QFETCH(bool, used);
        RunStory story;
        story.open();
        story.correct("base", 4);
        story.item(0, 0, true, {});
        PlanMade made;
        made.plan.slot = {1, 0, 0};
        made.plan.parent = KernelId("base");
        made.plan.text = text.toStdString();
        made.plan.usedItems = {ItemId("e0.0")};
        story.add(made);
        QCOMPARE(figuresOf(story.events()).items.at(0).used, used ? 1 : 0);
    }

    void aLessonOfAnotherRunBelongsToNoIteration()
    {
        RunStory story;
        story.tell();
        PairSummarized foreign;
        foreign.iteration = -1;
        foreign.item.id = ItemId("other.e0.0");
        foreign.item.title = "From elsewhere";
        story.add(foreign);
        const RunFigures run = figuresOf(story.events());
        QCOMPARE(run.iterations.size(), std::size_t(2));
        QCOMPARE(run.iterations.front().iteration, 0);
        QCOMPARE(run.items.back().item.title, std::string("From elsewhere"));
    }

    void aSummaryThatFailedCountsWhereItWasAsked()
    {
        RunStory story;
        story.tell();
        story.add(CallFailed{CallId("i1.m0.summary"),
                             RoleName::Summarizer,
                             {},
                             0,
                             "no",
                             {1, 0, 0, 0, 0, 1},
                             {},
                             {}});
        const RunFigures run = figuresOf(story.events());
        QCOMPARE(run.iterations[0].failedCalls, 0);
        QCOMPARE(run.iterations[1].failedCalls, 2);
    }

    void aDroppedKernelIsNotTheBest()
    {
        RunStory story;
        story.tell();
        PersonDecided drop;
        drop.decision = Decision::DropKernel;
        drop.kernel = KernelId("faster");
        story.add(drop);
        RunFigures run = figuresOf(story.events());
        QCOMPARE(run.best.value, std::string("fast"));
        QCOMPARE(run.iterations[1].bestSpeedupSoFar.value(), 2.0);
        drop.decision = Decision::UndropKernel;
        story.add(drop);
        QCOMPARE(figuresOf(story.events()).best.value, std::string("faster"));
    }

    void aTieIsNoGain()
    {
        RunStory story;
        story.tieMargin = 0.02;
        story.open();
        story.correct("base", 4);
        story.plan({0, 0, 0}, "base");
        story.write({{0, 0, 0}, 0}, "fast");
        story.correct("fast", 2);
        story.plan({1, 0, 0}, "fast");
        story.write({{1, 0, 0}, 0}, "tied");
        story.correct("tied", 1.97);
        RunFigures run = figuresOf(story.events());
        QCOMPARE(run.best.value, std::string("fast"));
        QCOMPARE(run.iterations[1].bestSpeedupSoFar.value(), 2.0);
        QCOMPARE(run.cost.back().bestSpeedup, 2.0);
        story.plan({2, 0, 0}, "fast");
        story.write({{2, 0, 0}, 0}, "faster");
        story.correct("faster", 1.9);
        QCOMPARE(figuresOf(story.events()).best.value, std::string("faster"));
    }

    void aRefutedKernelIsNotTheBest()
    {
        RunStory story;
        story.tell();
        KernelJudged refuted;
        refuted.kernel = KernelId("faster");
        refuted.purpose = JudgePurpose::Confirmation;
        refuted.verdict.status = VerdictStatus::Wrong;
        story.add(refuted);
        story.correct("fast", 2, JudgePurpose::Confirmation);
        const RunFigures run = figuresOf(story.events());
        QCOMPARE(run.best.value, std::string("fast"));
        QCOMPARE(run.confirmed.value(), true);
    }

    void figuresOfAnotherKindAreNotCompared()
    {
        RunStory story;
        story.open();
        story.correct("base", 4);
        story.plan({0, 0, 0}, "base");
        story.write({{0, 0, 0}, 0}, "measured");
        story.simulated = false;
        story.correct("measured", 1);
        const RunFigures run = figuresOf(story.events());
        QVERIFY(run.simulated);
        QCOMPARE(run.best.value, std::string("base"));
        QVERIFY(!kernelOf(run, "measured").speedup);
        QCOMPARE(kernelOf(run, "measured").latencyMs.value(), 1.0);
    }

    void theFirstPlaceOfAKernelDoesNotDependOnTheOrderOfAnswers()
    {
        RunStory story;
        story.open();
        story.correct("base", 4);
        story.plan({0, 0, 0}, "base");
        story.plan({0, 0, 1}, "base");
        story.write({{0, 0, 1}, 0}, "same");
        story.write({{0, 0, 0}, 0}, "same");
        story.correct("same", 2);
        const RunFigures run = figuresOf(story.events());
        QCOMPARE(planId(kernelOf(run, "same").slot->plan).value, std::string("i0.c0.p0"));
        QCOMPARE(run.iterations[0].duplicates, 1);
    }

    void aRunWithoutASoundBaselineHasNoSpeedups()
    {
        RunStory story;
        story.open();
        story.failing("base", VerdictStatus::Wrong);
        const RunFigures run = figuresOf(story.events());
        QVERIFY(!run.baselineMs);
        QVERIFY(!run.bestSpeedup);
        QVERIFY(run.cost.empty());
        QVERIFY(figuresOf({}).kernels.empty());
    }
};

ACCELOPT_TEST(tst_RunFigures)
#include "tst_RunFigures.moc"
