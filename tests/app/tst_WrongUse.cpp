// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

const std::string kSiluKernel = ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py";

int lineEnds(const std::string &text)
{
    return int(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

Q_DECLARE_METATYPE(accelopt::tests::Arguments)
Q_DECLARE_METATYPE(std::string)

/// What the terminal program says to what it cannot do: one sentence, the right exit status, and
/// nothing changed.
class tst_WrongUse : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void badInputIsToldInOneSentence_data();
    void badInputIsToldInOneSentence();
    void badRunFilesStayAsTheyAre_data();
    void badRunFilesStayAsTheyAre();
    void aFolderThatTakesNoFileIsNamed();
    void hostileKernelsAreVerdicts_data();
    void hostileKernelsAreVerdicts();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    QTemporaryDir m_folder;
};

void tst_WrongUse::initTestCase()
{
    QVERIFY(m_folder.isValid());
    // Any run will do: what becomes of it is not looked at.
    const Ran ran = runProgram({"run", "--task", "silu", "--shape", "lab", "-T", "1", "-N", "1",
                                "-B", "1", "--workers", "1", "--out", path("small.accelopt")});
    QVERIFY2(ran.status <= 1, ran.err.c_str());
}

void tst_WrongUse::badInputIsToldInOneSentence_data()
{
    QTest::addColumn<Arguments>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<std::string>("words");
    write(path("large.py"), std::string(300 * 1024, '#'));
    write(path("bytes.run"), std::string("\x7f\xff\0SQL", 6));
    const std::string kernel = kSiluKernel;
    const auto row = [](const char *name, const Arguments &arguments, int status,
                        const char *words) {
        QTest::newRow(name) << arguments << status << std::string(words);
    };
    row("no command", {}, 2, "subcommand");
    row("an unknown command", {"frobnicate"}, 2, "frobnicate");
    row("an unknown command like another", {"chek"}, 2, "Did you mean check?");
    row("an unknown command of another", {"bench", "tabel"}, 2, "Did you mean table?");
    row("an unknown option", {"run", "--colour"}, 2, "--colour");
    row("an unknown option like another", {"run", "--taks", "silu"}, 2, "Did you mean --task");
    row("an unknown option in place of a needed one", {"check", kernel, "--taks", "silu"}, 2,
        "there is no option '--taks'");
    row("one file too many", {"show", path("small.accelopt"), "B"}, 2, "one word too many");
    row("a number that is none", {"run", "-T", "many"}, 2, "many");
    row("an unknown task to run", {"run", "--task", "slu", "--out", path("x.accelopt")}, 2, "slu");
    row("an unknown task to check", {"check", kernel, "--task", "nothing"}, 2, "nothing");
    row("an unknown shape", {"check", kernel, "--task", "silu", "--shape", "huge"}, 2, "huge");
    row("an unknown device", {"profile", kernel, "--task", "silu", "--device", "trn9"}, 2, "trn9");
    row("an unknown device of the table", {"bench", "table", "--device", "trn9"}, 2, "trn9");
    row("an unknown preset", {"run", "--preset", "slow"}, 2, "slow");
    row("an unknown policy", {"run", "--beam-policy", "best"}, 2, "best");
    row("an unknown agent", {"run", "--agents", "nobody"}, 2, "nobody");
    row("an unknown host", {"check", kernel, "--task", "silu", "--on", "moon"}, 2, "--on");
    row("a host to profile on that is none", {"profile", kernel, "--task", "silu", "--on", "moon"},
        2, "moon");
    row("a beam of nothing", {"run", "-B", "0"}, 2, "-B");
    const std::string x = path("x.accelopt");
    const auto option = [&](const char *name, const char *words) {
        const std::string text(name);
        const std::size_t blank = text.find(' ');
        QTest::newRow(name)
            << Arguments{"run",   "--shape", "lab", text.substr(0, blank), text.substr(blank + 1),
                         "--out", x}
            << 2 << std::string(words);
    };
    option("-T 0", "-T must be at least 1, not 0");
    option("-T 200000", "-T must be at most 100000");
    option("-T 99999999999", "-T takes a whole number, not 99999999999");
    option("-N 0", "-N must be at least 1, not 0");
    option("-N 1.5", "-N takes a whole number, not 1.5");
    option("-K -1", "-K must be at least 1, not -1");
    option("-B 300000", "-B must be at most 100000");
    option("--topk -1", "--topk must be at least 0, not -1");
    option("--expn -3", "--expn must be at least 0, not -3");
    option("--tpos 0.5", "--tpos must be at least 1, not 0.5");
    option("--tpos nan", "--tpos must be at least 1, not nan");
    option("--tneg inf", "--tneg must be at most 1000, not inf");
    option("--repair -1", "--repair must be at least 0, not -1");
    option("--patience -1", "--patience must be at least 0, not -1");
    option("--target 0", "--target must be more than 0, not 0");
    option("--target 101", "--target must be at most 100, not 101");
    option("--budget-kernels 0", "--budget-kernels must be at least 1, not 0");
    option("--budget-minutes 0", "--budget-minutes must be more than 0, not 0");
    option("--budget-usd -1", "--budget-usd must be more than 0, not -1");
    option("--budget-usd much", "--budget-usd takes a number, not much");
    option("--seed -1", "--seed must be a whole number");
    option("--seed 3.5", "--seed must be a whole number");
    option("--workers -1", "--workers must be between 0 and 1024, not -1");
    option("--memory-policy lru", "there is no memory policy \"lru\"");
    option("--planner nobody", "nobody");
    option("--executor nobody", "nobody");
    option("--summarizer nobody", "nobody");
    option("--device trn3", "--device must be trn1 or trn2");
    option("--on moon", "moon");
    row("a kernel that does not exist", {"check", path("nowhere.py"), "--task", "silu"}, 2,
        "nowhere.py");
    row("a folder as kernel", {"check", m_folder.path().toStdString(), "--task", "silu"}, 2,
        "folder");
    row("a kernel that is too large", {"check", path("large.py"), "--task", "silu"}, 2, "256 KiB");
    row("a kernel to start from that is too large",
        {"run", "--kernel", path("large.py"), "--shape", "lab", "--out", path("x.accelopt")}, 2,
        "256 KiB");
    row("check without a task", {"check", kernel}, 2, "--task");
    row("--resume without --out", {"run", "--resume"}, 2, "--out");
    row("--resume of a file that is not there",
        {"run", "--resume", "--out", path("nowhere.accelopt")}, 2, "nowhere.accelopt");
    row("a kernel to start from for several tasks",
        {"run", "--task", "silu,adamw", "--kernel", kernel, "--out", path("x.accelopt")}, 2,
        "--kernel");
    row("--out in a folder that is not there",
        {"run", "--task", "silu", "--shape", "lab", "--out", path("no/x.accelopt")}, 2,
        "x.accelopt");
    row("--out in a folder that takes no files",
        {"run", "--task", "silu", "--shape", "lab", "--out", "/proc/x.accelopt"}, 3, "x.accelopt");
    row("show of a file that is not there", {"show", path("nowhere.accelopt")}, 2,
        "nowhere.accelopt");
    row("show of a file that is no run", {"show", path("bytes.run")}, 2, "bytes.run");
    row("why of what the run does not know", {"show", path("small.accelopt"), "--why", "i9"}, 2,
        "i9");
    row("export of nothing", {"export", path("small.accelopt")}, 2, "--html");
    row("export into a folder that is not there",
        {"export", path("small.accelopt"), "--html", path("no/r.html")}, 3, "r.html");
}

void tst_WrongUse::badInputIsToldInOneSentence()
{
    QFETCH(Arguments, arguments);
    QFETCH(int, status);
    QFETCH(std::string, words);
    const Ran ran = runProgram(arguments);
    QVERIFY2(ran.status == status, fmt::format("{}: {}", ran.status, ran.err).c_str());
    QVERIFY2(contains(ran.err, words), ran.err.c_str());
    QVERIFY(ran.err.starts_with("accelopt: "));
    QVERIFY2(lineEnds(ran.err) == 1, ran.err.c_str());
    QVERIFY2(ran.out.empty(), ran.out.c_str());
    QVERIFY(!exists(path("x.accelopt")));
}

void tst_WrongUse::badRunFilesStayAsTheyAre_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<int>("status");
    QTest::addColumn<std::string>("words");
    const auto change = [&](const std::string &name, const char *statements) {
        std::filesystem::remove(path(name));
        if (name != "foreign.accelopt")
            std::filesystem::copy_file(path("small.accelopt"), path(name));
        const Ran ran =
            run(QStringLiteral("/usr/bin/python3"), {"-c",
                                                     "import sqlite3, sys\n"
                                                     "c = sqlite3.connect(sys.argv[1])\n"
                                                     "c.executescript(sys.argv[2])\n"
                                                     "c.commit()\nc.close()\n",
                                                     path(name), statements});
        QVERIFY2(ran.status == 0, ran.err.c_str());
    };
    change("newer.accelopt", "PRAGMA user_version = 9999;");
    change("foreign.accelopt", "CREATE TABLE event (a); INSERT INTO event VALUES (1);");
    write(path("torn.accelopt"), contentOf(path("small.accelopt")).substr(0, 20'000));
    QTest::newRow("a run file of a newer version")
        << path("newer.accelopt") << 3 << std::string("newer");
    QTest::newRow("a database of something else")
        << path("foreign.accelopt") << 2 << std::string("foreign");
    QTest::newRow("half a run file") << path("torn.accelopt") << 2 << std::string("torn");
    QTest::newRow("a kernel") << kSiluKernel << 2 << std::string("baseline.py");
}

void tst_WrongUse::badRunFilesStayAsTheyAre()
{
    QFETCH(std::string, file);
    QFETCH(int, status);
    QFETCH(std::string, words);
    const std::string before = contentOf(file);
    const std::vector<Arguments> commands{
        {"show", file},
        {"export", file, "--html", path("bad.html")},
        {"run", "--resume", "--out", file},
        {"run", "--task", "silu", "--shape", "lab", "--out", file}};
    for (const Arguments &arguments : commands) {
        const Ran ran = runProgram(arguments);
        const bool create = arguments.front() == "run" && arguments[1] != "--resume";
        QVERIFY2(ran.status == (create ? 2 : status),
                 fmt::format("{}: {}", ran.status, ran.err).c_str());
        QVERIFY2(contains(ran.err, words), ran.err.c_str());
        QVERIFY(ran.out.empty());
        QCOMPARE(contentOf(file), before);
        QVERIFY(!exists(file + "-wal"));
    }
    QVERIFY(!exists(path("bad.html")));
}

void tst_WrongUse::aFolderThatTakesNoFileIsNamed()
{
    // Root writes anywhere but in the system's own folders.
    const std::string folder = geteuid() == 0 ? "/sys" : path("locked");
    if (geteuid() != 0) {
        std::filesystem::create_directory(folder);
        std::filesystem::permissions(folder, std::filesystem::perms(0500));
    }
    const Ran ran =
        runProgram({"run", "--task", "silu", "--shape", "lab", "--out", folder + "/x.accelopt"});
    QVERIFY2(ran.status == 3, ran.err.c_str());
    QVERIFY2(contains(ran.err, "x.accelopt"), ran.err.c_str());
    QCOMPARE(lineEnds(ran.err), 1);
    const Ran html = runProgram({"export", path("small.accelopt"), "--html", folder + "/x.html"});
    QVERIFY2(html.status == 3, html.err.c_str());
    QCOMPARE(lineEnds(html.err), 1);
}

void tst_WrongUse::hostileKernelsAreVerdicts_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<std::string>("verdict");
    const std::string head = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
                             "@nki.jit\ndef kernel(x):\n";
    QTest::newRow("a kernel that never ends") << head + "    while True:\n        pass\n"
                                              << std::string("run_failed");
    QTest::newRow("a kernel that reaches for the system")
        << head + "    import os\n    os.system('true')\n"
        << std::string("unsupported");
    QTest::newRow("a kernel that is no Python")
        << std::string("def kernel(x:\n") << std::string("not_compiling");
    QTest::newRow("an empty kernel") << std::string() << std::string("not_compiling");
    QTest::newRow("a kernel that hands its input back") << head + "    return x\n"
                                                        << std::string("wrong");
}

void tst_WrongUse::hostileKernelsAreVerdicts()
{
    QFETCH(std::string, source);
    QFETCH(std::string, verdict);
    write(path("hostile.py"), source);
    const Ran ran =
        runProgram({"check", path("hostile.py"), "--task", "silu", "--shape", "lab", "--json"});
    QVERIFY2(ran.status == 1, ran.err.c_str());
    const json given = json::parse(ran.out, nullptr, false);
    QVERIFY2(given["verdict"] == verdict, given.dump().c_str());
    QVERIFY(!given["reasons"].empty());
}

ACCELOPT_TEST(tst_WrongUse)
#include "tst_WrongUse.moc"
