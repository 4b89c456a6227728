// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/types.h>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

json documentOf(const Ran &ran)
{
    json parsed = json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
    return parsed.is_discarded() ? json() : parsed;
}

Arguments several(const std::string &tasks, const std::string &folder, Arguments more = {})
{
    Arguments arguments{"run", "--task", tasks, "--shape", "lab", "-T",    "2",    "-N",
                        "2",   "-B",     "2",   "--seed",  "3",   "--out", folder, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

int kernelsOf(const json &run)
{
    int sum = 0;
    for (const auto &[verdict, count] : run["kernels"].items())
        if (verdict != "duplicate")
            sum += count.get<int>();
    return sum;
}

} // namespace

/// Several searches in one experiment, as the terminal program drives them.
class tst_SeveralRuns : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void eachTaskHasItsRunAndTheMeanIsOverAll();
    void aTaskComesToTheSameAloneAndAmongOthers();
    void oneThatFailsDoesNotEndTheOthers();
    void aBudgetIsSharedAndItsMovesAreEvents();
    void anInterruptedExperimentIsGoneOnWith();
    void lessonsAreCarriedOverAndTheirWorthIsMeasured();
    void theShelfRemembersHowItsLessonsFared();
    void aDetachedSearchGoesOnByItself();
    void wrongUseIsToldInOneSentence_data();
    void wrongUseIsToldInOneSentence();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    std::string canonicalOf(const std::string &file) const
    {
        const std::string out = path("canonical.json");
        const Ran ran = runProgram({"export", file, "--canonical", out});
        return ran.status == 0 ? contentOf(out) : ran.err;
    }
    QTemporaryDir m_folder;
};

void tst_SeveralRuns::eachTaskHasItsRunAndTheMeanIsOverAll()
{
    const Ran ran = runProgram(several("silu,rmsnorm_matmul,adamw", path("three")));
    QVERIFY2(ran.status <= 1, ran.err.c_str());
    const json all = documentOf(ran);
    QCOMPARE(all["runs"].size(), std::size_t(3));
    double product = 1;
    const std::vector<std::string> names{"silu", "rmsnorm_matmul", "adamw"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const json &run = all["runs"][i];
        QCOMPARE(run["task"].get<std::string>(), names[i]);
        QCOMPARE(run["file"].get<std::string>(), path("three/" + names[i] + ".accelopt"));
        QVERIFY(exists(run["file"].get<std::string>()));
        QVERIFY(!exists(run["file"].get<std::string>() + "-wal"));
        QVERIFY(!run["stopped_because"].get<std::string>().empty());
        product *= run["best"]["speedup"].get<double>();
    }
    QVERIFY(std::abs(all["geometric_mean_speedup"].get<double>() - std::cbrt(product)) < 1e-9);
    // Looking at the folder says the same.
    const Ran shown = runProgram({"show", path("three"), "--json"});
    QCOMPARE(shown.status, 0);
    QCOMPARE(documentOf(shown)["geometric_mean_speedup"].dump(),
             all["geometric_mean_speedup"].dump());
    const Ran text = runProgram({"show", path("three")});
    QVERIFY2(contains(text.out, "geometric mean over 3 tasks"), text.out.c_str());
    for (const std::string &name : names)
        QVERIFY(contains(text.out, name));
    // A finished experiment stays as it is.
    const std::string before = canonicalOf(path("three/silu.accelopt"));
    const Ran again = runProgram({"run", "--resume", "--out", path("three"), "--json"});
    QCOMPARE(again.status, ran.status);
    QCOMPARE(documentOf(again)["geometric_mean_speedup"].dump(),
             all["geometric_mean_speedup"].dump());
    QCOMPARE(canonicalOf(path("three/silu.accelopt")), before);
}

void tst_SeveralRuns::aTaskComesToTheSameAloneAndAmongOthers()
{
    Arguments alone = several("silu", path("alone.accelopt"));
    QVERIFY(runProgram(alone).status == 0);
    QVERIFY(exists(path("three/silu.accelopt")));
    QCOMPARE(canonicalOf(path("three/silu.accelopt")), canonicalOf(path("alone.accelopt")));
}

