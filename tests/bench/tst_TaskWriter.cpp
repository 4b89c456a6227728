// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskWriter.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

bench::NewTask doubling(const std::string &name)
{
    bench::NewTask task;
    task.name = name;
    task.content = {{"shapes", {{"published", {{"dimensions", {{"M", 256}, {"N", 512}}}}}}},
                    {"tolerance", 1e-5}};
    task.content["arguments"] = json::array({*bench::argumentFromText("x:M,N")});
    task.content["results"] = json::array({*bench::resultFromText("y:M,N")});
    task.reference = "def reference(x):\n    return 2 * x\n";
    task.baseline = "def kernel(x):\n    return x\n";
    return task;
}

} // namespace

class tst_TaskWriter : public QObject
{
    Q_OBJECT

private slots:
    void aWrittenTaskIsInTheCatalogue()
    {
        QTemporaryDir folder;
        const auto written = bench::writeTask(pathOf(folder), doubling("mine/double"));
        ACCELOPT_VERIFY_OK(written);
        QCOMPARE(written->name, std::string("mine/double"));
        QVERIFY((written->arguments.at(0).shape == Shape{256, 512}));
        QVERIFY(!written->minimumWork);
        const bench::TaskCatalogue catalogue({{pathOf(folder), bench::TaskOrigin::UserData}});
        QVERIFY((catalogue.names() == std::vector<std::string>{"mine/double"}));
        QCOMPARE(catalogue.load("mine/double", "published")->hash, written->hash);
    }

    void aWrongTaskLeavesNothingBehind()
    {
        QTemporaryDir folder;
        bench::NewTask task = doubling("double");
        task.content["shapes"]["lab"] = {{"dimensions", {{"M", 1}}}};
        const auto written = bench::writeTask(pathOf(folder), task);
        QVERIFY(!written);
        QVERIFY2(written.error().message.find("there is no dimension \"N\"") != std::string::npos,
                 written.error().message.c_str());
        QVERIFY(fs::is_empty(pathOf(folder)));
    }

    void aTakenNameIsNotOverwritten()
    {
        QTemporaryDir folder;
        ACCELOPT_VERIFY_OK(bench::writeTask(pathOf(folder), doubling("double")));
        bench::NewTask other = doubling("double");
        other.reference = "def reference(x):\n    return 3 * x\n";
        const auto written = bench::writeTask(pathOf(folder), other);
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::WrongUse);
        QVERIFY(readFile(pathOf(folder) / "double/reference.py").find("2 * x") !=
                std::string::npos);
    }

    void wideInputsBecomeLessWideAndGo()
    {
        QTemporaryDir folder;
        bench::NewTask task = doubling("mine/wide");
        task.content["arguments"].push_back(*bench::argumentFromText("one:M,1:float32:constant=1"));
        task.content["arguments"].push_back(*bench::argumentFromText("eps=1e-5"));
        task.content["suites"].push_back(bench::wideSuite(task.content["arguments"]));
        auto written = bench::writeTask(pathOf(folder), task);
        ACCELOPT_VERIFY_OK(written);
        QCOMPARE(written->suites.size(), std::size_t(1));
        QCOMPARE(written->suites[0].name, std::string(bench::kWideSuite));
        // Constants are what they are.
        QCOMPARE(written->suites[0].edits.size(), std::size_t(1));
        QCOMPARE(written->suites[0].edits[0].argument, std::size_t(0));
        QCOMPARE(written->suites[0].edits[0].factor, 50.0);
        QCOMPARE(written->suites[0].edits[0].quantum, 1.0);
        const auto narrower = bench::narrowWideSuite(*written);
        ACCELOPT_VERIFY_OK(narrower);
        QCOMPARE(narrower->name, std::string("mine/wide"));
        QCOMPARE(narrower->suites.size(), std::size_t(1));
        QCOMPARE(narrower->suites[0].edits[0].factor, 8.0);
        QVERIFY(narrower->hash != written->hash);
        const auto none = bench::narrowWideSuite(*narrower);
        ACCELOPT_VERIFY_OK(none);
        QVERIFY(none->suites.empty());
    }

    void aTaskThatDrawsNothingHasNoWideInputs()
    {
        QVERIFY(bench::wideSuite(json::array({*bench::argumentFromText("eps=1e-5")})).is_null());
    }

    void namesThatLeaveTheFolderAreRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("nothing") << "";
        QTest::newRow("the folder above") << "..";
        QTest::newRow("below the folder above") << "../double";
        QTest::newRow("an absolute path") << "/double";
        QTest::newRow("two prefixes") << "a/b/double";
        QTest::newRow("a hidden folder") << ".double";
        QTest::newRow("a blank") << "my double";
        QTest::newRow("a name that never ends") << QString(300, 'x');
    }
    void namesThatLeaveTheFolderAreRefused()
    {
        QFETCH(QString, name);
        QTemporaryDir folder;
        const auto written =
            bench::writeTask(pathOf(folder) / "tasks", doubling(name.toStdString()));
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::WrongUse);
        QVERIFY(fs::is_empty(pathOf(folder)));
    }

    void argumentsInShortForm_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a tensor")
            << "x:M,K/2"
            << R"({"name":"x","shape":["M","K/2"],"dtype":"float32","draw":{"normal":1}})";
        QTest::newRow("a tensor of another type")
            << "x:M:bfloat16"
            << R"({"name":"x","shape":["M"],"dtype":"bfloat16","draw":{"normal":1}})";
        QTest::newRow("a tensor that is drawn otherwise")
            << "v:M,N:float32:absolute_normal=0.5"
            << R"({"name":"v","shape":["M","N"],"dtype":"float32","draw":{"absolute_normal":0.5}})";
        QTest::newRow("a scalar") << "eps=1e-5"
                                  << R"({"name":"eps","draw":{"constant":1e-5}})";
    }
    void argumentsInShortForm()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const auto argument = bench::argumentFromText(text.toStdString());
        ACCELOPT_VERIFY_OK(argument);
        QCOMPARE(argument->dump(), json::parse(expected.toStdString()).dump());
    }

    void shortFormsThatAreNotUnderstood()
    {
        for (const char *text :
             {"", "x", "x=", "=1", "x=one", ":M", "x:M:float32:normal", "x:M:float32:normal=1:2"})
            QVERIFY2(!bench::argumentFromText(text), text);
        for (const char *text : {"", "y", ":M", "y:M:float32:more"})
            QVERIFY2(!bench::resultFromText(text), text);
        for (const char *text : {"", "M", "M=", "M=x", "M=1.5", "M=1,", "=4"})
            QVERIFY2(!bench::dimensionsFromText(text), text);
        QCOMPARE(bench::dimensionsFromText("M=4096,N=7168")->dump(),
                 std::string(R"({"M":4096,"N":7168})"));
    }
};

ACCELOPT_TEST(tst_TaskWriter)
#include "tst_TaskWriter.moc"
