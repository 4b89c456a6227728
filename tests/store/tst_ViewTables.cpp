// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/ViewTables.h"

#include "core/store/RunFile.h"
#include "core/store/RunReader.h"
#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

using namespace accelopt;
using namespace accelopt::tests;
using store::RunFile;

class tst_ViewTables : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void sayWhatTheEventsSay_data();
    void sayWhatTheEventsSay();
    void keepFiguresOfOtherModelsOutOfTheRanking();
    void rebuiltEqualsIncremental_data();
    void rebuiltEqualsIncremental();
    void areRebuiltWhenOpened_data();
    void areRebuiltWhenOpened();
    void leavePeoplesOwnTablesAlone();

private:
    std::filesystem::path file() const { return m_folder->path().toStdString() + "/run"; }
    /// The rows of a query as text: values separated by blanks, rows by " | ".
    std::string ask(const std::string &sql) const
    {
        SQLite::Database raw(file().string());
        SQLite::Statement query(raw, sql);
        std::string text;
        while (query.executeStep()) {
            text += text.empty() ? "" : " | ";
            for (int column = 0; column < query.getColumnCount(); ++column)
                text += (column ? " " : "") + (query.isColumnNull(column)
                                                   ? std::string("-")
                                                   : query.getColumn(column).getString());
        }
        return text;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_ViewTables::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_ViewTables::sayWhatTheEventsSay_data()
{
    QTest::addColumn<std::string>("sql");
    QTest::addColumn<std::string>("rows");
    const auto row = [](const char *name, const std::string &sql, const std::string &rows) {
        QTest::newRow(name) << sql << rows;
    };
    row("the run was continued and ended again",
        "SELECT task, baseline, searched_seconds, continued, stopped_because FROM run",
        "silu k0 4.0 1 2 iterations done");
    row("each distinct kernel stands where it first appeared",
        "SELECT id, parent, iteration, plan, verdict, latency_ms, pinned, dropped FROM kernel"
        " ORDER BY seq",
        "k0 - - - correct 2.0 0 0 | k1 k0 0 0 correct 1.0 1 0 | k2 k0 0 1 wrong - 0 1");
    row("a kernel has the reason of its verdict", "SELECT reason FROM kernel WHERE id = 'k2'",
        "row 3 differs");
    row("a confirmation stands beside the first judgement",
        "SELECT latency_ms, confirmation_verdict, confirmed_latency_ms FROM kernel WHERE id = 'k1'",
        "1.0 correct 1.01");
    row("a kernel that comes again is a duplicate",
        "SELECT kernel, iteration, duplicate FROM attempt ORDER BY seq",
        "k1 0 0 | k2 0 0 | k1 1 1");
    row("a call has its state and how often it was asked",
        "SELECT id, role, state, asked FROM call ORDER BY id",
        "p1 planner answered 1 | p2 planner answered 2 | p3 planner answered 0 |"
        " p4 planner failed 1 | s1 summarizer answered 0 | s2 summarizer declined 0 |"
        " x1 executor answered 0 | x2 executor answered 0 | x3 executor answered 0");
    row("a failed call has its reason and its cost",
        "SELECT reason, prompt_tokens, usd FROM call WHERE id = 'p4'", "no answer 100 0.005");
    row("an edited item keeps both texts and the person's word",
        "SELECT id, title, first_title, review, speedup, tags FROM item",
        "e0.0 Better title Load once approved 1.25 {\"rewrite\":\"hoist\"}");
    row("a person's decisions are listed",
        "SELECT decision, kernel, item, actor FROM decision ORDER BY seq",
        "pin_kernel k1  human | drop_kernel k2  human | approve_item  e0.0 human |"
        " edit_item  e0.0 human");
    row("the ranking is fastest first, against the baseline",
        "SELECT rank, kernel, latency_ms, speedup FROM ranking", "1 k1 1.0 2.0 | 2 k0 2.0 1.0");
    row("an iteration has its figures",
        "SELECT iteration, plans, attempts, duplicates, profiled, correct, best_latency,"
        " best_speedup, best_latency_so_far, memory_added, failed_calls, tokens FROM iteration",
        "0 2 2 0 2 1 1.0 2.0 1.0 1 0 740 | 1 1 1 1 0 0 - - 1.0 0 1 470");
    row("texts are named by what they are of",
        "SELECT count(*) FROM kernel k JOIN text t ON t.id = k.text", "3");
}

void tst_ViewTables::sayWhatTheEventsSay()
{
    QFETCH(std::string, sql);
    QFETCH(std::string, rows);
    writeSampleRun(file());
    QCOMPARE(ask(sql), rows);
}

void tst_ViewTables::keepFiguresOfOtherModelsOutOfTheRanking()
{
    std::vector<Batch> run = sampleRun();
    auto &judged = std::get<KernelJudged>(run.at(7).events.front().body);
    QCOMPARE(judged.kernel.value, std::string("k1"));
    judged.profile.modelVersion = "2";
    writeRun(file(), run);
    QCOMPARE(ask("SELECT kernel FROM ranking"), std::string("k0"));
    QCOMPARE(ask("SELECT best_latency, best_latency_so_far FROM iteration"),
             std::string("- 2.0 | - 2.0"));
}

void tst_ViewTables::rebuiltEqualsIncremental_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 8; ++seed)
        QTest::newRow(fmt::format("random events of seed {}", seed).c_str()) << seed;
}

