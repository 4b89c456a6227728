// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace accelopt::tests;
using nlohmann::json;

namespace {

const std::string kTaskFolder = ACCELOPT_SOURCE_DIR "/nkibench/";

json answerTo(const Arguments &arguments)
{
    const Ran ran = runProgram(arguments);
    return json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
}

/// Simulated latency of a kernel of the house at the published shape, in ms; 0 when there is none.
double latencyOf(const std::string &kernel, const std::string &task)
{
    const json answer = answerTo(
        {"profile", kTaskFolder + task + "/" + kernel, "--task", task, "--no-check", "--json"});
    return answer.is_object() ? answer.at("profile").value("latency", 0.0) : 0.0;
}

} // namespace

/// The kernels that come with tasks beside the baselines: right, and in their true order of speed.
class tst_TaskVariants : public QObject
{
    Q_OBJECT

private slots:
    void everyVariantIsListedAndCorrect()
    {
        const json listed = answerTo({"tasks", "--json"});
        QVERIFY(listed.is_object());
        std::map<std::string, std::size_t> variants;
        for (const json &task : listed.at("tasks")) {
            const std::string name = task.at("task");
            variants[name] = task.at("variants").size();
            QCOMPARE(task.at("calibrated").get<bool>(), !name.ends_with("_bf16"));
            for (const json &variant : task.at("variants")) {
                const Ran checked = runProgram({"check", variant.at("kernel").get<std::string>(),
                                                "--task", name, "--shape", "lab", "--full"});
                QVERIFY2(checked.status == 0, (checked.out + checked.err).c_str());
            }
        }
        QCOMPARE(variants["mamba"], std::size_t(3));
        QCOMPARE(variants["rope_single_freq_apply"], std::size_t(1));
        QCOMPARE(variants["silu"], std::size_t(0));
    }

    void baselinesOfTheBfloat16TasksAreCorrectAndRoundingTooEarlyIsNot()
    {
        for (const char *task : {"matmul_bf16", "add_rmsnorm_bf16"}) {
            const Ran checked = runProgram({"check", kTaskFolder + task + "/baseline.py", "--task",
                                            task, "--shape", "lab", "--full"});
            QVERIFY2(checked.status == 0, (checked.out + checked.err).c_str());
        }
        std::string hasty = contentOf(kTaskFolder + "add_rmsnorm_bf16/baseline.py");
        const std::string precise = ", dtype=nl.float32)";
        const auto at = hasty.find(precise);
        QVERIFY(at != std::string::npos);
        hasty.replace(at, precise.size(), ")");
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/hasty.py";
        write(path, hasty);
        const Ran checked =
            runProgram({"check", path, "--task", "add_rmsnorm_bf16", "--shape", "lab"});
        QCOMPARE(checked.status, 1);
        QVERIFY2(contains(checked.out, "relative_l2"), checked.out.c_str());
    }

    void theStepsOfTheTutorialGetFasterAsTheyDoOnHardware()
    {
        const double plain = latencyOf("variants/v1_plain.py", "mamba");
        const double reordered = latencyOf("variants/v2_reordered.py", "mamba");
        const double tiled = latencyOf("variants/v3_tiled_scan.py", "mamba");
        QVERIFY2(plain > reordered && reordered > tiled && tiled > 0,
                 fmt::format("{} {} {}", plain, reordered, tiled).c_str());
        // Measured: 28.4, 30.1 and 52.7 % of peak; the last step is by far the largest.
        QVERIFY(reordered / tiled > plain / reordered);
    }

    void movingHalvesBetweenPartitionsCostsTime()
    {
        const double library = latencyOf("variants/library.py", "rope_single_freq_apply");
        const double halves = latencyOf("baseline.py", "rope_single_freq_apply");
        QVERIFY2(library > 1.1 * halves && halves > 0,
                 fmt::format("{} {}", library, halves).c_str());
    }
};

ACCELOPT_TEST(tst_TaskVariants)
#include "tst_TaskVariants.moc"
