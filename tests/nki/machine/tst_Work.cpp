// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Work.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::nki;
using accelopt::tests::deviceTable;
using accelopt::tests::hbmBox;
using accelopt::tests::ProgramBuilder;

namespace {

/// The work of a program's only instruction.
Work workOfOnly(ProgramBuilder &b, const std::string &device = "trn1")
{
    const Program program = b.take();
    const Lowered lowered = lower(program);
    return workOf(lowered, lowered.instructions.back(), deviceTable(device));
}

bool workIsNear(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

constexpr double kVectorNs = 1e9 / 1.12e9;
constexpr double kScalarNs = 1e9 / 1.4e9;
constexpr double kTensorNs = 1e9 / 2.8e9;

} // namespace

class tst_Work : public QObject
{
    Q_OBJECT

private slots:
    void elementwiseCycles_data()
    {
        QTest::addColumn<int>("opcode");
        QTest::addColumn<int>("engine");
        QTest::addColumn<int>("operands");
        QTest::addColumn<int>("free");
        QTest::addColumn<double>("ns");
        // Fixed cycles of the table (108 vector, 80 scalar) plus the documented max(64, k N).
        QTest::newRow("activation of 512: N cycles of the scalar engine")
            << int(Opcode::Activation) << int(Engine::Scalar) << 1 << 512 << (80 + 512) * kScalarNs;
        QTest::newRow("activation of 8: the least is 64 cycles")
            << int(Opcode::Activation) << int(Engine::Scalar) << 1 << 8 << (80 + 64) * kScalarNs;
        QTest::newRow("tensor_tensor of 512: two operands from SBUF take 2 N")
            << int(Opcode::TensorTensor) << int(Engine::Vector) << 2 << 512
            << (108 + 1024) * kVectorNs;
        QTest::newRow("tensor_scalar of 512: N") << int(Opcode::TensorScalar) << int(Engine::Vector)
                                                 << 1 << 512 << (108 + 512) * kVectorNs;
        QTest::newRow("scan of 1024: 2 N")
            << int(Opcode::Scan) << int(Engine::Vector) << 2 << 1024 << (108 + 2048) * kVectorNs;
        QTest::newRow("copy on the vector engine: N")
            << int(Opcode::Copy) << int(Engine::Vector) << 1 << 256 << (108 + 256) * kVectorNs;
        QTest::newRow("reciprocal: the fitted 2.4 N")
            << int(Opcode::Reciprocal) << int(Engine::Vector) << 1 << 500
            << (108 + 1200) * kVectorNs;
        QTest::newRow("bn_aggr of 300: 13/3 N")
            << int(Opcode::BatchNormAggregate) << int(Engine::Vector) << 1 << 300
            << (108 + 1300) * kVectorNs;
        QTest::newRow("affine_select of 512 on GpSimd: 150 + N")
            << int(Opcode::AffineSelect) << int(Engine::GpSimd) << 1 << 512
            << (150 + 512) * kScalarNs;
    }
    void elementwiseCycles()
    {
        QFETCH(int, opcode);
        QFETCH(int, engine);
        QFETCH(int, operands);
        QFETCH(int, free);
        QFETCH(double, ns);
        ProgramBuilder b;
        const auto to = b.tile("to", 128, free);
        std::vector<Operand> inputs;
        for (int n = 0; n < operands; ++n)
            inputs.push_back(b.whole(b.tile("from", 128, free)));
        b.add(Opcode(opcode), Engine(engine), {b.whole(to)}, inputs);
        const Work work = workOfOnly(b);
        QVERIFY2(workIsNear(work.busyNs, ns), qPrintable(QString::number(work.busyNs, 'g', 12)));
        QVERIFY(work.fixedNs < work.busyNs);
        QCOMPARE(work.flops, 0.0);
        QCOMPARE(work.dmaBytes(), 0.0);
    }

