// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/AnswerReader.h"

#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::agents;

class tst_AnswerReader : public QObject
{
    Q_OBJECT

private slots:
    void takesTheFirstBlockAsTheKernel_data();
    void takesTheFirstBlockAsTheKernel();
    void saysWhatIsMissing();
    void readsTitleAndTextOfAPlan();
    void readsALessonOrDeclines();
};

void tst_AnswerReader::takesTheFirstBlockAsTheKernel_data()
{
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("kernel");
    QTest::newRow("words around it") << "Here it is:\n```python\ndef k():\n    pass\n```\nDone.\n"
                                     << "def k():\n    pass\n";
    QTest::newRow("a second block is ignored") << "```\na = 1\n```\n```\nb = 2\n```"
                                               << "a = 1\n";
    QTest::newRow("a longer fence may hold a shorter one") << "````python\n'''\n```\n'''\n````\n"
                                                           << "'''\n```\n'''\n";
    QTest::newRow("carriage returns") << "```python\r\na = 1\r\n```\r\n"
                                      << "a = 1\n";
    QTest::newRow("an indented fence") << "1. so:\n   ```python\n   a = 1\n   ```\n"
                                       << "   a = 1\n";
    QTest::newRow("a block that is not closed") << "```python\na = 1\n"
                                                << "a = 1\n";
    QTest::newRow("bare code") << "import numpy as np\ndef k():\n    pass"
                               << "import numpy as np\ndef k():\n    pass\n";
}

void tst_AnswerReader::takesTheFirstBlockAsTheKernel()
{
    QFETCH(QString, answer);
    QFETCH(QString, kernel);
    const auto read = readKernelAnswer(answer.toStdString());
    ACCELOPT_VERIFY_OK(read);
    QCOMPARE(read->source, kernel.toStdString());
}

void tst_AnswerReader::saysWhatIsMissing()
{
    for (const char *answer : {"I cannot do that.", "", "```python\n```\n", "```\n\n"}) {
        const auto read = readKernelAnswer(answer);
        QVERIFY(!read);
        QVERIFY(read.error().code == ErrorCode::NotGood);
    }
    QVERIFY(!readPlan(" \n"));
    QVERIFY(!readLesson("```\nx\n```"));
}

void tst_AnswerReader::readsTitleAndTextOfAPlan()
{
    const auto plan = readPlan("**Title:** Fuse the loops\n\nMove the store.\n```python\nx\n```\n");
    ACCELOPT_VERIFY_OK(plan);
    QCOMPARE(plan->title, std::string("Fuse the loops"));
    QVERIFY(plan->text.find("Move the store.") != std::string::npos);
    QVERIFY(plan->text.find("```python\nx") != std::string::npos);
    QVERIFY(plan->directive.empty());
    const auto untitled = readPlan("Widen the tile. It is too small.\nMore.");
    ACCELOPT_VERIFY_OK(untitled);
    QCOMPARE(untitled->title, std::string("Widen the tile"));
}

void tst_AnswerReader::readsALessonOrDeclines()
{
    const auto lesson = readLesson("Title: Keep it on chip\nLoad once.\n```\nslow\n```\nthen\n"
                                   "```python\nfast\n```\n");
    ACCELOPT_VERIFY_OK(lesson);
    QVERIFY(!lesson->declined);
    QCOMPARE(lesson->title, std::string("Keep it on chip"));
    QCOMPARE(lesson->strategy, std::string("Load once.\nthen"));
    QCOMPARE(lesson->before, std::string("slow\n"));
    QCOMPARE(lesson->after, std::string("fast\n"));
    const auto none = readLesson("NO LESSON\n");
    ACCELOPT_VERIFY_OK(none);
    QVERIFY(none->declined);
}

ACCELOPT_TEST(tst_AnswerReader)
#include "tst_AnswerReader.moc"
