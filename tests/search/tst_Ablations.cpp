// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "tests/search/World.h"

#include <set>

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

/// A world in which each kernel is new, most are correct and some are faster.
World manyKernels()
{
    World world;
    world.judge = [](const std::string &kernel, JudgePurpose) {
        if (kernel == "baseline")
            return judgedCorrect(kernel, 10);
        const std::uint64_t dice = mixSeed(9, kernel);
        if (dice % 7 == 0)
            return judgedAs(kernel, VerdictStatus::Wrong);
        return judgedCorrect(kernel, 6 + 0.01 * double(dice % 700));
    };
    return world;
}

State runOf(const RunConfig &config)
{
    Driver driver(manyKernels(), Arrival::First);
    driver.limits = {4, 4};
    driver.open(config);
    driver.run();
    return driver.state();
}

/// Kernels that the plans of the run started from.
std::set<KernelId> parents(const State &state)
{
    std::set<KernelId> found;
    for (const IterationRecord &iteration : state.iterations)
        for (const PlanRecord &plan : iteration.plans)
            found.insert(plan.plan.parent);
    return found;
}

} // namespace

/// The presets that leave a part of the method away, at the same number of kernels.
class tst_Ablations : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase_data()
    {
        QTest::addColumn<int>("budget");
        QTest::newRow("a laptop's budget") << 64;
        QTest::newRow("a larger budget") << 300;
    }

    void eachSpendsTheSame()
    {
        QFETCH_GLOBAL(int, budget);
        for (const char *name : {"paper", "sampling", "search-only", "reflexion", "b1"}) {
            RunConfig config = *preset(name);
            config.budgetKernels = budget;
            const State state = runOf(config);
            QCOMPARE(state.phase, Phase::Finished);
            QCOMPARE(state.stop.code, StopCode::BudgetKernels);
            QVERIFY2(state.counts.distinct == budget, name);
        }
    }

    void samplingBuildsOnNothing()
    {
        RunConfig config = *preset("sampling");
        QFETCH_GLOBAL(int, budget);
        config.budgetKernels = budget;
        const State state = runOf(config);
        QCOMPARE(parents(state), std::set<KernelId>{KernelId("baseline")});
        QVERIFY(state.items.empty());
        // The fastest of all is the result all the same.
        QCOMPARE(state.best, state.ranking.begin()->kernel);
    }

    void searchOnlyHasABeamAndNoMemory()
    {
        RunConfig config = *preset("search-only");
        QFETCH_GLOBAL(int, budget);
        config.budgetKernels = budget;
        const State state = runOf(config);
        QVERIFY(parents(state).size() > 1);
        QVERIFY(state.items.empty());
        QVERIFY(experiences(state).empty());
        QCOMPARE(state.usage.count(RoleName::Summarizer), std::size_t(0));
    }

    void reflexionKeepsALessonOfEachCorrectKernel()
    {
        RunConfig config = *preset("reflexion");
        QFETCH_GLOBAL(int, budget);
        config.budgetKernels = budget;
        const State state = runOf(config);
        std::size_t correct = 0;
        for (const auto &[id, record] : state.kernels)
            correct += record.first && record.rankable ? 1 : 0;
        QCOMPARE(state.items.size(), correct);
        QCOMPARE(state.active.size(), correct);
    }

    void b1FollowsOneKernel()
    {
        RunConfig config = *preset("b1");
        QFETCH_GLOBAL(int, budget);
        config.budgetKernels = budget;
        const State state = runOf(config);
        for (const IterationRecord &iteration : state.iterations) {
            QCOMPARE(iteration.candidates.size(), std::size_t(1));
            QCOMPARE(iteration.plansPerCandidate, 72);
        }
        QVERIFY(!state.items.empty());
    }
};

ACCELOPT_TEST(tst_Ablations)
#include "tst_Ablations.moc"