void tst_SeveralRuns::oneThatFailsDoesNotEndTheOthers()
{
    // The baseline of the middle one is broken: its search finds nothing to build on.
    const std::string tasks = path("tasks");
    const std::filesystem::path source = ACCELOPT_SOURCE_DIR "/nkibench";
    std::filesystem::create_directories(tasks);
    for (const char *name : {"silu", "adamw"})
        std::filesystem::copy(source / name, std::filesystem::path(tasks) / name,
                              std::filesystem::copy_options::recursive);
    std::filesystem::copy(source / "silu", std::filesystem::path(tasks) / "broken",
                          std::filesystem::copy_options::recursive);
    std::string description = contentOf(tasks + "/broken/task.json");
    const std::size_t at = description.find("\"silu\"");
    QVERIFY(at != std::string::npos);
    write(tasks + "/broken/task.json", description.replace(at, 6, "\"broken\""));
    write(tasks + "/broken/baseline.py", "def kernel(x:\n");
    qputenv("ACCELOPT_NKIBENCH", tasks.c_str());
    const Ran ran = runProgram(several("adamw,broken,silu", path("failing")));
    qunsetenv("ACCELOPT_NKIBENCH");
    QVERIFY2(ran.status == 1, ran.err.c_str());
    const json all = documentOf(ran);
    QCOMPARE(all["runs"].size(), std::size_t(3));
    QVERIFY(all["runs"][1]["best"]["speedup"].is_null());
    QVERIFY(contains(all["runs"][1]["stopped_because"], "baseline"));
    QVERIFY(all["runs"][0]["best"]["speedup"].is_number());
    QVERIFY(all["runs"][2]["best"]["speedup"].get<double>() > 1);
    QVERIFY(all["geometric_mean_speedup"].is_number());
}

void tst_SeveralRuns::aBudgetIsSharedAndItsMovesAreEvents()
{
    const Arguments arguments = several("silu,adamw,rmsnorm_matmul", path("budget"),
                                        {"--budget-kernels", "30", "--patience", "3"});
    Arguments longer = arguments;
    longer[6] = "9"; // iterations: the budget ends it
    const Ran ran = runProgram(longer);
    QVERIFY2(ran.status <= 1, ran.err.c_str());
    const json all = documentOf(ran);
    int kernels = 0;
    for (const json &run : all["runs"])
        kernels += kernelsOf(run);
    QVERIFY2(kernels <= 30 && kernels > 12, all.dump().c_str());
    QVERIFY2(!all["budget_moves"].empty(), all.dump(1).c_str());
    // Every decision stands in the run that it is about, with its reason.
    std::map<std::string, int> told;
    for (const json &move : all["budget_moves"]) {
        const std::string task = move["task"];
        const std::string reason = move["reason"];
        QVERIFY(!reason.empty());
        const Ran shown = runProgram({"show", path("budget/" + task + ".accelopt")});
        QVERIFY2(contains(shown.out, reason), shown.out.c_str());
        const Ran why = runProgram({"show", path("budget/" + task + ".accelopt"), "--why", "run"});
        QVERIFY2(contains(why.out, reason), why.out.c_str());
        ++told[task];
    }
    for (const json &run : all["runs"])
        QCOMPARE(int(run["budget_moves"].size()), told[run["task"].get<std::string>()]);
    QVERIFY(contains(runProgram({"show", path("budget")}).out, "budget, round 1: "));
}

