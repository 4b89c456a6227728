// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/FinalWrites.h"

#include "core/oracle/InputsRead.h"
#include "tests/nki/support/ProgramBuilder.h"
#include "tests/support/TestMain.h"

#include <fmt/format.h>

using namespace accelopt;
using nki::Engine;
using nki::Opcode;
using tests::ProgramBuilder;

class tst_FinalWrites : public QObject
{
    Q_OBJECT

private slots:
    void allOfAStoreLastsWhenNothingComesAfterIt();
    void whatALaterStoreOverwritesDoesNotLast();
    void aMaskLeavesElementsOut();
    void aLoadThatGoesNowhereIsNoDependence();
};

namespace {

/// "0+4@0 8+2@4": first + length @ position of the value.
std::string runsOf(const oracle::FinalWrites &writes, nki::InstructionId store)
{
    std::string text;
    writes.visit(store, [&](const oracle::WrittenRun &run) {
        text += fmt::format("{}{}+{}@{}", text.empty() ? "" : " ", run.first, run.length,
                            run.firstValue);
    });
    return text;
}

} // namespace

void tst_FinalWrites::allOfAStoreLastsWhenNothingComesAfterIt()
{
    ProgramBuilder b;
    const auto y = b.output("y", {2, 8});
    const auto t = b.filled("t", 2, 8, 1);
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 0, {{2, 8}, {4, 1}})}, {b.part(t, 0, 2, 0, 4)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 4, {{2, 8}, {4, 1}})}, {b.part(t, 0, 2, 4, 4)});
    const nki::Program program = b.take();
    const nki::Dependences dependences = nki::analyse(program);
    const oracle::FinalWrites writes(program, dependences);
    QCOMPARE(runsOf(writes, 0), std::string("0+4@0 8+4@4"));
    QCOMPARE(runsOf(writes, 1), std::string("4+4@0 12+4@4"));
    QVERIFY(writes.lasts(0));
}

void tst_FinalWrites::whatALaterStoreOverwritesDoesNotLast()
{
    ProgramBuilder b;
    const auto y = b.output("y", {1, 10});
    const auto t = b.filled("t", 1, 10, 1);
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 2, {{1, 10}, {2, 1}})}, {b.part(t, 0, 1, 0, 2)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 0, {{1, 10}, {10, 1}})},
          {b.part(t, 0, 1, 0, 10)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 3, {{1, 10}, {4, 1}})}, {b.part(t, 0, 1, 0, 4)});
    const nki::Program program = b.take();
    const nki::Dependences dependences = nki::analyse(program);
    const oracle::FinalWrites writes(program, dependences);
    QVERIFY(!writes.lasts(0));
    QCOMPARE(runsOf(writes, 0), std::string());
    QCOMPARE(runsOf(writes, 1), std::string("0+3@0 7+3@7"));
    QCOMPARE(runsOf(writes, 2), std::string("3+4@0"));
}

void tst_FinalWrites::aMaskLeavesElementsOut()
{
    ProgramBuilder b;
    const auto y = b.output("y", {3, 4});
    const auto t = b.filled("t", 3, 4, 1);
    b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
    b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
    nki::Program program = b.take();
    // Row >= column: the lower triangle of the box.
    nki::AffineCondition condition;
    condition.coefficient[0] = 1;
    condition.coefficient[1] = -1;
    program.masks.push_back({condition});
    program.instructions[1].mask = 0;
    const nki::Dependences dependences = nki::analyse(program);
    const oracle::FinalWrites writes(program, dependences);
    QCOMPARE(runsOf(writes, 1), std::string("0+1@0 4+2@4 8+3@8"));
    QCOMPARE(runsOf(writes, 0), std::string("1+3@1 6+2@6 11+1@11"));
}

void tst_FinalWrites::aLoadThatGoesNowhereIsNoDependence()
{
    ProgramBuilder b;
    const auto x = b.input("x", {1, 4});
    const auto z = b.input("z", {1, 4});
    const auto y = b.output("y", {1, 4});
    const auto t = b.tile("t", 1, 4);
    const auto unused = b.tile("unused", 1, 4);
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(x)});
    b.add(Opcode::Load, Engine::Dma, {b.whole(unused)}, {b.whole(z)});
    b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
    const nki::Program program = b.take();
    const nki::Dependences dependences = nki::analyse(program);
    const std::vector<bool> read = oracle::argumentsBehindOutputs(program, dependences, 2);
    QCOMPARE(read, (std::vector<bool>{true, false}));
}

ACCELOPT_TEST(tst_FinalWrites)
#include "tst_FinalWrites.moc"
