// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/BenchTable.h"
#include "core/bench/TaskCatalogue.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

std::vector<Task> publishedTasks()
{
    const bench::TaskCatalogue catalogue({{sourceTasks(), bench::TaskOrigin::BuiltIn}});
    std::vector<Task> tasks;
    for (const std::string &name : catalogue.names())
        tasks.push_back(catalogue.load(name, "published").value());
    return tasks;
}

} // namespace

class tst_BenchTable : public QObject
{
    Q_OBJECT

private slots:
    void publishedBaselinesStandAt49PercentOfPeak()
    {
        const auto table = bench::makeBenchTable(publishedTasks(), *bench::deviceRoof("trn1"));
        QCOMPARE(table.rows.size(), std::size_t(16));
        // The two bfloat16 tasks were published by nobody and are in no mean.
        QCOMPARE(std::count_if(table.rows.begin(), table.rows.end(),
                               [](const auto &row) { return row.publishedBaselineMs.has_value(); }),
                 std::ptrdiff_t(14));
        QVERIFY(table.geometricMeanPercentOfPeak.has_value());
        QVERIFY2(std::abs(*table.geometricMeanPercentOfPeak - 49.24) < 0.005,
                 QByteArray::number(*table.geometricMeanPercentOfPeak).constData());
    }

    void theJsonFormIsTheOnePromised()
    {
        const auto table = bench::makeBenchTable(publishedTasks(), *bench::deviceRoof("trn1"));
        const nlohmann::json json = bench::toJson(table);
        QCOMPARE(json.size(), std::size_t(3));
        QCOMPARE(json.at("device").get<std::string>(), std::string("trn1"));
        const auto &first = json.at("tasks").at(0);
        QCOMPARE(first.size(), std::size_t(5));
        QCOMPARE(first.at("task").get<std::string>(), std::string("adamw"));
        QCOMPARE(first.at("bound").get<std::string>(), std::string("memory"));
        QVERIFY(std::abs(first.at("theory_ms").get<double>() - 448.26624 / 440.2) < 1e-9);
        QCOMPARE(first.at("published_baseline_ms").get<double>(), 2.0);
        QVERIFY(std::abs(first.at("published_percent_of_peak").get<double>() - 50.92) < 0.005);
        QVERIFY(json.at("geometric_mean_percent_of_peak").is_number());
    }

    void whatIsNotKnownIsNull()
    {
        Task task;
        task.name = "mine";
        const auto json = bench::toJson(bench::makeBenchTable({task}, *bench::deviceRoof("trn2")));
        const auto &row = json.at("tasks").at(0);
        for (const char *name :
             {"bound", "theory_ms", "published_baseline_ms", "published_percent_of_peak"})
            QVERIFY2(row.at(name).is_null(), name);
        QVERIFY(json.at("geometric_mean_percent_of_peak").is_null());
    }

    void figuresOfAnotherDeviceAreLeftOut()
    {
        const auto table = bench::makeBenchTable(publishedTasks(), *bench::deviceRoof("trn2"));
        for (const auto &row : table.rows) {
            QVERIFY(row.roof.has_value());
            QVERIFY(!row.publishedBaselineMs);
        }
        QVERIFY(!table.geometricMeanPercentOfPeak);
    }
};

ACCELOPT_TEST(tst_BenchTable)
#include "tst_BenchTable.moc"
