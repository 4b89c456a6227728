// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Timeline.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <cmath>
#include <map>

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

bool closeTo(double a, double b)
{
    return std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Load, exponential, product with itself, store; `columns` wide, each pass tiles of its own.
Program fourSteps(int passes, LoopKind kind, int columns = 512)
{
    ProgramBuilder b;
    const auto x = b.input("x", {128, columns * passes});
    const auto y = b.output("y", {128, columns * passes});
    b.beginLoop(kind);
    for (int n = 0; n < passes; ++n) {
        b.pass();
        const auto t = b.tile("t", 128, columns);
        const auto e = b.tile("e", 128, columns);
        const auto o = b.tile("o", 128, columns);
        Parameters exp;
        exp.function = ActivationFunction::Exp;
        Parameters multiply;
        multiply.op0 = AluOp::Multiply;
        b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
              {hbmBox(b, x, columns * passes, 0, columns * n, columns)});
        b.add(Opcode::Activation, Engine::Scalar, {b.whole(e)}, {b.whole(t)}, exp);
        b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(o)}, {b.whole(t), b.whole(e)},
              multiply);
        b.add(Opcode::Store, Engine::Dma, {hbmBox(b, y, columns * passes, 0, columns * n, columns)},
              {b.whole(o)});
    }
    b.endLoop();
    return b.take();
}

Timeline timelineOn(const Program &program, const std::string &device = "trn1")
{
    return timelineOf(program, *Machine::load(device));
}

} // namespace