void tst_ViewTables::rebuiltEqualsIncremental()
{
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    auto run = RunFile::create(file(), countingClock());
    ACCELOPT_VERIFY_OK(run);
    Batch batch = openedRun();
    ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
    for (int i = 0; i < 60; ++i) {
        batch = randomBatch(random);
        if (random() % 2) {
            const Batch more = randomBatch(random);
            batch.events.insert(batch.events.end(), more.events.begin(), more.events.end());
            batch.texts.insert(batch.texts.end(), more.texts.begin(), more.texts.end());
        }
        ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
    }
    const std::string incremental = viewsAsText(*run);
    QVERIFY(incremental.find("not_compiling") != std::string::npos);
    ACCELOPT_VERIFY_OK(run->rebuildViews());
    QCOMPARE(viewsAsText(*run), incremental);
    // And a rebuilt file goes on as one that was never rebuilt.
    std::vector<Event> events{eventOf(TimePassed{1})};
    ACCELOPT_VERIFY_OK(run->append(events, {}));
    const std::string longer = viewsAsText(*run);
    QVERIFY(longer != incremental);
    ACCELOPT_VERIFY_OK(run->rebuildViews());
    QCOMPARE(viewsAsText(*run), longer);
}

void tst_ViewTables::areRebuiltWhenOpened_data()
{
    QTest::addColumn<std::string>("sql");
    QTest::newRow("all is gone") << std::string(
        "DROP VIEW iteration; DROP VIEW ranking; DROP TABLE view_version;"
        "DROP TABLE run; DROP TABLE call; DROP TABLE plan; DROP TABLE attempt;"
        "DROP TABLE kernel; DROP TABLE item; DROP TABLE decision");
    QTest::newRow("one table is gone") << std::string("DROP TABLE item");
    QTest::newRow("they are of an older version")
        << std::string("UPDATE view_version SET version = 0");
    QTest::newRow("a table is of another form")
        << std::string("ALTER TABLE kernel ADD COLUMN colour TEXT");
    QTest::newRow("a table has become a view")
        << std::string("DROP TABLE decision; CREATE VIEW decision AS SELECT * FROM event");
}

void tst_ViewTables::areRebuiltWhenOpened()
{
    QFETCH(std::string, sql);
    writeSampleRun(file());
    std::string before;
    {
        auto run = RunFile::openForWriting(file());
        ACCELOPT_VERIFY_OK(run);
        before = viewsAsText(*run);
    }
    {
        SQLite::Database raw(file().string(), SQLite::OPEN_READWRITE);
        raw.exec(sql);
    }
    auto run = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(run);
    QCOMPARE(viewsAsText(*run), before);
}

void tst_ViewTables::leavePeoplesOwnTablesAlone()
{
    writeSampleRun(file());
    {
        SQLite::Database raw(file().string(), SQLite::OPEN_READWRITE);
        raw.exec("CREATE TABLE my_notes (kernel TEXT, note TEXT);"
                 "INSERT INTO my_notes VALUES ('k1', 'nice');"
                 "CREATE VIEW my_best AS SELECT * FROM ranking LIMIT 1");
    }
    auto run = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(run);
    ACCELOPT_VERIFY_OK(run->rebuildViews());
    ACCELOPT_VERIFY_OK(run->close());
    QCOMPARE(ask("SELECT note FROM my_notes"), std::string("nice"));
    QCOMPARE(ask("SELECT kernel FROM my_best"), std::string("k1"));
}

ACCELOPT_TEST(tst_ViewTables)
#include "tst_ViewTables.moc"
