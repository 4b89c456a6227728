// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/runner/BudgetSharing.h"

#include <algorithm>

using namespace accelopt;
using namespace accelopt::runner;
using search::Saturation;

namespace {

/// A run that its budget of 16 kernels has stopped while it still gains.
Standing gaining(const std::string &name, double lastGain = 1.2)
{
    Standing run;
    run.name = name;
    run.open = true;
    run.bound.kernels = 16;
    run.kernels = 16;
    run.kernelsPerIteration = 12;
    run.iterations = 3;
    run.iterationsLeft = 3;
    run.lastGain = lastGain;
    run.saturation = Saturation::StillMoving;
    return run;
}

Standing nearPeak(const std::string &name)
{
    Standing run = gaining(name, 1.0);
    run.saturation = Saturation::NearPeak;
    run.saturationText = "85 % of peak";
    return run;
}

Standing withoutGain(const std::string &name)
{
    Standing run = gaining(name, 1.0);
    run.saturation = Saturation::Stuck;
    run.saturationText = "1 of 12 correct";
    run.iterationsWithoutGain = 2;
    return run;
}

Standing ended(const std::string &name, int spent)
{
    Standing run = gaining(name, 1.0);
    run.open = false;
    run.kernels = spent;
    run.ended = "no gain above 1 % for 4 iterations";
    return run;
}

const HandOut::Move *moveOf(const HandOut &out, std::size_t run)
{
    const auto found = std::find_if(out.moves.begin(), out.moves.end(),
                                    [&](const HandOut::Move &move) { return move.run == run; });
    return found == out.moves.end() ? nullptr : &*found;
}

int boundAfter(const std::vector<Standing> &runs, const HandOut &out)
{
    int sum = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const HandOut::Move *move = moveOf(out, i);
        sum += *runs[i].bound.kernels + (move == nullptr ? 0 : move->event.kernels);
    }
    return sum;
}

bool says(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

Budget kernels(int number)
{
    return {number, {}, {}};
}

} // namespace

class tst_BudgetSharing : public QObject
{
    Q_OBJECT

private slots:
    void theFirstGrantIsHalfOfAnEqualShare_data()
    {
        QTest::addColumn<int>("total");
        QTest::addColumn<int>("runs");
        QTest::addColumn<int>("perIteration");
        QTest::addColumn<int>("grant");
        QTest::newRow("half of a large share") << 448 << 14 << 4 << 16;
        QTest::newRow("one iteration when half is less") << 40 << 4 << 8 << 8;
        QTest::newRow("never more than the share") << 12 << 4 << 8 << 3;
        QTest::newRow("one kernel each") << 4 << 4 << 8 << 1;
    }

    void theFirstGrantIsHalfOfAnEqualShare()
    {
        QFETCH(int, total);
        QFETCH(int, runs);
        QFETCH(int, perIteration);
        QFETCH(int, grant);
        const auto given = firstGrant(kernels(total), runs, 2, perIteration);
        ACCELOPT_VERIFY_OK(given);
        QCOMPARE(*given->kernels, grant);
        QVERIFY(!given->usd && !given->minutes);
    }

    void fewerKernelsThanSearchesAreRefused()
    {
        const auto given = firstGrant(kernels(3), 4, 2, 8);
        QVERIFY(!given);
        QCOMPARE(given.error().code, ErrorCode::WrongUse);
        QVERIFY(says(given.error().message, "--budget-kernels must be at least 4"));
    }

    void minutesCountForAllThatAreUnderWayAtOnce()
    {
        const auto given = firstGrant({{}, 8.0, 12.0}, 4, 2, 8);
        ACCELOPT_VERIFY_OK(given);
        QCOMPARE(*given->usd, 1.0);
        QCOMPARE(*given->minutes, 3.0);
    }

    void budgetMovesFromSaturatedRunsToThoseThatGain()
    {
        const std::vector<Standing> runs{nearPeak("silu"), gaining("bmm", 1.3), withoutGain("lora"),
                                         ended("adamw", 10)};
        const HandOut out = handOut(kernels(128), 2, 1, runs);
        QCOMPARE(out.moves.size(), std::size_t(4));
        // 128 less 58 spent are 70; two iterations of 12 go to the one that gains.
        const HandOut::Move *bmm = moveOf(out, 1);
        QCOMPARE(bmm->event.kernels, 24);
        QVERIFY(!bmm->closes);
        QCOMPARE(bmm->event.reason,
                 std::string("24 more kernels: it still gains, 1.300x in its last iteration; made "
                             "room: silu, lora, adamw"));
        const HandOut::Move *silu = moveOf(out, 0);
        QVERIFY(silu->closes);
        QCOMPARE(silu->event.kernels, 0);
        QVERIFY(says(silu->event.reason, "goes to bmm: near peak: 85 % of peak"));
        QVERIFY(says(silu->event.reason, "16 of an equal share of 32 kernels spent"));
        const HandOut::Move *lora = moveOf(out, 2);
        QVERIFY(says(lora->event.reason, "no gain for 2 iterations, stuck: 1 of 12 correct"));
        // What it was given and did not spend goes back.
        const HandOut::Move *adamw = moveOf(out, 3);
        QCOMPARE(adamw->event.kernels, -6);
        QVERIFY(says(adamw->event.reason, "no gain above 1 % for 4 iterations"));
    }

