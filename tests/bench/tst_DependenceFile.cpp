// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/DependenceFile.h"

#include "core/bench/TaskLoader.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::tests;

class tst_DependenceFile : public QObject
{
    Q_OBJECT

private slots:
    void whatWasLearntIsReadBack();
    void whatWasLearntFromAnotherReferenceDoesNotCount();
    void aFileThatIsNotOfTheFormIsRefused();
    void anArgumentThatReachesNothingHasToBeDeclared();
};

namespace {

/// What the driver answers for the small task: x by rows, v everywhere.
const char *const kAnswer = R"({"ok": true, "numpy": "1.24", "axes": [
  {"argument": "x", "axis": 0, "blocks": 2,
   "reaches": [{"result": "y", "axis": 0, "reached": ["1100", "0011"]}]},
  {"argument": "x", "axis": 1, "blocks": 4, "reaches": []},
  {"argument": "v", "axis": 0, "blocks": 4, "everywhere": true}]})";

} // namespace

void tst_DependenceFile::whatWasLearntIsReadBack()
{
    QTemporaryDir folder;
    const auto path = writeSmallTask(pathOf(folder));
    const auto before = bench::loadTask(path, "lab");
    ACCELOPT_VERIFY_OK(before);
    QVERIFY(!before->dependence);
    const auto text = bench::dependenceText(*before, kSmallReference, kAnswer, "");
    ACCELOPT_VERIFY_OK(text);
    writeFile(path / "dependence.json", *text);
    const auto task = bench::loadTask(path, "published");
    ACCELOPT_VERIFY_OK(task);
    QVERIFY(task->dependence.has_value());
    QCOMPARE(task->dependence->axes.size(),
             std::size_t(2)); // the one that reaches nothing is left out
    const LearntDependence::Axis &rows = task->dependence->axes[0];
    QCOMPARE(rows.argument, std::size_t(0));
    QCOMPARE(rows.blocks, std::int64_t(2));
    QVERIFY(!rows.everywhere);
    QVERIFY(
        (rows.reaches.at(0).reached ==
         std::vector<std::vector<bool>>{{true, true, false, false}, {false, false, true, true}}));
    QCOMPARE(task->dependence->axes[1].argument, std::size_t(2));
    QVERIFY(task->dependence->axes[1].everywhere);
    QCOMPARE(task->hash, bench::loadTask(path, "lab")->hash);
}

void tst_DependenceFile::whatWasLearntFromAnotherReferenceDoesNotCount()
{
    QTemporaryDir folder;
    const auto path = writeSmallTask(pathOf(folder));
    const auto before = bench::loadTask(path, "lab");
    const auto text = bench::dependenceText(*before, "def reference(): pass\n", kAnswer, "");
    ACCELOPT_VERIFY_OK(text);
    writeFile(path / "dependence.json", *text);
    const auto task = bench::loadTask(path, "lab");
    ACCELOPT_VERIFY_OK(task);
    QVERIFY(!task->dependence);
}

void tst_DependenceFile::aFileThatIsNotOfTheFormIsRefused()
{
    QTemporaryDir folder;
    const auto path = writeSmallTask(pathOf(folder));
    const auto before = bench::loadTask(path, "lab");
    std::string text = *bench::dependenceText(*before, kSmallReference, kAnswer, "");
    const std::size_t at = text.find("\"v\"");
    text.replace(at, 3, "\"w\"");
    writeFile(path / "dependence.json", text);
    const auto task = bench::loadTask(path, "lab");
    QVERIFY(!task);
    QVERIFY2(task.error().message.find("dependence.json") != std::string::npos &&
                 task.error().message.find("axes[1].argument") != std::string::npos,
             task.error().message.c_str());
}

void tst_DependenceFile::anArgumentThatReachesNothingHasToBeDeclared()
{
    QTemporaryDir folder;
    const auto path = writeSmallTask(pathOf(folder));
    auto task = bench::loadTask(path, "lab");
    ACCELOPT_VERIFY_OK(task);
    const char *const answer =
        R"({"ok": true, "axes": [{"argument": "x", "axis": 0, "blocks": 1, "everywhere": true}]})";
    const auto text = bench::dependenceText(*task, kSmallReference, answer, "");
    QVERIFY(!text);
    QVERIFY(text.error().message.find("argument v is NaN") != std::string::npos);
    QVERIFY(text.error().hint.find("swallows_nan") != std::string::npos);
    task->swallowsNan = "values are compared with a threshold";
    ACCELOPT_VERIFY_OK(bench::dependenceText(*task, kSmallReference, answer, ""));
    QVERIFY(!bench::dependenceText(*task, kSmallReference,
                                   R"({"ok": false, "error": "it is broken"})", ""));
}

ACCELOPT_TEST(tst_DependenceFile)
#include "tst_DependenceFile.moc"
