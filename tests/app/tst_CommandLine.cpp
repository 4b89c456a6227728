// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/types.h>
#include <unistd.h>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

/// The document on stdout; a null value (and a failed test later on) when it is not one document.
json document(const Ran &ran)
{
    json parsed = json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
    return parsed.is_discarded() ? json() : parsed;
}

std::string missingKeys(const json &object, const std::vector<std::string> &keys)
{
    std::string missing;
    for (const std::string &key : keys)
        if (!object.contains(key))
            missing += key + " ";
    return missing;
}

const std::string kBaseline = ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py";

void replace(std::string &text, const std::string &old, const std::string &with)
{
    if (const std::size_t at = text.find(old); at != std::string::npos)
        text.replace(at, old.size(), with);
}

Arguments with(Arguments arguments, const std::string &last)
{
    arguments.push_back(last);
    return arguments;
}

int linesIn(const std::string &text)
{
    return int(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

Q_DECLARE_METATYPE(accelopt::tests::Arguments)
Q_DECLARE_METATYPE(std::string)

/// The terminal program as people and scripts use it: what it prints, where, and its exit status.
class tst_CommandLine : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theBenchTableHasThePublishedMean();
    void tasksAreListed();
    void checkSaysThatTheBaselineIsCorrect();
    void checkShowsWhereAWrongKernelIsWrong();
    void profileTellsEverythingOfTheContract();
    void profileOnTheSecondDevice();
    void runFindsSomethingFaster();
    void showTellsWhatARunCameTo();
    void whyIsToldInSentences();
    void theReportNeedsNothingElse();
    void theKernelAndItsPatchAreWritten();
    void theCanonicalExportIsTheSameForTheSameSeed();
    void badInputIsToldInOneSentence_data();
    void badInputIsToldInOneSentence();
    void badRunFilesStayAsTheyAre_data();
    void badRunFilesStayAsTheyAre();
    void aFolderThatTakesNoFileIsNamed();
    void anExistingFileIsNotReplaced();
    void aRunOfAnotherProcessIsFollowed();
    void aFinishedRunResumedStaysFinished();
    void anInterruptKeepsWhatIsPaidFor();
    void aStoppedRunIsGoneOnWith();
    void hostileKernelsAreVerdicts_data();
    void hostileKernelsAreVerdicts();
    void helpAndVersionAreAnswers();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    QTemporaryDir m_folder;
    Ran m_run; ///< of the small search that several tests look at
};

void tst_CommandLine::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_run = runProgram({"run", "--task", "silu", "--shape", "lab", "-T", "2", "-N", "2", "-B", "1",
                        "--seed", "3", "--out", path("small.accelopt"), "--json"});
}

void tst_CommandLine::theBenchTableHasThePublishedMean()
{
    const Ran ran = runProgram({"bench", "table", "--json"});
    QCOMPARE(ran.status, 0);
    const json table = document(ran);
    QCOMPARE(table["device"].get<std::string>(), std::string("trn1"));
    QVERIFY(table["tasks"].size() >= 14);
    for (const json &task : table["tasks"])
        QCOMPARE(missingKeys(task, {"task", "bound", "theory_ms", "published_baseline_ms",
                                    "published_percent_of_peak"}),
                 std::string());
    QVERIFY(std::abs(table["geometric_mean_percent_of_peak"].get<double>() - 49.24) < 0.005);
    QVERIFY(contains(runProgram({"bench", "table"}).out, "49.24"));
}

void tst_CommandLine::tasksAreListed()
{
    const Ran ran = runProgram({"tasks", "--json"});
    QCOMPARE(ran.status, 0);
    const json listed = document(ran);
    std::vector<std::string> names;
    for (const json &task : listed["tasks"]) {
        QCOMPARE(missingKeys(task, {"task", "title", "shape", "arguments", "tolerance"}),
                 std::string());
        names.push_back(task["task"]);
    }
    QVERIFY(names.size() >= 14);
    QVERIFY(std::find(names.begin(), names.end(), "silu") != names.end());
    QVERIFY(contains(runProgram({"tasks"}).out, "bmm_softmax"));
}