    void thosePassedOverAreNotToldAgain()
    {
        std::vector<Standing> runs{ended("silu", 16), gaining("bmm")};
        runs[0].closed = true;
        const HandOut out = handOut(kernels(64), 2, 2, runs);
        QCOMPARE(out.moves.size(), std::size_t(1));
        QCOMPARE(out.moves[0].event.round, 2);
        QVERIFY(!says(out.moves[0].event.reason, "made room"));
    }

    void whenNobodyGainsThoseNotNearTheirPeakGoOn()
    {
        const std::vector<Standing> runs{nearPeak("silu"), withoutGain("lora")};
        const HandOut out = handOut(kernels(64), 2, 1, runs);
        QVERIFY(moveOf(out, 0)->closes);
        QCOMPARE(moveOf(out, 1)->event.kernels, 24);
        QVERIFY(says(moveOf(out, 1)->event.reason, "no run gains any more"));
        QVERIFY(handOut(kernels(64), 2, 1, {nearPeak("silu"), nearPeak("bmm")}).moves.empty());
    }

    void aRunThatHasOnlyBegunGoesOn()
    {
        Standing run = withoutGain("lora");
        run.iterations = 1;
        run.iterationsWithoutGain = 1;
        const HandOut out = handOut(kernels(64), 2, 1, {run, nearPeak("silu")});
        QVERIFY(says(moveOf(out, 0)->event.reason, "it has only begun"));
    }

    void whenThereIsNotEnoughTheLargestGainsComeFirst()
    {
        const std::vector<Standing> runs{gaining("a", 1.1), gaining("b", 1.5), gaining("c", 1.3)};
        const HandOut out = handOut(kernels(48 + 2), 2, 1, runs);
        QCOMPARE(moveOf(out, 1)->event.kernels, 1);
        QCOMPARE(moveOf(out, 2)->event.kernels, 1);
        QVERIFY(moveOf(out, 0)->closes);
    }

    void noMoreThanARunCanUse()
    {
        Standing run = gaining("a");
        run.iterationsLeft = 1;
        QCOMPARE(moveOf(handOut(kernels(640), 2, 1, {run, gaining("b")}), 0)->event.kernels, 12);
        run.iterationsLeft = 0;
        QVERIFY(moveOf(handOut(kernels(640), 2, 1, {run, gaining("b")}), 0)->closes);
    }

    void nothingLeftMovesNothing()
    {
        QVERIFY(handOut(kernels(32), 2, 1, {gaining("a"), gaining("b")}).moves.empty());
        QVERIFY(handOut(kernels(31), 2, 1, {gaining("a"), gaining("b")}).moves.empty());
    }

    void theWholeIsNeverExceededAndComesToAnEnd()
    {
        std::vector<Standing> runs{gaining("a", 1.1), gaining("b", 1.5), gaining("c", 1.3)};
        for (Standing &run : runs)
            run.iterationsLeft = 100;
        int rounds = 0;
        for (int round = 1; round < 100; ++round, ++rounds) {
            const HandOut out = handOut(kernels(301), 2, round, runs);
            if (out.moves.empty())
                break;
            QVERIFY(boundAfter(runs, out) <= 301);
            for (const HandOut::Move &move : out.moves) {
                Standing &run = runs[move.run];
                run.bound.kernels = *run.bound.kernels + move.event.kernels;
                run.kernels = *run.bound.kernels;
                run.open = !move.closes;
                run.closed = move.closes;
            }
        }
        QVERIFY(rounds > 2 && rounds < 20);
        QCOMPARE(runs[0].kernels + runs[1].kernels + runs[2].kernels, 301);
    }

    void moneyIsCutIntoPiecesUntilItIsSmall()
    {
        Standing run = gaining("a");
        run.bound = {{}, 5.0, {}};
        run.usd = 5.5; // the last calls cost more than was left
        const Budget total{{}, 20.0, {}};
        const HandOut out = handOut(total, 2, 1, {run, run});
        // 9 are left; half of it is cut in two.
        QCOMPARE(moveOf(out, 0)->event.usd, 5.5 + 2.25 - 5.0);
        run.usd = 9.75;
        QCOMPARE(moveOf(handOut(total, 2, 2, {run, run}), 0)->event.usd, 9.75 + 0.25 - 5.0);
        run.usd = 10;
        QVERIFY(handOut(total, 2, 3, {run, run}).moves.empty());
    }
};

ACCELOPT_TEST(tst_BudgetSharing)
#include "tst_BudgetSharing.moc"
