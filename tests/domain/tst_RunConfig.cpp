// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/RunConfig.h"
#include "tests/support/TestMain.h"

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

using namespace accelopt;

Q_DECLARE_METATYPE(std::function<void(RunConfig &)>)

class tst_RunConfig : public QObject
{
    Q_OBJECT

private slots:
    void everyPresetIsValidAndNamedAfterItself()
    {
        QCOMPARE(presetNames().size(), std::size_t(6));
        for (const std::string &name : presetNames()) {
            const Result<RunConfig> config = preset(name);
            ACCELOPT_VERIFY_OK(config);
            QCOMPARE(config->preset, name);
            ACCELOPT_VERIFY_OK(validate(*config));
        }
    }

    void thePaperIsThePapersMainExperiment()
    {
        const RunConfig config = *preset("paper");
        const int perCandidate = config.plansPerCandidate * config.attemptsPerPlan;
        QCOMPARE(perCandidate + (config.iterations - 1) * config.beamWidth * perCandidate, 2184);
        QCOMPARE(config.topK, 8);
        QCOMPARE(config.memoryCapacity, 16);
        QCOMPARE(config.positiveThreshold, 1.04);
        QCOMPARE(config.negativeThreshold, 1.15);
        QCOMPARE(config.beamPolicy, BeamPolicy::Paper);
        QCOMPARE(config.memoryPolicy, MemoryPolicy::Fifo);
        QCOMPARE(config.patience, 0);
        QVERIFY(!config.separableOnly);
    }

    void samplingPaysForAsManyKernelsAsThePaper()
    {
        const RunConfig config = *preset("sampling");
        QVERIFY(!config.useBeam);
        QCOMPARE(config.intake, Intake::None);
        QCOMPARE(config.iterations * config.plansPerCandidate * config.attemptsPerPlan, 2184);
    }

    void theAblationsPayForNoMoreThanThePaperAndHardlyLess()
    {
        for (const char *name : {"sampling", "search-only", "reflexion", "b1"}) {
            const RunConfig config = *preset(name);
            const int perCandidate = config.plansPerCandidate * config.attemptsPerPlan;
            const int candidates = config.useBeam ? config.beamWidth : 1;
            const int most = perCandidate * (1 + (config.iterations - 1) * candidates);
            QVERIFY2(most <= 2184 && most >= 2150, name);
            QCOMPARE(config.repairs, 0);
            QVERIFY(!config.budgetKernels);
        }
    }

    void theOtherPresetsDifferWhereTheyShould()
    {
        QCOMPARE(preset("quick")->patience, 4);
        QCOMPARE(preset("quick")->beamPolicy, BeamPolicy::Elitist);
        QCOMPARE(preset("search-only")->intake, Intake::None);
        QCOMPARE(preset("reflexion")->intake, Intake::EveryKernel);
        QCOMPARE(preset("reflexion")->memoryCapacity, 0);
        QCOMPARE(preset("b1")->beamWidth, 1);
        QCOMPARE(preset("b1")->plansPerCandidate, 72);
    }

    void anUnknownPresetNamesTheKnownOnes()
    {
        const Result<RunConfig> config = preset("best");
        QVERIFY(!config);
        QCOMPARE(config.error().code, ErrorCode::WrongUse);
        QVERIFY(config.error().hint.find("search-only") != std::string::npos);
    }

