// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskLoader.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;
using bench::TaskCatalogue;
using bench::TaskOrigin;

class tst_TaskCatalogue : public QObject
{
    Q_OBJECT

private slots:
    void theSourceTreeHoldsTheSixteenTasks()
    {
        const TaskCatalogue catalogue({{sourceTasks(), TaskOrigin::BuiltIn}});
        QVERIFY((catalogue.names() ==
                 std::vector<std::string>{"adamw", "add_rmsnorm_bf16", "add_rmsnorm_matmul", "bmm",
                                          "bmm_softmax", "gqa_full", "lora", "mamba", "matmul",
                                          "matmul_add_rmsnorm", "matmul_bf16", "rmsnorm_matmul",
                                          "rope_single_freq_apply", "silu", "swiglu",
                                          "transpose_matmul"}));
        const auto task = catalogue.load("silu", "lab");
        ACCELOPT_VERIFY_OK(task);
        QVERIFY(task->trusted);
    }

    void tasksBelowAFolderCarryItsNameAsAPrefix()
    {
        QTemporaryDir folder;
        writeSmallTask(pathOf(folder) / "mine");
        writeSmallTask(pathOf(folder));
        const TaskCatalogue catalogue({{pathOf(folder), TaskOrigin::BuiltIn}});
        QVERIFY((catalogue.names() == std::vector<std::string>{"mine/small", "small"}));
        QCOMPARE(catalogue.load("mine/small", "lab")->name, std::string("mine/small"));
    }

    void theEarlierFolderWins()
    {
        QTemporaryDir first;
        QTemporaryDir second;
        writeSmallTask(pathOf(second));
        const auto expected = writeSmallTask(pathOf(first));
        const TaskCatalogue catalogue({{"/nowhere/at/all", TaskOrigin::BuiltIn},
                                       {pathOf(first), TaskOrigin::BuiltIn},
                                       {pathOf(second), TaskOrigin::BuiltIn}});
        QCOMPARE(catalogue.entries().size(), std::size_t(1));
        QCOMPARE(catalogue.load("small", "lab")->folder,
                 std::filesystem::canonical(expected).string());
    }

    void unknownTasks_data()
    {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("hint");
        QTest::newRow("a letter left out") << "slu"
                                           << "did you mean silu? tasks: adamw, ";
        QTest::newRow("two letters swapped") << "mabma"
                                             << "did you mean mamba? ";
        QTest::newRow("a part of a name") << "gqa"
                                          << "did you mean gqa_full? ";
        QTest::newRow("nothing like it") << "convolution"
                                         << "tasks: adamw, ";
    }
    void unknownTasks()
    {
        QFETCH(QString, wanted);
        QFETCH(QString, hint);
        const TaskCatalogue catalogue({{sourceTasks(), TaskOrigin::BuiltIn}});
        const auto task = catalogue.load(wanted.toStdString(), "lab");
        QVERIFY(!task);
        QCOMPARE(task.error().code, ErrorCode::WrongUse);
        QVERIFY2(QString::fromStdString(task.error().hint).startsWith(hint),
                 task.error().hint.c_str());
        QVERIFY(task.error().hint.ends_with("swiglu, transpose_matmul"));
    }

    void withoutAnyTaskTheEnvironmentIsToBlame()
    {
        const auto task =
            TaskCatalogue({{"/nowhere/at/all", TaskOrigin::BuiltIn}}).load("silu", "lab");
        QVERIFY(!task);
        QCOMPARE(task.error().code, ErrorCode::Environment);
    }

    void tasksOfTheUsersDataAreTrustedOnceConfirmed()
    {
        QTemporaryDir data;
        const ScopedVariable variable("XDG_DATA_HOME", data.path().toStdString());
        const auto folder = writeSmallTask(bench::userDataFolder() / "tasks");
        const TaskCatalogue catalogue({{bench::userDataFolder() / "tasks", TaskOrigin::UserData}});
        auto task = catalogue.load("small", "lab");
        ACCELOPT_VERIFY_OK(task);
        QVERIFY(!task->trusted);
        ACCELOPT_VERIFY_OK(bench::confirmTask(*task));
        QVERIFY(catalogue.load("small", "lab")->trusted);
        writeFile(folder / "reference.py", "def reference(x, eps, v):\n    return x\n");
        QVERIFY2(!catalogue.load("small", "lab")->trusted,
                 "a changed reference has to be confirmed anew");
    }

    void standardFoldersFollowTheEnvironment()
    {
        const ScopedVariable own("ACCELOPT_NKIBENCH", "/own/tasks");
        const ScopedVariable data("XDG_DATA_HOME", "/data");
        const auto folders = bench::standardFolders("/usr/bin");
        QCOMPARE(folders.size(), std::size_t(4));
        QCOMPARE(folders[0].path.string(), std::string("/own/tasks"));
        QVERIFY(folders[0].origin == TaskOrigin::BuiltIn);
        QCOMPARE(folders[1].path.string(), std::string("/data/accelopt/tasks"));
        QVERIFY(folders[1].origin == TaskOrigin::UserData);
        QCOMPARE(folders[2].path.lexically_normal().string(),
                 std::string("/usr/share/accelopt/nkibench"));
        QCOMPARE(folders[3].path, sourceTasks());
    }
};

ACCELOPT_TEST(tst_TaskCatalogue)
#include "tst_TaskCatalogue.moc"
