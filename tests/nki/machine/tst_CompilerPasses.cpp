// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Fusion.h"
#include "core/nki/machine/LoadSinking.h"
#include "core/nki/machine/MaskedProducts.h"
#include "core/nki/machine/Placement.h"
#include "core/nki/machine/Work.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

Parameters scaleBy(AluOp op, double constant)
{
    Parameters parameters;
    parameters.op0 = op;
    parameters.constant0 = constant;
    return parameters;
}

/// `tiles` tiles of 1024 columns loaded before an affine loop that reads the left and then the
/// right half of each in every pass.
Program holding(int tiles, int passes, LoopKind kind = LoopKind::Affine)
{
    ProgramBuilder b;
    const auto x = b.input("x", {128 * tiles, 1024});
    const auto out = b.output("out", {128, 1});
    std::vector<ProgramBuilder::TensorId> held;
    for (int n = 0; n < tiles; ++n) {
        held.push_back(b.tile("held", 128, 1024));
        b.add(Opcode::Load, Engine::Dma, {b.whole(held.back())},
              {hbmBox(b, x, 1024, 128 * n, 0, 1024)});
    }
    b.beginLoop(kind);
    for (int pass = 0; pass < passes; ++pass) {
        b.pass();
        for (const auto tile : held)
            for (int half = 0; half < 2; ++half) {
                const auto r = b.tile("r", 128, 1);
                b.add(Opcode::Reduce, Engine::Vector, {b.whole(r)},
                      {b.part(tile, 0, 128, 512 * half, 512)});
                b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
            }
    }
    b.endLoop();
    return b.take();
}

double bytesRead(const Lowered &lowered)
{
    double bytes = 0;
    for (const LoweredInstruction &i : lowered.instructions)
        bytes += workOf(lowered, i, deviceTable()).hbmReadBytes;
    return bytes;
}

} // namespace

class tst_CompilerPasses : public QObject
{
    Q_OBJECT

private slots:
    void loadsSinkIntoLoopsThatTheyFill_data()
    {
        QTest::addColumn<int>("tiles");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("timesRead");
        QTest::newRow("40 tiles of 4 KiB fill SBUF: loaded in every pass")
            << 40 << int(LoopKind::Affine) << 3;
        QTest::newRow("32 tiles leave room: loaded once") << 32 << int(LoopKind::Affine) << 1;
        QTest::newRow("a sequential loop is left alone") << 40 << int(LoopKind::Sequential) << 1;
    }
    void loadsSinkIntoLoopsThatTheyFill()
    {
        QFETCH(int, tiles);
        QFETCH(int, kind);
        QFETCH(int, timesRead);
        const Program program = holding(tiles, 3, LoopKind(kind));
        Lowered lowered = lower(program);
        const std::vector<bool> asWritten = sinkLoads(lowered, deviceTable());
        QCOMPARE(bytesRead(lowered), double(timesRead) * tiles * 128 * 1024 * 4);
        QCOMPARE(bool(asWritten.back()), timesRead > 1);
        QVERIFY(!asWritten.front());
    }

