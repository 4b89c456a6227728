// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/LoopFusion.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <numeric>

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

/// What differs from two nests that can run together.
enum class Twist { None, Small, Sequential, ReadsAhead, OtherCount, SharedScratch };

/// First nest: passes x inner tiles made; second nest: loads one tile, then reads what the first
/// nest made.
Program nests(Twist twist)
{
    constexpr int passes = 3;
    constexpr int inner = 4;
    const std::int64_t columns = twist == Twist::Small ? 512 : 8 * 1024; // 32 KiB each, 12 of them
    const LoopKind kind = twist == Twist::Sequential ? LoopKind::Sequential : LoopKind::Affine;
    ProgramBuilder b;
    const auto w = b.input("w", {128, 512});
    const auto out = b.output("out", {128, 1});
    const auto scratch = b.scratch("scratch", {128, 1});
    std::vector<ProgramBuilder::TensorId> made;
    b.beginLoop(kind);
    for (int p = 0; p < passes; ++p) {
        b.pass();
        b.beginLoop(kind);
        for (int n = 0; n < inner; ++n) {
            b.pass();
            made.push_back(b.tile("made", 128, columns));
            b.add(Opcode::Iota, Engine::GpSimd, {b.whole(made.back())}, {});
            if (twist == Twist::SharedScratch)
                b.add(Opcode::Store, Engine::Dma, {b.whole(scratch)},
                      {b.part(made.back(), 0, 128, 0, 1)});
        }
        b.endLoop();
    }
    b.endLoop();
    b.beginLoop(kind);
    for (int p = 0; p < (twist == Twist::OtherCount ? passes - 1 : passes); ++p) {
        b.pass();
        b.add(Opcode::Load, Engine::Dma, {b.whole(b.tile("w", 128, 512))}, {b.whole(w)});
        b.beginLoop(kind);
        for (int n = 0; n < inner; ++n) {
            b.pass();
            const int from = twist == Twist::ReadsAhead ? passes * inner - 1 : p * inner + n;
            const auto r = b.tile("r", 128, 1);
            b.add(Opcode::Reduce, Engine::Vector, {b.whole(r)}, {b.whole(made[std::size_t(from)])});
            if (twist == Twist::SharedScratch)
                b.add(Opcode::Load, Engine::Dma, {b.whole(b.tile("s", 128, 1))},
                      {b.whole(scratch)});
            b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
        }
        b.endLoop();
    }
    b.endLoop();
    return b.take();
}

} // namespace

class tst_LoopFusion : public QObject
{
    Q_OBJECT

private slots:
    void nestsRunTogetherWhereTheyCan_data()
    {
        QTest::addColumn<int>("twist");
        QTest::addColumn<bool>("together");
        QTest::newRow("what is handed over does not fit") << int(Twist::None) << true;
        QTest::newRow("what is handed over fits") << int(Twist::Small) << false;
        QTest::newRow("sequential loops stay") << int(Twist::Sequential) << false;
        QTest::newRow("the second nest needs a later pass") << int(Twist::ReadsAhead) << false;
        QTest::newRow("other numbers of passes") << int(Twist::OtherCount) << false;
        QTest::newRow("both use one HBM tensor") << int(Twist::SharedScratch) << false;
    }
    void nestsRunTogetherWhereTheyCan()
    {
        QFETCH(int, twist);
        QFETCH(bool, together);
        const Program program = nests(Twist(twist));
        Lowered lowered = lower(program);
        fuseLoops(lowered, deviceTable());
        std::vector<InstructionId> order;
        for (const LoweredInstruction &i : lowered.instructions)
            order.push_back(i.source);
        std::vector<InstructionId> written(program.instructions.size());
        std::iota(written.begin(), written.end(), 0);
        QCOMPARE(order == written, !together);
        QVERIFY(std::ranges::is_permutation(order, written)); // nothing lost, nothing twice
    }

    void innerLoopsFollowAndValuesComeFirst()
    {
        const Program program = nests(Twist::None);
        Lowered lowered = lower(program);
        fuseLoops(lowered, deviceTable());
        // Each value is read right after it is made: load of w, then made, read, stored, made, ...
        QCOMPARE(int(lowered.instructions[0].opcode), int(Opcode::Load));
        for (std::size_t n = 1; n + 2 < 13; n += 3) {
            QCOMPARE(int(lowered.instructions[n].opcode), int(Opcode::Iota));
            QCOMPARE(int(lowered.instructions[n + 1].opcode), int(Opcode::Reduce));
            QCOMPARE(lowered.inputsOf(lowered.instructions[n + 1])[0].storage,
                     lowered.outputsOf(lowered.instructions[n])[0].storage);
        }
    }
};

ACCELOPT_TEST(tst_LoopFusion)
#include "tst_LoopFusion.moc"
