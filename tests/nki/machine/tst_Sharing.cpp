// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/CompilerModel.h"
#include "core/nki/machine/Sharing.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

/// Shares in a program that outlives the list.
struct Shared
{
    Program program;
    Lowered lowered;
    explicit Shared(ProgramBuilder &b) : program(b.take()), lowered(lower(program))
    {
        shareValues(lowered, deviceTable(), std::vector<bool>(program.iterations.size(), false));
    }
};

constexpr std::int64_t kWidth = 512;

/// In each of `passes` affine passes: loads the same tile of x and adds it to a different one of y.
ProgramBuilder rereading(int passes)
{
    constexpr std::int64_t tileColumns = kWidth;
    ProgramBuilder b;
    const auto x = b.input("x", {128, tileColumns});
    const auto y = b.input("y", {128 * passes, tileColumns});
    const auto out = b.output("out", {128 * passes, tileColumns});
    b.beginLoop(LoopKind::Affine);
    for (int n = 0; n < passes; ++n) {
        b.pass();
        const auto tx = b.tile("tx", 128, tileColumns);
        const auto ty = b.tile("ty", 128, tileColumns);
        const auto sum = b.tile("sum", 128, tileColumns);
        b.add(Opcode::Load, Engine::Dma, {b.whole(tx)}, {b.whole(x)});
        b.add(Opcode::Load, Engine::Dma, {b.whole(ty)},
              {hbmBox(b, y, tileColumns, 128 * n, 0, tileColumns)});
        b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(sum)}, {b.whole(tx), b.whole(ty)});
        b.add(Opcode::Store, Engine::Dma, {hbmBox(b, out, tileColumns, 128 * n, 0, tileColumns)},
              {b.whole(sum)});
    }
    b.endLoop();
    return b;
}

} // namespace

