// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskLoader.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;

namespace {

const QStringList kTasks = {"adamw",
                            "add_rmsnorm_matmul",
                            "bmm",
                            "bmm_softmax",
                            "gqa_full",
                            "lora",
                            "mamba",
                            "matmul",
                            "matmul_add_rmsnorm",
                            "rmsnorm_matmul",
                            "rope_single_freq_apply",
                            "silu",
                            "swiglu",
                            "transpose_matmul"};

} // namespace

class tst_TaskLoader : public QObject
{
    Q_OBJECT

private slots:
    void everyPartOfATaskIsRead()
    {
        QTemporaryDir folder;
        const auto task = bench::loadTask(writeSmallTask(pathOf(folder)), "lab");
        ACCELOPT_VERIFY_OK(task);
        QCOMPARE(task->name, std::string("small"));
        QCOMPARE(task->title, std::string("Small"));
        QCOMPARE(task->shapeName, std::string("lab"));
        QCOMPARE(task->dimensions, (std::map<std::string, std::int64_t>{{"M", 8}, {"N", 4}}));
        QCOMPARE(task->referenceCompute, std::string("float64"));

        QCOMPARE(task->arguments.size(), std::size_t(3));
        QVERIFY((task->arguments[0].shape == Shape{8, 4}));
        QVERIFY(task->arguments[0].draw == Draw::Normal);
        QCOMPARE(task->arguments[0].parameter, 0.5);
        QVERIFY(task->arguments[1].scalar);
        QVERIFY(task->arguments[1].draw == Draw::Constant);
        QCOMPARE(task->arguments[1].parameter, 1e-5);
        QVERIFY(task->arguments[2].draw == Draw::AbsoluteNormal);
        QCOMPARE(task->arguments[2].dtype, std::string("bfloat16"));

        QCOMPARE(task->layouts.size(), std::size_t(2));
        QCOMPARE(task->layouts[0].name, std::string("reference"));
        QVERIFY((task->layouts[0].arguments == std::vector<Shape>{{8, 4}, {}, {4}}));
        QCOMPARE(task->layouts[1].name, std::string("tiled"));
        QVERIFY((task->layouts[1].arguments == std::vector<Shape>{{4, 2, 4}, {}, {1, 4}}));
        QVERIFY((task->layouts[1].results == std::vector<Shape>{{32}}));

        QCOMPARE(task->suites.size(), std::size_t(1));
        QCOMPARE(task->suites[0].edits.size(), std::size_t(1));
        QCOMPARE(task->suites[0].edits[0].argument, std::size_t(0));
        QCOMPARE(task->suites[0].edits[0].factor, 10.0);
        QVERIFY((task->suites[0].edits[0].box ==
                 std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 8}, {3, 4}}));

        QVERIFY(task->minimumWork.has_value());
        QCOMPARE(task->minimumWork->trafficBytes, 256.0);
        QCOMPARE(task->minimumWork->vectorFlops, 96.0);
        QCOMPARE(task->matmulDtype, std::string("bfloat16"));
        QCOMPARE(task->entryPoint, std::string("kernel"));
        QCOMPARE(readFile(task->referencePath), std::string(kSmallReference));
        QCOMPARE(task->hash.size(), std::size_t(64));
    }

    void limitsChangesAndStepsAreRead()
    {
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder), "\"tolerance\": 2e-5,",
                                         R"("element_limit": {"value": 1e-4, "why": "a test"},
  "swallows_nan": "a test", "tolerance": 2e-5,)");
        std::string text = readFile(path / "task.json");
        const auto replace = [&](std::string_view from, std::string_view to) {
            text.replace(text.find(from), from.size(), to);
        };
        replace(R"("dtype": "float32"}],)", R"("dtype": "float32", "update_of": "x"}],)");
        replace(R"("box": [null, ["N - 1", "N"]], "multiply": 10)",
                R"("box": [[1, "M", 2], null], "multiply": 0, "add": -3)");
        writeFile(path / "task.json", text);
        const auto task = bench::loadTask(path, "lab");
        ACCELOPT_VERIFY_OK(task);
        QCOMPARE(task->elementLimit.value_or(0), 1e-4);
        QCOMPARE(task->swallowsNan, std::string("a test"));
        QCOMPARE(task->results[0].updateOf, 0);
        const InputEdit &edit = task->suites.at(0).edits.at(0);
        QVERIFY((edit.box == std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 8}, {0, 4}}));
        QVERIFY((edit.steps == std::vector<std::int64_t>{2, 1}));
        QCOMPARE(edit.factor, 0.0);
        QCOMPARE(edit.offset, -3.0);
    }

    void publishedFiguresBelongToTheirShape()
    {
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder));
        QCOMPARE(bench::loadTask(path, "lab")->published.size(), std::size_t(0));
        const auto published = bench::loadTask(path, "published");
        QCOMPARE(published->published.size(), std::size_t(1));
        QCOMPARE(published->published[0].baselineMs, 1.5);
        QCOMPARE(published->referenceCompute, std::string("float32"));
    }

    void withoutAShapeNameThePublishedShapeIsTaken()
    {
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder));
        QCOMPARE(bench::loadTask(path, "")->shapeName, std::string("published"));
        QVERIFY((*bench::taskShapeNames(path) == std::vector<std::string>{"published", "lab"}));
    }

    void anUnknownShapeListsTheKnownOnes()
    {
        QTemporaryDir folder;
        const auto task = bench::loadTask(writeSmallTask(pathOf(folder)), "tiny");
        QVERIFY(!task);
        QCOMPARE(task.error().code, ErrorCode::WrongUse);
        QCOMPARE(task.error().hint, std::string("it has: published, lab"));
    }

    void theHashFollowsTaskAndReference()
    {
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder));
        const std::string before = bench::loadTask(path, "lab")->hash;
        QCOMPARE(bench::loadTask(path, "published")->hash, before);
        writeFile(path / "reference.py", "def reference(x, eps, v):\n    return x * v\n");
        const std::string after = bench::loadTask(path, "lab")->hash;
        QVERIFY(after != before);
        writeFile(path / "baseline.py", "another baseline");
        QCOMPARE(bench::loadTask(path, "lab")->hash, after);
    }

    void mistakesNameFileAndPlace_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const char *from, const char *to, const char *words) {
            QTest::newRow(name) << from << to << words;
        };
        row("a missing comma", "\"format\": 1,", "\"format\": 1",
            "line 3, column 8: this is not JSON");
        row("a misspelt member", "\"tolerance\"", "\"tolerence\"",
            "\"tolerence\" is not known here");
        row("a missing member", "\"tolerance\": 2e-5,", "", "\"tolerance\" is missing");
        row("another name than the folder's", "\"name\": \"small\"", "\"name\": \"large\"",
            "name: the task is named \"large\" but lies in the folder \"small\"");
        row("a dimension that does not exist", "[\"M\", \"N\"], \"dtype\": \"float32\", \"draw\"",
            "[\"M\", \"Q\"], \"dtype\": \"float32\", \"draw\"",
            "arguments[0].shape[1]: \"Q\", column 1: there is no dimension \"Q\"");
        row("a size of zero", "\"shape\": [\"N\"]", "\"shape\": [\"N - 4\"]",
            "arguments[2].shape[0]: a size cannot be 0");
        row("a tensor beyond all bounds", "\"shape\": [\"N\"]",
            "\"shape\": [\"N\", 1000000, 1000000]", "more than 2^31 elements");
        row("an unknown element type", "\"bfloat16\", \"draw\"", "\"float12\", \"draw\"",
            "arguments[2].dtype: \"float12\" is not an element type");
        row("an unknown way to draw", "{\"normal\": 0.5}", "{\"uniform\": 0.5}",
            "arguments[0].draw: \"uniform\" is not a way to draw");
        row("a negative deviation", "{\"normal\": 0.5}", "{\"normal\": -1}",
            "arguments[0].draw.normal");
        row("a scalar that is drawn", "{\"constant\": 1e-5}", "{\"normal\": 1}",
            "arguments[1].draw: an argument without \"shape\" is a scalar");
        row("two arguments of one name", "\"name\": \"v\"", "\"name\": \"x\"",
            "arguments[2].name: two arguments are named \"x\"");
        row("a dimension of zero", "\"M\": 8", "\"M\": 0",
            "shapes.lab.dimensions.M: a dimension is at least 1");
        row("a dimension in quotes", "\"M\": 8", "\"M\": \"8\"",
            "shapes.lab.dimensions.M: a whole number");
        row("a layout that is no reshape", "[1, \"N\"]]", "[2, \"N\"]]",
            "layouts[0].arguments[2]: 8 elements cannot be a reshape of \"v\", which has 4");
        row("a layout with a shape too few", ", [1, \"N\"]]", "]",
            "layouts[0].arguments: 3 shapes are expected");
        row("a layout with a shape for a scalar", "null, [1", "[1], [1",
            "layouts[0].arguments[1]: null is expected");
        row("a second layout named reference", "\"tiled\"", "\"reference\"",
            "there are two layouts \"reference\"");
        row("an inexact shape", "[\"M/2\", 2", "[\"M/3\", 3", "8 is not a multiple of 3");
        row("a suite outside its argument", "[\"N - 1\", \"N\"]", "[\"N - 1\", \"N + 1\"]",
            "suites[0].edits[0].box[1]: [3, 5) is not a range inside 0 to 4");
        row("a suite that changes nothing", "\"multiply\": 10", "\"box\": null",
            "suites[0].edits[0]: neither \"multiply\" nor \"round_to\"");
        row("a suite that rounds to nothing", "\"multiply\": 10", "\"round_to\": 0",
            "suites[0].edits[0].round_to: a positive number");
        row("a suite that changes a scalar", "{\"argument\": \"x\"", "{\"argument\": \"eps\"",
            "suites[0].edits[0].argument: there is no tensor argument \"eps\"");
        row("a step of nothing", "[\"N - 1\", \"N\"]", "[0, \"N\", 0]",
            "suites[0].edits[0].box[1][2]: a step is at least 1");
        row("an element limit without a reason", "\"tolerance\": 2e-5",
            "\"element_limit\": {\"value\": 0.1}, \"tolerance\": 2e-5", "element_limit: ");
        row("a change of something of another shape", "\"dtype\": \"float32\"}],",
            "\"dtype\": \"float32\", \"update_of\": \"v\"}],",
            "results[0].update_of: no argument \"v\" has the result's shape");
        row("a tolerance of 2", "2e-5", "2", "tolerance: a relative tolerance between 0 and 1");
        row("negative work", "\"2*M*N*4\"", "\"0 - M\"",
            "minimum_work.traffic_bytes: an amount of work cannot be -8");
        row("a baseline that takes no time", "1.5", "0",
            "published[0].baseline_ms: a latency is positive");
        row("a reference outside the folder", "\"reference.py\"", "\"../reference.py\"",
            "reference: a file name without folders");
        row("a list where an object belongs", "{\"dimensions\": {\"M\": 8, \"N\": 4}}", "[8, 4]",
            "shapes.lab: an object");
    }
    void mistakesNameFileAndPlace()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, words);
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder), from.toStdString(), to.toStdString());
        const auto task = bench::loadTask(path, "lab");
        QVERIFY(!task);
        QCOMPARE(task.error().code, ErrorCode::Format);
        QVERIFY2(task.error().message.find(words.toStdString()) != std::string::npos,
                 task.error().message.c_str());
        QVERIFY2(task.error().message.find("small/task.json") != std::string::npos,
                 task.error().message.c_str());
    }

    void aTaskOfANewerFormatSaysSo()
    {
        QTemporaryDir folder;
        const auto task = bench::loadTask(
            writeSmallTask(pathOf(folder), "\"format\": 1", "\"format\": 2"), "lab");
        QVERIFY(!task);
        QCOMPARE(task.error().code, ErrorCode::Newer);
    }

    void aMissingReferenceIsNamed()
    {
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder));
        std::filesystem::remove(path / "reference.py");
        const auto task = bench::loadTask(path, "lab");
        QVERIFY(!task);
        QCOMPARE(task.error().code, ErrorCode::Environment);
        QVERIFY(task.error().message.find("reference.py") != std::string::npos);
    }

    void builtInTasks_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : kTasks)
            QTest::newRow(qPrintable(name)) << name;
    }
    void bfloat16TasksSayTheTypeOfEveryTensor()
    {
        for (const char *shape : {"published", "lab"}) {
            const auto matmul = bench::loadTask(sourceTasks() / "matmul_bf16", shape);
            ACCELOPT_VERIFY_OK(matmul);
            QCOMPARE(matmul->arguments[0].dtype, std::string("bfloat16"));
            QCOMPARE(matmul->arguments[1].dtype, std::string("bfloat16"));
            QCOMPARE(matmul->results[0].dtype, std::string("float32"));
            QCOMPARE(matmul->matmulDtype, std::string("bfloat16"));
            const auto norm = bench::loadTask(sourceTasks() / "add_rmsnorm_bf16", shape);
            ACCELOPT_VERIFY_OK(norm);
            QCOMPARE(norm->arguments[2].dtype, std::string("float32"));
            QCOMPARE(norm->results[0].dtype, std::string("bfloat16"));
            for (const auto *task : {&*matmul, &*norm}) {
                QVERIFY(task->published.empty());
                QVERIFY(task->minimumWork.has_value());
                QVERIFY(bench::readBaseline(*task).has_value());
            }
            // Two bytes for each bfloat16 element, four for the others.
            const double elements = double(elementCount(norm->results[0].shape));
            const double columns = double(norm->arguments[2].shape[0]);
            QCOMPARE(norm->minimumWork->trafficBytes, 3 * elements * 2 + columns * 4);
        }
    }

    void builtInTasks()
    {
        QFETCH(QString, name);
        constexpr std::int64_t kLabBytes = 64000000;
        for (const char *shape : {"published", "lab"}) {
            const auto task = bench::loadTask(sourceTasks() / name.toStdString(), shape);
            ACCELOPT_VERIFY_OK(task);
            QVERIFY(task->minimumWork.has_value());
            QCOMPARE(task->matmulDtype, std::string("float32"));
            QCOMPARE(task->tolerance, name == QLatin1String("mamba") ? 3e-5 : 2e-5);
            QCOMPARE(task->published.size(), std::size_t(task->shapeName == "published" ? 1 : 0));
            const auto baseline = bench::readBaseline(*task);
            ACCELOPT_VERIFY_OK(baseline);
            QVERIFY(baseline->find("@nki.jit\ndef kernel(") != std::string::npos);
            if (task->shapeName != "lab")
                continue;
            for (const TaskArgument &argument : task->arguments)
                QVERIFY(elementCount(argument.shape) * 4 < kLabBytes);
            for (const TaskResult &result : task->results)
                QVERIFY(elementCount(result.shape) * 4 < kLabBytes);
        }
    }

    void minimumWorkOfThePublishedShapes_data()
    {
        QTest::addColumn<double>("trafficBytes");
        QTest::addColumn<double>("matmulFlops");
        QTest::addColumn<double>("vectorFlops");
        QTest::newRow("adamw") << 448266240.0 << 0.0 << 156893184.0;
        QTest::newRow("add_rmsnorm_matmul") << 75501568.0 << 17179869184.0 << 25165824.0;
        QTest::newRow("bmm_softmax") << 1107296256.0 << 34359738368.0 << 1342177280.0;
        QTest::newRow("gqa_full") << 100663296.0 << 137438953472.0 << 1342177280.0;
        QTest::newRow("lora") << 545783808.0 << 533649686528.0 << 50331648.0;
        QTest::newRow("mamba") << 22953984.0 << 0.0 << 234881024.0;
        QTest::newRow("matmul_add_rmsnorm") << 117448704.0 << 34359738368.0 << 50331648.0;
        QTest::newRow("rope_single_freq_apply") << 402653184.0 << 0.0 << 100663296.0;
        QTest::newRow("swiglu") << 71303168.0 << 77309411328.0 << 62914560.0;
        QTest::newRow("transpose_matmul") << 302514176.0 << 183609851904.0 << 0.0;
    }
    void minimumWorkOfThePublishedShapes()
    {
        QFETCH(double, trafficBytes);
        QFETCH(double, matmulFlops);
        QFETCH(double, vectorFlops);
        const auto task = bench::loadTask(sourceTasks() / QTest::currentDataTag(), "published");
        ACCELOPT_VERIFY_OK(task);
        QCOMPARE(task->minimumWork->trafficBytes, trafficBytes);
        QCOMPARE(task->minimumWork->matmulFlops, matmulFlops);
        QCOMPARE(task->minimumWork->vectorFlops, vectorFlops);
    }
};

ACCELOPT_TEST(tst_TaskLoader)
#include "tst_TaskLoader.moc"
