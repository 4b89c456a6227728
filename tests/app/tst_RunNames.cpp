// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/OwnTask.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace accelopt::tests;
using nlohmann::json;

namespace {

json parsed(const Ran &ran)
{
    json document = json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
    return document.is_discarded() ? json() : document;
}

} // namespace

/// What kernels of a run are called, and what is taken out of a run by these names.
class tst_RunNames : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void kernelsAreListedByName();
    void everyNameIsAnswered();
    void aNameThatIsNoneIsTold();
    void thePatchNamesTheFileAndGoesWhereItIsAsked();
    void aRunWithoutAWinnerHasNoPatch();
    void theCommandsOfTheTableCanBePasted();
    void theProgressKeepsItsFigures();
    void aFolderIsNoFileToWrite();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    json kernels() { return parsed(runProgram({"show", m_run, "--kernels", "--json"}))["kernels"]; }

    QTemporaryDir m_folder;
    std::string m_run;
    std::string m_seen; ///< at the terminal in which the run was made
};

void tst_RunNames::initTestCase()
{
    QVERIFY(m_folder.isValid());
    qputenv("XDG_DATA_HOME", QByteArray::fromStdString(path("data")));
    m_run = path("it's a run.accelopt");
    const Arguments arguments{"run", "--task",    "silu", "--shape", "lab", "-T",
                              "1",   "-N",        "3",    "-B",      "1",   "--seed",
                              "3",   "--workers", "1",    "--out",   m_run};
    const Ran ran = runAtTerminal(arguments, "");
    if (ran.status == kNoTerminal) {
        QCOMPARE(runProgram(arguments).status, 0);
        return;
    }
    QVERIFY2(ran.status == 0, ran.out.c_str());
    m_seen = ran.out;
}

void tst_RunNames::kernelsAreListedByName()
{
    const json list = kernels();
    QVERIFY2(list.size() >= 2, list.dump().c_str());
    int best = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        QCOMPARE(list[i]["name"].get<std::string>(), i == 0 ? "baseline" : fmt::format("k{}", i));
        best += list[i]["best"].get<bool>();
        QVERIFY(list[i]["verdict"].is_string());
    }
    QCOMPARE(best, 1);
    QVERIFY(list[0]["parent"].is_null());
    QCOMPARE(list[1]["parent"].get<std::string>(), std::string("baseline"));
    const Ran text = runProgram({"show", m_run, "--kernels"});
    QCOMPARE(text.status, 0);
    const std::string hash = list[1]["kernel"].get<std::string>().substr(0, 10);
    QVERIFY2(contains(text.out, hash) && contains(text.out, "k1"), text.out.c_str());
    QVERIFY2(contains(text.out, list[1]["plan"].get<std::string>()), text.out.c_str());
}

void tst_RunNames::everyNameIsAnswered()
{
    const json list = kernels();
    QVERIFY(list.size() >= 2);
    const std::string hash = list[1]["kernel"];
    for (const std::string &name : {std::string("k1"), std::string("1"), hash.substr(0, 8), hash}) {
        const json told = parsed(runProgram({"show", m_run, "--why", name, "--json"}));
        QVERIFY2(told.is_object(), name.c_str());
        QCOMPARE(told["kernel"].get<std::string>(), hash);
    }
    const Ran best = runProgram({"show", m_run, "--why", "best"});
    QCOMPARE(best.status, 0);
    QVERIFY2(contains(best.out, "from kernel baseline ("), best.out.c_str());
    const Ran baseline = runProgram({"show", m_run, "--why", "baseline"});
    QVERIFY2(contains(baseline.out, "The baseline, from which the search starts"),
             baseline.out.c_str());
    // The other names go on meaning what they did.
    QCOMPARE(runProgram({"show", m_run, "--why", "i0.c0.p0"}).status, 0);
}