class tst_Sharing : public QObject
{
    Q_OBJECT

private slots:
    void loadOfTheSameRegionIsDoneOnce()
    {
        ProgramBuilder b = rereading(8);
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Load), 1L + 8);
        QCOMPARE(countOf(shared.lowered, Opcode::TensorTensor), 8L);
        // All readers use the one that is left.
        const StorageId kept = shared.lowered.outputsOf(shared.lowered.instructions[0])[0].storage;
        for (const LoweredInstruction &i : shared.lowered.instructions)
            if (i.opcode == Opcode::TensorTensor)
                QCOMPARE(shared.lowered.inputsOf(i)[0].storage, kept);
    }

    void loadsThatWouldNotStayTogetherAreRepeated_data()
    {
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("loads");
        QTest::newRow("two tiles of 64 KiB stay") << 16 * 1024 << 2;
        // In the last pass the first tile is not needed any more when the second one comes.
        QTest::newRow("two tiles of 96 KiB do not") << 24 * 1024 << 5;
    }
    void loadsThatWouldNotStayTogetherAreRepeated()
    {
        QFETCH(int, columns);
        QFETCH(int, loads);
        ProgramBuilder b;
        const auto x = b.input("x", {256, columns});
        b.beginLoop(LoopKind::Affine);
        for (int pass = 0; pass < 3; ++pass) {
            b.pass();
            for (int n = 0; n < 2; ++n) {
                const auto t = b.tile("t", 128, columns);
                const auto r = b.tile("r", 128, 1);
                Parameters parameters;
                parameters.constant0 = pass; // so that the results differ
                b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
                      {hbmBox(b, x, columns, 128 * n, 0, columns)});
                b.add(Opcode::Reduce, Engine::Vector, {b.whole(r)}, {b.whole(t)}, parameters);
            }
        }
        b.endLoop();
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Load), long(loads));
    }

    void loadsFromTensorsTheKernelWritesAreNotShared()
    {
        ProgramBuilder b;
        const auto scratch = b.scratch("s", {128, kWidth});
        const auto out = b.output("out", {128, kWidth});
        const auto t = b.tile("t", 128, kWidth);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(t)}, {});
        for (int n = 0; n < 2; ++n) {
            const auto again = b.tile("again", 128, kWidth);
            b.add(Opcode::Store, Engine::Dma, {b.whole(scratch)}, {b.whole(t)});
            b.add(Opcode::Load, Engine::Dma, {b.whole(again)}, {b.whole(scratch)});
            b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(again)});
        }
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Load), 2L);
        QCOMPARE(countOf(shared.lowered, Opcode::Store), 4L);
    }

    void transposesAreSharedOnlyWhenWrittenOut_data()
    {
        QTest::addColumn<bool>("implicit");
        QTest::addColumn<int>("transposes");
        QTest::addColumn<int>("copies");
        QTest::newRow("explicit: transpose and eviction once") << false << 1 << 1;
        QTest::newRow("inside nl.matmul: as often as written") << true << 4 << 4;
    }
    void transposesAreSharedOnlyWhenWrittenOut()
    {
        QFETCH(bool, implicit);
        QFETCH(int, transposes);
        QFETCH(int, copies);
        ProgramBuilder b;
        const auto x = b.input("x", {128, 128});
        const auto out = b.output("out", {128, 128});
        b.beginLoop(LoopKind::Affine);
        for (int n = 0; n < 4; ++n) {
            b.pass();
            const auto t = b.tile("t", 128, 128);
            const auto p = b.tile("p", 128, 128, DType::Float32, Memory::Psum);
            const auto turned = b.tile("turned", 128, 128);
            b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(x)});
            Parameters parameters;
            parameters.implicitTranspose = implicit;
            b.add(Opcode::Transpose, Engine::Tensor, {b.whole(p)}, {b.whole(t)}, parameters);
            b.add(Opcode::Copy, Engine::Scalar, {b.whole(turned)}, {b.whole(p)});
            b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(turned)});
        }
        b.endLoop();
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Transpose), long(transposes));
        QCOMPARE(countOf(shared.lowered, Opcode::Copy), long(copies));
        // The input itself once; an implicit transpose also brings the identity.
        QCOMPARE(countOf(shared.lowered, Opcode::Load), implicit ? 2L : 1L);
        QCOMPARE(countOf(shared.lowered, Opcode::Store), 4L);
    }

    void elementwiseResultsOfSharedValuesAreShared()
    {
        ProgramBuilder b;
        const auto x = b.input("x", {128, kWidth});
        const auto out = b.output("out", {128, kWidth});
        for (int n = 0; n < 3; ++n) {
            const auto t = b.tile("t", 128, kWidth);
            const auto r = b.tile("r", 128, kWidth);
            b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(x)});
            Parameters parameters;
            parameters.function = n < 2 ? ActivationFunction::Exp : ActivationFunction::Tanh;
            b.add(Opcode::Activation, Engine::Scalar, {b.whole(r)}, {b.whole(t)}, parameters);
            b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
        }
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Load), 1L);
        QCOMPARE(countOf(shared.lowered, Opcode::Activation), 2L); // two different functions
    }

    void accumulatorsThatStartAlikeStaySeparate()
    {
        ProgramBuilder b;
        const auto x = b.input("x", {256, kWidth});
        const auto out = b.output("out", {256, kWidth});
        for (int n = 0; n < 2; ++n) {
            const auto sum = b.tile("sum", 128, kWidth);
            const auto t = b.tile("t", 128, kWidth);
            b.add(Opcode::Memset, Engine::Vector, {b.whole(sum)}, {});
            b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
                  {hbmBox(b, x, kWidth, 128 * n, 0, kWidth)});
            b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(sum)}, {b.whole(sum), b.whole(t)});
            b.add(Opcode::Store, Engine::Dma, {hbmBox(b, out, kWidth, 128 * n, 0, kWidth)},
                  {b.whole(sum)});
        }
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Memset), 2L);
        QCOMPARE(countOf(shared.lowered, Opcode::TensorTensor), 2L);
    }

    void productsAreNeverShared()
    {
        ProgramBuilder b;
        const auto x = b.input("x", {128, 128});
        const auto out = b.output("out", {128, 128});
        const auto t = b.tile("t", 128, 128);
        b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(x)});
        for (int n = 0; n < 2; ++n) {
            const auto p = b.tile("p", 128, 128, DType::Float32, Memory::Psum);
            const auto r = b.tile("r", 128, 128);
            b.add(Opcode::Matmul, Engine::Tensor, {b.whole(p)}, {b.whole(t), b.whole(t)});
            b.add(Opcode::Copy, Engine::Scalar, {b.whole(r)}, {b.whole(p)});
            b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
        }
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::Matmul), 2L);
        QCOMPARE(countOf(shared.lowered, Opcode::Copy), 2L);
    }

    void broadcastIsSharedOnlyWhenItsRowIsMadeOutsideLoops_data()
    {
        QTest::addColumn<bool>("outside");
        QTest::addColumn<int>("broadcasts");
        QTest::newRow("row loaded before the loop") << true << 1;
        QTest::newRow("row loaded in each pass") << false << 3;
    }
    void broadcastIsSharedOnlyWhenItsRowIsMadeOutsideLoops()
    {
        QFETCH(bool, outside);
        QFETCH(int, broadcasts);
        ProgramBuilder b;
        const auto g = b.input("g", {1, kWidth});
        const auto out = b.output("out", {128, kWidth});
        const auto load = [&] {
            const auto row = b.tile("row", 1, kWidth);
            b.add(Opcode::Load, Engine::Dma, {b.whole(row)}, {b.whole(g)});
            return row;
        };
        auto row = outside ? load() : -1;
        b.beginLoop(LoopKind::Affine);
        for (int n = 0; n < 3; ++n) {
            b.pass();
            if (!outside)
                row = load();
            const auto wide = b.tile("wide", 128, kWidth);
            const auto r = b.tile("r", 128, kWidth);
            b.add(Opcode::PartitionBroadcast, Engine::Tensor, {b.whole(wide)}, {b.whole(row)});
            b.add(Opcode::Copy, Engine::Scalar, {b.whole(r)}, {b.whole(wide)});
            b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
        }
        b.endLoop();
        const Shared shared(b);
        QCOMPARE(countOf(shared.lowered, Opcode::PartitionBroadcast), long(broadcasts));
    }

    void iterationsToLeaveAsWrittenAreLeft()
    {
        ProgramBuilder b = rereading(4);
        const Program program = b.take();
        Lowered lowered = lower(program);
        shareValues(lowered, deviceTable(), std::vector<bool>(program.iterations.size(), true));
        QCOMPARE(lowered.instructions.size(), program.instructions.size());
    }

    void kernelsThatSkipTheMiddleEndAreNotTouched()
    {
        ProgramBuilder b = rereading(4);
        b.program().skipsMiddleEnd = true;
        const Program skipping = b.take();
        QCOMPARE(compile(skipping, deviceTable()).instructions.size(),
                 skipping.instructions.size());
    }
};

ACCELOPT_TEST(tst_Sharing)
#include "tst_Sharing.moc"
