// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Findings.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

/// Totals of a kernel of 2 ms without anything remarkable, at two places; the second one owns most.
struct Case
{
    Totals totals;
    Timing timing;
    std::vector<PlaceCosts> byPlace{2};
    std::vector<SourcePlace> places{{10, 1, 10, 9}, {20, 1, 20, 9}};

    Case()
    {
        timing.latencyNs = 2e6;
        for (const Engine engine : {Engine::Tensor, Engine::Vector, Engine::Scalar, Engine::Dma})
            busy(engine, 1e6);
        totals.work.hbmReadBytes = 1e8;
        totals.work.hbmWriteBytes = 1e8;
        totals.work.flops = 1e9;
    }
    void busy(Engine engine, double ns)
    {
        const auto e = std::size_t(engine);
        totals.busyNs[e] = timing.busyNs[e] = ns;
        totals.instructions[e] = 1000;
        byPlace[0].busyNs[e] = 0.25 * ns;
        byPlace[1].busyNs[e] = 0.75 * ns;
    }
    std::vector<Finding> found() const
    {
        return findings(totals, timing, deviceTable(), byPlace, places);
    }
    const Finding *find(const std::vector<Finding> &all, const std::string &rule) const
    {
        for (const Finding &finding : all)
            if (finding.rule == rule)
                return &finding;
        return nullptr;
    }
};

} // namespace

class tst_Findings : public QObject
{
    Q_OBJECT

private slots:
    void nothingRemarkableSaysNothing() { QVERIFY(Case().found().empty()); }

    void eachRuleHasItsThreshold_data()
    {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<double>("value"); // share that the rule looks at
        QTest::addColumn<bool>("met");
        QTest::newRow("24 % spill reloads") << "spill" << 0.24 << false;
        QTest::newRow("26 % spill reloads") << "spill" << 0.26 << true;
        QTest::newRow("9 % transposes") << "transposes" << 0.09 << false;
        QTest::newRow("11 % transposes") << "transposes" << 0.11 << true;
        QTest::newRow("24 % in small runs") << "small_transfers" << 0.24 << false;
        QTest::newRow("26 % in small runs") << "small_transfers" << 0.26 << true;
        QTest::newRow("24 % inputs again") << "input_reload" << 0.24 << false;
        QTest::newRow("26 % inputs again") << "input_reload" << 0.26 << true;
        QTest::newRow("vector engine 59 % busy") << "busy_engine" << 0.59 << false;
        QTest::newRow("vector engine 74 % busy") << "busy_engine" << 0.74 << true;
        QTest::newRow("39 % fixed cost") << "fixed_overhead" << 0.39 << false;
        QTest::newRow("41 % fixed cost") << "fixed_overhead" << 0.41 << true;
    }
    void eachRuleHasItsThreshold()
    {
        QFETCH(QString, rule);
        QFETCH(double, value);
        QFETCH(bool, met);
        Case c;
        if (rule == "spill") {
            c.totals.work.spillReloadBytes = value * c.totals.work.hbmReadBytes;
            c.byPlace[1].spillBytes = 1;
        } else if (rule == "transposes") {
            c.totals.work.transposeFlops = value * c.totals.work.flops;
            c.byPlace[1].transposeFlops = 1;
        } else if (rule == "small_transfers") {
            c.totals.work.smallRunBytes = value * c.totals.work.dmaBytes();
            c.byPlace[1].smallRunBytes = 1;
        } else if (rule == "input_reload") {
            c.totals.inputReloadBytes = value * c.totals.work.hbmReadBytes;
            c.byPlace[1].dmaBytes = 1;
        } else if (rule == "busy_engine") {
            c.busy(Engine::Vector, value * c.timing.latencyNs);
        } else {
            c.totals.fixedNs[std::size_t(Engine::Vector)] =
                value * c.totals.busyNs[std::size_t(Engine::Vector)];
        }
        const std::vector<Finding> all = c.found();
        const Finding *finding = c.find(all, rule.toStdString());
        QCOMPARE(finding != nullptr, met);
        QCOMPARE(all.size(), std::size_t(met ? 1 : 0));
        if (!met)
            return;
        QCOMPARE(finding->place.line, 20);
        QVERIFY(finding->condition.find("threshold") != std::string::npos);
        QVERIFY(finding->condition.find(std::to_string(int(std::lround(100 * value)))) !=
                std::string::npos);
        QVERIFY(!finding->cause.empty());
        QVERIFY(!finding->advice.empty());
    }

    void anIdleEngineBesideABusyOneIsNamed()
    {
        Case c;
        c.busy(Engine::Vector, 1.6e6);
        c.busy(Engine::Scalar, 0.05e6);
        const std::vector<Finding> all = c.found();
        const Finding *finding = c.find(all, "idle_engine");
        QVERIFY(finding != nullptr);
        QVERIFY(finding->advice.find("scalar engine") != std::string::npos);
        // The busy engine weighs more and comes first.
        QCOMPARE(all.front().rule, std::string("busy_engine"));
    }

    void shortKernelsAreMarkedAsOutsideTheFit()
    {
        Case c;
        c.timing.latencyNs = 0.4e6;
        for (int e = 0; e < kEngineCount; ++e)
            c.busy(Engine(e), 0.1e6);
        const std::vector<Finding> all = c.found();
        QVERIFY(c.find(all, "outside_fit") != nullptr);
    }
};

ACCELOPT_TEST(tst_Findings)
#include "tst_Findings.moc"
