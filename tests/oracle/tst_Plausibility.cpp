// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Plausibility.h"

#include "tests/support/TestMain.h"

using namespace accelopt;

class tst_Plausibility : public QObject
{
    Q_OBJECT

private slots:
    void tooGoodToBeTrue_data();
    void tooGoodToBeTrue();
    void withoutARoofTheOthersStillHold();
};

namespace {

/// A task whose tensors are 8 MB, at a roof of 1 ms.
Task eightMegabytes()
{
    Task task;
    TaskArgument x;
    x.name = "x";
    x.shape = {1000, 1000};
    task.arguments = {x};
    task.results = {{"y", {1000, 1000}}};
    return task;
}

Profile plausibleProfile()
{
    Profile profile;
    profile.device = "trn1";
    profile.latencyMs = 2;
    profile.counters = {{"tensor_engine_active_time", 1e-3},
                        {"vector_engine_active_time", 2e-3},
                        {"dma_active_time", 1.9e-3},
                        {"hfu_estimated_percent", 0.4},
                        {"mbu_estimated_percent", 0.9},
                        {"hbm_read_bytes", 4e6},
                        {"hbm_write_bytes", 4e6}};
    return profile;
}

bench::Roof roofOfOneMillisecond()
{
    bench::Roof roof;
    roof.peakMs = 1;
    roof.bound = "memory";
    return roof;
}

} // namespace

void tst_Plausibility::tooGoodToBeTrue_data()
{
    QTest::addColumn<QString>("counter");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("rule"); // empty: plausible
    QTest::newRow("a plausible profile") << "latency" << 2.0 << "";
    QTest::newRow("faster than the least work") << "latency" << 0.9 << "above_roof";
    QTest::newRow("an engine busy for longer than the run")
        << "vector_engine_active_time" << 2.1e-3 << "busier_than_time";
    QTest::newRow("the memory busy for longer than the run")
        << "dma_active_time" << 2.1e-3 << "busier_than_time";
    QTest::newRow("more operations than the device can do")
        << "hfu_estimated_percent" << 1.1 << "above_peak";
    QTest::newRow("more bytes than the memory can give")
        << "mbu_estimated_percent" << 1.1 << "above_peak";
    QTest::newRow("inputs that were never fetched")
        << "hbm_read_bytes" << 3.9e6 << "too_little_traffic";
}

void tst_Plausibility::tooGoodToBeTrue()
{
    QFETCH(const QString, counter);
    QFETCH(const double, value);
    QFETCH(const QString, rule);
    Profile profile = plausibleProfile();
    if (counter == "latency")
        profile.latencyMs = value;
    else
        profile.counters[counter.toStdString()] = value;
    const auto reasons = oracle::implausible(profile, eightMegabytes(), roofOfOneMillisecond());
    QCOMPARE(reasons.empty(), rule.isEmpty());
    if (!rule.isEmpty()) {
        QCOMPARE(QString::fromStdString(reasons.front().rule), rule);
        QCOMPARE(reasons.front().layer, std::string("plausibility"));
    }
}

void tst_Plausibility::withoutARoofTheOthersStillHold()
{
    Profile profile = plausibleProfile();
    profile.latencyMs = 0.1;
    const auto reasons = oracle::implausible(profile, eightMegabytes(), std::nullopt);
    QVERIFY(!reasons.empty());
    for (const Reason &reason : reasons)
        QCOMPARE(reason.rule, std::string("busier_than_time"));
}

ACCELOPT_TEST(tst_Plausibility)
#include "tst_Plausibility.moc"
