// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/LessonShare.h"

#include "tests/support/TestMain.h"

using namespace accelopt;

class tst_LessonShare : public QObject
{
    Q_OBJECT

private slots:
    void countsWhatStandsBetweenTheHeadings();
    void nothingWhereNothingIsTold_data();
    void nothingWhereNothingIsTold();
};

void tst_LessonShare::countsWhatStandsBetweenTheHeadings()
{
    const std::string lessons = "## What earlier kernels have taught\n\n### One\n## Told\n\n";
    const std::string rest = "## The kernel to improve\n\nx = 1\n";
    const std::string prompt = "## Task\n\n" + lessons + rest;
    QCOMPARE(agents::lessonShare(prompt), double(lessons.size()) / double(prompt.size()));
    // A lesson that quotes the next heading is still a lesson.
    const std::string quoting = lessons + "## The kernel to improve\n";
    QCOMPARE(agents::lessonShare(quoting + rest),
             double(quoting.size()) / double(quoting.size() + rest.size()));
}

void tst_LessonShare::nothingWhereNothingIsTold_data()
{
    QTest::addColumn<QByteArray>("prompt");
    QTest::newRow("an empty prompt") << QByteArray();
    QTest::newRow("a prompt without lessons") << QByteArray("## The kernel to improve\n\nx\n");
    QTest::newRow("lessons behind the kernel")
        << QByteArray("## The kernel to improve\n## What earlier kernels have taught\n");
}

void tst_LessonShare::nothingWhereNothingIsTold()
{
    QFETCH(QByteArray, prompt);
    QCOMPARE(agents::lessonShare(prompt.toStdString()), 0.0);
}

ACCELOPT_TEST(tst_LessonShare)
#include "tst_LessonShare.moc"
