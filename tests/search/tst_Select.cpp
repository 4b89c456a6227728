// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Select.h"
#include "tests/search/Sketch.h"

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

Q_DECLARE_METATYPE(BeamPolicy)

namespace {

void conclude(State &state)
{
    trackBest(state, state.iterations.back());
    judgeAttempts(state, state.iterations.back());
    search::select(state, state.iterations.back());
}

std::string beam(const State &state)
{
    return names(state.iterations.back().selection.beam);
}

Fate fate(const State &state, double latencyMs)
{
    return kernel(state, Sketch::id(latencyMs))->fate;
}

} // namespace

class tst_Select : public QObject
{
    Q_OBJECT

private slots:
    void firstWorkedExample_data()
    {
        QTest::addColumn<BeamPolicy>("policy");
        QTest::addColumn<QString>("expected");
        QTest::newRow("paper takes the two fastest new kernels") << BeamPolicy::Paper << "1.5 2.";
        QTest::newRow("published-code takes the same") << BeamPolicy::PublishedCode << "1.5 2.";
        QTest::newRow("elitist keeps the parent") << BeamPolicy::Elitist << "1. 1.5";
    }

    void firstWorkedExample()
    {
        QFETCH(BeamPolicy, policy);
        QFETCH(QString, expected);
        Sketch sketch(1.0);
        sketch.state.config.beamWidth = 2;
        sketch.state.config.beamPolicy = policy;
        sketch.iteration({1.0}, {{{1.5}, {2.0}, {3.0}, {{}}}});
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), expected.toStdString());
    }

    void secondWorkedExample_data()
    {
        QTest::addColumn<BeamPolicy>("policy");
        QTest::addColumn<QString>("expected");
        QTest::newRow("paper fills with the fastest first") << BeamPolicy::Paper << "1. 5.";
        QTest::newRow("elitist ranks the candidates") << BeamPolicy::Elitist << "1. 5.";
        QTest::newRow("published-code copies what comes first in the file")
            << BeamPolicy::PublishedCode << "5. 5. 5. 5. 5. 5.";
    }

    void secondWorkedExample()
    {
        QFETCH(BeamPolicy, policy);
        QFETCH(QString, expected);
        Sketch sketch(5.0);
        sketch.state.config.beamWidth = 6;
        sketch.state.config.beamPolicy = policy;
        const std::vector<Sketch::Group> nothing(12, Sketch::Group{std::nullopt});
        sketch.iteration({5.0, 1.0}, {nothing, nothing});
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), expected.toStdString());
    }

    void fourthWorkedExample()
    {
        Sketch sketch(1.0);
        sketch.state.config.beamWidth = 2;
        sketch.iteration({1.0}, {{{1.5}, {2.0}, {3.0}, {{}}}});
        sketch.state.kernels.at(Sketch::id(3.0)).pinned = true;
        sketch.state.pinned.insert(Sketch::id(3.0));
        sketch.state.kernels.at(Sketch::id(1.5)).dropped = true;
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), std::string("3. 1."));
        QCOMPARE(fate(sketch.state, 3.0).code, FateCode::Pinned);
        QCOMPARE(fate(sketch.state, 1.5).code, FateCode::Dropped);
        QCOMPARE(fate(sketch.state, 2.0).code, FateCode::Cut);
    }

    void everyFateSaysWhyWithNumbers()
    {
        Sketch sketch(10.0, 0.02);
        sketch.state.config.beamWidth = 2;
        sketch.iteration({10.0}, {{{8.0, 9.0}, {7.0, {}}, {8.1}, {9.5}, {8.0}}});
        conclude(sketch.state);
        const State &state = sketch.state;
        QCOMPARE(beam(state), std::string("7. 8."));
        QCOMPARE(fate(state, 7.0).code, FateCode::Selected);
        QCOMPARE(fate(state, 7.0).text,
                 std::string("rank 1 of 5: 7 ms, 1.429x against its parent"));
        QCOMPARE(fate(state, 9.0).code, FateCode::GroupLoser);
        QCOMPARE(fate(state, 9.0).text,
                 std::string("not the fastest of its plan: 9 ms against 8 ms"));
        QCOMPARE(fate(state, 8.1).code, FateCode::Tie);
        QCOMPARE(fate(state, 9.5).code, FateCode::Cut);
        QCOMPARE(fate(state, 9.5).text,
                 std::string("rank 4 of 5, beam has 2 places: 9.5 ms against 8 ms for the last "
                             "one chosen"));
        QCOMPARE(fate(state, 10.0).code, FateCode::Cut);
        const AttemptRecord *copy = attempt(state, AttemptSlot{{0, 0, 4}, 0});
        QCOMPARE(copy->fate.code, FateCode::Duplicate);
        QCOMPARE(copy->fate.text, std::string("the same kernel as i0.c0.p0.a0, not judged again"));
        const AttemptRecord *wrong = attempt(state, AttemptSlot{{0, 0, 1}, 1});
        QCOMPARE(wrong->fate.code, FateCode::NotCorrect);
        QCOMPARE(wrong->fate.text, std::string("wrong: made up (line 3)"));
    }

    void aTieIsNoNewBest()
    {
        Sketch sketch(10.0, 0.02);
        sketch.iteration({10.0}, {{{9.9}}});
        conclude(sketch.state);
        QCOMPARE(sketch.state.best, Sketch::id(10.0));
        QVERIFY(!sketch.state.iterations.back().progress);
        QCOMPARE(sketch.state.iterationsWithoutGain, 1);
        // Order is by point latency all the same.
        QCOMPARE(beam(sketch.state), std::string("9.9 10."));
    }

    void smallGainsAddUpToProgress()
    {
        Sketch sketch(10.0);
        sketch.state.config.patienceGainPercent = 1;
        sketch.iteration({10.0}, {{{9.95}}});
        conclude(sketch.state);
        QCOMPARE(sketch.state.best, Sketch::id(9.95));
        QVERIFY(!sketch.state.iterations.back().progress);
        sketch.iteration({9.95}, {{{9.89}}});
        conclude(sketch.state);
        QVERIFY(sketch.state.iterations.back().progress);
        QCOMPARE(sketch.state.iterationsWithoutGain, 0);
    }

    void equalLatenciesAreOrderedByIdentity()
    {
        Sketch sketch(10.0);
        sketch.state.config.beamWidth = 1;
        sketch.state.config.beamPolicy = BeamPolicy::Paper;
        IterationRecord &iteration = sketch.iteration({10.0}, {{{8.0}, {7.0}}});
        // A second kernel as fast as the first one, but earlier in the alphabet.
        KernelRecord twin = sketch.state.kernels.at(Sketch::id(7.0));
        twin.id = KernelId("0 twin");
        twin.first = Turn{{{0, 0, 0}, 0}, 0};
        sketch.state.kernels[twin.id] = twin;
        iteration.plans[0].attempts[0].turns[0].kernel = twin.id;
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), std::string("0 twin"));
    }

    void figuresOfAnotherKindNeverRank()
    {
        Sketch sketch(10.0);
        sketch.state.config.beamWidth = 2;
        sketch.iteration({10.0}, {{{5.0}, {8.0}}});
        KernelRecord &foreign = sketch.state.kernels.at(Sketch::id(5.0));
        foreign.profile.simulated = false;
        foreign.rankable = false;
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), std::string("8. 10."));
        QCOMPARE(fate(sketch.state, 5.0).code, FateCode::NotComparable);
        QCOMPARE(sketch.state.best, Sketch::id(8.0));
    }

    void aGroupFallsBackToItsNextKernelWhenTheFastestIsDropped()
    {
        Sketch sketch(10.0);
        sketch.state.config.beamWidth = 1;
        sketch.iteration({10.0}, {{{5.0, 8.0}}});
        sketch.state.kernels.at(Sketch::id(5.0)).dropped = true;
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), std::string("8."));
    }

    void withoutABeamEveryPlanStartsFromTheBaseline()
    {
        Sketch sketch(10.0);
        sketch.state.config.useBeam = false;
        sketch.iteration({10.0}, {{{5.0}, {8.0}}});
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), std::string("10."));
        QCOMPARE(fate(sketch.state, 5.0).code, FateCode::NotBuiltOn);
        QCOMPARE(sketch.state.best, Sketch::id(5.0));
    }

    void selectingAgainAfterADecisionReplacesTheBeam()
    {
        Sketch sketch(10.0);
        sketch.state.config.beamWidth = 1;
        sketch.iteration({10.0}, {{{5.0}, {8.0}}});
        conclude(sketch.state);
        QCOMPARE(beam(sketch.state), std::string("5."));
        sketch.state.kernels.at(Sketch::id(5.0)).dropped = true;
        search::select(sketch.state, sketch.state.iterations.back());
        QCOMPARE(beam(sketch.state), std::string("8."));
        QCOMPARE(fate(sketch.state, 5.0).code, FateCode::Dropped);
    }
};

ACCELOPT_TEST(tst_Select)
#include "tst_Select.moc"
