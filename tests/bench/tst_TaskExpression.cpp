// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskExpression.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using bench::TaskExpression;

namespace {

const bench::Dimensions kDimensions = {{"M", 4096}, {"N", 7168}, {"K_2", 3}};

} // namespace

class tst_TaskExpression : public QObject
{
    Q_OBJECT

private slots:
    void wholeNumbers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("value");
        QTest::newRow("a number stands for itself") << "128" << qint64(128);
        QTest::newRow("a name stands for its value") << "K_2" << qint64(3);
        QTest::newRow("products bind closer than sums") << "2 + 3*4" << qint64(14);
        QTest::newRow("parentheses come first") << "(2 + 3)*4" << qint64(20);
        QTest::newRow("differences are taken from the left") << "10 - 3 - 2" << qint64(5);
        QTest::newRow("quotients are taken from the left") << "M/2/2" << qint64(1024);
        QTest::newRow("floor division drops the remainder") << "7 // 2" << qint64(3);
        QTest::newRow("floor division rounds down, not to zero") << "-7 // 2" << qint64(-4);
        QTest::newRow("floor division by a negative number rounds down") << "7 // -2" << qint64(-4);
        QTest::newRow("a sign may stand before a factor") << "2*-3" << qint64(-6);
        QTest::newRow("the traffic of silu") << "2*M*N*4" << qint64(234881024);
        QTest::newRow("the largest number is read") << "9223372036854775807" << qint64(INT64_MAX);
    }
    void wholeNumbers()
    {
        QFETCH(QString, text);
        QFETCH(qint64, value);
        const auto expression = TaskExpression::parse(text.toStdString());
        ACCELOPT_VERIFY_OK(expression);
        const auto result = expression->integer(kDimensions);
        ACCELOPT_VERIFY_OK(result);
        QCOMPARE(qint64(*result), value);
        QCOMPARE(expression->number(kDimensions).value(), double(value));
    }

    void quotientsInDoublePrecisionKeepTheirFraction()
    {
        QCOMPARE(TaskExpression::parse("7/2")->number({}).value(), 3.5);
        QCOMPARE(TaskExpression::parse("7//2")->number({}).value(), 3.0);
        QCOMPARE(TaskExpression::parse("-7//2")->number({}).value(), -4.0);
    }

    void mistakesInTheText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("column");
        QTest::newRow("nothing") << ""
                                 << "column 1";
        QTest::newRow("an operator without a right side") << "M *"
                                                          << "column 4";
        QTest::newRow("two names side by side") << "M N"
                                                << "column 3";
        QTest::newRow("an open parenthesis") << "(M + 1"
                                             << "column 7";
        QTest::newRow("a parenthesis too many") << "M)"
                                                << "column 2";
        QTest::newRow("a power") << "M**2"
                                 << "column 3";
        QTest::newRow("a fraction") << "0.5*M"
                                    << "column 2";
        QTest::newRow("a name that begins with a digit") << "2M"
                                                         << "column 2";
        QTest::newRow("a number beyond 64 bits") << "9223372036854775808"
                                                 << "column 1";
        QTest::newRow("a call") << "min(M, N)"
                                << "column 4";
        QTest::newRow("parentheses without end") << QString(100000, '(') << "nested too deeply";
        QTest::newRow("signs without end") << QString(100000, '-') << "nested too deeply";
    }
    void mistakesInTheText()
    {
        QFETCH(QString, text);
        QFETCH(QString, column);
        const auto expression = TaskExpression::parse(text.toStdString());
        QVERIFY(!expression);
        QCOMPARE(expression.error().code, ErrorCode::Format);
        QVERIFY2(expression.error().message.find(column.toStdString()) != std::string::npos,
                 expression.error().message.substr(0, 500).c_str());
    }

    void mistakesInTheValue_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        QTest::newRow("an unknown name lists the known ones")
            << "M*Q"
            << "column 3: there is no dimension \"Q\" (there are: K_2, M, N)";
        QTest::newRow("a division with a remainder") << "M/3"
                                                     << "4096 is not a multiple of 3";
        QTest::newRow("a division by zero") << "M/(K_2 - 3)"
                                            << "column 2: division by zero";
        QTest::newRow("a floor division by zero") << "M//0"
                                                  << "division by zero";
        QTest::newRow("a product beyond 64 bits") << "M*M*M*M*M*M"
                                                  << "does not fit 64 bits";
        QTest::newRow("a sum beyond 64 bits") << "9223372036854775807 + 1"
                                              << "does not fit 64 bits";
        QTest::newRow("the one quotient beyond 64 bits") << "(-9223372036854775807 - 1)/-1"
                                                         << "does not fit 64 bits";
    }
    void mistakesInTheValue()
    {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const auto expression = TaskExpression::parse(text.toStdString());
        ACCELOPT_VERIFY_OK(expression);
        const auto value = expression->integer(kDimensions);
        QVERIFY(!value);
        QVERIFY2(value.error().message.find(words.toStdString()) != std::string::npos,
                 value.error().message.c_str());
    }
};

ACCELOPT_TEST(tst_TaskExpression)
#include "tst_TaskExpression.moc"
