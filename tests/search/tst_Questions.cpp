// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Questions.h"
#include "tests/search/World.h"

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

std::string textOf(const TextId &id)
{
    return "<" + id.value + ">";
}

/// A run of 2 x 2 x 1 in which iteration 2 has just begun. Kernels are named after their slots;
/// those of plan 1 are wrong in iteration 0, and each iteration is faster than the one before.
Driver thirdIteration()
{
    World world;
    world.judge = [](const std::string &kernel, JudgePurpose) {
        if (kernel == "baseline")
            return judgedCorrect(kernel, 10);
        if (kernel == "i0.c0.p1.a0")
            return judgedAs(kernel, VerdictStatus::Wrong);
        return judgedCorrect(kernel, 8 - 2 * (kernel[1] - '0'));
    };
    RunConfig config;
    config.beamWidth = 2;
    config.plansPerCandidate = 2;
    config.attemptsPerPlan = 1;
    config.iterations = 3;
    config.patience = 0;
    Driver driver(world, Arrival::First);
    driver.open(config);
    driver.run([](const State &state) { return state.iterations.size() == 3; });
    return driver;
}

} // namespace

class tst_Questions : public QObject
{
    Q_OBJECT

private slots:
    void aPlannerIsToldSourceProfileLessonsAndHistory()
    {
        Driver driver = thirdIteration();
        const auto command = std::get<AskPlanner>(next(driver.state()).front());
        const PlannerQuestion asked = question(driver.state(), command, textOf);
        QCOMPARE(asked.slot, (PlanSlot{2, 0, 0}));
        QCOMPARE(asked.samples, 2);
        QCOMPARE(asked.candidate, driver.state().iterations[2].candidates[0]);
        QCOMPARE(asked.candidate.value, std::string("i1.c0.p0.a0"));
        QCOMPARE(asked.source, std::string("<text of i1.c0.p0.a0.write>"));
        QCOMPARE(asked.profile.latencyMs, 6.0);
        QCOMPARE(asked.baseline.latencyMs, 10.0);
        QVERIFY(!asked.experiences.empty());
        QCOMPARE(asked.experiences.size(), driver.state().active.size());
        QVERIFY(asked.seed !=
                question(driver.state(), AskPlanner{planCall({2, 0, 1}), {2, 0, 1}}, textOf).seed);
    }

    void historyCoversAncestorsAndSiblingsOfFinishedIterations()
    {
        Driver driver = thirdIteration();
        const State &state = driver.state();
        // i1.c0.p0.a0 comes from i0.c0.p0.a0, which comes from the baseline.
        const std::vector<PastAttempt> past = pastAttempts(state, KernelId("i1.c0.p0.a0"));
        std::string told;
        for (const PastAttempt &one : past)
            told += one.planTitle + " on " + one.parent.value + ": " +
                    std::string(name(one.verdict)) + "; ";
        QCOMPARE(told, std::string("plan i0.c0.p0 on baseline: correct; "
                                   "plan i0.c0.p1 on baseline: wrong; "
                                   "plan i1.c0.p0 on i0.c0.p0.a0: correct; "
                                   "plan i1.c0.p1 on i0.c0.p0.a0: correct; "
                                   "plan i1.c1.p0 on baseline: correct; "
                                   "plan i1.c1.p1 on baseline: correct; "));
        QCOMPARE(past[0].speedup, 10.0 / 8.0);
        QCOMPARE(past[1].speedup, 0.0);
        QCOMPARE(past[2].speedup, 8.0 / 6.0);
        // A sibling: written from the baseline like i0.c0.p0.a0, on which there were plans.
        QCOMPARE(pastAttempts(state, KernelId("i1.c1.p0.a0")).size(), std::size_t(6));
        QVERIFY(pastAttempts(state, KernelId("nobody")).empty());
    }

    void theRunningIterationIsNotHistoryYet()
    {
        Driver driver = thirdIteration();
        const std::size_t before = pastAttempts(driver.state(), KernelId("i1.c0.p0.a0")).size();
        driver.run([](const State &state) { return !state.openJudgements.empty(); });
        driver.step();
        QCOMPARE(pastAttempts(driver.state(), KernelId("i1.c0.p0.a0")).size(), before);
    }

