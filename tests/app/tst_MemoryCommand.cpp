// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include "core/store/FileLock.h"

#include <QTemporaryDir>
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

/// `accelopt memory`: a person's word on the lessons of a run, and what becomes of it.
class tst_MemoryCommand : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void lessonsWaitForReview();
    void approvedLessonsReachPromptsAndOthersDoNot();
    void rejectedAndPinnedLessonsSaySo();
    void badDecisionsChangeNothing_data();
    void badDecisionsChangeNothing();
    void aRunBeingWrittenIsLeftAlone();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    json memoryOf(const std::string &file, Arguments decisions = {}) const
    {
        Arguments arguments{"memory", file, "--json"};
        arguments.insert(arguments.end(), decisions.begin(), decisions.end());
        const Ran ran = runProgram(arguments);
        json parsed = json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
        return parsed.is_discarded() ? json(ran.err) : parsed;
    }
    json itemOf(const std::string &id) const
    {
        const json memory = memoryOf(m_file);
        for (const json &item : memory["items"])
            if (item["id"] == id)
                return item;
        return {};
    }
    QTemporaryDir m_folder;
    std::string m_file;
};

void tst_MemoryCommand::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_file = path("run.accelopt");
    const Ran ran =
        runProgram({"run", "--task", "silu", "--shape", "lab", "-T", "1", "-N", "3", "-B", "2",
                    "--memory-policy", "reviewed", "--out", m_file, "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
}

void tst_MemoryCommand::lessonsWaitForReview()
{
    const json memory = memoryOf(m_file);
    QCOMPARE(memory["policy"].get<std::string>(), std::string("reviewed"));
    QVERIFY(memory["items"].size() >= 2);
    QVERIFY(memory["memory"].empty());
    for (const json &item : memory["items"]) {
        QCOMPARE(item["status"].get<std::string>(), std::string("proposed"));
        QCOMPARE(item["tags"]["operator"].get<std::string>(), std::string("silu"));
        QVERIFY(item["tags"].contains("bound"));
        QVERIFY(item["tags"].contains("dialect"));
    }
    const Ran text = runProgram({"memory", m_file});
    QVERIFY2(contains(text.out, "e0.0") && contains(text.out, "proposed"), text.out.c_str());
}

void tst_MemoryCommand::approvedLessonsReachPromptsAndOthersDoNot()
{
    const json memory = memoryOf(m_file, {"--approve", "e0.0", "--reason", "seen on the machine"});
    QCOMPARE(memory["memory"].size(), std::size_t(1));
    QCOMPARE(memory["memory"][0].get<std::string>(), std::string("e0.0"));
    // The run goes on with what was approved.
    const Ran ran = runProgram({"run", "--resume", "--out", m_file, "-T", "2", "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    QVERIFY(itemOf("e0.0")["prompts"].get<int>() > 0);
    QCOMPARE(itemOf("e0.1")["prompts"].get<int>(), 0);
    QCOMPARE(itemOf("e0.1")["status"].get<std::string>(), std::string("proposed"));
}

void tst_MemoryCommand::rejectedAndPinnedLessonsSaySo()
{
    memoryOf(m_file, {"--reject", "e0.1", "--reason", "only noise"});
    QCOMPARE(itemOf("e0.1")["status"].get<std::string>(), std::string("rejected"));
    QVERIFY(contains(itemOf("e0.1")["why"], "only noise"));
    QVERIFY(contains(runProgram({"show", m_file, "--why", "e0.1"}).out, "only noise"));
    memoryOf(m_file, {"--pin", "e0.0"});
    QVERIFY(itemOf("e0.0")["pinned"].get<bool>());
    memoryOf(m_file, {"--unpin", "e0.0"});
    QVERIFY(!itemOf("e0.0")["pinned"].get<bool>());
    // Several at once.
    memoryOf(m_file, {"--approve", "e0.1", "--pin", "e0.0"});
    QCOMPARE(itemOf("e0.1")["status"].get<std::string>(), std::string("active"));
    QVERIFY(itemOf("e0.0")["pinned"].get<bool>());
}

void tst_MemoryCommand::badDecisionsChangeNothing_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("words");
    write(path("no.run"), "something");
    const auto row = [](const char *name, const Arguments &arguments, int status,
                        const char *words) {
        QTest::newRow(name) << toQt(arguments) << status << QString::fromUtf8(words);
    };
    row("a lesson that is not there", {"memory", m_file, "--approve", "e9.9"}, 2, "e9.9");
    row("one good and one bad decision", {"memory", m_file, "--reject", "e0.0", "--pin", "e9.9"}, 2,
        "e9.9");
    row("a file that is no run", {"memory", path("no.run"), "--pin", "e0.0"}, 2, "no.run");
    row("a file that is not there", {"memory", path("none"), "--pin", "e0.0"}, 2, "none");
    row("a decision about the shelf", {"memory", "shelf", "--pin", "e0.0"}, 2, "run file");
    row("no file", {"memory"}, 2, "FILE");
}

void tst_MemoryCommand::badDecisionsChangeNothing()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, words);
    const std::string before = contentOf(m_file);
    Arguments given;
    for (const QString &argument : arguments)
        given.push_back(argument.toStdString());
    const Ran ran = runProgram(given);
    QCOMPARE(ran.status, status);
    QVERIFY2(contains(ran.err, words.toStdString()), ran.err.c_str());
    QVERIFY(ran.err.starts_with("accelopt: "));
    QCOMPARE(std::count(ran.err.begin(), ran.err.end(), '\n'), std::ptrdiff_t(1));
    QVERIFY(ran.out.empty());
    const json memory = memoryOf(m_file);
    QVERIFY(itemOf("e0.0")["status"] != "rejected");
    QCOMPARE(contentOf(m_file).size(), before.size());
}

void tst_MemoryCommand::aRunBeingWrittenIsLeftAlone()
{
    const auto lock = store::FileLock::acquire(m_file);
    ACCELOPT_VERIFY_OK(lock);
    const Ran ran = runProgram({"memory", m_file, "--reject", "e0.0"});
    QCOMPARE(ran.status, 3);
    QVERIFY2(contains(ran.err, "another process writes"), ran.err.c_str());
    QCOMPARE(std::count(ran.err.begin(), ran.err.end(), '\n'), std::ptrdiff_t(1));
    // Looking is allowed.
    QCOMPARE(runProgram({"memory", m_file}).status, 0);
    QVERIFY(itemOf("e0.0")["status"] != "rejected");
}

ACCELOPT_TEST(tst_MemoryCommand)
#include "tst_MemoryCommand.moc"
