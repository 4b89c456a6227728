// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Machine.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <cmath>
#include <random>

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

Profile profileOf(const Program &program, const std::string &device = "trn1")
{
    return simulate(program, Dependences(), *Machine::load(device));
}

/// SiLU over `blocks` tiles of 128 x 512, as the published kernel does it: exp, add, reciprocal,
/// multiply.
ProgramBuilder silu(int blocks)
{
    ProgramBuilder b;
    const auto x = b.input("x", {128, 512 * blocks});
    const auto y = b.output("y", {128, 512 * blocks});
    b.beginLoop(LoopKind::Affine);
    for (int n = 0; n < blocks; ++n) {
        b.pass();
        const auto t = b.tile("t", 128, 512);
        const auto e = b.tile("e", 128, 512);
        const auto s = b.tile("s", 128, 512);
        const auto r = b.tile("r", 128, 512);
        const auto o = b.tile("o", 128, 512);
        Parameters exp;
        exp.function = ActivationFunction::Exp;
        Parameters one;
        one.op0 = AluOp::Add;
        one.constant0 = 1;
        Parameters multiply;
        multiply.op0 = AluOp::Multiply;
        b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
              {hbmBox(b, x, 512 * blocks, 0, 512 * n, 512)});
        b.add(Opcode::Activation, Engine::Scalar, {b.whole(e)}, {b.whole(t)}, exp);
        b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(s)}, {b.whole(e)}, one);
        b.add(Opcode::Reciprocal, Engine::Vector, {b.whole(r)}, {b.whole(s)});
        b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(o)}, {b.whole(t), b.whole(r)},
              multiply);
        b.add(Opcode::Store, Engine::Dma, {hbmBox(b, y, 512 * blocks, 0, 512 * n, 512)},
              {b.whole(o)});
    }
    b.endLoop();
    return b;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

} // namespace

class tst_Simulate : public QObject
{
    Q_OBJECT

private slots:
    void countersOfAnElementwiseKernel()
    {
        // The counts of the published silu profile, for 448 blocks.
        ProgramBuilder b = silu(448);
        const Profile profile = profileOf(b.take());
        const auto &c = profile.counters;
        QCOMPARE(c.at("hbm_read_bytes"), 117440512.0);
        QCOMPARE(c.at("hbm_write_bytes"), 117440512.0);
        QCOMPARE(c.at("sbuf_read_bytes"), 120193024.0);
        QCOMPARE(c.at("sbuf_write_bytes"), 120193024.0);
        QCOMPARE(c.at("psum_read_bytes"), 0.0);
        QCOMPARE(c.at("hardware_flops"), 0.0);
        QCOMPARE(c.at("mm_arithmetic_intensity"), 0.0);
        QCOMPARE(c.at("peak_flops_bandwidth_ratio"), 223.781463973542);
        // Busy times, from the table: vector 108 + 2.4 N and 108 + 2 N, scalar twice 80 + N.
        QVERIFY(near(c.at("vector_engine_active_time"), 448 * (216 + 4.4 * 512) / 1.12e9));
        QVERIFY(near(c.at("scalar_engine_active_time"), 448 * 2 * (80 + 512) / 1.4e9));
        QVERIFY(near(c.at("vector_engine_active_time_percent"),
                     c.at("vector_engine_active_time") / c.at("total_time")));
        QVERIFY(near(c.at("total_time") * 1e3, profile.latencyMs));
        QCOMPARE(c.at("vector_engine_instruction_count"), 2.0 * 448);
    }

    void latencyIsAtLeastTheBusiestEngineAndAtMostTheSum()
    {
        ProgramBuilder b = silu(64);
        const Profile profile = profileOf(b.take());
        const auto &c = profile.counters;
        const double vector = c.at("vector_engine_active_time");
        const double others = c.at("scalar_engine_active_time") + c.at("dma_active_time");
        const double launch = deviceTable().launchNs / 1e9;
        QVERIFY(vector > c.at("dma_active_time"));
        QVERIFY(c.at("total_time") >= launch + vector);
        QVERIFY(c.at("total_time") <= launch + vector + others);
        QVERIFY(profile.intervalMs.low < profile.latencyMs);
        QVERIFY(profile.intervalMs.high > profile.latencyMs);
        QVERIFY(profile.tieMargin > 0);
    }