void tst_CommandLine::checkSaysThatTheBaselineIsCorrect()
{
    const Ran ran = runProgram({"check", kBaseline, "--task", "silu", "--shape", "lab", "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const json verdict = document(ran);
    QCOMPARE(missingKeys(verdict, {"verdict", "reasons", "simulated", "task", "shape"}),
             std::string());
    QCOMPARE(verdict["verdict"].get<std::string>(), std::string("correct"));
    QVERIFY(verdict["reasons"].empty());
    QVERIFY(verdict["simulated"].get<bool>());
    QCOMPARE(verdict["shape"].get<std::string>(), std::string("lab"));
}

void tst_CommandLine::checkShowsWhereAWrongKernelIsWrong()
{
    std::string source = contentOf(kBaseline);
    replace(source, "nl.exp(negative)", "nl.exp(nowhere)");
    write(path("wrong.py"), source);
    const int line = linesIn(source.substr(0, source.find("nowhere"))) + 1;
    const Ran ran = runProgram({"check", path("wrong.py"), "--task", "silu", "--shape", "lab"});
    QCOMPARE(ran.status, 1);
    QVERIFY2(contains(ran.out, "not_compiling"), ran.out.c_str());
    QVERIFY(contains(ran.out, fmt::format("line {}: ", line)));
    QVERIFY(contains(ran.out, "nl.exp(nowhere)"));
    // The caret stands under the name.
    const std::size_t shown = ran.out.find("nl.exp(nowhere)");
    const std::size_t start = ran.out.rfind('\n', shown) + 1;
    const std::size_t next = ran.out.find('\n', shown) + 1;
    QCOMPARE(ran.out.find('^', next) - next, ran.out.find("nowhere", start) - start);

    replace(source, "nl.exp(nowhere)", "nl.exp(x_tile)");
    write(path("wrong.py"), source);
    const Ran numbers =
        runProgram({"check", path("wrong.py"), "--task", "silu", "--shape", "lab", "--json"});
    QCOMPARE(numbers.status, 1);
    const json verdict = document(numbers);
    QCOMPARE(verdict["verdict"].get<std::string>(), std::string("wrong"));
    QCOMPARE(verdict["reasons"][0]["layer"].get<std::string>(), std::string("numbers"));
    QVERIFY(!verdict["reasons"][0]["message"].get<std::string>().empty());
}

void tst_CommandLine::profileTellsEverythingOfTheContract()
{
    const Ran ran =
        runProgram({"profile", kBaseline, "--task", "silu", "--shape", "lab", "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const json profile = document(ran);
    QCOMPARE(missingKeys(profile, {"verdict", "reasons", "simulated", "model_version", "device",
                                   "task", "shape", "profile", "interval_ms", "percent_of_peak",
                                   "bound", "speedup_over_baseline", "findings", "lines"}),
             std::string());
    QCOMPARE(profile["verdict"].get<std::string>(), std::string("correct"));
    QVERIFY(profile["simulated"].get<bool>());
    const double latency = profile["profile"]["latency"];
    QVERIFY(latency > 0);
    QVERIFY(profile["interval_ms"][0] <= latency && latency <= profile["interval_ms"][1]);
    QVERIFY(std::abs(profile["speedup_over_baseline"].get<double>() - 1) < 1e-9);
    QCOMPARE(
        missingKeys(profile["profile"], {"hbm_read_bytes", "hbm_write_bytes", "spill_save_bytes",
                                         "spill_reload_bytes", "hardware_flops"}),
        std::string());
    for (const auto &[counter, value] : profile["profile"].items())
        if (counter.ends_with("_percent"))
            QVERIFY2(value >= 0 && value <= 1, counter.c_str());
    QVERIFY(profile["percent_of_peak"] > 0 && profile["percent_of_peak"] <= 100);
    QVERIFY(!profile["lines"].empty());
}

void tst_CommandLine::profileOnTheSecondDevice()
{
    const Arguments arguments{"profile", kBaseline, "--task",     "silu",    "--shape",
                              "lab",     "--json",  "--no-check", "--device"};
    const json first = document(runProgram(with(arguments, "trn1")));
    const json second = document(runProgram(with(arguments, "trn2")));
    QCOMPARE(second["device"].get<std::string>(), std::string("trn2"));
    QVERIFY(second["profile"]["latency"] != first["profile"]["latency"]);
}

void tst_CommandLine::runFindsSomethingFaster()
{
    QVERIFY2(m_run.status == 0, m_run.err.c_str());
    const json runs = document(m_run);
    QCOMPARE(missingKeys(runs, {"runs", "geometric_mean_speedup"}), std::string());
    QCOMPARE(runs["runs"].size(), std::size_t(1));
    const json &run = runs["runs"][0];
    QCOMPARE(missingKeys(run, {"task", "iterations", "best", "kernels", "usage", "stopped_because",
                               "seconds", "file"}),
             std::string());
    QCOMPARE(run["iterations"].size(), std::size_t(2));
    for (const json &iteration : run["iterations"])
        QCOMPARE(missingKeys(iteration, {"iteration", "best_latency", "best_speedup", "correct",
                                         "profiled", "memory_added"}),
                 std::string());
    QCOMPARE(
        missingKeys(run["best"], {"kernel", "latency", "speedup", "percent_of_peak", "confirmed"}),
        std::string());
    QVERIFY(run["best"]["confirmed"].get<bool>());
    QVERIFY(run["best"]["speedup"] > 1.04);
    QCOMPARE(missingKeys(run["kernels"], {"correct", "wrong", "not_compiling", "run_failed",
                                          "suspicious", "unsupported", "duplicate"}),
             std::string());
    for (const char *role : {"planner", "executor", "summarizer"})
        QCOMPARE(missingKeys(run["usage"][role], {"calls", "tokens", "usd"}), std::string());
    QCOMPARE(run["stopped_because"].get<std::string>(), std::string("2 iterations done"));
    QVERIFY(std::abs(runs["geometric_mean_speedup"].get<double>() -
                     run["best"]["speedup"].get<double>()) < 1e-9);
    // A pipe gets no progress bar.
    QVERIFY(!contains(m_run.err, "\r") && !contains(m_run.err, "[#"));
    // The file is whole and lies alone, so that it can be copied.
    QVERIFY(exists(path("small.accelopt")));
    QVERIFY(!exists(path("small.accelopt-wal")));
}

void tst_CommandLine::showTellsWhatARunCameTo()
{
    const Ran ran = runProgram({"show", path("small.accelopt"), "--json"});
    QCOMPARE(ran.status, 0);
    json shown = document(ran)["runs"][0];
    json told = document(m_run)["runs"][0];
    for (const char *key : {"iterations", "best", "kernels", "usage", "stopped_because", "task"})
        QCOMPARE(shown[key].dump(), told[key].dump());
    const Ran text = runProgram({"show", path("small.accelopt")});
    QCOMPARE(text.status, 0);
    QVERIFY(contains(text.out, "simulated"));
    QVERIFY(contains(text.out, "confirmed"));
    QVERIFY(contains(text.out, "2 iterations done"));
}

void tst_CommandLine::whyIsToldInSentences()
{
    const std::string best = document(m_run)["runs"][0]["best"]["kernel"];
    for (const std::string &id : {std::string("i1"), std::string("i1.c0.p0"), best.substr(0, 10)}) {
        const Ran ran = runProgram({"show", path("small.accelopt"), "--why", id});
        QVERIFY2(ran.status == 0, (id + ": " + ran.err).c_str());
        QVERIFY(ran.out.ends_with(".\n"));
        const json sentences =
            document(runProgram({"show", path("small.accelopt"), "--why", id, "--json"}));
        QVERIFY(!sentences["why"].empty());
    }
}

void tst_CommandLine::theReportNeedsNothingElse()
{
    const Ran ran = runProgram({"export", path("small.accelopt"), "--html", path("report.html")});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    QVERIFY(ran.out.empty());
    const std::string html = contentOf(path("report.html"));
    QVERIFY(html.size() > 4000);
    for (const char *reference : {"http:", "https:", "src=", "href=", "@import", "url(", "<script"})
        QVERIFY2(!contains(html, reference), reference);
    QVERIFY(contains(html, "simulated"));
    QVERIFY(contains(html, "<svg"));
    QVERIFY(contains(html, "2 iterations done"));
}

void tst_CommandLine::theKernelAndItsPatchAreWritten()
{
    const Ran ran = runProgram({"export", path("small.accelopt"), "--kernel", path("best.py"),
                                "--patch", path("best.patch")});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const Ran checked = runProgram({"check", path("best.py"), "--task", "silu", "--shape", "lab"});
    QVERIFY2(checked.status == 0, checked.out.c_str());
    std::filesystem::create_directory(path("patched"));
    write(path("patched/kernel.py"), contentOf(kBaseline));
    const Ran git = run(QStringLiteral("git"), {"apply", path("best.patch")},
                        QString::fromStdString(path("patched")));
    QVERIFY2(git.status == 0, git.err.c_str());
    QCOMPARE(contentOf(path("patched/kernel.py")), contentOf(path("best.py")));
}

void tst_CommandLine::theCanonicalExportIsTheSameForTheSameSeed()
{
    const Ran again =
        runProgram({"run", "--task", "silu", "--shape", "lab", "-T", "2", "-N", "2", "-B", "1",
                    "--seed", "3", "--workers", "1", "--out", path("again.accelopt")});
    QVERIFY2(again.status == 0, again.err.c_str());
    for (const char *name : {"small", "again"})
        QCOMPARE(runProgram({"export", path(std::string(name) + ".accelopt"), "--canonical",
                             path(std::string(name) + ".json")})
                     .status,
                 0);
    QVERIFY(contentOf(path("small.json")).size() > 1000);
    QCOMPARE(contentOf(path("again.json")), contentOf(path("small.json")));
}

void tst_CommandLine::badInputIsToldInOneSentence_data()
{
    QTest::addColumn<Arguments>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<std::string>("words");
    write(path("large.py"), std::string(300 * 1024, '#'));
    write(path("bytes.run"), std::string("\x7f\xff\0SQL", 6));
    const std::string kernel = kBaseline;
    const auto row = [](const char *name, const Arguments &arguments, int status,
                        const char *words) {
        QTest::newRow(name) << arguments << status << std::string(words);
    };
    row("no command", {}, 2, "subcommand");
    row("an unknown command", {"frobnicate"}, 2, "frobnicate");
    row("an unknown option", {"run", "--colour"}, 2, "--colour");
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
    row("show of a file that is not there", {"show", path("nowhere.accelopt")}, 2,
        "nowhere.accelopt");
    row("show of a file that is no run", {"show", path("bytes.run")}, 2, "bytes.run");
    row("why of what the run does not know", {"show", path("small.accelopt"), "--why", "i9"}, 2,
        "i9");
    row("export of nothing", {"export", path("small.accelopt")}, 2, "--html");
    row("export into a folder that is not there",
        {"export", path("small.accelopt"), "--html", path("no/r.html")}, 3, "r.html");
}

void tst_CommandLine::badInputIsToldInOneSentence()
{
    QFETCH(Arguments, arguments);
    QFETCH(int, status);
    QFETCH(std::string, words);
    const Ran ran = runProgram(arguments);
    QVERIFY2(ran.status == status, fmt::format("{}: {}", ran.status, ran.err).c_str());
    QVERIFY2(contains(ran.err, words), ran.err.c_str());
    QVERIFY(ran.err.starts_with("accelopt: "));
    QVERIFY2(linesIn(ran.err) == 1, ran.err.c_str());
    QVERIFY2(ran.out.empty(), ran.out.c_str());
    QVERIFY(!exists(path("x.accelopt")));
}

void tst_CommandLine::badRunFilesStayAsTheyAre_data()
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
    QTest::newRow("a kernel") << kBaseline << 2 << std::string("baseline.py");
}

void tst_CommandLine::badRunFilesStayAsTheyAre()
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

void tst_CommandLine::aFolderThatTakesNoFileIsNamed()
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
    QCOMPARE(linesIn(ran.err), 1);
    const Ran html = runProgram({"export", path("small.accelopt"), "--html", folder + "/x.html"});
    QVERIFY2(html.status == 3, html.err.c_str());
    QCOMPARE(linesIn(html.err), 1);
}

void tst_CommandLine::anExistingFileIsNotReplaced()
{
    const std::string before = contentOf(path("small.accelopt"));
    const Ran ran = runProgram(
        {"run", "--task", "silu", "--shape", "lab", "--out", path("small.accelopt"), "--json"});
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, "small.accelopt"), ran.err.c_str());
    QVERIFY(ran.out.empty());
    QCOMPARE(contentOf(path("small.accelopt")), before);
}