void tst_RunNames::aNameThatIsNoneIsTold()
{
    const Ran ran = runProgram({"show", m_run, "--why", "k99"});
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, "k99") && contains(ran.err, "--kernels"), ran.err.c_str());
}

void tst_RunNames::thePatchNamesTheFileAndGoesWhereItIsAsked()
{
    const Ran ran =
        runProgram({"export", m_run, "--patch", "-", "--patch-name", "kernels/my_silu.py"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    QVERIFY2(contains(ran.out, "--- a/kernels/my_silu.py\n+++ b/kernels/my_silu.py\n"),
             ran.out.c_str());
    QVERIFY(!exists("-"));
}

void tst_RunNames::aRunWithoutAWinnerHasNoPatch()
{
    std::filesystem::create_directories(path("config/accelopt"));
    write(path("config/accelopt/models.json"),
          R"({"models": [{"name": "idle", "command": ["/bin/echo", "{\"text\": \"no idea\"}"]}]})");
    qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString(path("config")));
    const std::string file = path("idle.accelopt");
    const Ran made = runProgram({"run", "--task", "silu", "--shape", "lab", "-T", "1", "-N", "1",
                                 "-B", "1", "--agents", "idle", "--workers", "1", "--out", file});
    qunsetenv("XDG_CONFIG_HOME");
    QCOMPARE(made.status, 1);
    QVERIFY2(contains(made.out, "no faster kernel was found"), made.out.c_str());
    QVERIFY2(!contains(made.out, "confirmed"), made.out.c_str());
    const Ran patch = runProgram({"export", file, "--patch", path("none.patch")});
    QCOMPARE(patch.status, 1);
    QVERIFY2(contains(patch.err, "nothing faster than the baseline"), patch.err.c_str());
    QVERIFY(!exists(path("none.patch")));
}

void tst_RunNames::theCommandsOfTheTableCanBePasted()
{
    const Ran shown = runProgram({"show", m_run});
    // The last line, behind its label; the program is quoted where its folder's name asks for it.
    const std::size_t end = shown.out.find_last_not_of('\n');
    QVERIFY2(end != std::string::npos, "nothing is shown");
    const std::size_t line = shown.out.rfind('\n', end) + 1;
    const std::size_t at = line + std::string_view("open it with   ").size();
    QVERIFY2(at < end, shown.out.c_str());
    const std::string command = shown.out.substr(at, shown.out.find('\n', at) - at);
    QVERIFY2(contains(command, kProgram.toStdString()), command.c_str());
    const Ran pasted = run(QStringLiteral("/bin/sh"), {"-c", command}, m_folder.path());
    QVERIFY2(pasted.status == 0, pasted.err.c_str());
    QCOMPARE(pasted.out, shown.out);
}

void tst_RunNames::theProgressKeepsItsFigures()
{
    if (m_seen.empty())
        QSKIP("there is no terminal to show progress at");
    static const std::string kClear = "\r\033[K";
    int told = 0;
    for (std::size_t at = m_seen.find(kClear); at != std::string::npos;) {
        const std::size_t next = m_seen.find(kClear, at + 1);
        const std::string line = m_seen.substr(at + kClear.size(), next - at - kClear.size());
        at = next;
        const std::string shown = line.substr(0, line.find_first_of("\r\n"));
        if (!shown.starts_with("silu ") || !contains(shown, "  best "))
            continue;
        QVERIFY2(contains(shown, "x (simulated)"), shown.c_str());
        QVERIFY2(shown.size() < 80, shown.c_str());
        ++told;
    }
    QVERIFY2(told > 0, m_seen.c_str());
}

void tst_RunNames::aFolderIsNoFileToWrite()
{
    const Ran ran = runProgram({"export", m_run, "--kernel", m_folder.path().toStdString()});
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, "is a folder"), ran.err.c_str());
    QVERIFY2(!contains(ran.err, "Success"), ran.err.c_str());
}

ACCELOPT_TEST(tst_RunNames)
#include "tst_RunNames.moc"
