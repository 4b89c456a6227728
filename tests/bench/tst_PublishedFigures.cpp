// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/PublishedFigures.h"

#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <algorithm>
#include <cmath>

using namespace accelopt;
using namespace accelopt::tests;

class tst_PublishedFigures : public QObject
{
    Q_OBJECT

private slots:
    void theFiguresOfThePaperAreThere()
    {
        const auto figures = bench::publishedFigures();
        ACCELOPT_VERIFY_OK(figures);
        QCOMPARE(figures->searches.size(), std::size_t(17));
        QCOMPARE(figures->prices.size(), std::size_t(2));
        const auto best = std::max_element(
            figures->searches.begin(), figures->searches.end(), [](const auto &a, const auto &b) {
                return a.geometricMeanSpeedup < b.geometricMeanSpeedup;
            });
        QCOMPARE(best->geometricMeanSpeedup, 1.246);
        QCOMPARE(best->memoryCapacity.value(), 16);
        for (const bench::PublishedSearch &search : figures->searches)
            QVERIFY(search.geometricMeanSpeedup > 1.1 && search.geometricMeanSpeedup < 1.25);
    }

    void theRatioThatThePaperQuotesFollowsFromItsOwnFigures()
    {
        const auto figures = bench::publishedFigures();
        ACCELOPT_VERIFY_OK(figures);
        double sampling = 0;
        double beam = 0;
        for (const bench::PublishedSearch &search : figures->searches) {
            if (search.method == "repeated sampling")
                sampling = search.usd;
            if (search.executor == "Qwen3-Coder-480B" && search.memoryCapacity == 16)
                beam = search.usd;
        }
        // "26 times cheaper"
        QVERIFY(beam > 0);
        QCOMPARE(std::round(sampling / beam), 26.0);
    }

    void everyTaskThatIsNamedExists()
    {
        const auto figures = bench::publishedFigures();
        ACCELOPT_VERIFY_OK(figures);
        QCOMPARE(figures->tasks.size(), std::size_t(4));
        for (const bench::PublishedSteps &steps : figures->tasks) {
            QVERIFY2(std::filesystem::exists(sourceTasks() / steps.task / "task.json"),
                     steps.task.c_str());
            // Every published step is a step forward.
            const bool percent = steps.unit == "percent_of_peak";
            for (std::size_t i = 1; i < steps.steps.size(); ++i)
                QVERIFY(percent ? steps.steps[i] > steps.steps[i - 1]
                                : steps.steps[i] < steps.steps[i - 1]);
        }
    }

    void mistakesAreNamedWithTheirPlace()
    {
        const auto wrong = [](const std::string &text) {
            const auto read = bench::readPublishedFigures(text, "p.json");
            return read ? std::string("accepted") : describe(read.error());
        };
        QVERIFY(wrong("{}").find("p.json") != std::string::npos);
        const std::string head = R"({"source": "s", "prices": [], "searches": [], "tasks": )";
        const std::string step =
            R"([{"task": "t", "device": "d", "unit": "miles", "label": "l", "steps": [1, 2]}]})";
        QVERIFY(wrong(head + step).find("tasks[0].unit") != std::string::npos);
        const std::string one =
            R"([{"task": "t", "device": "d", "unit": "latency_ms", "label": "l", "steps": [1]}]})";
        QVERIFY(wrong(head + one).find("at least two steps") != std::string::npos);
    }
};

ACCELOPT_TEST(tst_PublishedFigures)
#include "tst_PublishedFigures.moc"