void tst_CommandLine::aRunOfAnotherProcessIsFollowed()
{
    const std::string file = path("followed.accelopt");
    QProcess writer;
    writer.start(kProgram, toQt({"run", "--task", "silu", "--shape", "lab", "-T", "3", "-N", "3",
                                 "-B", "2", "--out", file, "--json"}));
    QVERIFY(writer.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(exists(file), 30'000);
    // The file may exist a moment before its writer has begun.
    Ran shown;
    for (int tries = 0; shown.status != 0 && tries < 50; ++tries)
        shown = runProgram({"show", file, "--json"});
    QVERIFY2(shown.status == 0, shown.err.c_str());
    const Ran follower = runProgram({"run", "--resume", "--out", file, "--json"});
    QVERIFY(writer.waitForFinished(60'000));
    QCOMPARE(writer.exitCode(), 0);
    QVERIFY2(follower.status == 0, follower.err.c_str());
    if (contains(follower.err, "another process writes"))
        QCOMPARE(document(follower)["runs"].size(), std::size_t(1));
    json mine = document({0, writer.readAllStandardOutput().toStdString(), {}});
    QCOMPARE(document(follower)["runs"][0]["best"].dump(), mine["runs"][0]["best"].dump());
}

void tst_CommandLine::aFinishedRunResumedStaysFinished()
{
    const std::string before = contentOf(path("small.json"));
    const Ran ran = runProgram({"run", "--resume", "--out", path("small.accelopt"), "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    QCOMPARE(document(ran)["runs"][0]["best"].dump(), document(m_run)["runs"][0]["best"].dump());
    QCOMPARE(
        runProgram({"export", path("small.accelopt"), "--canonical", path("small.json")}).status,
        0);
    QCOMPARE(contentOf(path("small.json")), before);
}

void tst_CommandLine::anInterruptKeepsWhatIsPaidFor()
{
    const std::string file = path("interrupted.accelopt");
    QProcess process;
    // More iterations than it can have done when it is interrupted.
    process.start(kProgram, toQt({"run", "--task", "silu", "--shape", "lab", "-T", "9000", "-N",
                                  "4", "-B", "3", "--patience", "0", "--out", file, "--json"}));
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(exists(file), 30'000);
    Ran shown;
    for (int tries = 0; shown.status != 0 && tries < 50; ++tries)
        shown = runProgram({"show", file, "--json"});
    QVERIFY2(shown.status == 0, shown.err.c_str());
    QCOMPARE(::kill(pid_t(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QVERIFY(process.exitCode() <= 1);
    const json run = document({0, process.readAllStandardOutput().toStdString(), {}})["runs"][0];
    QVERIFY(contains(run["stopped_because"], "interrupted"));
    QVERIFY(run["iterations"].size() < 9000);
    QVERIFY(!exists(file + "-wal"));
}

void tst_CommandLine::aStoppedRunIsGoneOnWith()
{
    // Two more iterations are enough to see that it was not at its end.
    const std::string file = path("interrupted.accelopt");
    const json stopped = document(runProgram({"show", file, "--json"}))["runs"][0];
    const std::string most = std::to_string(stopped["iterations"].size() + 2);
    const Ran ran = runProgram({"run", "--resume", "--out", file, "-T", most, "--json"});
    QVERIFY2(ran.status <= 1, ran.err.c_str());
    const json run = document(ran)["runs"][0];
    QCOMPARE(std::to_string(run["iterations"].size()), most);
    QVERIFY(contains(run["stopped_because"], most + " iterations"));
    const Ran other = runProgram({"run", "--resume", "--out", file, "--seed", "77"});
    QCOMPARE(other.status, 2);
    QVERIFY2(contains(other.err, "--seed of this run is 0 and cannot become 77"),
             other.err.c_str());
    QVERIFY(contains(runProgram({"run", "--resume", "--out", file, "--task", "adamw"}).err,
                     "the task of this run is silu"));
}

void tst_CommandLine::hostileKernelsAreVerdicts_data()
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

void tst_CommandLine::hostileKernelsAreVerdicts()
{
    QFETCH(std::string, source);
    QFETCH(std::string, verdict);
    write(path("hostile.py"), source);
    const Ran ran =
        runProgram({"check", path("hostile.py"), "--task", "silu", "--shape", "lab", "--json"});
    QVERIFY2(ran.status == 1, ran.err.c_str());
    const json given = document(ran);
    QVERIFY2(given["verdict"] == verdict, given.dump().c_str());
    QVERIFY(!given["reasons"].empty());
}

void tst_CommandLine::helpAndVersionAreAnswers()
{
    for (const Arguments &arguments :
         {Arguments{"--help"}, Arguments{"run", "--help"}, Arguments{"--version"}}) {
        const Ran ran = runProgram(arguments);
        QCOMPARE(ran.status, 0);
        QVERIFY(!ran.out.empty());
        QVERIFY(ran.err.empty());
    }
}

ACCELOPT_TEST(tst_CommandLine)
#include "tst_CommandLine.moc"
