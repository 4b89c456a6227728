// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/rewrite/Symbolic.h"

#include <limits>

using accelopt::rewrite::Symbolic;

class tst_Symbolic : public QObject
{
    Q_OBJECT

private slots:
    void equalExpressionsAreEqual();
    void differencesOfBoundsAreSizes();
    void quotients_data();
    void quotients();
    void overflowGivesNothing();
    void hugePolynomialsGiveNothing();
};

void tst_Symbolic::equalExpressionsAreEqual()
{
    const Symbolic i = Symbolic::named("i");
    const Symbolic j = Symbolic::named("j");
    const auto left = Symbolic::product(*Symbolic::sum(i, j), *Symbolic::difference(i, j));
    const auto right = Symbolic::difference(*Symbolic::product(i, i), *Symbolic::product(j, j));
    QVERIFY(left.has_value() && right.has_value());
    QVERIFY(*left == *right);
    QVERIFY(!(*left == i));
    QCOMPARE(Symbolic::product(i, Symbolic(0))->constant(), std::optional<std::int64_t>(0));
}

void tst_Symbolic::differencesOfBoundsAreSizes()
{
    const Symbolic i = Symbolic::named("i");
    const auto low = Symbolic::product(i, Symbolic(512));
    const auto high = Symbolic::product(*Symbolic::sum(i, Symbolic(1)), Symbolic(512));
    QCOMPARE(Symbolic::difference(*high, *low)->constant(), std::optional<std::int64_t>(512));
    QVERIFY(low->mentions("i"));
    QVERIFY(!Symbolic::difference(*high, *low)->mentions("i"));
    QCOMPARE(high->text(), std::string("512 + 512*i"));
}

void tst_Symbolic::quotients_data()
{
    QTest::addColumn<qint64>("value");
    QTest::addColumn<qint64>("divisor");
    QTest::addColumn<qint64>("expected");
    QTest::newRow("exact") << qint64(7168) << qint64(512) << qint64(14);
    QTest::newRow("rounded down") << qint64(11071) << qint64(128) << qint64(86);
    QTest::newRow("negative values round down, too") << qint64(-1) << qint64(128) << qint64(-1);
}

void tst_Symbolic::quotients()
{
    QFETCH(const qint64, value);
    QFETCH(const qint64, divisor);
    QFETCH(const qint64, expected);
    const auto quotient = Symbolic::quotient(Symbolic(value), Symbolic(divisor));
    QVERIFY(quotient.has_value());
    QCOMPARE(quotient->constant(), std::optional<std::int64_t>(expected));
    QVERIFY(!Symbolic::quotient(Symbolic::named("n"), Symbolic(divisor)));
    QVERIFY(!Symbolic::quotient(Symbolic(value), Symbolic(0)));
}

void tst_Symbolic::overflowGivesNothing()
{
    const Symbolic large(std::numeric_limits<std::int64_t>::max());
    QVERIFY(!Symbolic::sum(large, Symbolic(1)));
    QVERIFY(!Symbolic::product(large, Symbolic(2)));
    QVERIFY(!Symbolic::difference(Symbolic(-2), large));
}

void tst_Symbolic::hugePolynomialsGiveNothing()
{
    std::optional<Symbolic> sum = Symbolic(0);
    for (int i = 0; i < 100 && sum; ++i)
        sum = Symbolic::sum(*sum, Symbolic::named("n" + std::to_string(i)));
    QVERIFY(!sum);
}

ACCELOPT_TEST(tst_Symbolic)
#include "tst_Symbolic.moc"
