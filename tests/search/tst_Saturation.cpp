// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Saturation.h"
#include "core/search/Select.h"
#include "tests/search/Sketch.h"

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

Q_DECLARE_METATYPE(Saturation)

class tst_Saturation : public QObject
{
    Q_OBJECT

private slots:
    void tellsHowTheSearchStands_data()
    {
        QTest::addColumn<double>("bestPercent");
        QTest::addColumn<QList<double>>("latencies"); // 0 = wrong
        QTest::addColumn<Saturation>("expected");
        using List = QList<double>;
        QTest::newRow("eighty percent of peak is near the peak")
            << 80.0 << List{11, 12} << Saturation::NearPeak;
        QTest::newRow("a gain is moving") << 40.0 << List{9, 12} << Saturation::StillMoving;
        QTest::newRow("kernels that differ without gain explore")
            << 40.0 << List{11, 20, 0} << Saturation::ExploringWithoutGain;
        QTest::newRow("kernels that barely differ are stuck")
            << 40.0 << List{11, 11.1, 11.2} << Saturation::Stuck;
        QTest::newRow("few correct kernels are stuck")
            << 40.0 << List{11, 20, 0, 0, 0, 0, 0, 0, 0, 0} << Saturation::Stuck;
        QTest::newRow("nothing written is stuck") << 40.0 << List{} << Saturation::Stuck;
    }

    void tellsHowTheSearchStands()
    {
        QFETCH(double, bestPercent);
        QFETCH(QList<double>, latencies);
        QFETCH(Saturation, expected);
        Sketch sketch(10.0);
        sketch.state.kernels.at(sketch.state.best).profile.percentOfPeak = bestPercent;
        std::vector<Sketch::Group> groups;
        for (const double latency : latencies)
            groups.push_back({latency > 0 ? std::optional(latency) : std::nullopt});
        IterationRecord &iteration = sketch.iteration({10.0}, {groups});
        trackBest(sketch.state, iteration);
        concludeSaturation(sketch.state, iteration);
        QCOMPARE(iteration.saturation, expected);
        QVERIFY(!iteration.saturationText.empty());
    }

    void variationIsTheMeanOverLatencyAndCounters()
    {
        Sketch sketch(10.0);
        IterationRecord &iteration = sketch.iteration({10.0}, {{{10.5}, {31.5}}});
        // Latency and the counter, which is proportional to it, both vary by 10.5 / 21.
        QCOMPARE(counterVariation(sketch.state, iteration), 0.5);
        // A counter that only one kernel has does not count.
        sketch.state.kernels.at(Sketch::id(10.5)).profile.counters["only_here"] = 5;
        QCOMPARE(counterVariation(sketch.state, iteration), 0.5);
    }

    void wordsHoldTheFigures()
    {
        Sketch sketch(10.0);
        IterationRecord &iteration = sketch.iteration({10.0}, {{{10.5}, {31.5}, {{}}}});
        trackBest(sketch.state, iteration);
        concludeSaturation(sketch.state, iteration);
        QCOMPARE(iteration.saturationText,
                 std::string("no gain, but the kernels differ: 2 of 3 new kernels correct, "
                             "counters vary by 50.0 % on average"));
    }
};

ACCELOPT_TEST(tst_Saturation)
#include "tst_Saturation.moc"
