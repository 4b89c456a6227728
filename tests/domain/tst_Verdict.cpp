// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Verdict.h"
#include "tests/support/TestMain.h"

#include <limits>
#include <nlohmann/json.hpp>

using namespace accelopt;

class tst_Verdict : public QObject
{
    Q_OBJECT

private slots:
    void everyStatusHasItsNameBack()
    {
        for (VerdictStatus status : kVerdictStatuses)
            QCOMPARE(verdictStatus(name(status)).value(), status);
        QVERIFY(!verdictStatus("fine").has_value());
    }

    void survivesJson()
    {
        Verdict verdict;
        verdict.status = VerdictStatus::Wrong;
        verdict.simulated = false;
        verdict.reasons = {Reason{"numbers", "err_mismatch", "error 0.3", "at most 2e-05",
                                  SourcePlace{3, 5, 3, 9}}};
        verdict.figures = {{"relative_l2", std::numeric_limits<double>::infinity()},
                           {"checked_share", 0.25}};
        const std::string text = nlohmann::json(verdict).dump();
        QCOMPARE(nlohmann::json::parse(text).get<Verdict>(), verdict);
    }

    void anUnknownStatusIsRefused()
    {
        nlohmann::json json = Verdict();
        json["status"] = "splendid";
        QVERIFY_EXCEPTION_THROWN(json.get<Verdict>(), nlohmann::json::exception);
    }

    void caret_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<int>("endColumn");
        QTest::addColumn<QString>("expected");
        QTest::newRow("marks one character") << "a = 1\nb = x + 1\n"
                                             << 2 << 5 << 6 << "b = x + 1\n    ^";
        QTest::newRow("marks a range") << "a = 1\nb = load(x)\n"
                                       << 2 << 5 << 9 << "b = load(x)\n    ^~~~";
        QTest::newRow("stands under the place after tabs and wide bytes")
            << QString::fromUtf8("\té = x") << 1 << 7 << 8 << QString::fromUtf8(" é = x\n     ^");
        QTest::newRow("stands behind the last character") << "f(" << 1 << 3 << 3 << "f(\n  ^";
        QTest::newRow("drops a carriage return") << "f(\r\ng" << 1 << 1 << 2 << "f(\n^";
        QTest::newRow("is empty without a place") << "f(" << 0 << 0 << 0 << "";
        QTest::newRow("is empty behind the last line") << "f(" << 7 << 1 << 1 << "";
        QTest::newRow("is empty behind the line's end") << "f(" << 1 << 9 << 9 << "";
    }

    void caret()
    {
        QFETCH(QString, source);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(int, endColumn);
        QFETCH(QString, expected);
        QCOMPARE(caretText(source.toStdString(), SourcePlace{line, column, line, endColumn}),
                 expected.toStdString());
    }

    void longLinesAreCutAroundTheCaret()
    {
        const std::string line = std::string(300, 'a') + "X" + std::string(300, 'b');
        const std::string text = caretText(line, SourcePlace{1, 301, 1, 302});
        const std::size_t end = text.find('\n');
        QVERIFY(end != std::string::npos);
        QVERIFY(end <= 110);
        QVERIFY(text.starts_with("..."));
        QCOMPARE(text[text.find('^') - end - 1], 'X');
    }
};

ACCELOPT_TEST(tst_Verdict)
#include "tst_Verdict.moc"
