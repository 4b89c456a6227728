// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Why.h"
#include "tests/search/World.h"

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

Driver finished()
{
    World world;
    world.write = [](const State &, const Turn &turn) {
        return "kernel" + std::to_string(turn.slot.plan.plan);
    };
    world.judge = [](const std::string &kernel, JudgePurpose) {
        if (kernel == "baseline")
            return judgedCorrect(kernel, 10);
        if (kernel == "kernel1")
            return judgedAs(kernel, VerdictStatus::Wrong);
        return judgedCorrect(kernel, 8);
    };
    RunConfig config;
    config.plansPerCandidate = 2;
    config.iterations = 1;
    Driver driver(world, Arrival::First);
    driver.open(config);
    driver.run();
    return driver;
}

std::string told(const State &state, std::string_view id)
{
    std::string text;
    for (const std::string &sentence : why(state, id))
        text += sentence + "\n";
    return text;
}

} // namespace

class tst_Why : public QObject
{
    Q_OBJECT

private slots:
    void aKernelsStory()
    {
        Driver driver = finished();
        PersonDecided drop;
        drop.decision = Decision::DropKernel;
        drop.kernel = KernelId("kernel0");
        drop.reason = "cheats";
        driver.append(drop, "human");
        QCOMPARE(told(driver.state(), "baseline"),
                 std::string("The baseline, from which the search starts.\n"
                             "Judged correct: 10 ms.\n"
                             "Fate: rank 2 of 2: 10 ms.\n"
                             "It is the best kernel so far.\n"
                             "At the end: the baseline is correct again: 10 ms.\n"));
        QCOMPARE(told(driver.state(), "kernel0"),
                 std::string("Written by the executor in iteration 1 as i0.c0.p0.a0 for the plan "
                             "\"plan i0.c0.p0\", from kernel baseline.\n"
                             "Judged correct: 8 ms, 1.250x against its parent, 1.250x against the "
                             "baseline.\n"
                             "Fate: rank 1 of 2: 8 ms, 1.250x against its parent.\n"
                             "At the end: confirmed: 1.250x (1.250x to 1.250x), 8 ms against 10 ms "
                             "for the baseline.\n"
                             "A person dropped it: cheats.\n"));
        QVERIFY(told(driver.state(), "kernel1").find("Judged: wrong: made up (line 3).") !=
                std::string::npos);
    }

    void aKernelIsFoundByAPrefix()
    {
        World world;
        world.write = [](const State &, const Turn &turn) {
            return turn.slot.plan.plan == 0 ? "abcdef0001" : "abcdef0002";
        };
        Driver driver(world, Arrival::First);
        RunConfig config;
        config.plansPerCandidate = 2;
        config.iterations = 1;
        driver.open(config);
        driver.run();
        QVERIFY(told(driver.state(), "abcdef").empty());
        QVERIFY(told(driver.state(), "abc").empty());
        QVERIFY(told(driver.state(), "abcdef0001")
                    .starts_with("Written by the executor in iteration 1 as i0.c0.p0.a0 for the "
                                 "plan \"plan i0.c0.p0\", from kernel baseline.\n"));
    }

    void plansAttemptsItemsPairsAndIterationsHaveReasons()
    {
        Driver driver = finished();
        const State &state = driver.state();
        QVERIFY(told(state, "i0.c0.p1.a0").find("wrong: made up (line 3)") != std::string::npos);
        QVERIFY(told(state, "i0.c0.p0").find("Memory: positive pair, rank 1 of 1, 1.250x.") !=
                std::string::npos);
        QVERIFY(told(state, "e0.0").find("kernel0 is 1.250x faster than baseline") !=
                std::string::npos);
        QVERIFY(told(state, "i0.m0").find("It is summarized.") != std::string::npos);
        QVERIFY(told(state, "i0").find("2 new kernels judged, 1 of them correct.") !=
                std::string::npos);
        QCOMPARE(told(state, "run"), std::string("It ends because: 1 iteration done.\n"));
    }

    void unknownNamesHaveNone()
    {
        Driver driver = finished();
        for (const char *id : {"", "i7", "i0.c0.p9", "i0.c0.p0.a7", "e4.0", "i0.m9", "nobody"})
            QVERIFY2(why(driver.state(), id).empty(), id);
        QVERIFY(why(State(), "run").empty());
    }
};

ACCELOPT_TEST(tst_Why)
#include "tst_Why.moc"
