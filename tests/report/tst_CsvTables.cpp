// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/CsvTables.h"
#include "tests/report/RunStory.h"

#include <cmath>
#include <limits>
#include <set>

using namespace accelopt;
using namespace accelopt::report;
using accelopt::report::tests::RunStory;

namespace {

CsvTable tableOf(const std::vector<CsvTable> &tables, const std::string &name)
{
    for (const CsvTable &one : tables)
        if (one.name == name)
            return one;
    qFatal("no table %s", name.c_str());
}

std::string fieldOf(const CsvTable &table, std::size_t row, const std::string &column)
{
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].name == column)
            return table.rows.at(row).at(c).text();
    qFatal("no column %s", column.c_str());
}

std::vector<CsvTable> toldTables()
{
    RunStory story;
    story.tell();
    return csvTables({figuresOf(story.events())});
}

std::string writtenAs(const CsvField &field)
{
    const std::string csv = toCsv({"t", "", {{"c", "", ""}}, {{field}}});
    return csv.substr(3, csv.size() - 5);
}

} // namespace

class tst_CsvTables : public QObject
{
    Q_OBJECT

private slots:
    void fieldsAreWrittenAsRfc4180Says_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("plain text stays") << QByteArray("a b") << QByteArray("a b");
        QTest::newRow("a comma asks for quotes") << QByteArray("a,b") << QByteArray("\"a,b\"");
        QTest::newRow("a quote is doubled") << QByteArray("a\"b") << QByteArray("\"a\"\"b\"");
        QTest::newRow("a line end asks for quotes") << QByteArray("a\nb") << QByteArray("\"a\nb\"");
        QTest::newRow("a formula is disarmed") << QByteArray("=1+1") << QByteArray("'=1+1");
        QTest::newRow("so is one that begins with @")
            << QByteArray("@x,") << QByteArray("\"'@x,\"");
        QTest::newRow("control characters are replaced")
            << QByteArray("a\x01") << QByteArray("a\xEF\xBF\xBD");
        QTest::newRow("bytes that are no UTF-8 are replaced")
            << QByteArray("a\xff") << QByteArray("a\xEF\xBF\xBD");
    }
    void fieldsAreWrittenAsRfc4180Says()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        QCOMPARE(QByteArray::fromStdString(writtenAs(CsvField(text.toStdString()))), expected);
    }

    void numbersComeBackAsTheyWere()
    {
        QCOMPARE(std::stod(writtenAs(0.1 + 0.2)), 0.1 + 0.2);
        QCOMPARE(writtenAs(-1.5), std::string("-1.5"));
        QCOMPARE(writtenAs(1e-9), std::string("1e-09"));
        QCOMPARE(writtenAs(std::numeric_limits<double>::infinity()), std::string());
        QCOMPARE(writtenAs(std::optional<double>()), std::string());
    }

    void everyRowHasAFieldForEveryColumn()
    {
        std::set<std::string> names;
        for (const CsvTable &one : toldTables()) {
            QVERIFY2(names.insert(one.name).second, one.name.c_str());
            QVERIFY2(!one.rows.empty(), one.name.c_str());
            std::set<std::string> columns;
            for (const CsvColumn &column : one.columns) {
                QVERIFY2(columns.insert(column.name).second, column.name.c_str());
                QVERIFY2(!column.meaning.empty(), column.name.c_str());
            }
            for (const auto &row : one.rows)
                QVERIFY2(row.size() == one.columns.size(), one.name.c_str());
            const std::string csv = toCsv(one);
            QVERIFY(csv.ends_with("\r\n"));
        }
        QCOMPARE(names.size(), std::size_t(14));
    }

    void tablesSayWhatTheFiguresSay()
    {
        const std::vector<CsvTable> tables = toldTables();
        const CsvTable runs = tableOf(tables, "runs");
        QCOMPARE(fieldOf(runs, 0, "run"), std::string("silu"));
        QCOMPARE(fieldOf(runs, 0, "simulated"), std::string("1"));
        QCOMPARE(fieldOf(runs, 0, "best_speedup"), std::string("2.5"));
        QCOMPARE(fieldOf(runs, 0, "cost_usd"), std::string("0.75"));
        QCOMPARE(fieldOf(runs, 0, "kernels"), std::string("4"));
        const CsvTable iterations = tableOf(tables, "iterations");
        QCOMPARE(iterations.rows.size(), std::size_t(2));
        QCOMPARE(fieldOf(iterations, 0, "failing_share"), std::string("0.5"));
        QCOMPARE(fieldOf(iterations, 0, "wrong"), std::string("1"));
        QCOMPARE(fieldOf(iterations, 1, "failing_share"), std::string("0"));
        const CsvTable kernels = tableOf(tables, "kernels");
        QCOMPARE(fieldOf(kernels, 0, "iteration"), std::string());
        QCOMPARE(fieldOf(kernels, 0, "latency_ms"), std::string("4"));
        QCOMPARE(fieldOf(kernels, 2, "verdict"), std::string("wrong"));
        QCOMPARE(fieldOf(kernels, 2, "latency_ms"), std::string());
        const CsvTable counters = tableOf(tables, "counters");
        QCOMPARE(fieldOf(counters, 0, "unit"), std::string("bytes"));
        QCOMPARE(tableOf(tables, "fast").rows.size(), 2 * kFastThresholds.size());
        QCOMPARE(tableOf(tables, "groups").rows.size(), std::size_t(2));
        std::size_t columns = 0;
        for (const CsvTable &one : tables)
            if (one.name != "columns")
                columns += one.columns.size();
        QCOMPARE(tableOf(tables, "columns").rows.size(), columns);
    }

    void everyFigureOfASearchHasATable()
    {
        const std::vector<CsvTable> tables = toldTables();
        const auto field = [&](const char *table, std::size_t row, const char *column) {
            return fieldOf(tableOf(tables, table), row, column);
        };
        // Fast@p per iteration: of two judged kernels one is correct, at twice the speed.
        QCOMPARE(field("fast", 0, "p"), std::string("1"));
        QCOMPARE(field("fast", 0, "share"), std::string("0.5"));
        QCOMPARE(field("fast", kFastThresholds.size() - 1, "share"), std::string("0"));
        // Best and average candidate.
        QCOMPARE(field("iterations", 1, "best_candidate_speedup"), std::string("2"));
        QCOMPARE(std::stod(field("iterations", 1, "mean_candidate_speedup")), std::sqrt(2.0));
        // Cost curve.
        const CsvTable &cost = tableOf(tables, "cost");
        QCOMPARE(fieldOf(cost, cost.rows.size() - 1, "kernels"), std::string("4"));
        QCOMPARE(fieldOf(cost, cost.rows.size() - 1, "best_speedup"), std::string("2.5"));
        QCOMPARE(fieldOf(cost, cost.rows.size() - 1, "cost_usd"), std::string("0.75"));
        // Distribution of counters.
        const CsvTable &spread = tableOf(tables, "counter_spread");
        bool found = false;
        for (std::size_t row = 0; row < spread.rows.size(); ++row)
            if (fieldOf(spread, row, "iteration") == "1" &&
                fieldOf(spread, row, "counter") == "hbm_read_bytes") {
                found = true;
                QCOMPARE(fieldOf(spread, row, "minimum"), std::string("50"));
                QCOMPARE(fieldOf(spread, row, "maximum"), std::string("150"));
            }
        QVERIFY(found);
        // Adoption: which prompts carried an item, which plans used it, how they fared.
        QCOMPARE(field("memory", 0, "item"), std::string("e0.0"));
        QCOMPARE(field("memory", 0, "carried"), std::string("3"));
        QCOMPARE(field("memory", 0, "used"), std::string("1"));
        QCOMPARE(field("memory", 0, "used_mean_speedup"), std::string("1.25"));
        QCOMPARE(field("adoption", 0, "plan"), std::string("i1.c0.p0"));
        QCOMPARE(field("adoption", 0, "adoption"), std::string("used"));
        QCOMPARE(field("adoption", 0, "best_speedup_over_parent"), std::string("1.25"));
        // Shares of repeated and failing kernels, of an iteration and of the run.
        QCOMPARE(std::stod(field("iterations", 0, "duplicate_share")), 1.0 / 3);
        QCOMPARE(field("iterations", 0, "failing_share"), std::string("0.5"));
        QCOMPARE(std::stod(field("runs", 0, "duplicate_share")), 1.0 / 3);
        QCOMPARE(field("runs", 0, "failing_share"), std::string("0.25"));
    }

    void severalRunsAreToldApartByName()
    {
        RunStory one;
        one.tell();
        RunStory other;
        other.task = "bmm";
        other.tell();
        const auto tables = csvTables({figuresOf(one.events()), figuresOf(other.events())});
        QCOMPARE(fieldOf(tableOf(tables, "runs"), 1, "run"), std::string("bmm"));
        QCOMPARE(tableOf(tables, "iterations").rows.size(), std::size_t(4));
        QCOMPARE(fieldOf(tableOf(tables, "groups"), 0, "runs"), std::string("2"));
    }
};

ACCELOPT_TEST(tst_CsvTables)
#include "tst_CsvTables.moc"