    void refusesNonsense_data()
    {
        using Change = std::function<void(RunConfig &)>;
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, Change change, const char *message) {
            QTest::newRow(name) << change << QString::fromUtf8(message);
        };
        row(
            "a beam without places", [](RunConfig &c) { c.beamWidth = 0; },
            "-B must be at least 1, not 0");
        row(
            "no plans", [](RunConfig &c) { c.plansPerCandidate = 0; },
            "-N must be at least 1, not 0");
        row(
            "no attempts", [](RunConfig &c) { c.attemptsPerPlan = -1; },
            "-K must be at least 1, not -1");
        row(
            "no iterations", [](RunConfig &c) { c.iterations = 0; },
            "-T must be at least 1, not 0");
        row(
            "a gain below one", [](RunConfig &c) { c.positiveThreshold = 0.9; },
            "--tpos must be at least 1, not 0.9");
        row(
            "a threshold that is no number",
            [](RunConfig &c) { c.negativeThreshold = std::numeric_limits<double>::quiet_NaN(); },
            "--tneg must be at least 1, not nan");
        row(
            "a budget of nothing", [](RunConfig &c) { c.budgetUsd = 0; },
            "--budget-usd must be more than 0, not 0");
        row(
            "no kernels", [](RunConfig &c) { c.budgetKernels = 0; },
            "--budget-kernels must be at least 1, not 0");
        row(
            "more iterations than make sense", [](RunConfig &c) { c.iterations = 2'000'000; },
            "-T must be at most 100000, not 2e+06");
        row(
            "more than the whole peak", [](RunConfig &c) { c.targetPercentOfPeak = 101; },
            "--target must be at most 100, not 101");
        row(
            "an infinite threshold",
            [](RunConfig &c) { c.positiveThreshold = std::numeric_limits<double>::infinity(); },
            "--tpos must be at most 1000, not inf");
        row(
            "an iteration that no memory holds",
            [](RunConfig &c) { c.beamWidth = c.plansPerCandidate = 2'000; },
            "-B, -N and -K together ask for 4e+06 kernels in an iteration, more than 1e+06");
        row(
            "too many repairs", [](RunConfig &c) { c.repairs = 101; },
            "--repair must be at most 100, not 101");
        row(
            "an unknown device", [](RunConfig &c) { c.device = "gpu"; },
            "--device must be trn1 or trn2, not \"gpu\"");
        row(
            "an unknown shape", [](RunConfig &c) { c.shape = "tiny"; },
            "--shape must be published or lab, not \"tiny\"");
        row(
            "no planner", [](RunConfig &c) { c.planner.clear(); }, "--planner must not be empty");
    }

    void refusesNonsense()
    {
        QFETCH(std::function<void(RunConfig &)>, change);
        QFETCH(QString, message);
        RunConfig config;
        ACCELOPT_VERIFY_OK(validate(config));
        change(config);
        const Result<void> result = validate(config);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::WrongUse);
        QCOMPARE(result.error().message, message.toStdString());
    }

    void survivesJson()
    {
        RunConfig config = *preset("paper");
        config.beamPolicy = BeamPolicy::PublishedCode;
        config.memoryPolicy = MemoryPolicy::Reviewed;
        config.intake = Intake::EveryKernel;
        config.targetPercentOfPeak = 75;
        config.budgetUsd = 1.5;
        config.budgetKernels = 10;
        config.seed = std::numeric_limits<std::uint64_t>::max();
        config.planner = "gpt-oss";
        QCOMPARE(nlohmann::json::parse(nlohmann::json(config).dump()).get<RunConfig>(), config);
    }

    void missingFieldsKeepTheirDefaults()
    {
        const RunConfig config = nlohmann::json{{"beam_width", 9}}.get<RunConfig>();
        RunConfig expected;
        expected.beamWidth = 9;
        QCOMPARE(config, expected);
    }

    void unknownPolicyNamesAreRefused()
    {
        QVERIFY(!beamPolicy("greedy"));
        QVERIFY(!memoryPolicy("lru"));
        QCOMPARE(beamPolicy("published-code").value(), BeamPolicy::PublishedCode);
        QCOMPARE(memoryPolicy("reviewed").value(), MemoryPolicy::Reviewed);
        const nlohmann::json json{{"beam_policy", "greedy"}};
        QVERIFY_EXCEPTION_THROWN(json.get<RunConfig>(), nlohmann::json::exception);
    }
};

ACCELOPT_TEST(tst_RunConfig)
#include "tst_RunConfig.moc"
