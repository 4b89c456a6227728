// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Canonical.h"
#include "core/search/Why.h"
#include "tests/search/World.h"

#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

RunConfig budgeted(int kernels)
{
    RunConfig config;
    config.beamWidth = 2;
    config.plansPerCandidate = 2;
    config.attemptsPerPlan = 1;
    config.iterations = 8;
    config.patience = 0;
    config.budgetKernels = kernels;
    return config;
}

BudgetMoved moved(int round, int kernels)
{
    BudgetMoved event;
    event.round = round;
    event.kernels = kernels;
    event.reason = "because of the numbers";
    return event;
}

bool confirmsNothingYet(const State &state)
{
    return state.phase == Phase::Confirm;
}

} // namespace

class tst_BudgetMoved : public QObject
{
    Q_OBJECT

private slots:
    void aStoppedRunGoesOnWithWhatItIsGiven()
    {
        Driver driver(wildWorld(4), Arrival::First);
        driver.open(budgeted(4));
        driver.run(confirmsNothingYet);
        QCOMPARE(driver.state().stop.code, StopCode::BudgetKernels);
        QCOMPARE(driver.state().counts.distinct, 4);
        driver.append(moved(1, 5), "engine");
        QVERIFY(driver.state().phase != Phase::Confirm);
        QCOMPARE(*driver.state().config.budgetKernels, 9);
        driver.run();
        QCOMPARE(driver.state().phase, Phase::Finished);
        QCOMPARE(driver.state().counts.distinct, 9);
        QVERIFY(driver.state().complaints.empty());
        QCOMPARE(canonical(fold(driver.log())).dump(), canonical(driver.state()).dump());
        QCOMPARE(canonical(driver.state())["budget_moves"].size(), std::size_t(1));
        QCOMPARE(why(driver.state(), "run").at(1),
                 std::string("Budget, round 1: because of the numbers."));
    }

    void aFinishedRunGoesOnAsWell()
    {
        Driver driver(wildWorld(4), Arrival::First);
        driver.open(budgeted(4));
        driver.run();
        QCOMPARE(driver.state().phase, Phase::Finished);
        driver.append(moved(1, 3), "engine");
        driver.run();
        QCOMPARE(driver.state().counts.distinct, 7);
        QCOMPARE(driver.state().phase, Phase::Finished);
    }

    void patienceIsNotForgotten()
    {
        World world;
        Driver driver(world, Arrival::First); // nothing is ever faster than the baseline
        RunConfig config = budgeted(2 + 4);
        config.patience = 3;
        driver.open(config);
        driver.run(confirmsNothingYet);
        const int without = driver.state().iterationsWithoutGain;
        QVERIFY(without > 0);
        driver.append(moved(1, 40), "engine");
        QCOMPARE(driver.state().iterationsWithoutGain, without);
        driver.run();
        QCOMPARE(driver.state().stop.code, StopCode::Patience);
        QCOMPARE(driver.state().iterationsWithoutGain, 3);
    }

    void whatIsGivenAwayIsGone()
    {
        Driver driver(wildWorld(4), Arrival::First);
        driver.open(budgeted(30));
        driver.run([](const State &state) { return state.iterations.size() == 2; });
        driver.append(moved(1, -30), "engine");
        QCOMPARE(*driver.state().config.budgetKernels, 0);
        driver.run();
        // What was begun when it was given away is finished.
        QCOMPARE(driver.state().stop.code, StopCode::BudgetKernels);
        QCOMPARE(driver.state().iterations.size(), std::size_t(2));
    }

    void aFinishedRunThatGivesAwayStaysFinished()
    {
        Driver driver(wildWorld(4), Arrival::First);
        driver.open(budgeted(4));
        driver.run();
        driver.append(moved(1, -1), "engine");
        QCOMPARE(driver.state().phase, Phase::Finished);
        QVERIFY(next(driver.state()).empty());
    }

    void aRoundIsTakenOnce()
    {
        Driver driver(wildWorld(4), Arrival::First);
        driver.open(budgeted(4));
        driver.run(confirmsNothingYet);
        driver.append(moved(2, 1), "engine");
        driver.append(moved(2, 1), "engine");
        driver.append(moved(1, 1), "engine");
        QCOMPARE(*driver.state().config.budgetKernels, 5);
        QCOMPARE(driver.state().complaints.size(), std::size_t(2));
    }

    void moneyAndTimeMoveToo()
    {
        Driver driver(wildWorld(4), Arrival::First);
        RunConfig config = budgeted(1000);
        config.budgetUsd = 0.05;
        config.budgetMinutes = 10;
        driver.open(config);
        driver.run(confirmsNothingYet);
        QCOMPARE(driver.state().stop.code, StopCode::BudgetUsd);
        BudgetMoved more = moved(1, 0);
        more.usd = 0.2;
        more.minutes = -4;
        driver.append(more, "engine");
        QCOMPARE(*driver.state().config.budgetMinutes, 6.0);
        QVERIFY(driver.state().phase != Phase::Confirm);
        driver.append(TimePassed{6 * 60}, "engine");
        QCOMPARE(driver.state().stop.code, StopCode::BudgetMinutes);
    }
};

ACCELOPT_TEST(tst_BudgetMoved)
#include "tst_BudgetMoved.moc"