    void operandInPsumHalvesATensorTensor()
    {
        ProgramBuilder b;
        const auto to = b.tile("to", 128, 512);
        const auto a = b.tile("a", 128, 512);
        const auto p = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(to)}, {b.whole(a), b.whole(p)});
        QVERIFY(workIsNear(workOfOnly(b).busyNs, (108 + 512) * kVectorNs));
    }

    void wideInnermostStrideHalvesTheRate()
    {
        ProgramBuilder b;
        const auto to = b.tile("to", 128, 128);
        const auto from = b.tile("from", 128, 1024);
        b.add(Opcode::Copy, Engine::Vector, {b.whole(to)},
              {b.boxed(from, 0, {{128, 1024}, {128, 8}})});
        QVERIFY(workIsNear(workOfOnly(b).busyNs, (108 + 2 * 128) * kVectorNs));
    }

    void narrowTypesAreFasterWhereTheTableSaysSo()
    {
        ProgramBuilder b;
        const auto make = [&b] { return b.whole(b.tile("t", 128, 512, DType::BFloat16)); };
        b.add(Opcode::TensorTensor, Engine::Vector, {make()}, {make(), make()});
        QVERIFY(workIsNear(workOfOnly(b).busyNs, (108 + 512) * kVectorNs));
    }

    void accumulatorReadOutCostsExtra()
    {
        ProgramBuilder b;
        const auto make = [&b](int free) { return b.whole(b.tile("t", 128, free)); };
        Parameters parameters;
        parameters.reduceOp = AluOp::Add;
        b.add(Opcode::Activation, Engine::Scalar, {make(512), make(1)}, {make(512)}, parameters);
        QVERIFY(workIsNear(workOfOnly(b).busyNs, (80 + 64 + 512) * kScalarNs));
    }

    void productCyclesAndCounts_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("columns");
        QTest::addColumn<double>("passes");
        QTest::addColumn<double>("counted");
        QTest::newRow("fp32 takes four passes and is counted twice")
            << int(DType::Float32) << 512 << 4.0 << 2.0;
        QTest::newRow("fp32 of 128 columns") << int(DType::Float32) << 128 << 4.0 << 2.0;
        QTest::newRow("bf16 takes one and is counted once")
            << int(DType::BFloat16) << 512 << 1.0 << 1.0;
    }
    void productCyclesAndCounts()
    {
        QFETCH(int, type);
        QFETCH(int, columns);
        QFETCH(double, passes);
        QFETCH(double, counted);
        ProgramBuilder b;
        const auto stationary = b.tile("s", 64, 128, DType(type));
        const auto moving = b.tile("m", 64, columns, DType(type));
        const auto to = b.tile("p", 128, columns, DType::Float32, Memory::Psum);
        b.add(Opcode::Matmul, Engine::Tensor, {b.whole(to)},
              {b.whole(stationary), b.whole(moving)});
        const Work work = workOfOnly(b);
        QVERIFY(workIsNear(work.busyNs, (36 + passes * 1.1325 * columns) * kTensorNs));
        QCOMPARE(work.flops, counted * 2 * 64 * 128 * columns);
        QCOMPARE(work.transposeFlops, 0.0);
        const int item = byteSize(DType(type));
        QCOMPARE(work.sbufReadBytes, counted * (columns + 128) * item);
        QCOMPARE(work.psumWriteBytes, counted * columns * 4);
    }

    void transposeIsAProductWithTheIdentity()
    {
        ProgramBuilder b;
        const auto from = b.tile("x", 128, 64);
        const auto to = b.tile("p", 64, 128, DType::Float32, Memory::Psum);
        b.add(Opcode::Transpose, Engine::Tensor, {b.whole(to)}, {b.whole(from)});
        const Work work = workOfOnly(b);
        QCOMPARE(work.flops, 2.0 * 2 * 128 * 64 * 128); // bmm: 512 of them are 2,147,483,648
        QCOMPARE(work.transposeFlops, work.flops);
        QVERIFY(workIsNear(work.busyNs, (36 + 4 * 1.1325 * 128) * kTensorNs));
    }

    void partitionBroadcastCountsOnce()
    {
        ProgramBuilder b;
        const auto row = b.tile("row", 1, 512);
        const auto to = b.tile("p", 128, 512, DType::Float32, Memory::Psum);
        b.add(Opcode::PartitionBroadcast, Engine::Tensor, {b.whole(to)}, {b.whole(row)});
        const Work work = workOfOnly(b);
        QCOMPARE(work.flops, 2.0 * 128 * 512);
        QCOMPARE(work.psumWriteBytes, 2048.0);
    }

    void transferTimeDependsOnTheRun_data()
    {
        QTest::addColumn<int>("columns");
        QTest::addColumn<double>("run");
        QTest::newRow("rows of 64 bytes") << 16 << 64.0;
        QTest::newRow("rows of 2 KiB") << 512 << 2048.0;
        QTest::newRow("rows of 8 KiB are no faster than 4 KiB") << 2048 << 4096.0;
    }
    void transferTimeDependsOnTheRun()
    {
        QFETCH(int, columns);
        QFETCH(double, run);
        ProgramBuilder b;
        const auto x = b.input("x", {128, 4096});
        const auto to = b.tile("t", 128, columns);
        b.add(Opcode::Load, Engine::Dma, {b.whole(to)}, {hbmBox(b, x, 4096, 0, 0, columns)});
        const Work work = workOfOnly(b);
        const double bytes = 128.0 * columns * 4;
        QCOMPARE(work.hbmReadBytes, bytes);
        QCOMPARE(work.sbufWriteBytes, bytes);
        QCOMPARE(work.hbmWriteBytes, 0.0);
        const MachineTable &table = deviceTable();
        const double rate =
            table.dmaBytesPerSecond * run / (run + table.dmaDescriptorOverheadBytes) / 1e9;
        QVERIFY(workIsNear(work.busyNs, bytes / rate));
        QCOMPARE(work.smallRunBytes, run < 512 ? bytes : 0.0);
    }

    void storeCountsFullBytes()
    {
        ProgramBuilder b;
        const auto y = b.output("y", {128, 512});
        const auto t = b.tile("t", 128, 512);
        b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
        const Work work = workOfOnly(b);
        QCOMPARE(work.hbmWriteBytes, 262144.0);
        QCOMPARE(work.sbufReadBytes, 262144.0);
        QCOMPARE(work.spillSaveBytes, 0.0);
    }

    void ownSpillAreasCountAsSpill()
    {
        ProgramBuilder b;
        const auto area = b.scratch("_spill_163", {128, 512});
        const auto t = b.tile("t", 128, 512);
        b.add(Opcode::Store, Engine::Dma, {b.whole(area)}, {b.whole(t)});
        QCOMPARE(workOfOnly(b).spillSaveBytes, 262144.0);
    }

    void bytesAreCountedForOnePartitionAndNotForTwoTensors()
    {
        ProgramBuilder b;
        const auto make = [&b](Memory memory = Memory::Sbuf) {
            return b.whole(b.tile("t", 128, 512, DType::Float32, memory));
        };
        b.add(Opcode::Activation, Engine::Scalar, {make()}, {make()});
        b.add(Opcode::Copy, Engine::Scalar, {make()}, {make(Memory::Psum)});
        b.add(Opcode::TensorTensor, Engine::Vector, {make()}, {make(), make()});
        b.add(Opcode::Scan, Engine::Vector, {make()}, {make(), make()});
        const Program program = b.take();
        const Lowered lowered = lower(program);
        const auto work = [&](std::size_t n) {
            return workOf(lowered, lowered.instructions[n], deviceTable());
        };
        QCOMPARE(work(0).sbufReadBytes, 2048.0);
        QCOMPARE(work(0).sbufWriteBytes, 2048.0);
        QCOMPARE(work(1).psumReadBytes, 2048.0);
        QCOMPARE(work(1).sbufReadBytes, 0.0);
        for (const std::size_t n : {std::size_t(2), std::size_t(3)}) {
            QCOMPARE(work(n).sbufReadBytes, 0.0);
            QCOMPARE(work(n).sbufWriteBytes, 0.0);
        }
    }

    void broadcastWiderThanABankIsCutAndEvicted()
    {
        ProgramBuilder b;
        const auto row = b.tile("row", 1, 1024);
        const auto to = b.tile("to", 128, 1024);
        b.add(Opcode::PartitionBroadcast, Engine::Tensor, {b.whole(to)}, {b.whole(row)});
        const Program program = b.take();
        const Lowered lowered = lower(program);
        double flops = 0;
        double psumRead = 0;
        for (const LoweredInstruction &i : lowered.instructions) {
            const Work work = workOf(lowered, i, deviceTable());
            flops += work.flops;
            psumRead += work.psumReadBytes;
        }
        QCOMPARE(lowered.instructions.size(), std::size_t(4));
        QCOMPARE(flops, 262144.0); // add_rmsnorm_matmul's left-over
        QCOMPARE(psumRead, 4096.0);
    }
};

ACCELOPT_TEST(tst_Work)
#include "tst_Work.moc"