void tst_SeveralRuns::anInterruptedExperimentIsGoneOnWith()
{
    QProcess process;
    process.start(kProgram,
                  toQt(several("silu,adamw,rmsnorm_matmul", path("stopped"), {"--workers", "1"})));
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(exists(path("stopped/silu.accelopt")), 60'000);
    // Until the run has begun.
    for (int tries = 0;
         tries < 200 && runProgram({"show", path("stopped/silu.accelopt")}).status != 0; ++tries) {
    }
    QCOMPARE(::kill(pid_t(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(60'000));
    const json first = documentOf({0, process.readAllStandardOutput().toStdString(), {}});
    QCOMPARE(first["runs"].size(), std::size_t(3));
    QVERIFY(!first["runs"][2].value("error", std::string()).empty());
    const Ran ran = runProgram({"run", "--resume", "--out", path("stopped"), "--json"});
    QVERIFY2(ran.status <= 1, ran.err.c_str());
    const json all = documentOf(ran);
    for (const json &run : all["runs"]) {
        QVERIFY2(!run.contains("error"), run.dump().c_str());
        QVERIFY(contains(run["stopped_because"], "2 iterations"));
    }
    QCOMPARE(canonicalOf(path("stopped/adamw.accelopt")),
             canonicalOf(path("three/adamw.accelopt")));
}

void tst_SeveralRuns::lessonsAreCarriedOverAndTheirWorthIsMeasured()
{
    const Ran ran = runProgram(
        several("silu,adamw", path("transfer"),
                {"--memory-from", path("three"), "--measure-transfer", "--memory-policy", "fifo"}));
    QVERIFY2(ran.status <= 1, ran.err.c_str());
    const json all = documentOf(ran);
    QCOMPARE(all["runs"].size(), std::size_t(2));
    QCOMPARE(all["transfer"].size(), std::size_t(2));
    for (const json &transfer : all["transfer"]) {
        QVERIFY2(transfer["items"].get<int>() > 0, all.dump(1).c_str());
        for (const char *when : {"first_iteration", "final"})
            for (const char *how : {"with", "without"})
                QVERIFY2(transfer[when][how].is_number(), transfer.dump().c_str());
    }
    // The run without is the run that was searched before.
    QCOMPARE(all["transfer"][0]["final"]["without"].dump(),
             documentOf(runProgram(
                 {"show", path("alone.accelopt"), "--json"}))["runs"][0]["best"]["speedup"]
                 .dump());
    const Ran text = runProgram({"show", path("transfer")});
    QVERIFY2(contains(text.out, "lessons carried over"), text.out.c_str());
    const json memory =
        documentOf(runProgram({"memory", path("transfer/adamw.accelopt"), "--json"}));
    // Its own operator's lessons stand before others.
    QVERIFY(!memory["items"].empty());
    bool other = false;
    for (const json &item : memory["items"]) {
        const std::string id = item["id"];
        if (!contains(id, ":"))
            continue;
        QVERIFY(item["tags"].contains("dialect"));
        const std::string from = item["tags"]["operator"];
        QVERIFY2(from != "adamw" || !other, memory.dump(1).c_str());
        other = other || from != "adamw";
    }
    QVERIFY(other);
    const Ran plain = runProgram({"memory", path("transfer/adamw-without.accelopt"), "--json"});
    const json without = documentOf(plain);
    for (const json &item : without["items"])
        QVERIFY(!contains(item["id"], ":"));
}

void tst_SeveralRuns::theShelfRemembersHowItsLessonsFared()
{
    const json memory = documentOf(runProgram({"memory", path("alone.accelopt"), "--json"}));
    QVERIFY2(!memory["memory"].empty(), memory.dump(1).c_str());
    const std::string id = memory["memory"][0];
    QCOMPARE(runProgram({"memory", "shelf"}).out, std::string("the shelf is empty\n"));
    QCOMPARE(runProgram({"memory", path("alone.accelopt"), "--shelve", id}).status, 0);
    // A second time changes nothing.
    QCOMPARE(runProgram({"memory", path("alone.accelopt"), "--shelve", id}).status, 0);
    json shelf = documentOf(runProgram({"memory", "shelf", "--json"}));
    QCOMPARE(shelf["items"].size(), std::size_t(1));
    QCOMPARE(shelf["items"][0]["id"].get<std::string>(), "alone:" + id);
    QCOMPARE(shelf["items"][0]["tags"]["operator"].get<std::string>(), std::string("silu"));
    QVERIFY(shelf["items"][0]["tags"].contains("bound"));
    const Ran ran = runProgram(
        several("silu", path("shelved"), {"--memory-from", "shelf", "--measure-transfer"}));
    QVERIFY2(ran.status <= 1, ran.err.c_str());
    shelf = documentOf(runProgram({"memory", "shelf", "--json"}));
    QCOMPARE(shelf["items"][0]["transfers"].size(), std::size_t(1));
    QVERIFY(shelf["items"][0]["transfers"][0]["final_with"].is_number());
    QVERIFY(contains(runProgram({"memory", "shelf"}).out, "without"));
    const Ran unknown = runProgram({"memory", path("alone.accelopt"), "--shelve", "e9.9"});
    QCOMPARE(unknown.status, 2);
}

void tst_SeveralRuns::aDetachedSearchGoesOnByItself()
{
    const std::string file = path("detached.accelopt");
    const Ran ran = runProgram({"run", "--task", "silu", "--shape", "lab", "-T", "2", "-N", "2",
                                "-B", "2", "--seed", "3", "--out", file, "--detach", "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const json begun = documentOf(ran);
    QCOMPARE(begun["file"].get<std::string>(), file);
    QVERIFY(exists(begun["log"].get<std::string>()));
    // Whoever resumes it meanwhile follows it to its end.
    const Ran followed = runProgram({"run", "--resume", "--out", file, "--json"});
    QVERIFY2(followed.status == 0, followed.err.c_str());
    QTRY_VERIFY_WITH_TIMEOUT(::kill(pid_t(begun["pid"].get<int>()), 0) != 0, 60'000);
    QCOMPARE(canonicalOf(file), canonicalOf(path("alone.accelopt")));

    const Ran folder =
        runProgram({"run", "--task", "silu,adamw", "--shape", "lab", "-T", "2", "-N", "2", "-B",
                    "2", "--seed", "3", "--out", path("detached"), "--detach"});
    QVERIFY2(folder.status == 0, folder.err.c_str());
    QVERIFY2(contains(folder.out, "kill -INT"), folder.out.c_str());
    const Ran ended = runProgram({"run", "--resume", "--out", path("detached"), "--json"});
    QVERIFY2(ended.status <= 1, ended.err.c_str());
    QCOMPARE(canonicalOf(path("detached/silu.accelopt")), canonicalOf(path("alone.accelopt")));

    const Ran wrong = runProgram({"run", "--task", "slu", "--detach"});
    QCOMPARE(wrong.status, 2);
    QVERIFY(contains(wrong.err, "slu"));
}

void tst_SeveralRuns::wrongUseIsToldInOneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("words");
    write(path("a file"), "something");
    std::filesystem::create_directory(path("full"));
    write(path("full/something"), "something");
    const auto row = [](const char *name, const Arguments &arguments, const char *words) {
        QTest::newRow(name) << toQt(arguments) << QString::fromUtf8(words);
    };
    row("a task named twice", several("silu,silu", path("new")), "named twice");
    row("a task that is empty", several("silu,,adamw", path("new")), "empty task");
    row("a task of several that is not known", several("silu,slu", path("new")), "slu");
    row("agents that are not there", several("silu,adamw", path("new"), {"--agents", "nobody"}),
        "nobody");
    row("a file where a folder is needed", several("silu,adamw", path("a file")), "is a file");
    row("a folder that holds something", several("silu,adamw", path("full")), "is not empty");
    row("an experiment that is there", several("silu,adamw", path("three")), "--resume");
    row("a folder in a folder that is not there", several("silu,adamw", path("no/new")), "no/new");
    row("a kernel for several tasks", several("silu,adamw", path("new"), {"--kernel", "k.py"}),
        "--kernel");
    row("fewer kernels than tasks", several("silu,adamw", path("new"), {"--budget-kernels", "1"}),
        "--budget-kernels must be at least 2");
    row("lessons of what is no run",
        several("silu", path("new"), {"--memory-from", path("a file")}), "a file");
    row("lessons of what is not there", several("silu", path("new"), {"--memory-from", path("no")}),
        "no");
    row("a transfer of nothing", several("silu", path("new"), {"--measure-transfer"}),
        "--memory-from");
    row("a folder that is no experiment", {"run", "--resume", "--out", path("full")}, "full");
    row("another seed for an experiment",
        {"run", "--resume", "--out", path("three"), "--seed", "9"}, "--seed");
    row("more iterations for an experiment", {"run", "--resume", "--out", path("three"), "-T", "9"},
        "cannot change");
    row("why in a folder", {"show", path("three"), "--why", "run"}, "--why");
}

void tst_SeveralRuns::wrongUseIsToldInOneSentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, words);
    Arguments given;
    for (const QString &argument : arguments)
        given.push_back(argument.toStdString());
    const Ran ran = runProgram(given);
    QVERIFY2(ran.status == 2, fmt::format("{}: {}", ran.status, ran.err).c_str());
    QVERIFY2(contains(ran.err, words.toStdString()), ran.err.c_str());
    QVERIFY(ran.err.starts_with("accelopt: "));
    QCOMPARE(std::count(ran.err.begin(), ran.err.end(), '\n'), std::ptrdiff_t(1));
    QVERIFY2(ran.out.empty(), ran.out.c_str());
    QVERIFY(!exists(path("new")));
}

ACCELOPT_TEST(tst_SeveralRuns)
#include "tst_SeveralRuns.moc"
