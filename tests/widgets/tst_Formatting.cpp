// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/format/Formatting.h"

#include "tests/support/TestMain.h"

#include <limits>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_Formatting : public QObject
{
    Q_OBJECT

private slots:
    void latency_data();
    void latency();
    void speedup_data();
    void speedup();
    void saysThatAFigureIsSimulated();
    void sharesAndIntervals();
    void namesKernelsByNumber();
    void snippetsLoseTheIndentationTheyShare();
    void everyVerdictHasWordsAndASignOfItsOwn();
};

void tst_Formatting::latency_data()
{
    QTest::addColumn<double>("milliseconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("above ten") << 12.3456 << QStringLiteral("12.35 ms");
    QTest::newRow("above a thousand") << 1234.4 << QStringLiteral("1234 ms");
    QTest::newRow("below one keeps four digits") << 0.157123 << QStringLiteral("0.1571 ms");
    QTest::newRow("far below one keeps four digits") << 0.0123456 << QStringLiteral("0.01235 ms");
    QTest::newRow("nothing known") << 0.0 << QStringLiteral("–");
    QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN() << QStringLiteral("–");
    QTest::newRow("no end") << std::numeric_limits<double>::infinity() << QStringLiteral("–");
}

void tst_Formatting::latency()
{
    QFETCH(const double, milliseconds);
    QFETCH(const QString, text);
    QCOMPARE(formatting::latency(milliseconds), text);
}

void tst_Formatting::speedup_data()
{
    QTest::addColumn<double>("factor");
    QTest::addColumn<QString>("text");
    QTest::newRow("faster") << 1.826 << QStringLiteral("▲ 1.83×");
    QTest::newRow("a little faster is not rounded away") << 1.0042 << QStringLiteral("▲ 1.004×");
    QTest::newRow("equal") << 1.0 << QStringLiteral("= 1×");
    QTest::newRow("a little slower") << 0.978 << QStringLiteral("▼ 0.978×");
    QTest::newRow("slower") << 0.5 << QStringLiteral("▼ 0.50×");
    QTest::newRow("much faster") << 12.345 << QStringLiteral("▲ 12.3×");
    QTest::newRow("unknown") << 0.0 << QStringLiteral("–");
}

void tst_Formatting::speedup()
{
    QFETCH(const double, factor);
    QFETCH(const QString, text);
    QCOMPARE(formatting::signedSpeedup(factor), text);
}

void tst_Formatting::saysThatAFigureIsSimulated()
{
    Profile profile;
    profile.device = "trn1";
    profile.latencyMs = 2;
    QCOMPARE(formatting::latency(profile), QStringLiteral("2.000 ms simulated"));
    QCOMPARE(formatting::kindOfFigure(profile), QStringLiteral("simulated on trn1"));
    profile.simulated = false;
    QCOMPARE(formatting::latency(profile), QStringLiteral("2.000 ms"));
    QCOMPARE(formatting::kindOfFigure(profile), QStringLiteral("measured on trn1"));
}

void tst_Formatting::sharesAndIntervals()
{
    QCOMPARE(formatting::share(0.784), QStringLiteral("78 %"));
    QCOMPARE(formatting::share(0.004), QStringLiteral("0.4 %"));
    QCOMPARE(formatting::share(0), QStringLiteral("0 %"));
    QCOMPARE(formatting::percentOfPeak(49.24), QStringLiteral("49.2 %"));
    QCOMPARE(formatting::interval({1.8, 2.25}), QStringLiteral("1.800 to 2.250 ms"));
    QCOMPARE(formatting::interval({0, 0}), QString());
    QCOMPARE(formatting::bound("memory"), QStringLiteral("memory bound"));
    QCOMPARE(formatting::bound(""), QString());
}

void tst_Formatting::namesKernelsByNumber()
{
    QCOMPARE(formatting::kernelName(0), QStringLiteral("baseline"));
    QCOMPARE(formatting::kernelName(12), QStringLiteral("k12"));
    QCOMPARE(formatting::kernelName(-1), QStringLiteral("–"));
}

void tst_Formatting::snippetsLoseTheIndentationTheyShare()
{
    QCOMPARE(formatting::snippet("    for i in x:\n\n        y = i\n"),
             QStringLiteral("for i in x:\n\n    y = i"));
    QCOMPARE(formatting::snippet("a\n  b"), QStringLiteral("a\n  b"));
    QCOMPARE(formatting::snippet(""), QString());
}

void tst_Formatting::everyVerdictHasWordsAndASignOfItsOwn()
{
    QStringList words;
    QStringList signs;
    for (const VerdictStatus status : kVerdictStatuses) {
        words << formatting::verdict(status);
        signs << formatting::verdictSign(status);
        QVERIFY(!words.back().isEmpty());
        QVERIFY(!signs.back().isEmpty());
    }
    QCOMPARE(words.removeDuplicates(), 0);
    QCOMPARE(signs.removeDuplicates(), 0);
}

ACCELOPT_TEST(tst_Formatting)
#include "tst_Formatting.moc"
