// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/AccessPattern.h"
#include "core/nki/program/Operations.h"
#include "tests/support/TestMain.h"

#include <random>
#include <set>

using namespace accelopt;
using namespace accelopt::nki;

namespace {

AccessPattern pattern(std::initializer_list<std::pair<std::int64_t, std::int64_t>> axes)
{
    AccessPattern p;
    for (const auto &[size, stride] : axes) {
        p.size[std::size_t(p.rank)] = size;
        p.stride[std::size_t(p.rank)] = stride;
        ++p.rank;
    }
    return p;
}

} // namespace

/// Strided boxes and the table that keeps each once; the names of operations.
class tst_AccessPattern : public QObject
{
    Q_OBJECT

private slots:
    void measures();
    void runsCoverEachElementOnceInOrder();
    void emptyBoxesHaveNoRuns();
    void equalPatternsAreKeptOnce();
    void namesOfOperationsLeadBack();
};

void tst_AccessPattern::measures()
{
    const AccessPattern tile = pattern({{128, 512}, {512, 1}});
    QCOMPARE(tile.count(), std::int64_t(65536));
    QCOMPARE(tile.freeCount(), std::int64_t(512));
    QCOMPARE(tile.contiguousRun(false), std::int64_t(65536));
    QCOMPARE(tile.contiguousRun(true), std::int64_t(512));
    QCOMPARE(tile.extent(), std::int64_t(65535));
    QCOMPARE(tile.describe(), std::string("128x512 (stride 512, 1)"));
    const AccessPattern repeated = pattern({{4, 8}, {8, 0}});
    QCOMPARE(repeated.contiguousRun(false), std::int64_t(1));
    QCOMPARE(repeated.extent(), std::int64_t(24));
    QCOMPARE(pattern({{4, 8}, {1, 3}, {8, 1}}).contiguousRun(false), std::int64_t(32));
}

void tst_AccessPattern::runsCoverEachElementOnceInOrder()
{
    std::mt19937 random{11};
    for (int n = 0; n < 300; ++n) {
        AccessPattern p;
        p.rank = std::int8_t(1 + random() % 4);
        std::int64_t stride = 1;
        for (int axis = p.rank - 1; axis >= 0;
             --axis) { // disjoint by construction, some axes repeat
            p.size[std::size_t(axis)] = 1 + std::int64_t(random() % 4);
            p.stride[std::size_t(axis)] = random() % 5 == 0 ? 0 : stride;
            stride *= p.size[std::size_t(axis)] + std::int64_t(random() % 2);
        }
        std::vector<std::int64_t> visited;
        forEachRun(p, 7, [&](std::int64_t first, std::int64_t length) {
            for (std::int64_t k = 0; k < length; ++k)
                visited.push_back(first + k);
        });
        std::vector<std::int64_t> want{7};
        for (int axis = 0; axis < p.rank; ++axis) {
            std::vector<std::int64_t> next;
            for (const std::int64_t address : want)
                for (std::int64_t k = 0;
                     k < (p.stride[std::size_t(axis)] == 0 ? 1 : p.size[std::size_t(axis)]); ++k)
                    next.push_back(address + k * p.stride[std::size_t(axis)]);
            want = next;
        }
        QCOMPARE(visited, want);
    }
}

void tst_AccessPattern::emptyBoxesHaveNoRuns()
{
    int calls = 0;
    forEachRun(pattern({{0, 8}, {8, 1}}), 0, [&](std::int64_t, std::int64_t) { ++calls; });
    forEachRun(pattern({{8, 8}, {0, 1}}), 0, [&](std::int64_t, std::int64_t) { ++calls; });
    QCOMPARE(calls, 0);
}

void tst_AccessPattern::equalPatternsAreKeptOnce()
{
    PatternTable table;
    const PatternId first = table.intern(pattern({{128, 512}, {512, 1}}));
    const PatternId second = table.intern(pattern({{128, 512}, {512, 2}}));
    QVERIFY(first != second);
    QCOMPARE(table.intern(pattern({{128, 512}, {512, 1}})), first);
    QCOMPARE(table.size(), std::size_t(2));
    QVERIFY(table[second] == pattern({{128, 512}, {512, 2}}));
}

void tst_AccessPattern::namesOfOperationsLeadBack()
{
    for (int op = int(AluOp::Add); op <= int(AluOp::Mod); ++op)
        QCOMPARE(aluOp(name(AluOp(op))), std::optional(AluOp(op)));
    for (int f = 0; f <= int(ActivationFunction::Negative); ++f)
        QCOMPARE(activationFunction(name(ActivationFunction(f))),
                 std::optional(ActivationFunction(f)));
    std::set<std::string_view> opcodes;
    for (int opcode = 0; opcode <= int(Opcode::Shuffle); ++opcode)
        opcodes.insert(name(Opcode(opcode)));
    QCOMPARE(opcodes.size(), std::size_t(Opcode::Shuffle) + 1);
    QCOMPARE(aluOp("amax"), std::optional(AluOp::Maximum));
    QCOMPARE(activationFunction("identity"), std::optional(ActivationFunction::Copy));
    QVERIFY(!aluOp("none"));
    QVERIFY(!activationFunction("nonsense"));
}

ACCELOPT_TEST(tst_AccessPattern)
#include "tst_AccessPattern.moc"
