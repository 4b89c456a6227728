// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Canonical.h"
#include "tests/search/World.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

RunConfig smallConfig()
{
    RunConfig config;
    config.beamWidth = 3;
    config.plansPerCandidate = 3;
    config.attemptsPerPlan = 2;
    config.iterations = 4;
    config.topK = 4;
    config.memoryCapacity = 5;
    config.repairs = 1;
    config.patience = 0;
    return config;
}

/// The configurations under which every property has to hold.
void addConfigurations()
{
    QTest::addColumn<QString>("json");
    const auto row = [](const char *name, RunConfig config) {
        QTest::newRow(name) << QString::fromStdString(nlohmann::json(config).dump());
    };
    RunConfig config = smallConfig();
    row("elitist beam, fifo memory", config);
    config.beamPolicy = BeamPolicy::Paper;
    config.separableOnly = false;
    row("the paper's beam", config);
    config.beamPolicy = BeamPolicy::PublishedCode;
    config.memoryPolicy = MemoryPolicy::PublishedCode;
    row("the published code's beam and memory", config);
    config = smallConfig();
    config.memoryPolicy = MemoryPolicy::Reviewed;
    row("reviewed memory", config);
    config = smallConfig();
    config.intake = Intake::EveryKernel;
    config.memoryCapacity = 0;
    row("a reflection on every kernel", config);
    config = smallConfig();
    config.useBeam = false;
    config.intake = Intake::None;
    row("repeated sampling", config);
    config = smallConfig();
    config.budgetKernels = 31;
    row("a budget of kernels", config);
    config = smallConfig();
    config.patience = 2;
    config.iterations = 12;
    row("patience", config);
}

RunConfig configuration()
{
    QFETCH_GLOBAL(QString, json);
    return nlohmann::json::parse(json.toStdString()).get<RunConfig>();
}

std::string canonicalText(const State &state)
{
    return canonical(state).dump(1);
}

/// What a person might do at this moment: something random to a kernel or an item of the run.
PersonDecided randomDecision(const State &state, Random &random)
{
    PersonDecided decided;
    decided.decision = static_cast<Decision>(random.below(static_cast<int>(Decision::Stop)));
    if (decided.decision < Decision::ApproveItem) {
        auto kernel = state.kernels.begin();
        std::advance(kernel, random.below(state.kernels.size()));
        decided.kernel = kernel->first;
    } else if (!state.items.empty()) {
        decided.item = state.items[random.below(state.items.size())].item.id;
    }
    return decided;
}

bool holds(const std::vector<KernelId> &beam, const KernelId &id)
{
    return std::find(beam.begin(), beam.end(), id) != beam.end();
}

/// True when two runs told of the same things, with a message that helps when they did not.
bool same(const std::string &a, const std::string &b)
{
    if (a == b)
        return true;
    const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const std::size_t at = static_cast<std::size_t>(left - a.begin());
    const std::size_t from = at > 200 ? at - 200 : 0;
    qWarning("first: ...%s", a.substr(from, 400).c_str());
    qWarning("second: ...%s", b.substr(from, 400).c_str());
    return false;
}

} // namespace

