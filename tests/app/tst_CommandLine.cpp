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
    void profileIsToldInUnitsOfPeople();
    void profileOnTheSecondDevice();
    void runFindsSomethingFaster();
    void showTellsWhatARunCameTo();
    void whyIsToldInSentences();
    void theReportNeedsNothingElse();
    void theKernelAndItsPatchAreWritten();
    void theCanonicalExportIsTheSameForTheSameSeed();
    void anExistingFileIsNotReplaced();
    void aRunOfAnotherProcessIsFollowed();
    void aFinishedRunResumedStaysFinished();
    void anInterruptKeepsWhatIsPaidFor();
    void aStoppedRunIsGoneOnWith();
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

void tst_CommandLine::profileIsToldInUnitsOfPeople()
{
    const Arguments arguments{"profile", kBaseline, "--task", "silu", "--shape", "lab"};
    const Ran ran = runProgram(arguments);
    QVERIFY2(ran.status == 0, ran.err.c_str());
    for (const char *row : {"\ntensor ", "\nvector ", "\nscalar ", "\nGpSimd ", "\nDMA "})
        QVERIFY2(contains(ran.out, row), ran.out.c_str());
    QVERIFY2(contains(ran.out, " % ") && contains(ran.out, " us") && contains(ran.out, " MB read"),
             ran.out.c_str());
    QVERIFY2(!contains(ran.out, "_percent") && !contains(ran.out, "e+0"), ran.out.c_str());
    QVERIFY2(contains(ran.out, "of the latency: ") && contains(ran.out, " launch, "),
             ran.out.c_str());
    const Ran all = runProgram(with(arguments, "--counters"));
    QVERIFY2(contains(all.out, "dma_active_time_percent"), all.out.c_str());
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
