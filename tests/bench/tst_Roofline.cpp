// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/Roofline.h"
#include "core/bench/TaskLoader.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

Task taskOf(double trafficBytes, double matmulFlops, double vectorFlops)
{
    Task task;
    task.minimumWork = MinimumWork{trafficBytes, matmulFlops, vectorFlops};
    return task;
}

} // namespace

class tst_Roofline : public QObject
{
    Q_OBJECT

private slots:
    void devicesHaveThePapersPeaks()
    {
        QVERIFY((bench::deviceNames() == std::vector<std::string>{"trn1", "trn2"}));
        const auto trn1 = bench::deviceRoof("trn1");
        ACCELOPT_VERIFY_OK(trn1);
        QCOMPARE(trn1->hbmGBPerSecond.value, 440.2);
        QCOMPARE(trn1->tensorTflops.at("float32").value, 23.75);
        QCOMPARE(trn1->tensorTflops.at("bfloat16").value, 91.75);
        QCOMPARE(trn1->vectorGflops.value, 286.8);
        const auto trn2 = bench::deviceRoof("trn2");
        ACCELOPT_VERIFY_OK(trn2);
        QCOMPARE(trn2->hbmGBPerSecond.value, 640.0);
        QCOMPARE(trn2->tensorTflops.at("float32").value, 19.75);
        QCOMPARE(trn2->tensorTflops.at("bfloat16").value, 79.0);
        QCOMPARE(trn2->vectorGflops.value, 550.0);
        for (const auto &device : {*trn1, *trn2})
            for (const auto &[dtype, peak] : device.tensorTflops)
                QVERIFY(!peak.source.empty());
    }

    void anUnknownDeviceListsTheKnownOnes()
    {
        const auto device = bench::deviceRoof("trn9");
        QVERIFY(!device);
        QCOMPARE(device.error().code, ErrorCode::WrongUse);
        QCOMPARE(device.error().hint, std::string("devices: trn1, trn2"));
    }

    void theSlowestOfThreeIsTheBound_data()
    {
        QTest::addColumn<double>("trafficBytes");
        QTest::addColumn<double>("matmulFlops");
        QTest::addColumn<double>("vectorFlops");
        QTest::addColumn<QString>("bound");
        QTest::addColumn<double>("peakMs");
        QTest::newRow("a second of traffic") << 440.2e9 << 1e12 << 1e9 << "memory" << 1000.0;
        QTest::newRow("a second of matmul") << 1e9 << 23.75e12 << 1e9 << "tensor" << 1000.0;
        QTest::newRow("a second of vector work") << 1e9 << 1e12 << 286.8e9 << "vector" << 1000.0;
        QTest::newRow("no matmul at all") << 440.2e6 << 0.0 << 0.0 << "memory" << 1.0;
    }
    void theSlowestOfThreeIsTheBound()
    {
        QFETCH(double, trafficBytes);
        QFETCH(double, matmulFlops);
        QFETCH(double, vectorFlops);
        QFETCH(QString, bound);
        QFETCH(double, peakMs);
        const auto roof = bench::roofline(taskOf(trafficBytes, matmulFlops, vectorFlops),
                                          *bench::deviceRoof("trn1"));
        QVERIFY(roof.has_value());
        QCOMPARE(QString::fromStdString(roof->bound), bound);
        QCOMPARE(roof->peakMs, peakMs);
        QCOMPARE(bench::percentOfPeak(*roof, 4 * peakMs), 25.0);
    }

    void aMatmulIsHeldAgainstThePeakOfItsOwnType()
    {
        const auto device = *bench::deviceRoof("trn1");
        Task task = taskOf(0, 91.75e12, 0);
        QCOMPARE(bench::roofline(task, device, "bfloat16")->peakMs, 1000.0);
        QCOMPARE(bench::roofline(task, device)->peakMs, 1000.0 * 91.75 / 23.75);
        task.matmulDtype = "bfloat16";
        QCOMPARE(bench::roofline(task, device)->peakMs, 1000.0);
    }

    void noRoofIsMadeUp()
    {
        const auto device = *bench::deviceRoof("trn2");
        QVERIFY(!bench::roofline(Task(), device));
        QVERIFY(!bench::roofline(taskOf(1e9, 1e9, 0), device, "int8"));
        QVERIFY(bench::roofline(taskOf(1e9, 0, 0), device, "int8").has_value());
    }

    void publishedTasks_data()
    {
        QTest::addColumn<QString>("bound");
        QTest::addColumn<double>("percent");
        QTest::newRow("silu") << "memory" << 40.03;
        QTest::newRow("bmm_softmax") << "vector" << 39.00;
        QTest::newRow("gqa_full") << "tensor" << 30.28;
        QTest::newRow("mamba") << "vector" << 28.35;
        QTest::newRow("rope_single_freq_apply") << "memory" << 21.11;
        QTest::newRow("transpose_matmul") << "tensor" << 80.45;
    }
    void publishedTasks()
    {
        QFETCH(QString, bound);
        QFETCH(double, percent);
        const auto task = bench::loadTask(sourceTasks() / QTest::currentDataTag(), "published");
        ACCELOPT_VERIFY_OK(task);
        const auto roof = bench::roofline(*task, *bench::deviceRoof("trn1"));
        QCOMPARE(QString::fromStdString(roof->bound), bound);
        const double found = bench::percentOfPeak(*roof, task->published.at(0).baselineMs);
        QVERIFY2(std::abs(found - percent) < 0.01, QByteArray::number(found).constData());
    }

    void geometricMeans()
    {
        const std::vector<double> values = {1, 4, 16};
        QVERIFY(std::abs(*bench::geometricMean(values) - 4) < 1e-12);
        QVERIFY(!bench::geometricMean({}));
        const std::vector<double> withZero = {1, 0};
        QVERIFY(!bench::geometricMean(withZero));
    }
};

ACCELOPT_TEST(tst_Roofline)
#include "tst_Roofline.moc"
