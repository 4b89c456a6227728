// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Canonical.h"
#include "core/search/Why.h"
#include "tests/search/World.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

RunConfig oneByOne()
{
    RunConfig config;
    config.beamWidth = 2;
    config.plansPerCandidate = 2;
    config.attemptsPerPlan = 1;
    config.iterations = 2;
    config.patience = 0;
    return config;
}

/// Kernels of iteration n are n + 1 ms faster than the baseline's 10 ms.
World improvingWorld()
{
    World world;
    world.judge = [](const std::string &kernel, JudgePurpose) {
        if (kernel == "baseline")
            return judgedCorrect(kernel, 10, 0.01);
        return judgedCorrect(kernel, 9 - (kernel[1] - '0'), 0.01);
    };
    return world;
}

PersonDecided decided(Decision what, const std::string &kernel = {}, const std::string &item = {})
{
    PersonDecided event;
    event.decision = what;
    event.kernel = KernelId(kernel);
    event.item = ItemId(item);
    return event;
}

std::vector<std::string> calls(const State &state)
{
    std::vector<std::string> names;
    for (const Command &command : next(state))
        names.push_back(callId(command).value);
    return names;
}

bool hasComplaint(const State &state, std::string_view words)
{
    return std::any_of(state.complaints.begin(), state.complaints.end(),
                       [&](const auto &text) { return text.find(words) != std::string::npos; });
}

} // namespace

class tst_Fold : public QObject
{
    Q_OBJECT

private slots:
    void theBaselineIsJudgedBeforeAnythingIsPaidFor()
    {
        Driver driver(improvingWorld(), Arrival::First);
        QVERIFY(next(driver.state()).empty());
        driver.open(oneByOne());
        QCOMPARE(calls(driver.state()), (std::vector<std::string>{"judge.baseline.search"}));
    }

    void aBaselineThatIsNotCorrectEndsTheRun()
    {
        World world;
        world.judge = [](const std::string &kernel, JudgePurpose) {
            return judgedAs(kernel, VerdictStatus::NotCompiling);
        };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        const State &state = driver.state();
        QCOMPARE(state.phase, Phase::Finished);
        QCOMPARE(state.stop.code, StopCode::BaselineNotGood);
        QCOMPARE(
            state.finishedReason,
            std::string("the baseline cannot be built on: does not compile: made up (line 3)"));
        QVERIFY(state.iterations.empty());
    }

