// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Canonical.h"
#include "tests/search/World.h"

#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

Driver finished(World world = wildWorld(1))
{
    RunConfig config;
    config.iterations = 2;
    Driver driver(std::move(world), Arrival::First);
    driver.open(config);
    driver.run();
    return driver;
}

} // namespace

class tst_Canonical : public QObject
{
    Q_OBJECT

private slots:
    void costsAndTimesAreLeftOut()
    {
        const Driver cheap = finished();
        World dear = wildWorld(1);
        dear.usagePerCall.usd = 7;
        dear.usagePerCall.promptTokens = 123456;
        Driver expensive = finished(dear);
        expensive.append(TimePassed{1000}, "engine");
        std::vector<Event> log = expensive.log();
        for (Event &event : log)
            event.unixSeconds += 5e8;
        QCOMPARE(canonical(fold(log)).dump(), canonical(fold(cheap.log())).dump());
    }

    void secondsAmongTheFiguresOfAVerdictAreLeftOut()
    {
        World world = wildWorld(1);
        const auto judge = world.judge;
        world.judge = [judge](const std::string &kernel, JudgePurpose purpose) {
            KernelJudged event = judge(kernel, purpose);
            event.verdict.figures = {{"relative_l2", 1e-6}, {"check_seconds", 3}};
            return event;
        };
        const std::string text = canonical(finished(world).state()).dump();
        QVERIFY(text.find("relative_l2") != std::string::npos);
        QVERIFY(text.find("check_seconds") == std::string::npos);
    }

    void whatDiffersShows_data()
    {
        QTest::addColumn<QString>("what");
        for (const char *what : {"a verdict", "a latency", "a kernel", "a lesson"})
            QTest::newRow(what) << QString::fromUtf8(what);
    }

    void whatDiffersShows()
    {
        QFETCH(QString, what);
        const std::string before = canonical(finished().state()).dump();
        std::vector<Event> log = finished().log();
        bool changed = false;
        // The last event of the kind, so that the rest of the log still fits.
        for (auto event = log.rbegin(); event != log.rend() && !changed; ++event) {
            if (auto *judged = std::get_if<KernelJudged>(&event->body);
                judged && judged->verdict.correct()) {
                if (what == QStringLiteral("a verdict"))
                    judged->verdict.figures["relative_l2"] = 1, changed = true;
                if (what == QStringLiteral("a latency"))
                    judged->profile.latencyMs *= 1.001, changed = true;
            }
            if (auto *written = std::get_if<AttemptMade>(&event->body);
                written && what == QStringLiteral("a kernel"))
                written->text = TextId("another text"), changed = true;
            if (auto *lesson = std::get_if<PairSummarized>(&event->body);
                lesson && what == QStringLiteral("a lesson") && !lesson->declined)
                lesson->item.strategy = "something else", changed = true;
        }
        QVERIFY(changed);
        QVERIFY(canonical(fold(log)).dump() != before);
    }

    void sourcesAreWrittenOutOnRequest()
    {
        Driver driver = finished();
        const nlohmann::json without = canonical(driver.state());
        QVERIFY(!without["kernels"][0].contains("source"));
        const nlohmann::json with =
            canonical(driver.state(), [](const TextId &id) { return "<" + id.value + ">"; });
        QCOMPARE(with["kernels"].size(), driver.state().kernels.size());
        for (const auto &kernel : with["kernels"])
            QCOMPARE(kernel["source"].get<std::string>(),
                     "<" + kernel["text"].get<std::string>() + ">");
    }
};

ACCELOPT_TEST(tst_Canonical)
#include "tst_Canonical.moc"