    void scaleAndShiftBecomeOneInstruction()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 1);
        const auto scaled = b.tile("scaled", 128, 1);
        const auto shifted = b.tile("shifted", 128, 1);
        b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(scaled)}, {b.whole(a)},
              scaleBy(AluOp::Multiply, 0.5));
        b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(shifted)}, {b.whole(scaled)},
              scaleBy(AluOp::Add, 1e-5));
        const Program program = b.take();
        Lowered lowered = lower(program);
        fuse(lowered);
        QCOMPARE(lowered.instructions.size(), std::size_t(1));
        QCOMPARE(lowered.inputsOf(lowered.instructions[0])[0].storage, program.operands[1].storage);
    }

    void threeInARowLeaveTwo()
    {
        ProgramBuilder b;
        auto from = b.tile("a", 128, 64);
        for (int n = 0; n < 3; ++n) {
            const auto to = b.tile("t", 128, 64);
            b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(to)}, {b.whole(from)},
                  scaleBy(AluOp::Multiply, 2));
            from = to;
        }
        const Program program = b.take();
        Lowered lowered = lower(program);
        fuse(lowered);
        QCOMPARE(lowered.instructions.size(), std::size_t(2));
    }

    void aValueReadTwiceIsNotFusedAway()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 64);
        const auto scaled = b.tile("scaled", 128, 64);
        b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(scaled)}, {b.whole(a)},
              scaleBy(AluOp::Multiply, 2));
        for (int n = 0; n < 2; ++n)
            b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(b.tile("t", 128, 64))},
                  {b.whole(scaled)}, scaleBy(AluOp::Add, n));
        const Program program = b.take();
        Lowered lowered = lower(program);
        fuse(lowered);
        QCOMPARE(lowered.instructions.size(), std::size_t(3));
    }

    void readersOfACopyTakeTheProductItself()
    {
        ProgramBuilder b;
        const auto p = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        const auto copy = b.tile("copy", 128, 512);
        const auto most = b.tile("most", 128, 1);
        const auto out = b.output("out", {128, 512});
        b.add(Opcode::Memset, Engine::Vector, {b.whole(p)}, {});
        b.add(Opcode::Copy, Engine::Scalar, {b.whole(copy)}, {b.whole(p)});
        b.add(Opcode::Reduce, Engine::Vector, {b.whole(most)}, {b.whole(copy)});
        b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(copy)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        bypassCopies(lowered);
        QCOMPARE(lowered.instructions.size(), std::size_t(4)); // the store needs the copy
        QCOMPARE(int(lowered.storage(lowered.inputsOf(lowered.instructions[2])[0]).memory),
                 int(Memory::Psum));
        QCOMPARE(int(lowered.storage(lowered.inputsOf(lowered.instructions[3])[0]).memory),
                 int(Memory::Sbuf));
    }

    void aCopyOfACopyIsOneCopy()
    {
        ProgramBuilder b;
        const auto p = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        const auto first = b.tile("first", 128, 512);
        const auto second = b.tile("second", 128, 1024);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(p)}, {});
        b.add(Opcode::Copy, Engine::Scalar, {b.whole(first)}, {b.whole(p)});
        b.add(Opcode::Copy, Engine::Scalar, {b.part(second, 0, 128, 512, 512)}, {b.whole(first)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        bypassCopies(lowered);
        QCOMPARE(countOf(lowered, Opcode::Copy), 1L);
    }

    void aCopyThatRoundsIsKept()
    {
        ProgramBuilder b;
        const auto p = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        const auto rounded = b.tile("rounded", 128, 512, DType::BFloat16);
        const auto most = b.tile("most", 128, 1);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(p)}, {});
        b.add(Opcode::Copy, Engine::Scalar, {b.whole(rounded)}, {b.whole(p)});
        b.add(Opcode::Reduce, Engine::Vector, {b.whole(most)}, {b.whole(rounded)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        bypassCopies(lowered);
        QCOMPARE(countOf(lowered, Opcode::Copy), 1L);
    }

    void scalesGoToTheScalarEngine_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("free");
        QTest::addColumn<int>("engine");
        QTest::newRow("multiply of 512") << int(AluOp::Multiply) << 512 << int(Engine::Scalar);
        QTest::newRow("add of 64") << int(AluOp::Add) << 64 << int(Engine::Scalar);
        QTest::newRow("multiply of one element stays")
            << int(AluOp::Multiply) << 1 << int(Engine::Vector);
        QTest::newRow("maximum is no scale") << int(AluOp::Maximum) << 512 << int(Engine::Vector);
    }
    void scalesGoToTheScalarEngine()
    {
        QFETCH(int, op);
        QFETCH(int, free);
        QFETCH(int, engine);
        ProgramBuilder b;
        const auto a = b.tile("a", 128, free);
        const auto r = b.tile("r", 128, free);
        b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(r)}, {b.whole(a)},
              scaleBy(AluOp(op), 2));
        const Program program = b.take();
        Lowered lowered = lower(program);
        placeOnEngines(lowered);
        QCOMPARE(int(lowered.instructions[0].engine), engine);
    }

    void vectorBoundIntermediatesGoToPsum_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("product");
        QTest::addColumn<int>("placed");
        QTest::newRow("affine loop: four, half the banks") << int(LoopKind::Affine) << false << 4;
        QTest::newRow("sequential loop: none") << int(LoopKind::Sequential) << false << 0;
        QTest::newRow("kernel with products: none") << int(LoopKind::Affine) << true << 0;
    }
    void vectorBoundIntermediatesGoToPsum()
    {
        QFETCH(int, kind);
        QFETCH(bool, product);
        QFETCH(int, placed);
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 512);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(a)}, {});
        if (product)
            b.add(Opcode::Transpose, Engine::Tensor,
                  {b.whole(b.tile("p", 128, 128, DType::Float32, Memory::Psum))},
                  {b.part(a, 0, 128, 0, 128)});
        b.beginLoop(LoopKind(kind));
        b.pass();
        for (int n = 0; n < 6; ++n) {
            const auto scaled = b.tile("scaled", 128, 512);
            const auto sum = b.tile("sum", 128, 512);
            b.add(Opcode::TensorScalar, Engine::Scalar, {b.whole(scaled)}, {b.whole(a)},
                  scaleBy(AluOp::Multiply, n));
            b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(sum)},
                  {b.whole(a), b.whole(scaled)});
        }
        b.endLoop();
        const Program program = b.take();
        Lowered lowered = lower(program);
        placeInPsum(lowered, deviceTable());
        const auto count = std::ranges::count_if(lowered.storages, [&](const Storage &storage) {
            return storage.memory == Memory::Psum && storage.freeElements == 512;
        });
        QCOMPARE(int(count), placed);
    }

    void elementwiseResultsTakeHalfOfPsumAtMost()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 512);
        std::vector<ProgramBuilder::TensorId> made;
        for (int n = 0; n < 10; ++n) {
            made.push_back(b.tile("p", 128, 512, DType::Float32, Memory::Psum));
            b.add(Opcode::Activation, Engine::Scalar, {b.whole(made.back())}, {b.whole(a)});
        }
        for (const auto tile : made)
            b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(b.tile("r", 128, 512))},
                  {b.whole(a), b.whole(tile)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        limitPsum(lowered, deviceTable());
        int cheap = 0;
        for (const LoweredInstruction &i : lowered.instructions)
            if (i.opcode == Opcode::TensorTensor &&
                lowered.storage(lowered.inputsOf(i)[1]).memory == Memory::Psum)
                ++cheap;
        QCOMPARE(cheap, 4); // of the eight banks
    }

    void theGpSimdEngineHasNoAccessToPsum()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 512);
        for (const Engine engine : {Engine::Scalar, Engine::GpSimd})
            b.add(Opcode::Copy, engine,
                  {b.whole(b.tile("p", 128, 512, DType::Float32, Memory::Psum))}, {b.whole(a)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        limitPsum(lowered, deviceTable());
        for (const LoweredInstruction &i : lowered.instructions)
            QCOMPARE(int(lowered.storage(lowered.outputsOf(i)[0]).memory),
                     int(i.engine == Engine::GpSimd ? Memory::Sbuf : Memory::Psum));
    }

    void productsOfImplicitTransposesAreKnown()
    {
        // nl.matmul(x, y): transpose into PSUM, eviction, product.
        for (const bool implicit : {false, true}) {
            ProgramBuilder b;
            const auto x = b.tile("x", 128, 128);
            const auto transposed = b.tile("p", 128, 128, DType::Float32, Memory::Psum);
            const auto evicted = b.tile("e", 128, 128);
            const auto y = b.tile("y", 128, 512);
            Parameters how;
            how.implicitTranspose = implicit;
            b.add(Opcode::Transpose, Engine::Tensor, {b.whole(transposed)}, {b.whole(x)}, how);
            b.add(Opcode::Copy, Engine::Vector, {b.whole(evicted)}, {b.whole(transposed)});
            for (const auto stationary : {x, evicted})
                b.add(Opcode::Matmul, Engine::Tensor,
                      {b.whole(b.tile("r", 128, 512, DType::Float32, Memory::Psum))},
                      {b.whole(stationary), b.whole(y)});
            const Program program = b.take();
            const Lowered lowered = lower(program);
            QVERIFY(!lowered.instructions[lowered.instructions.size() - 2].transposedOperand);
            QCOMPARE(lowered.instructions.back().transposedOperand, implicit);
            const auto passes = [&](const std::string &device) {
                const MachineTable &table = deviceTable(device);
                const Work work = workOf(lowered, lowered.instructions.back(), table);
                return (work.busyNs - work.fixedNs) * table.engine(Engine::Tensor).clockHz / 1e9 /
                       (512 * table.engine(Engine::Tensor)
                                  .cyclesPerElement[std::size_t(CostClass::Matmul)]);
            };
            QVERIFY(std::abs(passes("trn1") - 4) < 1e-9);
            QVERIFY(std::abs(passes("trn2") - (implicit ? 8 : 2)) < 1e-9);
        }
    }

    void productsKeepTheirBanks()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 128);
        for (int n = 0; n < 10; ++n)
            b.add(Opcode::Matmul, Engine::Tensor,
                  {b.whole(b.tile("p", 128, 128, DType::Float32, Memory::Psum))},
                  {b.whole(a), b.whole(a)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        limitPsum(lowered, deviceTable());
        for (const LoweredInstruction &i : lowered.instructions)
            QCOMPARE(int(lowered.storage(lowered.outputsOf(i)[0]).memory), int(Memory::Psum));
    }

    void maskedColumnsRunInFullWidth_data()
    {
        QTest::addColumn<int>("movingWidth");
        QTest::addColumn<bool>("restWritten");
        QTest::addColumn<double>("columns");
        QTest::newRow("the tail of the PSUM tile is never written: 512 run")
            << 1024 << false << 512.0;
        QTest::newRow("another product writes the tail: narrow on purpose")
            << 1024 << true << 192.0;
        QTest::newRow("the moving tile ends there: narrow on purpose") << 192 << false << 192.0;
    }
    void maskedColumnsRunInFullWidth()
    {
        QFETCH(int, movingWidth);
        QFETCH(bool, restWritten);
        QFETCH(double, columns);
        ProgramBuilder b;
        const auto s = b.tile("s", 128, 128);
        const auto m = b.tile("m", 128, movingWidth);
        const auto p = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        b.add(Opcode::Matmul, Engine::Tensor, {b.part(p, 0, 128, 0, 192)},
              {b.whole(s), b.part(m, 0, 128, 0, 192)});
        if (restWritten)
            b.add(Opcode::Matmul, Engine::Tensor, {b.part(p, 0, 128, 192, 192)},
                  {b.whole(s), b.part(m, 0, 128, 192, 192)});
        const Program program = b.take();
        Lowered lowered = lower(program);
        widenMaskedProducts(lowered);
        const Work work = workOf(lowered, lowered.instructions[0], deviceTable());
        QCOMPARE(work.flops, 2.0 * 2 * 128 * 128 * columns);
    }

    void resultsForOtherPartitionsGetACopy()
    {
        ProgramBuilder b;
        const auto a = b.tile("a", 128, 512);
        const auto r = b.tile("r", 128, 512);
        const auto upper = b.part(a, 0, 64, 0, 512);
        b.add(Opcode::TensorTensor, Engine::Vector, {b.part(r, 0, 64, 0, 512)}, {upper, upper});
        b.add(Opcode::TensorTensor, Engine::Vector, {b.part(r, 64, 64, 0, 512)}, {upper, upper});
        const Program program = b.take();
        const Lowered lowered = lower(program);
        QCOMPARE(lowered.instructions.size(), std::size_t(3));
        QCOMPARE(int(lowered.instructions[2].opcode), int(Opcode::Copy));
        QCOMPARE(lowered.outputsOf(lowered.instructions[2])[0].storage,
                 lowered.outputsOf(lowered.instructions[0])[0].storage);
    }
};

ACCELOPT_TEST(tst_CompilerPasses)
#include "tst_CompilerPasses.moc"
