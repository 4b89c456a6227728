// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/RunGroups.h"
#include "tests/report/RunStory.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::report;
using accelopt::report::tests::RunStory;

namespace {

/// A run of `iterations` iterations; each makes the best kernel `gain` times faster.
RunFigures runOf(const std::string &task, int iterations, double gain,
                 const std::string &model = "m1")
{
    RunStory story;
    story.task = task;
    story.modelVersion = model;
    story.open();
    story.correct("base", 8);
    double latency = 8;
    for (int i = 0; i < iterations; ++i) {
        const std::string kernel = "k" + std::to_string(i);
        story.plan({i, 0, 0}, i == 0 ? "base" : "k" + std::to_string(i - 1));
        story.write({{i, 0, 0}, 0}, kernel);
        story.correct(kernel, latency /= gain);
    }
    RunFigures figures = figuresOf(story.events());
    figures.file = task + "-" + model + ".accelopt";
    return figures;
}

} // namespace

class tst_RunGroups : public QObject
{
    Q_OBJECT

private slots:
    void meansAreGeometricAndARunThatEndedStandsStill()
    {
        const std::vector<RunGroup> groups = groupsOf({runOf("silu", 1, 2), runOf("bmm", 2, 2)});
        QCOMPARE(groups.size(), std::size_t(1));
        const RunGroup &group = groups.front();
        QCOMPARE(group.geometricMeanSpeedup.value(), std::sqrt(8.0));
        QCOMPARE(group.iterations.size(), std::size_t(2));
        QCOMPARE(group.iterations[0].geometricMean, 2.0);
        QCOMPARE(group.iterations[0].runsUnderWay, 2);
        QCOMPARE(group.iterations[1].geometricMean, std::sqrt(8.0));
        QCOMPARE(group.iterations[1].runsUnderWay, 1);
        QCOMPARE(group.iterations[1].kernels, std::int64_t(3));
        QCOMPARE(group.iterations[1].usage.calls, std::int64_t(6));
        // More than 2: only the second run, and only after its second iteration.
        QCOMPARE(group.iterations[0].fast.back(), 0.0);
        QCOMPARE(group.iterations[1].fast.back(), 0.5);
        QCOMPARE(group.iterations[1].fast.front(), 1.0);
    }

    void figuresOfDifferentKindsNeverMeet()
    {
        RunFigures measured = runOf("lora", 1, 4);
        measured.simulated = false;
        const std::vector<RunGroup> groups = groupsOf(
            {runOf("silu", 1, 2), runOf("bmm", 1, 4, "m2"), measured, runOf("rope", 1, 8)});
        QCOMPARE(groups.size(), std::size_t(3));
        QCOMPARE(groups[0].runs, (std::vector<std::size_t>{0, 3}));
        QCOMPARE(groups[0].geometricMeanSpeedup.value(), 4.0);
        QCOMPARE(groups[1].modelVersion, std::string("m2"));
        QVERIFY(!groups[2].simulated);
    }

    void aRunWithoutGainCountsAsOneAndABrokenOneNotAtAll()
    {
        RunStory broken;
        broken.open();
        broken.failing("base", VerdictStatus::Wrong);
        const std::vector<RunGroup> groups =
            groupsOf({runOf("silu", 1, 4), runOf("bmm", 1, 0.5), figuresOf(broken.events())});
        QCOMPARE(groups.size(), std::size_t(1));
        QCOMPARE(groups[0].runs.size(), std::size_t(2));
        QCOMPARE(groups[0].geometricMeanSpeedup.value(), 2.0);
    }

    void everyRunHasANameOfItsOwn()
    {
        const std::vector<std::string> names =
            runNames({runOf("silu", 1, 2), runOf("bmm", 1, 2), runOf("silu", 1, 2, "m2"),
                      runOf("silu", 1, 2)});
        QCOMPARE(names, (std::vector<std::string>{"silu (silu-m1)", "bmm", "silu (silu-m2)",
                                                  "silu (silu-m1) 2"}));
    }

    void theKindIsAlwaysSaid()
    {
        QCOMPARE(kindOf(true, "1", "trn1"), std::string("simulated (cost model 1) on trn1"));
        QCOMPARE(kindOf(false, "", "trn2"), std::string("measured on trn2"));
    }
};

ACCELOPT_TEST(tst_RunGroups)
#include "tst_RunGroups.moc"
