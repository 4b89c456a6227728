// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Comparison.h"

#include "tests/nki/support/ProgramBuilder.h"
#include "tests/support/TestMain.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace accelopt;
using nki::Engine;
using nki::Opcode;
using tests::ProgramBuilder;

Q_DECLARE_METATYPE(std::function<void(std::vector<float> &)>)

class tst_Comparison : public QObject
{
    Q_OBJECT

private slots:
    void deviations_data();
    void deviations();
    void honestRoundingPasses();
    void theNormIsOfTheCheckedElementsOnly();
};

namespace {

constexpr std::int64_t kRows = 16;
constexpr std::int64_t kColumns = 128;
constexpr std::size_t kCount = std::size_t(kRows * kColumns);

/// A program whose instruction 0 stores the whole result.
struct OneStore
{
    OneStore()
    {
        ProgramBuilder b;
        const auto y = b.output("y", {kRows, kColumns});
        const auto t = b.filled("t", std::int32_t(kRows), kColumns, 1);
        b.add(Opcode::Store, Engine::Dma, {b.whole(y)}, {b.whole(t)});
        program = b.take();
        dependences = nki::analyse(program);
    }
    nki::Program program;
    nki::Dependences dependences;
};

std::vector<float> reference()
{
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i)
        values[i] = float(std::sin(double(i) * 0.7) + 1.5); // between 0.5 and 2.5
    return values;
}

oracle::Comparison compared(const std::vector<float> &values, const std::vector<float> &expected)
{
    const OneStore one;
    const oracle::FinalWrites writes(one.program, one.dependences);
    oracle::Comparison comparison({{expected.data(), std::int64_t(kCount), kColumns}},
                                  oracle::ComparisonLimits::forTolerance(2e-5));
    comparison.add({0, 0, 0, one.program.outputsOf(one.program.instructions[0])[0].pattern, values},
                   writes);
    return comparison;
}

} // namespace

void tst_Comparison::deviations_data()
{
    using Change = std::function<void(std::vector<float> &)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<bool>("normIsWrong");
    QTest::addColumn<qint64>("outsideLimit");
    QTest::addColumn<qint64>("notFinite");
    QTest::addColumn<qint64>("firstElement"); // -1: none outside the limit

    QTest::newRow("the reference itself")
        << Change([](std::vector<float> &) {}) << false << qint64(0) << qint64(0) << qint64(-1);
    QTest::newRow("one element a thousandth off passes the norm but not the element limit")
        << Change([](std::vector<float> &v) { v[777] += 0.0011F; }) << false << qint64(1)
        << qint64(0) << qint64(777);
    QTest::newRow("the first wrong element is the one with the lowest index")
        << Change([](std::vector<float> &v) {
               v[900] += 1;
               v[40] += 0.1F;
               v[41] += 2;
           })
        << true << qint64(3) << qint64(0) << qint64(40);
    QTest::newRow("a NaN is never right")
        << Change([](std::vector<float> &v) { v[5] = std::numeric_limits<float>::quiet_NaN(); })
        << true << qint64(1) << qint64(1) << qint64(5);
    QTest::newRow("an infinity is never right")
        << Change([](std::vector<float> &v) { v[6] = std::numeric_limits<float>::infinity(); })
        << true << qint64(1) << qint64(1) << qint64(6);
    QTest::newRow("all zeros") << Change([](std::vector<float> &v) { v.assign(v.size(), 0); })
                               << true << qint64(kCount) << qint64(0) << qint64(0);
}

void tst_Comparison::deviations()
{
    QFETCH(const std::function<void(std::vector<float> &)>, change);
    QFETCH(const bool, normIsWrong);
    QFETCH(const qint64, outsideLimit);
    QFETCH(const qint64, notFinite);
    QFETCH(const qint64, firstElement);
    const std::vector<float> expected = reference();
    std::vector<float> values = expected;
    change(values);
    const oracle::Comparison comparison = compared(values, expected);
    QCOMPARE(!(comparison.relativeL2() < 2e-5), normIsWrong);
    QCOMPARE(qint64(comparison.outsideLimit()), outsideLimit);
    QCOMPARE(qint64(comparison.notFinite()), notFinite);
    QCOMPARE(comparison.firstOutsideLimit().has_value(), firstElement >= 0);
    if (firstElement >= 0) {
        QCOMPARE(qint64(comparison.firstOutsideLimit()->element), firstElement);
        QCOMPARE(comparison.firstOutsideLimit()->expected,
                 double(expected[std::size_t(firstElement)]));
        QCOMPARE(comparison.firstOutsideLimit()->store, nki::InstructionId(0));
    }
    QCOMPARE(comparison.checked(), std::int64_t(kCount));
}

void tst_Comparison::honestRoundingPasses()
{
    const std::vector<float> expected = reference();
    std::vector<float> values = expected;
    for (std::size_t i = 0; i < kCount; ++i)
        values[i] *= 1 + (i % 2 == 0 ? 6e-7F : -6e-7F);
    const oracle::Comparison comparison = compared(values, expected);
    QVERIFY(comparison.relativeL2() > 1e-7);
    QVERIFY(comparison.relativeL2() < 1e-6);
    QCOMPARE(comparison.outsideLimit(), std::int64_t(0));
    QCOMPARE(comparison.farOffShare(), 0.0);
}

void tst_Comparison::theNormIsOfTheCheckedElementsOnly()
{
    ProgramBuilder b;
    const auto y = b.output("y", {2, 4});
    const auto t = b.filled("t", 2, 4, 1);
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 0, {{1, 4}, {4, 1}})}, {b.part(t, 0, 1, 0, 4)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(y, 4, {{1, 4}, {4, 1}})}, {b.part(t, 1, 1, 0, 4)});
    const nki::Program program = b.take();
    const nki::Dependences dependences = nki::analyse(program);
    const oracle::FinalWrites writes(program, dependences);
    const std::vector<float> expected{100, 100, 100, 100, 3, 0, 0, 4};
    oracle::Comparison comparison({{expected.data(), 8, 4}},
                                  oracle::ComparisonLimits::forTolerance(2e-5));
    const std::vector<float> values{3, 0, 0.5F, 4};
    comparison.add({1, 0, 4, program.outputsOf(program.instructions[1])[0].pattern, values},
                   writes);
    QCOMPARE(comparison.relativeL2(), 0.1); // 0.5 against sqrt(9 + 16)
    QCOMPARE(comparison.worstElement(), 0.5 / double(float(std::sqrt(25.0 / 4))));
    QCOMPARE(comparison.checked(), std::int64_t(4));
    QCOMPARE(comparison.total(), std::int64_t(8));
}

ACCELOPT_TEST(tst_Comparison)
#include "tst_Comparison.moc"