    void whatAPlannerIsToldDoesNotGrowWithTheRun()
    {
        // No kernel is better than the baseline, so every plan is about it.
        RunConfig config;
        config.beamWidth = 1;
        config.plansPerCandidate = 8;
        config.attemptsPerPlan = 1;
        config.iterations = 41;
        config.patience = 0;
        config.intake = Intake::None;
        World world;
        world.judge = [](const std::string &kernel, JudgePurpose) {
            return judgedCorrect(kernel, kernel == "baseline" ? 10 : 11);
        };
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run([](const State &state) { return state.iterations.size() == 41; });
        const auto command = std::get<AskPlanner>(next(driver.state()).front());
        const PlannerQuestion asked = question(driver.state(), command, textOf);
        QCOMPARE(asked.past.size(), kMostPastAttempts);
        // The latest of the 320, oldest first.
        QCOMPARE(asked.past.front().iteration, 40 - static_cast<int>(kMostPastAttempts / 8));
        QCOMPARE(asked.past.front().kernel.value, std::string("i8.c0.p0.a0"));
        QCOMPARE(asked.past.back().kernel.value, std::string("i39.c0.p7.a0"));
        QCOMPARE(asked.known.size(), std::size_t(321));
        QCOMPARE(asked.known.front().value, std::string("i39.c0.p7.a0"));
        QCOMPARE(asked.known.back().value, std::string("baseline"));
        QVERIFY(asked.before.empty());
    }

    void aPlannerIsToldTheCandidatesInFrontOfItsOwn()
    {
        Driver driver = thirdIteration();
        const State &state = driver.state();
        const PlanSlot slot{2, 1, 0};
        const PlannerQuestion asked = question(state, AskPlanner{planCall(slot), slot}, textOf);
        QCOMPARE(asked.before.size(), std::size_t(1));
        QCOMPARE(asked.before[0].candidate, state.iterations[2].candidates[0]);
        QCOMPARE(asked.before[0].source, std::string("<text of i1.c0.p0.a0.write>"));
        QCOMPARE(asked.before[0].profile.latencyMs, 6.0);
        QCOMPARE(asked.before[0].past.size(),
                 pastAttempts(state, state.iterations[2].candidates[0]).size());
    }

    void anExecutorIsToldThePlanAndTheSource()
    {
        Driver driver = thirdIteration();
        driver.step();
        const auto command = std::get<AskExecutor>(next(driver.state()).front());
        const ExecutorQuestion asked = question(driver.state(), command, textOf);
        QCOMPARE(asked.slot, (AttemptSlot{{2, 0, 0}, 0}));
        QCOMPARE(asked.plan.title, std::string("plan i2.c0.p0"));
        QCOMPARE(asked.candidate.value, std::string("i1.c0.p0.a0"));
        QCOMPARE(asked.source, std::string("<text of i1.c0.p0.a0.write>"));
        QCOMPARE(asked.repair, 0);
        QVERIFY(asked.previousAnswer.empty());
    }

    void aSummarizerIsToldBothKernels()
    {
        Driver driver = thirdIteration();
        const SummarizerQuestion asked =
            question(driver.state(), AskSummarizer{summaryCall(0, 0), 0, 0}, textOf);
        QVERIFY(asked.positive);
        QCOMPARE(asked.speedup, 1.25);
        QCOMPARE(asked.slow.value, std::string("baseline"));
        QCOMPARE(asked.slowSource, std::string("<text of the baseline>"));
        QCOMPARE(asked.fastSource, std::string("<text of i0.c0.p0.a0.write>"));
        QCOMPARE(asked.slowProfile.latencyMs, 10.0);
        QCOMPARE(asked.fastProfile.latencyMs, 8.0);
        QCOMPARE(asked.plan.title, std::string("plan i0.c0.p0"));
        const ExperienceItem made = makeItem(asked, {false, "title", "do", "a", "b", {}});
        QCOMPARE(made.id.value, std::string("e0.0"));
        QCOMPARE(made.plan.value, std::string("i0.c0.p0"));
        QCOMPARE(made.slow.value, std::string("baseline"));
    }

    void aPlanRecordsWhichItemsItsPromptHeld()
    {
        PlannerQuestion asked;
        asked.slot = {1, 0, 2};
        asked.candidate = KernelId("k");
        asked.experiences.resize(2);
        asked.experiences[0].id = ItemId("e0.0");
        asked.experiences[1].id = ItemId("e0.1");
        const Plan made = makePlan(asked, {"title", "text", "{}"}, "someone");
        QCOMPARE(made.usedItems, (std::vector<ItemId>{ItemId("e0.0"), ItemId("e0.1")}));
        QCOMPARE(made.parent.value, std::string("k"));
        QCOMPARE(made.author, std::string("someone"));
        QCOMPARE(made.directive, std::string("{}"));
    }

    void aProfilerIsToldTheSource()
    {
        Driver driver = thirdIteration();
        const JudgeQuestion asked = question(
            driver.state(),
            Judge{CallId("judge"), KernelId("i0.c0.p0.a0"), JudgePurpose::Confirmation}, textOf);
        QCOMPARE(asked.source, std::string("<text of i0.c0.p0.a0.write>"));
        QCOMPARE(asked.purpose, JudgePurpose::Confirmation);
    }
};

ACCELOPT_TEST(tst_Questions)
#include "tst_Questions.moc"
