// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunFile.h"
#include "tests/app/RunProgram.h"
#include "tests/report/RunStory.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <algorithm>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

std::string writeRunFile(const std::string &path, const std::string &task)
{
    report::tests::RunStory story;
    story.task = task;
    story.tell();
    std::vector<Event> events = story.events();
    auto file = store::RunFile::create(path);
    if (!file)
        return describe(file.error());
    if (const auto written = file->append(events, story.texts()); !written)
        return describe(written.error());
    if (const auto closed = file->close(); !closed)
        return describe(closed.error());
    return {};
}

std::ptrdiff_t lineCount(const std::string &text)
{
    return std::count(text.begin(), text.end(), '\n');
}

} // namespace

/// `accelopt export` with figures of one run and of several.
class tst_ExportFigures : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        std::filesystem::create_directory(path("runs"));
        QCOMPARE(writeRunFile(path("runs/silu.accelopt"), "silu"), std::string());
        QCOMPARE(writeRunFile(path("runs/bmm.accelopt"), "bmm"), std::string());
    }

    void aRunBecomesTables()
    {
        const Ran ran = runProgram({"export", path("runs/silu.accelopt"), "--csv", path("one")});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        QVERIFY(ran.out.empty());
        QVERIFY(contentOf(path("one/runs.csv")).starts_with("run,file,task,device,simulated,"));
        QCOMPARE(lineCount(contentOf(path("one/iterations.csv"))), std::ptrdiff_t(3));
        for (const char *table : {"fast", "kernels", "counter_spread", "cost", "memory", "adoption",
                                  "groups", "columns"})
            QVERIFY2(exists(path("one/" + std::string(table) + ".csv")), table);
    }

    void aFolderOfRunsIsOneSetOfTables()
    {
        const Ran ran = runProgram({"export", path("runs"), "--csv", path("all")});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const std::string runs = contentOf(path("all/runs.csv"));
        QCOMPARE(lineCount(runs), std::ptrdiff_t(3));
        QVERIFY(contains(runs, "bmm,bmm.accelopt,bmm,"));
        // Both runs reach 2.5 times: so does their geometric mean.
        const std::string groups = contentOf(path("all/groups.csv"));
        QVERIFY2(contains(groups, "0,trn1,1,m1,2,1,2,8,2.5,") || contains(groups, ",2.5000000"),
                 groups.c_str());
    }

    void aSecondExportReplacesItsOwnAndNothingElse()
    {
        const Arguments command{"export", path("runs"), "--csv", path("again")};
        QCOMPARE(runProgram(command).status, 0);
        QCOMPARE(runProgram(command).status, 0);
        write(path("again/runs.csv"), "mine");
        const Ran refused = runProgram(command);
        QCOMPARE(refused.status, 2);
        QVERIFY2(contains(refused.err, "runs.csv"), refused.err.c_str());
        QCOMPARE(lineCount(refused.err), std::ptrdiff_t(1));
        QCOMPARE(contentOf(path("again/runs.csv")), std::string("mine"));
    }

    void severalRunsShareAPage()
    {
        const Ran ran = runProgram({"export", path("runs"), "--html", path("all.html")});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const std::string html = contentOf(path("all.html"));
        QVERIFY(contains(html, "2 runs, simulated (cost model m1) on trn1"));
        QVERIFY(contains(html, "geometric mean speedup"));
        QVERIFY(!exists(path("runs/all.html")));
    }

    void whatIsOfOneRunIsNotAskedOfSeveral()
    {
        const Ran ran = runProgram({"export", path("runs"), "--kernel", path("k.py")});
        QCOMPARE(ran.status, 2);
        QVERIFY2(contains(ran.err, "several were named"), ran.err.c_str());
        QVERIFY(!exists(path("k.py")));
        std::filesystem::create_directory(path("empty"));
        const Ran none = runProgram({"export", path("empty"), "--csv", path("none")});
        QCOMPARE(none.status, 2);
        QVERIFY2(contains(none.err, "holds no run file"), none.err.c_str());
    }

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    QTemporaryDir m_folder;
};

ACCELOPT_TEST(tst_ExportFigures)
#include "tst_ExportFigures.moc"