class tst_SearchProperties : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase_data() { addConfigurations(); }

    void theOrderOfArrivalDoesNotMatter()
    {
        const RunConfig config = configuration();
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            Driver straight(wildWorld(seed), Arrival::First);
            straight.open(config);
            straight.run();
            QCOMPARE(straight.state().phase, Phase::Finished);
            QVERIFY(straight.state().counts.distinct > 0);
            const std::string expected = canonicalText(straight.state());
            Driver backwards(wildWorld(seed), Arrival::Last);
            backwards.open(config);
            backwards.run();
            QVERIFY(same(canonicalText(backwards.state()), expected));
            for (std::uint64_t order = 1; order <= 2; ++order) {
                Driver shuffled(wildWorld(seed), Arrival::Random, order);
                shuffled.open(config);
                shuffled.run();
                QVERIFY(same(canonicalText(shuffled.state()), expected));
            }
        }
    }

    void aRunKilledAnywhereEndsLikeTheUndisturbedOne()
    {
        const RunConfig config = configuration();
        Driver whole(wildWorld(3), Arrival::Random);
        whole.open(config);
        whole.run();
        const std::string expected = canonicalText(whole.state());
        for (std::size_t length = 1; length <= whole.log().size(); length += 1 + length / 24) {
            Driver resumed(wildWorld(3), Arrival::Random, length);
            resumed.resume({whole.log().begin(), whole.log().begin() + std::ptrdiff_t(length)});
            resumed.run();
            QVERIFY(same(canonicalText(resumed.state()), expected));
            QVERIFY(resumed.state().complaints.empty());
        }
    }

    void foldingInTwoPartsIsFoldingTheWhole()
    {
        Driver driver(wildWorld(5), Arrival::Random);
        driver.open(configuration());
        driver.run();
        const std::string expected = canonicalText(fold(driver.log()));
        QVERIFY(same(canonicalText(driver.state()), expected));
        for (std::size_t length = 0; length <= driver.log().size(); length += 37) {
            const std::span<const Event> log(driver.log());
            State state = fold(log.first(length));
            for (const Event &event : log.subspan(length))
                apply(state, event);
            QVERIFY(same(canonicalText(state), expected));
        }
    }

    void noKernelIsPaidForTwice()
    {
        Driver driver(wildWorld(2), Arrival::Random);
        driver.open(configuration());
        driver.run();
        QVERIFY(driver.state().counts.duplicates > 0);
        int searched = 0;
        for (const auto &[call, times] : driver.judgements()) {
            QCOMPARE(times, 1);
            searched += call.ends_with(".search") ? 1 : 0;
        }
        QCOMPARE(searched, driver.state().counts.distinct + 1);
    }

    void elitistNeverLosesABetterCandidate()
    {
        const RunConfig config = configuration();
        if (config.beamPolicy != BeamPolicy::Elitist || !config.useBeam)
            return;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            Driver driver(wildWorld(seed), Arrival::Random);
            driver.open(config);
            driver.run();
            const State &state = driver.state();
            for (const IterationRecord &iteration : state.iterations) {
                const auto &beam = iteration.selection.beam;
                double slowest = 0;
                for (const KernelId &id : beam)
                    slowest = std::max(slowest, kernel(state, id)->profile.latencyMs);
                QVERIFY(!beam.empty());
                for (const KernelId &id : iteration.candidates)
                    QVERIFY(holds(beam, id) ||
                            (beam.size() == 3 && kernel(state, id)->profile.latencyMs >= slowest));
                // A fast kernel may still stand behind a faster one of its own plan.
                for (const SelectionEntry &entry : iteration.selection.entries)
                    QVERIFY(entry.chosen || entry.latencyMs >= slowest);
            }
            QCOMPARE(state.iterations.back().selection.beam.front(), state.ranking.begin()->kernel);
        }
    }

    void aPersonsWordHoldsAndNothingOverflows()
    {
        const RunConfig config = configuration();
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            Driver driver(wildWorld(seed), Arrival::Random, seed);
            Random random(seed);
            std::size_t concluded = 0;
            bool good = true;
            std::set<ItemId> rejected; // and not approved since
            driver.onEvent = [&](const State &state) {
                const std::size_t done = static_cast<std::size_t>(
                    std::count_if(state.iterations.begin(), state.iterations.end(),
                                  [](const auto &one) { return one.selection.done; }));
                if (config.memoryCapacity > 0)
                    good = good &&
                           state.active.size() <= static_cast<std::size_t>(config.memoryCapacity);
                for (const MemoryItem &item : state.items)
                    good = good && (!item.pinned || item.status == ItemStatus::Active);
                for (const std::size_t index : state.active)
                    good = good && state.items[index].status == ItemStatus::Active &&
                           !rejected.contains(state.items[index].item.id);
                if (done == concluded)
                    return;
                concluded = done;
                const auto &beam = state.iterations[done - 1].selection.beam;
                good = good && beam.size() <= static_cast<std::size_t>(config.beamWidth);
                for (const KernelId &id : beam)
                    good = good && !kernel(state, id)->dropped && kernel(state, id)->rankable;
                for (const KernelId &id : state.pinned)
                    good = good &&
                           (!config.useBeam || !kernel(state, id)->rankable || holds(beam, id));
            };
            driver.open(config);
            int steps = 0;
            while (driver.step()) {
                if (++steps % 5 == 0 && driver.state().phase != Phase::Finished) {
                    const PersonDecided decision = randomDecision(driver.state(), random);
                    if (decision.decision == Decision::RejectItem)
                        rejected.insert(decision.item);
                    else if (decision.decision == Decision::ApproveItem ||
                             decision.decision == Decision::PinItem)
                        rejected.erase(decision.item);
                    driver.append(decision, "human");
                }
                QVERIFY(good);
            }
            QCOMPARE(driver.state().phase, Phase::Finished);
            QVERIFY(concluded > 0);
            // A log with decisions folds to the same state as well.
            QVERIFY(same(canonicalText(fold(driver.log())), canonicalText(driver.state())));
        }
    }

    void aBudgetThatMovesIsNeverExceeded()
    {
        RunConfig config = configuration();
        config.budgetKernels = 12;
        config.iterations = 40;
        config.patience = 0;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            Driver driver(wildWorld(seed), Arrival::Random, seed);
            Random random(seed);
            int round = 0;
            driver.open(config);
            for (int rests = 0; rests < 6; ++rests) {
                driver.run([](const State &state) { return state.phase == Phase::Confirm; });
                const int bound = *driver.state().config.budgetKernels;
                QVERIFY(driver.state().counts.distinct <= bound);
                BudgetMoved moved;
                moved.round = ++round;
                moved.kernels = 1 + int(random.below(9));
                moved.reason = "a test";
                driver.append(moved, "engine");
                QCOMPARE(*driver.state().config.budgetKernels, bound + moved.kernels);
            }
            driver.run();
            QCOMPARE(driver.state().phase, Phase::Finished);
            QVERIFY(driver.state().counts.distinct <= *driver.state().config.budgetKernels);
            QVERIFY(same(canonicalText(fold(driver.log())), canonicalText(driver.state())));
        }
    }

    void theBudgetOfKernelsIsNeverExceeded()
    {
        RunConfig config = configuration();
        for (const int budget : {1, 2, 7, 20, 55}) {
            config.budgetKernels = budget;
            config.iterations = 40;
            config.patience = 0;
            Driver driver(wildWorld(4), Arrival::Random);
            driver.open(config);
            driver.run();
            QVERIFY(driver.state().counts.distinct <= budget);
            if (budget <= 20)
                QCOMPARE(driver.state().stop.code, StopCode::BudgetKernels);
        }
    }
};

ACCELOPT_TEST(tst_SearchProperties)
#include "tst_SearchProperties.moc"
