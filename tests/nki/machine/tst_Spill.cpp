// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Spill.h"
#include "core/nki/machine/Work.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

constexpr std::int64_t kColumns = 16 * 1024; // 64 KiB per partition: two fit, three do not
constexpr double kTileBytes = 128.0 * kColumns * 4;

struct Traffic
{
    double saved = 0;
    double reloaded = 0;
    double inputAgain = 0;
};

Traffic trafficOf(const Program &program)
{
    Lowered lowered = lower(program);
    spill(lowered, deviceTable());
    Traffic traffic;
    for (const LoweredInstruction &i : lowered.instructions) {
        const Work work = workOf(lowered, i, deviceTable());
        traffic.saved += work.spillSaveBytes;
        traffic.reloaded += work.spillReloadBytes;
        if (i.origin == Origin::InputReload)
            traffic.inputAgain += work.hbmReadBytes;
    }
    return traffic;
}

/// Makes `tiles` big tiles (loads of x, or values worked out), then reads each `rounds` times in
/// turn.
Program inTurns(int tiles, int rounds, bool inputs)
{
    ProgramBuilder b;
    const auto x = b.input("x", {128 * tiles, kColumns});
    std::vector<ProgramBuilder::TensorId> made;
    for (int n = 0; n < tiles; ++n) {
        made.push_back(b.tile("t", 128, kColumns));
        if (inputs)
            b.add(Opcode::Load, Engine::Dma, {b.whole(made.back())},
                  {hbmBox(b, x, kColumns, 128 * n, 0, kColumns)});
        else
            b.add(Opcode::Iota, Engine::GpSimd, {b.whole(made.back())}, {});
    }
    for (int round = 0; round < rounds; ++round)
        for (const auto tile : made)
            b.add(Opcode::Reduce, Engine::Vector, {b.whole(b.tile("r", 128, 1))}, {b.whole(tile)});
    return b.take();
}

} // namespace

class tst_Spill : public QObject
{
    Q_OBJECT

private slots:
    void trafficOfTilesReadInTurns_data()
    {
        QTest::addColumn<int>("tiles");
        QTest::addColumn<int>("rounds");
        QTest::addColumn<bool>("inputs");
        QTest::addColumn<double>("saved");      // in tiles
        QTest::addColumn<double>("reloaded");   // in tiles
        QTest::addColumn<double>("inputAgain"); // in tiles
        QTest::newRow("two tiles fit") << 2 << 3 << false << 0.0 << 0.0 << 0.0;
        QTest::newRow("three values: one is saved and reloaded")
            << 3 << 1 << false << 1.0 << 1.0 << 0.0;
        // 0 1 2 | 0 1 2 | 0 1 2 with room for two: 1, 0, 2 and 1 come back.
        QTest::newRow("each value is saved once, and reloaded as often as it was dropped")
            << 3 << 3 << false << 3.0 << 4.0 << 0.0;
        QTest::newRow("loads take room at their first use: nothing comes again in one round")
            << 3 << 1 << true << 0.0 << 0.0 << 0.0;
        QTest::newRow("inputs are loaded again, never saved")
            << 3 << 3 << true << 0.0 << 0.0 << 3.0;
    }
    void trafficOfTilesReadInTurns()
    {
        QFETCH(int, tiles);
        QFETCH(int, rounds);
        QFETCH(bool, inputs);
        QFETCH(double, saved);
        QFETCH(double, reloaded);
        QFETCH(double, inputAgain);
        const Traffic traffic = trafficOf(inTurns(tiles, rounds, inputs));
        QCOMPARE(traffic.saved / kTileBytes, saved);
        QCOMPARE(traffic.reloaded / kTileBytes, reloaded);
        QCOMPARE(traffic.inputAgain / kTileBytes, inputAgain);
    }

    void aValueThatIsReplacedIsNotSaved()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, kColumns);
        const auto other = b.tile("other", 128, kColumns);
        const auto third = b.tile("third", 128, kColumns);
        const auto reduce = [&](ProgramBuilder::TensorId tile) {
            b.add(Opcode::Reduce, Engine::Vector, {b.whole(b.tile("r", 128, 1))}, {b.whole(tile)});
        };
        b.add(Opcode::Iota, Engine::GpSimd, {b.whole(a)}, {});
        reduce(a);
        b.add(Opcode::Iota, Engine::GpSimd, {b.whole(other)}, {});
        b.add(Opcode::Iota, Engine::GpSimd, {b.whole(third)}, {});
        reduce(other);
        reduce(third);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(a)}, {}); // what a held is lost here
        reduce(a);
        QCOMPARE(trafficOf(b.take()).saved, 0.0);
    }

    void accumulatorsOfSequentialLoopsTravel_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("tiles");
        QTest::addColumn<int>("travels");
        QTest::newRow("64 tiles of 2 KiB carried by a sequential loop, three turns")
            << int(LoopKind::Sequential) << 64 << 3 * 64;
        QTest::newRow("the same in an affine loop stay") << int(LoopKind::Affine) << 64 << 0;
        QTest::newRow("eight tiles stay") << int(LoopKind::Sequential) << 8 << 0;
    }
    void accumulatorsOfSequentialLoopsTravel()
    {
        QFETCH(int, kind);
        QFETCH(int, tiles);
        QFETCH(int, travels);
        ProgramBuilder b;
        const auto p = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(p)}, {});
        std::vector<ProgramBuilder::TensorId> sums;
        for (int n = 0; n < tiles; ++n)
            sums.push_back(b.tile("sum", 128, 512));
        b.beginLoop(LoopKind(kind));
        for (int pass = 0; pass < 4; ++pass) {
            b.pass();
            for (const auto sum : sums) {
                Parameters parameters;
                parameters.op0 = AluOp::Add;
                parameters.firstPass = pass == 0;
                b.add(Opcode::LoopReduce, Engine::Vector, {b.whole(sum)}, {b.whole(p)}, parameters);
            }
        }
        b.endLoop();
        for (const auto sum : sums)
            b.add(Opcode::Reduce, Engine::Vector, {b.whole(b.tile("r", 128, 1))}, {b.whole(sum)});
        const Traffic traffic = trafficOf(b.take());
        QCOMPARE(traffic.saved, travels * 262144.0);
        QCOMPARE(traffic.reloaded, travels * 262144.0);
    }

    void neverMoreThanTheCapacityIsResident()
    {
        // Replays the list: a tile is there from its first write or reload to its save or last
        // access.
        const Program program = inTurns(7, 4, false);
        Lowered lowered = lower(program);
        spill(lowered, deviceTable());
        std::vector<bool> resident(lowered.storages.size(), false);
        for (const LoweredInstruction &i : lowered.instructions) {
            for (const Operand &input : lowered.inputsOf(i))
                if (lowered.storage(input).memory == Memory::Sbuf)
                    QVERIFY(resident[std::size_t(input.storage)]);
            if (i.origin == Origin::SpillSave)
                resident[std::size_t(lowered.inputsOf(i)[0].storage)] = false;
            for (const Operand &output : lowered.outputsOf(i))
                if (lowered.storage(output).memory == Memory::Sbuf)
                    resident[std::size_t(output.storage)] = true;
        }
        QVERIFY(countOf(lowered, Origin::SpillSave) <= 7L);
        QVERIFY(countOf(lowered, Origin::SpillReload) > 0L);
    }
};

ACCELOPT_TEST(tst_Spill)
#include "tst_Spill.moc"
