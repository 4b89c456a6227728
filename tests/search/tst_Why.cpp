// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Why.h"
#include "tests/search/World.h"

#include <iterator>
#include <set>

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
                             "It was a candidate of iteration 1.\n"
                             "It is the slow kernel of the lesson e0.0, 1.250x, which is active.\n"
                             "At the end: the baseline is correct again: 10 ms.\n"));
        QCOMPARE(told(driver.state(), "kernel0"),
                 std::string("Written by the executor in iteration 1 as i0.c0.p0.a0 for the plan "
                             "\"plan i0.c0.p0\", from kernel baseline.\n"
                             "Judged correct: 8 ms, 1.250x against its parent, 1.250x against the "
                             "baseline.\n"
                             "Fate: rank 1 of 2: 8 ms, 1.250x against its parent.\n"
                             "It is the fast kernel of the lesson e0.0, 1.250x, which is active.\n"
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

    void anItemTellsWhoWasToldOfItAndHowTheyFared()
    {
        World world;
        world.write = [](const State &, const Turn &turn) {
            return "kernel" + std::to_string(turn.slot.plan.iteration) +
                   std::to_string(turn.slot.plan.plan);
        };
        world.judge = [](const std::string &kernel, JudgePurpose) {
            if (kernel == "kernel11")
                return judgedAs(kernel, VerdictStatus::Wrong);
            return judgedCorrect(kernel, kernel == "kernel00" ? 8 : kernel == "kernel10" ? 4 : 10);
        };
        RunConfig config;
        config.beamWidth = 1;
        config.plansPerCandidate = 2;
        config.iterations = 2;
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run();
        PersonDecided reject;
        reject.decision = Decision::RejectItem;
        reject.item = ItemId("e0.0");
        reject.reason = "too special";
        driver.append(reject, "human");
        QCOMPARE(told(driver.state(), "e0.0"),
                 std::string(
                     "Learnt in iteration 1 from the plan i0.c0.p0: kernel00 is 1.250x faster than "
                     "baseline (do this).\n"
                     "Fate: rejected by a person: too special.\n"
                     "It was in the memory after iterations 1 to 2.\n"
                     "It was in the prompt of 2 plans; 1 of them gave a correct kernel, 1 won a "
                     "place in the beam.\n"
                     "Plan i1.c0.p0, \"plan i1.c0.p0\": 2.000x against its parent; rank 1 of 2: 4 "
                     "ms, 2.000x against its parent.\n"
                     "Plan i1.c0.p1, \"plan i1.c0.p1\": no correct kernel; wrong: made up (line "
                     "3).\n"
                     "A person rejected it: too special.\n"));
        QVERIFY(told(driver.state(), "i0.m0").find("Its lesson is e0.0, \"lesson") !=
                std::string::npos);
        QVERIFY(told(driver.state(), "kernel00").find("It was a candidate of iteration 2.") !=
                std::string::npos);
    }

    void anItemOfAnotherRunSaysSo()
    {
        Driver driver = finished();
        PairSummarized foreign;
        foreign.iteration = -1;
        foreign.item.id = ItemId("other.e3.0");
        foreign.item.plan = PlanId("i3.c0.p0");
        foreign.item.speedup = 1.5;
        foreign.item.positive = false;
        driver.append(foreign, "other.accelopt");
        const std::string words = told(driver.state(), "other.e3.0");
        QVERIFY2(words.starts_with("Learnt in another run, where it stood for 1.500x (avoid the "
                                   "reverse).\nFate: taken over from another run.\n"),
                 words.c_str());
    }

    void aKernelThatIsNotJudgedYetStillTellsItsStory()
    {
        World world;
        world.write = [](const State &, const Turn &turn) {
            return "kernel" + std::to_string(turn.slot.plan.plan);
        };
        Driver driver(world, Arrival::First);
        RunConfig config;
        config.plansPerCandidate = 2;
        config.iterations = 1;
        driver.open(config);
        driver.run([](const State &state) { return state.kernels.size() > 1; });
        KernelId written;
        for (const auto &[id, record] : driver.state().kernels)
            if (record.first && !record.judged)
                written = id;
        QVERIFY(!written.empty());
        PersonDecided drop;
        drop.decision = Decision::DropKernel;
        drop.kernel = written;
        driver.append(drop, "human");
        const std::string words = told(driver.state(), written.value);
        QVERIFY2(words.find("Not judged yet.\n") != std::string::npos, words.c_str());
        QVERIFY2(words.find("A person dropped it.\n") != std::string::npos, words.c_str());
    }

    /// Whatever happens to kernels, attempts, pairs and items in wild runs under every policy is
    /// told in whole sentences, and every fate there is does happen.
    void everyFateIsToldInWordsWithNumbers()
    {
        std::set<FateCode> seen;
        const auto check = [&](const State &state, const std::string &id, const Fate *fate) {
            if (fate)
                seen.insert(fate->code);
            const std::vector<std::string> sentences = why(state, id);
            QVERIFY2(!sentences.empty(), id.c_str());
            for (const std::string &sentence : sentences) {
                QVERIFY2(sentence.size() > 8, (id + ": " + sentence).c_str());
                QVERIFY2(sentence.find(": .") == std::string::npos, (id + ": " + sentence).c_str());
                QVERIFY2(sentence.find("  ") == std::string::npos, (id + ": " + sentence).c_str());
            }
            if (fate && fate->code != FateCode::Pending) {
                QVERIFY2(!fate->text.empty(), (id + " " + std::string(name(fate->code))).c_str());
                std::string all;
                for (const std::string &sentence : sentences)
                    all += sentence + "\n";
                QVERIFY2(all.find(fate->text) != std::string::npos ||
                             all.find("Fate: ") != std::string::npos ||
                             all.find(fate->text.substr(0, 10)) != std::string::npos,
                         all.c_str());
            }
        };
        const auto inspect = [&](const State &state) {
            for (const auto &[id, record] : state.kernels)
                check(state, id.value, &record.fate);
            for (const MemoryItem &item : state.items)
                check(state, item.item.id.value, &item.fate);
            for (const IterationRecord &iteration : state.iterations) {
                check(state, "i" + std::to_string(iteration.index), nullptr);
                for (std::size_t rank = 0; rank < iteration.curation.pairs.size(); ++rank)
                    check(state,
                          "i" + std::to_string(iteration.index) + ".m" + std::to_string(rank),
                          nullptr);
                for (const SelectionEntry &entry : iteration.selection.entries)
                    seen.insert(entry.fate.code);
                for (const PlanRecord &plan : iteration.plans) {
                    check(state, planId(plan.plan.slot).value, nullptr);
                    for (std::size_t a = 0; a < plan.attempts.size(); ++a)
                        check(state, describe(AttemptSlot{plan.plan.slot, static_cast<int>(a)}),
                              &plan.attempts[a].fate);
                }
            }
        };
        const auto configure = [](BeamPolicy beam, MemoryPolicy memory) {
            RunConfig config;
            config.beamWidth = 3;
            config.plansPerCandidate = 3;
            config.attemptsPerPlan = 2;
            config.iterations = 4;
            config.topK = 4;
            config.memoryCapacity = 3;
            config.repairs = 1;
            config.patience = 0;
            config.beamPolicy = beam;
            config.memoryPolicy = memory;
            return config;
        };
        std::vector<RunConfig> configs{
            configure(BeamPolicy::Elitist, MemoryPolicy::Fifo),
            configure(BeamPolicy::Paper, MemoryPolicy::PublishedCode),
            configure(BeamPolicy::PublishedCode, MemoryPolicy::Reviewed),
        };
        configs.push_back(configs.front());
        configs.back().useBeam = false;
        configs.push_back(configs.front());
        configs.back().budgetKernels = 9;
        for (const RunConfig &config : configs)
            for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                World world = wildWorld(seed);
                // Some kernels are measured elsewhere.
                world.judge = [judge = world.judge](const std::string &kernel, JudgePurpose why) {
                    KernelJudged event = judge(kernel, why);
                    if (kernel.ends_with("7"))
                        event.profile.modelVersion = "2";
                    return event;
                };
                Driver driver(world, Arrival::First);
                int decided = 0;
                driver.open(config);
                while (driver.step()) {
                    const State &state = driver.state();
                    // A person pins, drops, rejects and pins again, once in a while.
                    if (state.lastSequence % 40 == 0 && decided < 8 && state.kernels.size() > 4) {
                        PersonDecided decision;
                        auto kernel = state.kernels.begin();
                        std::advance(kernel, decided % int(state.kernels.size()));
                        decision.kernel = kernel->first;
                        decision.decision =
                            decided % 2 == 0 ? Decision::PinKernel : Decision::DropKernel;
                        if (decided % 4 >= 2 && !state.items.empty()) {
                            decision.kernel = KernelId();
                            decision.item = state.items.front().item.id;
                            decision.decision =
                                decided % 4 == 2 ? Decision::PinItem : Decision::RejectItem;
                        }
                        ++decided;
                        driver.append(decision, "human");
                        inspect(driver.state());
                    }
                }
                inspect(driver.state());
            }
        for (const FateCode code :
             {FateCode::Pending, FateCode::Selected,   FateCode::Pinned,
              FateCode::Filled,  FateCode::Copied,     FateCode::Cut,
              FateCode::Tie,     FateCode::GroupLoser, FateCode::Duplicate,
              FateCode::Dropped, FateCode::NotCorrect, FateCode::NotComparable,
              FateCode::Failed,  FateCode::Skipped,    FateCode::NotBuiltOn,
              FateCode::Active,  FateCode::Proposed,   FateCode::Rejected,
              FateCode::FellOut, FateCode::Baseline})
            QVERIFY2(seen.contains(code), std::string(name(code)).c_str());
    }

    void unknownNamesHaveNone()
    {
        Driver driver = finished();
        for (const char *id : {"", "i7", "i0.c0.p9", "i0.c0.p0.a7", "e4.0", "i0.m9", "nobody"})
            QVERIFY2(why(driver.state(), id).empty(), id);
        QVERIFY(why(State(), "run").empty());
    }

    void aRangeThatSaysNothingIsExplained()
    {
        World world;
        world.write = [](const State &, const Turn &) { return "faster"; };
        world.judge = [](const std::string &kernel, JudgePurpose) {
            KernelJudged judged = judgedCorrect(kernel, kernel == "baseline" ? 10 : 8);
            judged.profile.intervalMs = {judged.profile.latencyMs * 0.75,
                                         judged.profile.latencyMs * 1.25};
            return judged;
        };
        RunConfig config;
        config.plansPerCandidate = 1;
        config.iterations = 1;
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run();
        const std::string about = told(driver.state(), driver.state().best.value);
        QVERIFY2(about.find("confirmed: 1.250x, 8 ms against 10 ms for the baseline; 0.750x to "
                            "2.083x only if the errors") != std::string::npos,
                 about.c_str());
    }

    void noSentenceEndsTwice()
    {
        World world;
        world.judge = [](const std::string &kernel, JudgePurpose) {
            KernelJudged judged = judgedAs(kernel, VerdictStatus::Wrong);
            if (kernel == "baseline")
                return judgedCorrect(kernel, 10);
            judged.verdict.reasons = {Reason{"numbers", "", "It is far off.", "", {}}};
            return judged;
        };
        RunConfig config;
        config.plansPerCandidate = 1;
        config.iterations = 1;
        Driver driver(world, Arrival::First);
        driver.open(config);
        driver.run();
        const std::string about = told(driver.state(), "i0.c0.p0");
        QVERIFY2(about.find("It is far off.") != std::string::npos, about.c_str());
        QVERIFY2(about.find("..") == std::string::npos, about.c_str());
    }
};

ACCELOPT_TEST(tst_Why)
#include "tst_Why.moc"