class tst_Timeline : public QObject
{
    Q_OBJECT

private slots:
    void criticalTimeSumsToTheLatencyLessTheLaunch_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<bool>("sequential");
        QTest::newRow("affine on trn1") << "trn1" << false;
        QTest::newRow("sequential on trn1") << "trn1" << true;
        QTest::newRow("affine on trn2") << "trn2" << false;
    }
    void criticalTimeSumsToTheLatencyLessTheLaunch()
    {
        QFETCH(QString, device);
        QFETCH(bool, sequential);
        const Program program = fourSteps(40, sequential ? LoopKind::Sequential : LoopKind::Affine);
        const Timeline timeline = timelineOn(program, device.toStdString());
        const Profile profile =
            simulate(program, Dependences(), *Machine::load(device.toStdString()));
        QVERIFY(closeTo(timeline.latencyNs, 1e6 * profile.latencyMs));
        const double expected = timeline.latencyNs - timeline.launchNs;
        QVERIFY(expected > 0);
        double events = 0;
        double rows = 0;
        double lines = 0;
        double path = 0;
        for (const TimelineEvent &event : timeline.events)
            events += event.criticalNs;
        for (const TimelineRowTotals &row : timeline.rows)
            rows += row.exposedNs;
        int last = 0;
        for (const LineTime &line : timeline.lines) {
            QVERIFY(line.line > last);
            last = line.line;
            lines += line.criticalNs;
        }
        for (const std::int32_t e : timeline.criticalPath)
            path += timeline.events[std::size_t(e)].criticalNs;
        QVERIFY(closeTo(events, expected));
        QVERIFY(closeTo(rows, expected));
        QVERIFY(closeTo(lines, expected));
        QVERIFY(closeTo(path, expected));
    }

    void theCriticalPathIsAChainInTime()
    {
        const Timeline timeline = timelineOn(fourSteps(40, LoopKind::Affine));
        QVERIFY(timeline.criticalPath.size() > 2);
        double until = timeline.launchNs;
        for (const std::int32_t e : timeline.criticalPath) {
            const TimelineEvent &event = timeline.events[std::size_t(e)];
            QVERIFY(closeTo(event.startNs, until)); // each begins when the one before let it
            until = event.startNs + event.criticalNs;
            QVERIFY(until <= event.startNs + event.durationNs + 1e-6);
        }
        QVERIFY(closeTo(until, timeline.latencyNs));
    }

    void anEngineDoesOneThingAtATime()
    {
        const Timeline timeline = timelineOn(fourSteps(40, LoopKind::Affine));
        std::map<TimelineRow, double> until;
        double last = 0;
        for (const TimelineEvent &event : timeline.events) {
            QVERIFY(event.startNs >= last);
            last = event.startNs;
            if (event.row != TimelineRow::Vector && event.row != TimelineRow::Scalar)
                continue;
            QVERIFY(event.startNs >= until[event.row] - 1e-6);
            until[event.row] = event.startNs + event.durationNs;
        }
        for (const TimelineRowTotals &row : timeline.rows)
            QVERIFY(row.busyNs <= timeline.latencyNs);
        QVERIFY(timeline.totals(TimelineRow::Vector).events == 40);
        QVERIFY(timeline.totals(TimelineRow::Tensor).events == 0);
        QCOMPARE(timeline.totals(TimelineRow::Tensor).busyNs, 0.0);
    }

    void readersStartWhenTheirWritersHaveEnded()
    {
        const Timeline timeline = timelineOn(fourSteps(40, LoopKind::Affine));
        std::vector<const TimelineEvent *> byNumber(timeline.events.size());
        for (const TimelineEvent &event : timeline.events)
            byNumber[std::size_t(event.instruction)] = &event;
        for (std::size_t n = 0; n + 3 < byNumber.size(); n += 4)
            for (std::size_t step = 1; step < 4; ++step)
                QVERIFY(byNumber[n + step]->startNs + 1e-6 >=
                        byNumber[n + step - 1]->startNs + byNumber[n + step - 1]->durationNs);
    }

    void passesOfAffineLoopsOverlapMoreThanThoseOfSequentialOnes()
    {
        // The schedule's own length, without what the latency is scaled by.
        const auto span = [](LoopKind kind) {
            const Timeline timeline = timelineOn(fourSteps(64, kind));
            return (timeline.latencyNs - timeline.launchNs) / timeline.scale;
        };
        QVERIFY(span(LoopKind::Affine) < 0.95 * span(LoopKind::Sequential));
    }

    void aTileMadeOutsideTheLoopSerialisesItsPasses()
    {
        const auto span = [](bool inside) {
            ProgramBuilder b;
            const auto x = b.input("x", {128, 512 * 40});
            const auto y = b.output("y", {128, 512 * 40});
            auto t = b.tile("t", 128, 512);
            b.beginLoop(LoopKind::Affine);
            for (int n = 0; n < 40; ++n) {
                b.pass();
                if (inside)
                    t = b.tile("t", 128, 512);
                b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
                      {hbmBox(b, x, 512 * 40, 0, 512 * n, 512)});
                b.add(Opcode::Store, Engine::Dma, {hbmBox(b, y, 512 * 40, 0, 512 * n, 512)},
                      {b.whole(t)});
            }
            b.endLoop();
            const Timeline timeline = timelineOn(b.take());
            return (timeline.latencyNs - timeline.launchNs) / timeline.scale;
        };
        QVERIFY(span(false) > 2 * span(true));
    }

    void tilesThatFillSbufWaitForRoom()
    {
        // Three tiles of a pass: 3 x 32 KiB leave no room for the next pass's, 3 x 16 KiB do.
        const auto perElement = [](int columns) {
            const Timeline timeline = timelineOn(fourSteps(24, LoopKind::Affine, columns));
            return (timeline.latencyNs - timeline.launchNs) / timeline.scale / columns;
        };
        QVERIFY(perElement(8 * 1024) < 1.1 * perElement(4 * 1024));
        QVERIFY(perElement(14 * 1024) > 1.2 * perElement(4 * 1024));
    }

    void anEmptyProgramIsALaunch()
    {
        ProgramBuilder b;
        const Timeline timeline = timelineOn(b.take());
        QVERIFY(timeline.events.empty());
        QVERIFY(timeline.criticalPath.empty());
        QVERIFY(timeline.lines.empty());
        QCOMPARE(timeline.latencyNs, timeline.launchNs);
        QVERIFY(timeline.launchNs > 0);
    }

    void everyRowHasAName()
    {
        for (int r = 0; r < kTimelineRowCount; ++r)
            QVERIFY(!name(TimelineRow(r)).empty());
    }
};

ACCELOPT_TEST(tst_Timeline)
#include "tst_Timeline.moc"