    void hoistingALoadByHandIsNoWin()
    {
        // The compiler shares it anyway, so a search must not be rewarded for it.
        const auto profile = [](bool hoisted) {
            ProgramBuilder b;
            const auto w = b.input("w", {128, 512});
            const auto x = b.input("x", {128 * 16, 512});
            const auto y = b.output("y", {128 * 16, 512});
            const auto load = [&] {
                const auto t = b.tile("w", 128, 512);
                b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(w)});
                return t;
            };
            auto weights = hoisted ? load() : -1;
            b.beginLoop(LoopKind::Affine);
            for (int n = 0; n < 16; ++n) {
                b.pass();
                if (!hoisted)
                    weights = load();
                const auto t = b.tile("t", 128, 512);
                const auto r = b.tile("r", 128, 512);
                b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
                      {hbmBox(b, x, 512, 128 * n, 0, 512)});
                b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(r)},
                      {b.whole(t), b.whole(weights)});
                b.add(Opcode::Store, Engine::Dma, {hbmBox(b, y, 512, 128 * n, 0, 512)},
                      {b.whole(r)});
            }
            b.endLoop();
            return profileOf(b.take());
        };
        const Profile inside = profile(false);
        const Profile outside = profile(true);
        QCOMPARE(inside.latencyMs, outside.latencyMs);
        QVERIFY(inside.counters == outside.counters);
    }

    void passesThatFillSbufOverlapLess_data()
    {
        QTest::addColumn<int>("columns");
        QTest::addColumn<bool>("overlap");
        QTest::newRow("three tiles of 12 KiB leave room for the next pass") << 3 * 1024 << true;
        QTest::newRow("three tiles of 52 KiB do not") << 13 * 1024 << false;
    }
    void passesThatFillSbufOverlapLess()
    {
        QFETCH(int, columns);
        QFETCH(bool, overlap);
        ProgramBuilder b;
        const auto x = b.input("x", {128, 40 * columns});
        b.beginLoop(LoopKind::Affine);
        for (int n = 0; n < 40; ++n) {
            b.pass();
            const auto t = b.tile("t", 128, columns);
            const auto e = b.tile("e", 128, columns);
            const auto r = b.tile("r", 128, columns);
            b.add(Opcode::Load, Engine::Dma, {b.whole(t)},
                  {hbmBox(b, x, 40 * columns, 0, n * columns, columns)});
            b.add(Opcode::Activation, Engine::Scalar, {b.whole(e)}, {b.whole(t)});
            b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(r)}, {b.whole(t), b.whole(e)});
        }
        b.endLoop();
        const Profile profile = profileOf(b.take());
        const auto &c = profile.counters;
        const double vector = c.at("vector_engine_active_time");
        const double others = c.at("scalar_engine_active_time") + c.at("dma_active_time");
        QVERIFY(vector > c.at("dma_active_time"));
        const double exposed = c.at("total_time") - deviceTable().launchNs / 1e9 - vector;
        QCOMPARE(exposed < 0.4 * others, overlap);
    }

    void vectorAndGpSimdEngineDoNotOverlap()
    {
        const auto latency = [](Engine second) {
            ProgramBuilder b;
            const auto a = b.tile("a", 128, 2048);
            for (const Engine engine : {Engine::Vector, second})
                for (int n = 0; n < 50; ++n)
                    b.add(Opcode::Copy, engine, {b.whole(b.tile("t", 128, 2048))}, {b.whole(a)});
            return profileOf(b.take());
        };
        const Profile profile = latency(Engine::GpSimd);
        const auto &c = profile.counters;
        QVERIFY(near(c.at("total_time"), deviceTable().launchNs / 1e9 +
                                             c.at("vector_engine_active_time") +
                                             c.at("gpsimd_engine_active_time")));
        // On the scalar engine instead, the second half is mostly hidden.
        QVERIFY(latency(Engine::Scalar).latencyMs < profile.latencyMs);
    }

    void profileSaysWhereItComesFrom()
    {
        ProgramBuilder b = silu(2);
        const Profile profile = profileOf(b.take(), "trn2");
        QCOMPARE(profile.device, std::string("trn2"));
        QVERIFY(profile.simulated);
        QCOMPARE(profile.modelVersion, Machine::modelVersion());
        QCOMPARE(profile.tableHash, Machine::load("trn2")->tableHash());
        QVERIFY(!profile.percentOfPeak);
        QVERIFY(profile.bound.empty());
    }

    void linesAccountForEverything()
    {
        ProgramBuilder b = silu(16);
        const Profile profile = profileOf(b.take());
        double bytes = 0;
        double busy = 0;
        double instructions = 0;
        int last = 0;
        for (const LineCost &line : profile.lines) {
            QVERIFY(line.line > last); // ascending, each once
            last = line.line;
            bytes += line.dmaBytes;
            busy += line.busyNs;
            instructions += line.instructions;
        }
        const auto &c = profile.counters;
        QVERIFY(near(bytes, c.at("hbm_read_bytes") + c.at("hbm_write_bytes")));
        QVERIFY(near(busy, 1e9 * (c.at("vector_engine_active_time") +
                                  c.at("scalar_engine_active_time") + c.at("dma_active_time"))));
        QCOMPARE(instructions, 6.0 * 16);
    }

    void sequentialLoopsWaitAtTheirTurns()
    {
        const auto latency = [](LoopKind kind) {
            ProgramBuilder b = silu(32);
            for (Iteration &iteration : b.program().iterations)
                if (iteration.kind == LoopKind::Affine)
                    iteration.kind = kind;
            return profileOf(b.take()).latencyMs;
        };
        QVERIFY(latency(LoopKind::Sequential) > 1.02 * latency(LoopKind::Affine));
    }

    void simulationIsDeterministic()
    {
        ProgramBuilder b = silu(20);
        const Program program = b.take();
        const Profile first = profileOf(program);
        for (int n = 0; n < 3; ++n)
            QVERIFY(profileOf(program) == first);
    }

    void oneMoreInstructionNeverCostsLess()
    {
        std::mt19937 random(7);
        ProgramBuilder b;
        const auto x = b.input("x", {128 * 64, 512});
        const auto y = b.output("y", {128 * 64, 512});
        std::vector<Operand> values;
        double latency = 0;
        std::map<std::string, double> before;
        for (int n = 0; n < 120; ++n) {
            const auto any = [&] { return values[random() % values.size()]; };
            const int row = int(random() % 64) * 128;
            switch (values.size() < 2 ? 0 : random() % 5) {
            case 0: {
                values.push_back(b.whole(b.tile("t", 128, 512)));
                b.add(Opcode::Load, Engine::Dma, {values.back()}, {hbmBox(b, x, 512, row, 0, 512)});
                break;
            }
            case 1: {
                const Operand a = any();
                values.push_back(b.whole(b.tile("t", 128, 512)));
                b.add(Opcode::Activation, Engine::Scalar, {values.back()}, {a});
                break;
            }
            case 2: {
                const Operand a = any();
                const Operand c = any();
                values.push_back(b.whole(b.tile("t", 128, 512)));
                b.add(Opcode::TensorTensor, Engine::Vector, {values.back()}, {a, c});
                break;
            }
            case 3: {
                const Operand a = any();
                values.push_back(b.whole(b.tile("t", 128, 512)));
                b.add(Opcode::Reciprocal, Engine::Vector, {values.back()}, {a});
                break;
            }
            default: b.add(Opcode::Store, Engine::Dma, {hbmBox(b, y, 512, row, 0, 512)}, {any()});
            }
            const Profile profile = profileOf(b.program());
            for (const char *key : {"vector_engine_active_time", "scalar_engine_active_time",
                                    "dma_active_time", "hbm_read_bytes", "hbm_write_bytes"}) {
                QVERIFY2(profile.counters.at(key) >= before[key] * (1 - 1e-12), key);
                before[key] = profile.counters.at(key);
            }
            // A greedy schedule may gain a little by what stands in its way (Graham's anomalies).
            QVERIFY(profile.latencyMs >= latency * 0.98);
            latency = std::max(latency, profile.latencyMs);
        }
        QVERIFY(before["vector_engine_active_time"] > 0);
    }

    void typesThatNobodyMeasuredAreSaid()
    {
        const auto said = [](DType dtype) {
            ProgramBuilder b;
            const auto t = b.tile("t", 128, 512, dtype);
            b.add(Opcode::Memset, Engine::Vector, {b.whole(t)}, {});
            const Profile profile = profileOf(b.take());
            return std::ranges::any_of(profile.findings, [](const Finding &finding) {
                return finding.rule == "uncalibrated_types";
            });
        };
        QVERIFY(said(DType::BFloat16));
        QVERIFY(!said(DType::Float32));
    }

    void anEmptyProgramTakesTheLaunch()
    {
        ProgramBuilder b;
        const Profile profile = profileOf(b.take());
        QCOMPARE(profile.latencyMs, 0.1);
        QCOMPARE(profile.counters.at("hfu_estimated_percent"), 0.0);
        QVERIFY(profile.lines.empty());
    }
};

ACCELOPT_TEST(tst_Simulate)
#include "tst_Simulate.moc"
