// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/agents/Lesson.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::agents;

class tst_Lesson : public QObject
{
    Q_OBJECT

private slots:
    void changedLinesOfBothSides_data();
    void changedLinesOfBothSides();
    void longChangesAreCut();
    void onlyCountersThatMovedAreNamed();
};

void tst_Lesson::changedLinesOfBothSides_data()
{
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("after");
    QTest::addColumn<std::string>("removed");
    QTest::addColumn<std::string>("added");
    const auto row = [](const char *name, const char *before, const char *after,
                        const char *removed, const char *added) {
        QTest::newRow(name) << std::string(before) << std::string(after) << std::string(removed)
                            << std::string(added);
    };
    row("equal texts", "a\nb\n", "a\nb\n", "", "");
    row("a line replaced", "a\nb\nc\n", "a\nx\nc\n", "b\n", "x\n");
    row("lines apart", "a\nb\nc\nd\n", "b\nd\n", "a\n...\nc\n", "");
    row("blank lines do not count", "a\n\nb\n", "a\nb\n", "", "");
    row("line ends do not count", "a\r\nb\r\n", "a\nb\n", "", "");
    row("nothing before", "", "a\n", "", "a\n");
}

void tst_Lesson::changedLinesOfBothSides()
{
    QFETCH(const std::string, before);
    QFETCH(const std::string, after);
    QFETCH(const std::string, removed);
    QFETCH(const std::string, added);
    const auto changed = changedLines(before, after);
    QCOMPARE(changed.first, removed);
    QCOMPARE(changed.second, added);
}

void tst_Lesson::longChangesAreCut()
{
    QCOMPARE(changedLines("a\nb\nc\nd\n", "", 2).first, std::string("a\nb\n...\n"));
}

void tst_Lesson::onlyCountersThatMovedAreNamed()
{
    Profile before;
    Profile after;
    before.counters = {
        {"a_bytes", 100}, {"b_bytes", 100}, {"c_percent", 0.500}, {"d_bytes", NAN}, {"e_bytes", 1}};
    after.counters = {{"a_bytes", 50}, {"b_bytes", 100}, {"c_percent", 0.506}, {"d_bytes", 1}};
    QCOMPARE(movedCounters(before, after), std::string("a_bytes 100 -> 50"));
    QCOMPARE(movedCounters(before, after, 0), std::string());
}

ACCELOPT_TEST(tst_Lesson)
#include "tst_Lesson.moc"