    void anExecutorIsAskedAsSoonAsItsPlanIsThere()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.step();
        QCOMPARE(calls(driver.state()),
                 (std::vector<std::string>{"i0.c0.p0.plan", "i0.c0.p1.plan"}));
        driver.step();
        QCOMPARE(calls(driver.state()),
                 (std::vector<std::string>{"i0.c0.p0.a0.write", "i0.c0.p1.plan"}));
        driver.step();
        QCOMPARE(calls(driver.state()),
                 (std::vector<std::string>{"judge.i0.c0.p0.a0.search", "i0.c0.p1.plan"}));
    }

    void aWholeRunEndsWithConfirmedKernels()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run();
        const State &state = driver.state();
        QCOMPARE(state.finishedReason, std::string("2 iterations done"));
        QCOMPARE(state.iterations.size(), std::size_t(2));
        QCOMPARE(state.best.value.substr(0, 2), std::string("i1"));
        QCOMPARE(speedupOverBaseline(state, state.best), 10.0 / 8.0);
        int confirmed = 0;
        for (const auto &[id, record] : state.kernels) {
            if (!record.confirmation)
                continue;
            ++confirmed;
            QVERIFY(record.confirmation->confirmed);
        }
        QCOMPARE(confirmed, 4);
        const Confirmation &best = *kernel(state, state.best)->confirmation;
        QCOMPARE(best.speedup, 1.25);
        QVERIFY(best.speedupInterval.low < 1.25 && best.speedupInterval.high > 1.25);
        QVERIFY2(best.reason.starts_with("confirmed: 1.250x"), best.reason.c_str());
        QVERIFY(state.complaints.empty());
        // The memory reached the prompts of the second iteration.
        QVERIFY(!plan(state, PlanSlot{1, 0, 0})->plan.usedItems.empty());
        QVERIFY(item(state, ItemId("e0.0"))->prompts > 0);
        QVERIFY(item(state, ItemId("e0.0"))->wins > 0);
        QCOMPARE(state.usage.at(RoleName::Planner).calls, 6);
        QVERIFY(next(state).empty());
    }

    void aBestKernelThatFailsItsSecondCheckIsNotTheResult()
    {
        World world = improvingWorld();
        const auto judge = world.judge;
        world.judge = [judge](const std::string &kernel, JudgePurpose purpose) {
            if (purpose == JudgePurpose::Confirmation && kernel.starts_with("i1"))
                return judgedAs(kernel, VerdictStatus::Wrong);
            return judge(kernel, purpose);
        };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        QCOMPARE(driver.state().best, KernelId("baseline"));
        const KernelRecord *refuted = kernel(driver.state(), KernelId("i1.c0.p0.a0"));
        QVERIFY(refuted->confirmation && !refuted->confirmation->confirmed);
        QCOMPARE(
            refuted->confirmation->reason,
            std::string("not confirmed: the second judgement found it wrong: made up (line 3)"));
    }

    void theBestKernelIsConfirmedEvenBehindTies()
    {
        // Each plan of iteration 0 gives 8.00 ms; later kernels are faster by less than the tie
        // margin, so the first stays the best while more than three stand before it in the ranking.
        World world = improvingWorld();
        world.judge = [](const std::string &kernel, JudgePurpose) {
            if (kernel == "baseline")
                return judgedCorrect(kernel, 10, 0.02);
            const bool later = kernel.starts_with("i1");
            return judgedCorrect(kernel, later ? 7.95 : kernel == "i0.c0.p0.a0" ? 8.0 : 8.5, 0.02);
        };
        RunConfig config = oneByOne();
        config.beamWidth = 2;
        config.plansPerCandidate = 3;
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run();
        QCOMPARE(driver.state().best, KernelId("i0.c0.p0.a0"));
        int faster = 0;
        for (const RankKey &key : driver.state().ranking)
            faster += key.latencyMs < 8.0 ? 1 : 0;
        QVERIFY(faster > 3);
        const auto &confirmation = kernel(driver.state(), driver.state().best)->confirmation;
        QVERIFY(confirmation && confirmation->judged);
        QVERIFY2(confirmation->confirmed, confirmation->reason.c_str());
    }

    void aTieWithTheBaselineIsNotConfirmed()
    {
        World world = improvingWorld();
        const auto judge = world.judge;
        world.judge = [judge](const std::string &kernel, JudgePurpose purpose) {
            if (purpose == JudgePurpose::Confirmation && kernel != "baseline")
                return judgedCorrect(kernel, 9.95, 0.01);
            return judge(kernel, purpose);
        };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        const KernelRecord *best = kernel(driver.state(), driver.state().best);
        QVERIFY(!best->confirmation->confirmed);
        QVERIFY(best->confirmation->reason.find("tie") != std::string::npos);
    }

    void aKernelLikeItsParentTakesTheKnownResult()
    {
        World world = improvingWorld();
        world.write = [](const State &state, const Turn &turn) {
            return plan(state, turn.slot.plan)->plan.parent.value;
        };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        const State &state = driver.state();
        QCOMPARE(state.counts.distinct, 0);
        QCOMPARE(state.counts.duplicates, state.counts.written);
        const AttemptRecord *copy = attempt(state, AttemptSlot{{0, 0, 0}, 0});
        QCOMPARE(copy->status, AttemptStatus::Done);
        QCOMPARE(copy->fate.text,
                 std::string("the same kernel as its own parent, not judged again"));
        QCOMPARE(state.best, KernelId("baseline"));
    }

    void ofTwoEqualKernelsTheLaterSlotIsTheDuplicateWhateverCameFirst()
    {
        World world = improvingWorld();
        world.write = [](const State &, const Turn &) { return std::string("k3"); };
        Driver driver(world, Arrival::Last);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.iterations.size() == 2; });
        const State &state = driver.state();
        const KernelRecord *written = kernel(state, KernelId("k3"));
        QCOMPARE(written->first->slot, (AttemptSlot{{0, 0, 0}, 0}));
        QCOMPARE(written->text.value, std::string("text of i0.c0.p0.a0.write"));
        QVERIFY(!isDuplicate(state, Turn{{{0, 0, 0}, 0}, 0}));
        QVERIFY(isDuplicate(state, Turn{{{0, 0, 1}, 0}, 0}));
        QCOMPARE(driver.judgements().at("judge.k3.search"), 1);
    }

    void aKernelThatDoesNotCompileGoesBackForRepair()
    {
        World world = improvingWorld();
        world.judge = [](const std::string &kernel, JudgePurpose) {
            if (kernel == "baseline")
                return judgedCorrect(kernel, 10);
            return kernel.ends_with("r2") ? judgedCorrect(kernel, 5)
                                          : judgedAs(kernel, VerdictStatus::NotCompiling);
        };
        RunConfig config = oneByOne();
        config.repairs = 2;
        config.iterations = 1;
        config.plansPerCandidate = 1;
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run([](const State &state) {
            return !next(state).empty() &&
                   callId(next(state).front()).value == "i0.c0.p0.a0.r1.write";
        });
        const Command command = next(driver.state()).front();
        const ExecutorQuestion asked =
            question(driver.state(), std::get<AskExecutor>(command),
                     [](const TextId &id) { return "<" + id.value + ">"; });
        QCOMPARE(asked.repair, 1);
        QCOMPARE(asked.previousAnswer, std::string("<text of i0.c0.p0.a0.write>"));
        QCOMPARE(asked.previousVerdict.status, VerdictStatus::NotCompiling);
        driver.run();
        const AttemptRecord *repaired = attempt(driver.state(), AttemptSlot{{0, 0, 0}, 0});
        QCOMPARE(repaired->turns.size(), std::size_t(3));
        QCOMPARE(repaired->kernel().value, std::string("i0.c0.p0.a0r2"));
        QCOMPARE(repaired->fate.code, FateCode::Selected);
        QCOMPARE(kernel(driver.state(), KernelId("i0.c0.p0.a0"))->fate.text,
                 std::string("does not compile: made up (line 3); sent back for repair"));
        QCOMPARE(driver.state().counts.verdicts.at(VerdictStatus::NotCompiling), 2);
    }

    void repairsEndAndOnlyCompileErrorsAreRepaired()
    {
        World world = improvingWorld();
        world.judge = [](const std::string &kernel, JudgePurpose) {
            if (kernel == "baseline")
                return judgedCorrect(kernel, 10);
            return judgedAs(kernel, kernel.starts_with("i0.c0.p0") ? VerdictStatus::NotCompiling
                                                                   : VerdictStatus::Wrong);
        };
        RunConfig config = oneByOne();
        config.repairs = 1;
        config.iterations = 1;
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run();
        QCOMPARE(attempt(driver.state(), AttemptSlot{{0, 0, 0}, 0})->turns.size(), std::size_t(2));
        QCOMPARE(attempt(driver.state(), AttemptSlot{{0, 0, 1}, 0})->turns.size(), std::size_t(1));
        QCOMPARE(driver.state().phase, Phase::Finished);
    }

    void failedCallsAreToldAndDoNotStopTheRun()
    {
        World world = improvingWorld();
        world.planFails = [](const PlanSlot &slot) { return slot == PlanSlot{0, 0, 0}; };
        const auto write = world.write;
        world.write = [write](const State &state, const Turn &turn) {
            return turn.slot.plan == PlanSlot{0, 0, 1} ? std::string() : write(state, turn);
        };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        const State &state = driver.state();
        QCOMPARE(plan(state, PlanSlot{0, 0, 0})->status, PlanStatus::Failed);
        QCOMPARE(attempt(state, AttemptSlot{{0, 0, 0}, 0})->fate.text,
                 std::string("there is no plan: the server gave up"));
        const AttemptRecord *failed = attempt(state, AttemptSlot{{0, 0, 1}, 0});
        QCOMPARE(failed->fate.code, FateCode::Failed);
        QCOMPARE(failed->fate.text, std::string("the server gave up"));
        QCOMPARE(state.iterations.size(), std::size_t(2));
        QCOMPARE(state.phase, Phase::Finished);
    }

    void aFailedSummaryKeepsItsPairUntilTheRunIsContinued()
    {
        World world = improvingWorld();
        bool serverIsUp = false;
        world.lesson = [&serverIsUp](int, int) {
            return serverIsUp ? World::Lesson::Item : World::Lesson::Failed;
        };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        QVERIFY(driver.state().items.empty());
        const std::size_t kept = driver.state().keptPairs.size();
        QVERIFY(kept > 0);
        QCOMPARE(pair(driver.state(), 0, 0)->reason,
                 std::string("the summarizer failed: the server gave up"));
        serverIsUp = true;
        RunConfig longer = oneByOne();
        longer.iterations = 3;
        driver.append(RunContinued{longer}, "human");
        QCOMPARE(calls(driver.state()).front(), std::string("i0.m0.summary"));
        driver.run([&](const State &state) { return state.iterations.size() == 3; });
        QVERIFY(driver.state().keptPairs.empty());
        QCOMPARE(driver.state().items.size(), kept);
        QCOMPARE(driver.state().active.size(), kept);
        driver.run();
        QCOMPARE(driver.state().finishedReason, std::string("3 iterations done"));
        QVERIFY(driver.state().complaints.empty());
    }

    void aDeclinedPairGivesNoItem()
    {
        World world = improvingWorld();
        world.lesson = [](int, int) { return World::Lesson::Declined; };
        Driver driver(world, Arrival::First);
        driver.open(oneByOne());
        driver.run();
        QVERIFY(driver.state().items.empty());
        QVERIFY(driver.state().keptPairs.empty());
        QCOMPARE(pair(driver.state(), 0, 0)->status, PairStatus::Declined);
    }

    void stopsForItsReason_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<StopCode>("code");
        QTest::addColumn<QString>("reason");
        QTest::newRow("money") << "usd" << StopCode::BudgetUsd
                               << "the budget of $0.05 is spent ($0.05)";
        QTest::newRow("kernels") << "kernels" << StopCode::BudgetKernels
                                 << "the budget of 3 kernels is spent";
        QTest::newRow("time") << "minutes" << StopCode::BudgetMinutes
                              << "the budget of 2 minutes is spent";
        QTest::newRow("the target")
            << "target" << StopCode::Target << "the target of 60 % of peak is reached (62.5 %)";
        QTest::newRow("patience") << "patience" << StopCode::Patience
                                  << "no gain above 1 % for 3 iterations";
        QTest::newRow("a person") << "person" << StopCode::Person << "stopped by a person";
    }

    void stopsForItsReason()
    {
        QFETCH(QString, what);
        QFETCH(StopCode, code);
        QFETCH(QString, reason);
        RunConfig config = oneByOne();
        config.iterations = 9;
        World world = improvingWorld();
        if (what == QStringLiteral("usd"))
            config.budgetUsd = 0.05;
        if (what == QStringLiteral("kernels"))
            config.budgetKernels = 3;
        if (what == QStringLiteral("minutes"))
            config.budgetMinutes = 2;
        if (what == QStringLiteral("target")) {
            config.targetPercentOfPeak = 60;
            const auto judge = world.judge;
            world.judge = [judge](const std::string &kernel, JudgePurpose purpose) {
                KernelJudged event = judge(kernel, purpose);
                event.profile.percentOfPeak = 500 / event.profile.latencyMs;
                return event;
            };
        }
        if (what == QStringLiteral("patience")) {
            config.patience = 3;
            world.judge = [](const std::string &kernel, JudgePurpose) {
                return judgedCorrect(kernel, kernel == "baseline" ? 10 : 9.95);
            };
        }
        Driver driver(world, Arrival::First);
        driver.open(config);
        if (what == QStringLiteral("minutes") || what == QStringLiteral("person")) {
            driver.run([](const State &state) { return state.counts.written == 1; });
            if (what == QStringLiteral("minutes")) {
                driver.append(TimePassed{60}, "engine");
                QCOMPARE(driver.state().stop.code, StopCode::None);
                driver.append(TimePassed{60}, "engine");
            } else {
                driver.append(decided(Decision::Stop), "human");
            }
        }
        driver.run();
        const State &state = driver.state();
        QCOMPARE(state.phase, Phase::Finished);
        QCOMPARE(state.stop.code, code);
        QCOMPARE(state.finishedReason, reason.toStdString());
        // Whatever stopped it, its result was judged again.
        QVERIFY(kernel(state, state.best)->confirmation->judged);
    }

    void aStopFinishesWhatWasBegunAndNothingElse()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.openPlans.size() == 2; });
        // One of two plans is begun, and not answered yet.
        driver.append(CallStarted{CallId("i0.c0.p1.plan"), RoleName::Planner}, "engine");
        driver.append(decided(Decision::Stop), "human");
        QCOMPARE(calls(driver.state()), (std::vector<std::string>{"i0.c0.p1.plan"}));
        driver.run();
        const State &state = driver.state();
        QCOMPARE(plan(state, PlanSlot{0, 0, 0})->status, PlanStatus::Skipped);
        QCOMPARE(plan(state, PlanSlot{0, 0, 1})->status, PlanStatus::Made);
        const AttemptRecord *never = attempt(state, AttemptSlot{{0, 0, 1}, 0});
        QCOMPARE(never->fate.code, FateCode::Skipped);
        QCOMPARE(never->fate.text, std::string("not asked: stopped by a person"));
        QCOMPARE(state.phase, Phase::Finished);
    }

    void aStoppedRunGoesOnWhenContinued()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.counts.written == 1; });
        driver.append(decided(Decision::Stop), "human");
        driver.run();
        QCOMPARE(driver.state().iterations.size(), std::size_t(1));
        driver.append(RunContinued{oneByOne()}, "human");
        driver.run();
        QCOMPARE(driver.state().iterations.size(), std::size_t(2));
        QCOMPARE(driver.state().finishedReason, std::string("2 iterations done"));
        QVERIFY(kernel(driver.state(), driver.state().best)->confirmation->confirmed);
    }

    void aSecondStopEndsTheConfirmation()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.phase == Phase::Confirm; });
        driver.append(decided(Decision::Stop), "human");
        QCOMPARE(driver.state().phase, Phase::Ready);
        const Confirmation &best = *kernel(driver.state(), driver.state().best)->confirmation;
        QVERIFY(!best.confirmed);
        QCOMPARE(best.reason, std::string("not confirmed: stopped by a person before its second "
                                          "judgement"));
    }

    void aSmallBudgetIsSpreadOverTheBeam()
    {
        RunConfig config = oneByOne();
        config.budgetKernels = 5;
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(config);
        driver.run([](const State &state) { return state.iterations.size() == 2; });
        // Two kernels went into iteration 0, so three remain for two candidates of two plans.
        const State &state = driver.state();
        QCOMPARE(state.openPlans, (std::set<PlanSlot>{{1, 0, 0}, {1, 0, 1}, {1, 1, 0}}));
        QCOMPARE(plan(state, PlanSlot{1, 1, 1})->failure,
                 std::string("not asked: the budget of 5 kernels leaves no room"));
    }

    void whenEverythingIsDroppedAPersonIsAsked()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.counts.written == 2; });
        for (const char *kernel : {"baseline", "i0.c0.p0.a0", "i0.c0.p1.a0"})
            driver.append(decided(Decision::DropKernel, kernel), "human");
        driver.run([](const State &state) { return state.phase == Phase::WaitForPerson; });
        QCOMPARE(driver.state().phase, Phase::WaitForPerson);
        QVERIFY(std::holds_alternative<WaitForPerson>(next(driver.state()).front()));
        driver.append(decided(Decision::UndropKernel, "i0.c0.p0.a0"), "human");
        QCOMPARE(driver.state().phase, Phase::Search);
        QCOMPARE(driver.state().iterations.back().candidates,
                 (std::vector<KernelId>{KernelId("i0.c0.p0.a0")}));
        QCOMPARE(driver.state().best, KernelId("i0.c0.p0.a0"));
    }

    void aPersonMayRewriteAPlanUntilItIsBegun()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return !state.openAttempts.empty(); });
        PlanMade made;
        made.plan = plan(driver.state(), {0, 0, 0})->plan;
        made.plan.title = "as a person says it";
        made.plan.author = "human";
        made.plan.parent = KernelId("another");
        driver.append(made, "fake");
        QVERIFY(hasComplaint(driver.state(), "nobody waits for the plan i0.c0.p0"));
        driver.append(made, "human");
        QCOMPARE(plan(driver.state(), {0, 0, 0})->plan.title, std::string("as a person says it"));
        QCOMPARE(plan(driver.state(), {0, 0, 0})->plan.parent, KernelId("baseline"));
        driver.append(CallStarted{CallId("i0.c0.p0.a0.write"), RoleName::Executor}, "engine");
        made.plan.title = "too late";
        driver.append(made, "human");
        QCOMPARE(plan(driver.state(), {0, 0, 0})->plan.title, std::string("as a person says it"));
        driver.run();
        QCOMPARE(driver.state().phase, Phase::Finished);
    }

    void callsInDoubtAreAskedAgainAndCounted()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.step();
        driver.append(CallStarted{CallId("i0.c0.p0.plan"), RoleName::Planner}, "engine");
        QCOMPARE(driver.state().callsInDoubt.size(), std::size_t(1));
        QCOMPARE(calls(driver.state()).front(), std::string("i0.c0.p0.plan"));
        driver.append(CallStarted{CallId("i0.c0.p0.plan"), RoleName::Planner}, "engine");
        QCOMPARE(driver.state().callsAskedAgain, 1);
        driver.run();
        QVERIFY(driver.state().callsInDoubt.empty());
    }

    void eventsThatMakeNoSenseAreIgnoredAndToldOf()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.append(RunContinued{oneByOne()}, "human");
        QVERIFY(hasComplaint(driver.state(), "never opened"));
        driver.open(oneByOne());
        driver.open(oneByOne());
        QVERIFY(hasComplaint(driver.state(), "opened already"));
        driver.step();
        const std::string before = canonical(driver.state()).dump();
        const std::size_t complaints = driver.state().complaints.size();
        PlanMade strange;
        strange.plan.slot = {4, 2, 0};
        driver.append(strange, "fake");
        strange.plan.slot = {0, 0, -1};
        driver.append(strange, "fake");
        AttemptMade early;
        early.slot = {{0, 0, 0}, 0};
        early.kernel = KernelId("k");
        driver.append(early, "fake");
        driver.append(judgedCorrect("nobody", 1), "fake");
        driver.append(judgedCorrect("baseline", 1), "fake");
        KernelJudged unasked = judgedCorrect("baseline", 1);
        unasked.purpose = JudgePurpose::Confirmation;
        driver.append(unasked, "fake");
        PairSummarized lesson;
        lesson.iteration = 3;
        driver.append(lesson, "fake");
        driver.append(CallStarted{CallId("i9.c0.p0.plan"), RoleName::Planner}, "engine");
        CallFailed failed;
        failed.call = CallId("nonsense");
        driver.append(failed, "fake");
        driver.append(RunFinished{"because"}, "engine");
        QCOMPARE(driver.state().complaints.size(), complaints + 10);
        QCOMPARE(canonical(driver.state()).dump(), before);
        driver.append(decided(Decision::PinKernel, "nobody"), "human");
        driver.append(decided(Decision::PinItem, {}, "nobody"), "human");
        QCOMPARE(driver.state().complaints.size(), complaints + 12);
        driver.run();
        QCOMPARE(driver.state().phase, Phase::Finished);
    }

    void moreKernelsThanPlacesCannotBePinned()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.counts.written == 2; });
        driver.append(decided(Decision::PinKernel, "baseline"), "human");
        driver.append(decided(Decision::PinKernel, "i0.c0.p0.a0"), "human");
        driver.append(decided(Decision::PinKernel, "i0.c0.p1.a0"), "human");
        QVERIFY(hasComplaint(driver.state(), "the beam has 2 places and all are pinned"));
        QCOMPARE(driver.state().pinned.size(), std::size_t(2));
    }

    void kernelsAndItemsWrittenByPeopleAreKnownAsSuch()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        driver.run([](const State &state) { return state.openAttempts.size() == 1; });
        AttemptMade written;
        written.slot = *driver.state().openAttempts.begin();
        written.kernel = KernelId("i9 by hand");
        driver.append(written, "human");
        QCOMPARE(kernel(driver.state(), written.kernel)->origin, Origin::Human);
    }

    void itemsOfAnotherRunAreTakenOver()
    {
        Driver driver(improvingWorld(), Arrival::First);
        driver.open(oneByOne());
        PairSummarized foreign;
        foreign.iteration = -1;
        foreign.item.id = ItemId("other.e0.0");
        foreign.item.title = "from elsewhere";
        driver.append(foreign, "engine");
        driver.append(foreign, "engine");
        QCOMPARE(driver.state().complaints.size(), std::size_t(1));
        driver.step();
        const PlannerQuestion asked =
            question(driver.state(), std::get<AskPlanner>(next(driver.state()).front()),
                     [](const TextId &) { return std::string(); });
        QCOMPARE(asked.experiences.size(), std::size_t(1));
        QCOMPARE(asked.experiences.front().title, std::string("from elsewhere"));
    }

    void itemsOfAnotherRunWaitForApprovalWhereItIsAskedFor()
    {
        Driver driver(improvingWorld(), Arrival::First);
        RunConfig config = oneByOne();
        config.memoryPolicy = MemoryPolicy::Reviewed;
        driver.open(config);
        PairSummarized foreign;
        foreign.iteration = -1;
        foreign.item.id = ItemId("other:e0.0");
        driver.append(foreign, "engine");
        QCOMPARE(item(driver.state(), foreign.item.id)->status, ItemStatus::Proposed);
        QVERIFY(experiences(driver.state()).empty());
        driver.append(decided(Decision::ApproveItem, {}, "other:e0.0"), "human");
        QCOMPARE(experiences(driver.state()).size(), std::size_t(1));
    }
};

ACCELOPT_TEST(tst_Fold)
#include "tst_Fold.moc"
