// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/RooflineData.h"

#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::widgets;

class tst_RooflineData : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void pointsAreUsefulWorkOverTrafficAndTime();
    void theRoofIsOfTheTasksOwnType();
    void whatIsNotCorrectHasNoPoint();
    void sayWhyThereIsNoRoof();

private:
    Task m_task;
    bench::DeviceRoof m_device;
    search::State m_state;
    KernelId m_kernel{"k"};
};

void tst_RooflineData::init()
{
    m_task = Task();
    m_task.matmulDtype = "bfloat16";
    m_task.minimumWork = MinimumWork{1e6, 4e9, 0};
    m_device = {};
    m_device.hbmGBPerSecond.value = 400;
    m_device.tensorTflops = {{"bfloat16", {90, ""}}, {"float32", {22.5, ""}}};
    m_device.vectorGflops.value = 140;
    m_state = {};
    search::KernelRecord record;
    record.id = m_kernel;
    record.judged = record.rankable = true;
    record.profile.latencyMs = 0.5;
    record.profile.counters = {{"hbm_read_bytes", 3e6}, {"hbm_write_bytes", 1e6}};
    m_state.kernels.emplace(m_kernel, record);
}

void tst_RooflineData::pointsAreUsefulWorkOverTrafficAndTime()
{
    const RooflineData data = rooflineData(m_state, {m_kernel}, m_task, m_device);
    QCOMPARE(data.points.size(), std::size_t(1));
    QCOMPARE(data.points[0].intensity, 1000.0);    // 4e9 FLOP / 4e6 bytes
    QCOMPARE(data.points[0].flopsPerSecond, 8e12); // 4e9 FLOP / 0.5 ms
    QCOMPARE(data.leastTrafficIntensity, 4000.0);  // 4e9 FLOP / 1e6 bytes
    QCOMPARE(data.attainable(100), 4e13);          // 100 FLOP/byte * 400 GB/s
    QCOMPARE(data.attainable(1e6), 9e13);          // the tensor engine
}

void tst_RooflineData::theRoofIsOfTheTasksOwnType()
{
    QCOMPARE(rooflineData(m_state, {}, m_task, m_device).ceilings[0].flopsPerSecond, 9e13);
    m_task.matmulDtype = "float32";
    const RooflineData data = rooflineData(m_state, {}, m_task, m_device);
    QCOMPARE(data.ceilings[0].flopsPerSecond, 2.25e13);
    QVERIFY(data.ceilings[0].label.contains(QStringLiteral("float32")));
    // With both kinds of work, each engine bounds the whole through its own part.
    m_task.minimumWork = MinimumWork{1e6, 3e9, 1e9};
    const RooflineData both = rooflineData(m_state, {}, m_task, m_device);
    QCOMPARE(both.ceilings.size(), std::size_t(2));
    QCOMPARE(both.ceilings[0].flopsPerSecond, 2.25e13 * 4 / 3);
    QCOMPARE(both.ceilings[1].flopsPerSecond, 140e9 * 4);
}

void tst_RooflineData::whatIsNotCorrectHasNoPoint()
{
    m_state.kernels.at(m_kernel).rankable = false;
    QVERIFY(
        rooflineData(m_state, {m_kernel, KernelId("unknown")}, m_task, m_device).points.empty());
}

void tst_RooflineData::sayWhyThereIsNoRoof()
{
    m_task.minimumWork.reset();
    QVERIFY(rooflineData(m_state, {m_kernel}, m_task, m_device)
                .whyNot.contains(QStringLiteral("least work")));
    m_task.minimumWork = MinimumWork{1e6, 4e9, 0};
    m_task.matmulDtype = "float8";
    QVERIFY(rooflineData(m_state, {m_kernel}, m_task, m_device)
                .whyNot.contains(QStringLiteral("float8")));
}

ACCELOPT_TEST(tst_RooflineData)
#include "tst_RooflineData.moc"
