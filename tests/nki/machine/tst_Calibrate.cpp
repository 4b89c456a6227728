// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Calibrate.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

/// `passes` times a load, `sums` additions and a store, all `columns` wide.
Program chainOfSums(int passes, int sums, int columns, LoopKind kind = LoopKind::Affine)
{
    ProgramBuilder b;
    const auto x = b.input("x", {128, columns * passes});
    const auto y = b.output("y", {128, columns * passes});
    Parameters add;
    add.op0 = AluOp::Add;
    b.beginLoop(kind);
    for (int n = 0; n < passes; ++n) {
        b.pass();
        auto value = b.tile("t", 128, columns);
        b.add(Opcode::Load, Engine::Dma, {b.whole(value)},
              {hbmBox(b, x, columns * passes, 0, columns * n, columns)});
        for (int s = 0; s < sums; ++s) {
            const auto next = b.tile("s", 128, columns);
            b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(next)},
                  {b.whole(value), b.whole(value)}, add);
            value = next;
        }
        b.add(Opcode::Store, Engine::Dma, {hbmBox(b, y, columns * passes, 0, columns * n, columns)},
              {b.whole(value)});
    }
    b.endLoop();
    return b.take();
}

std::vector<MeasuredProgram> measuredOn(const Machine &machine)
{
    std::vector<MeasuredProgram> kernels;
    kernels.push_back({"narrow sums", chainOfSums(60, 6, 128), 0});
    kernels.push_back({"wide sums", chainOfSums(60, 6, 1024), 0});
    kernels.push_back({"narrow copies", chainOfSums(200, 1, 256), 0});
    kernels.push_back({"wide copies", chainOfSums(60, 1, 2048), 0});
    for (MeasuredProgram &kernel : kernels)
        kernel.latencyMs = simulate(kernel.program, Dependences(), machine).latencyMs;
    return kernels;
}

Machine trn1()
{
    return *Machine::load("trn1");
}

} // namespace

class tst_Calibrate : public QObject
{
    Q_OBJECT

private slots:
    void aMachineThatIsAsDescribedNeedsNoChange()
    {
        const auto calibration = calibrate(trn1(), measuredOn(trn1()));
        ACCELOPT_VERIFY_OK(calibration);
        QCOMPARE(calibration->shippedError.worst, 0.0);
        QCOMPARE(calibration->refitError.worst, 0.0);
        QVERIFY(calibration->refitted == calibration->shipped);
        QCOMPARE(calibration->rows.size(), std::size_t(4));
        QCOMPARE(calibration->rows[1].name, std::string("wide sums"));
    }

    void aSlowerMachineIsLearntFromItsMeasurements()
    {
        const double vector = trn1().table().engine(Engine::Vector).fixedCycles;
        const double dma = trn1().table().numbers.at("dma/bytes_per_second_per_engine").value;
        const auto slower = trn1().with({{"engines/vector/fixed_cycles", 1.5 * vector},
                                         {"dma/bytes_per_second_per_engine", 0.75 * dma}});
        ACCELOPT_VERIFY_OK(slower);
        const auto calibration = calibrate(trn1(), measuredOn(*slower));
        ACCELOPT_VERIFY_OK(calibration);
        QVERIFY(calibration->shippedError.mean > 0.05);
        QVERIFY(calibration->refitError.mean < 0.4 * calibration->shippedError.mean);
        QVERIFY(calibration->refitError.mean <= calibration->leftOutError.mean + 1e-12);
        QVERIFY(calibration->leftOutError.mean < calibration->shippedError.mean);
        QVERIFY(calibration->refitted.at("dma/bytes_per_second_per_engine") < dma);
        for (const auto &[path, value] : calibration->refitted)
            QVERIFY2(value <= 2.001 * calibration->shipped.at(path) &&
                         value >= 0.499 * calibration->shipped.at(path),
                     path.c_str());
    }

    void onlyFittedPricesMayChange()
    {
        const MachineTable &table = deviceTable();
        const auto paths = fittedConstants(table);
        QVERIFY(!paths.empty());
        for (const std::string &path : paths) {
            QVERIFY2(table.numbers.at(path).fitted, path.c_str());
            QVERIFY2(!path.starts_with("sbuf/"), path.c_str());
        }
    }

    void tooLittleIsRefused()
    {
        auto kernels = measuredOn(trn1());
        const auto one = calibrate(trn1(), std::span(kernels).first(1));
        QVERIFY(!one);
        QCOMPARE(one.error().code, ErrorCode::WrongUse);
        kernels[2].latencyMs = 0;
        const auto none = calibrate(trn1(), kernels);
        QVERIFY(!none);
        QVERIFY(none.error().message.find("narrow copies") != std::string::npos);
    }

    void otherNumbersGiveAnotherHash()
    {
        const auto same = trn1().with({{"psum/banks", 8}});
        ACCELOPT_VERIFY_OK(same);
        QCOMPARE(same->tableHash(), trn1().tableHash());
        const auto other = trn1().with({{"psum/banks", 4}});
        ACCELOPT_VERIFY_OK(other);
        QVERIFY(other->tableHash() != trn1().tableHash());
        QCOMPARE(other->table().psumBanks, 4);
        const auto unknown = trn1().with({{"psum/bank", 4}});
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, ErrorCode::WrongUse);
        QVERIFY(!trn1().with({{"psum/banks", -1}}));
    }
};

ACCELOPT_TEST(tst_Calibrate)
#include "tst_Calibrate.moc"
