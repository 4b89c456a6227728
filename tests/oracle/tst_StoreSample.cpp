// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/StoreSample.h"

#include "tests/nki/support/ProgramBuilder.h"
#include "tests/support/TestMain.h"

#include <algorithm>

using namespace accelopt;
using nki::Engine;
using nki::InstructionId;
using nki::Opcode;
using tests::ProgramBuilder;

class tst_StoreSample : public QObject
{
    Q_OBJECT

private slots:
    void everythingWhenTheBudgetAllows();
    void theEndsWhateverTheyCost();
    void edgesBeforeTheRest();
    void anotherSeedTakesOtherStores();
    void overwrittenStoresAreLeftOut();
};

namespace {

constexpr int kStores = 40;
constexpr std::int64_t kWidth = 64;

/// Rows of y = 2 x, each loaded, doubled and stored on its own; row 20 in two halves.
struct Rows
{
    Rows()
    {
        ProgramBuilder b;
        const auto x = b.input("x", {kStores, kWidth});
        const auto y = b.output("y", {kStores, kWidth});
        nki::Parameters twice;
        twice.op0 = nki::AluOp::Multiply;
        twice.constant0 = 2;
        for (std::int64_t row = 0; row < kStores; ++row) {
            const auto in = b.tile("in", 1, kWidth);
            const auto out = b.tile("out", 1, kWidth);
            const ProgramBuilder::Axes axes{{1, kWidth}, {kWidth, 1}};
            b.add(Opcode::Load, Engine::Dma, {b.whole(in)}, {b.boxed(x, row * kWidth, axes)});
            b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(out)}, {b.whole(in)}, twice);
            if (row == 20) {
                const ProgramBuilder::Axes half{{1, kWidth}, {kWidth / 2, 1}};
                b.add(Opcode::Store, Engine::Dma, {b.boxed(y, row * kWidth, half)},
                      {b.part(out, 0, 1, 0, kWidth / 2)});
                b.add(Opcode::Store, Engine::Dma, {b.boxed(y, row * kWidth + kWidth / 2, half)},
                      {b.part(out, 0, 1, kWidth / 2, kWidth / 2)});
            } else {
                b.add(Opcode::Store, Engine::Dma, {b.boxed(y, row * kWidth, axes)}, {b.whole(out)});
            }
        }
        program = b.take();
        for (nki::Instruction &instruction : program.instructions)
            instruction.place = 0; // one line in a loop
        dependences = nki::analyse(program);
    }

    oracle::StoreSample sample(double budget, std::uint64_t seed) const
    {
        const oracle::FinalWrites writes(program, dependences);
        const nki::Executor executor(program, dependences);
        return oracle::chooseStores(program, dependences, writes, executor, budget, seed);
    }

    nki::Program program;
    nki::Dependences dependences;
};

bool contains(const oracle::StoreSample &sample, InstructionId store)
{
    return std::find(sample.stores.begin(), sample.stores.end(), store) != sample.stores.end();
}

} // namespace

void tst_StoreSample::everythingWhenTheBudgetAllows()
{
    const Rows rows;
    const oracle::StoreSample sample = rows.sample(1e9, 1);
    QCOMPARE(sample.stores, rows.dependences.outputWriters()[0]);
    QCOMPARE(sample.allStores, std::int64_t(kStores + 1));
    QVERIFY(sample.flops > 0);
}

void tst_StoreSample::theEndsWhateverTheyCost()
{
    const Rows rows;
    const oracle::StoreSample sample = rows.sample(0, 1);
    const std::vector<InstructionId> &all = rows.dependences.outputWriters()[0];
    QCOMPARE(sample.stores, (std::vector<InstructionId>{all.front(), all.back()}));
}

void tst_StoreSample::edgesBeforeTheRest()
{
    const Rows rows;
    // Six rows' worth: first, last, and the two halves of row 20 leave room for few others.
    const double perRow = rows.sample(1e9, 1).flops / kStores;
    const oracle::StoreSample sample = rows.sample(6 * perRow, 3);
    const std::vector<InstructionId> &all = rows.dependences.outputWriters()[0];
    QVERIFY(contains(sample, all[20]));
    QVERIFY(contains(sample, all[21]));
    QVERIFY(sample.flops <= 6 * perRow);
    QVERIFY(sample.stores.size() > 4);
    QVERIFY(sample.stores.size() < all.size());
}

void tst_StoreSample::anotherSeedTakesOtherStores()
{
    const Rows rows;
    const double perRow = rows.sample(1e9, 1).flops / kStores;
    QCOMPARE(rows.sample(15 * perRow, 7).stores, rows.sample(15 * perRow, 7).stores);
    QVERIFY(rows.sample(15 * perRow, 7).stores != rows.sample(15 * perRow, 8).stores);
}

void tst_StoreSample::overwrittenStoresAreLeftOut()
{
    ProgramBuilder b;
    const auto y = b.output("y", {1, 4});
    const auto t = b.filled("t", 1, 4, 1);
    b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
    b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
    const nki::Program program = b.take();
    const nki::Dependences dependences = nki::analyse(program);
    const oracle::FinalWrites writes(program, dependences);
    QCOMPARE(oracle::allStores(dependences, writes).stores, (std::vector<InstructionId>{1}));
}

ACCELOPT_TEST(tst_StoreSample)
#include "tst_StoreSample.moc"
