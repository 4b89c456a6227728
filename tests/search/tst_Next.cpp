// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "tests/search/World.h"

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

std::string askedFor(const State &state, Limits limits = {})
{
    std::string text;
    for (const Command &command : next(state, limits))
        text += (text.empty() ? "" : " ") + callId(command).value;
    return text;
}

/// A run in which plan 0 has its two kernels written, plan 1 is made, plan 2 is open.
Driver halfway()
{
    RunConfig config;
    config.plansPerCandidate = 3;
    config.attemptsPerPlan = 2;
    World world;
    Driver driver(world, Arrival::First);
    driver.open(config);
    driver.step();
    for (const PlanSlot &slot : {PlanSlot{0, 0, 0}, PlanSlot{0, 0, 1}})
        driver.append(world.answer(driver.state(), AskPlanner{planCall(slot), slot}), "fake");
    for (const int a : {0, 1}) {
        const Turn turn{{{0, 0, 0}, a}, 0};
        driver.append(world.answer(driver.state(), AskExecutor{writeCall(turn), turn.slot, 0}),
                      "fake");
    }
    return driver;
}

} // namespace

class tst_Next : public QObject
{
    Q_OBJECT

private slots:
    void everythingOutstandingComesInSlotOrder()
    {
        QCOMPARE(askedFor(halfway().state()),
                 std::string("judge.i0.c0.p0.a0.search judge.i0.c0.p0.a1.search "
                             "i0.c0.p1.a0.write i0.c0.p1.a1.write i0.c0.p2.plan"));
    }

    void limitsCutEachKindByItself()
    {
        Driver driver = halfway();
        QCOMPARE(askedFor(driver.state(), {1, 1}),
                 std::string("judge.i0.c0.p0.a0.search i0.c0.p1.a0.write"));
        QCOMPARE(askedFor(driver.state(), {0, 9}),
                 std::string("judge.i0.c0.p0.a0.search judge.i0.c0.p0.a1.search"));
        QCOMPARE(askedFor(driver.state(), {3, 0}),
                 std::string("i0.c0.p1.a0.write i0.c0.p1.a1.write i0.c0.p2.plan"));
    }

    void limitsDoNotChangeWhatARunComesTo()
    {
        RunConfig config;
        config.iterations = 3;
        Driver free(wildWorld(9), Arrival::Random);
        free.open(config);
        free.run();
        Driver limited(wildWorld(9), Arrival::First);
        limited.limits = {2, 1};
        limited.open(config);
        limited.run();
        QCOMPARE(limited.state().phase, Phase::Finished);
        QCOMPARE(limited.state().best, free.state().best);
        QCOMPARE(limited.state().counts.distinct, free.state().counts.distinct);
    }

    void callsInFlightStayUntilTheyAreAnswered()
    {
        Driver driver = halfway();
        const std::string before = askedFor(driver.state());
        driver.append(CallStarted{CallId("i0.c0.p2.plan"), RoleName::Planner}, "engine");
        QCOMPARE(askedFor(driver.state()), before);
    }
};

ACCELOPT_TEST(tst_Next)
#include "tst_Next.moc"
