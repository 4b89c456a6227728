// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskNotes.h"

#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskLoader.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <fmt/format.h>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

/// Notes of a task.json with these members beside its format.
Result<bench::TaskNotes> notesOf(const QTemporaryDir &folder, const std::string &members)
{
    writeFile(pathOf(folder) / "task.json", "{\"format\": 1" + members + "}");
    writeFile(pathOf(folder) / "variants" / "one.py", "x = 1\n");
    return bench::taskNotes(pathOf(folder));
}

std::string variantText(const std::string &name, const std::string &more = {})
{
    return fmt::format(R"({{"name": "{}", "title": "T", "source": "S"{}}})", name, more);
}

} // namespace

class tst_TaskNotes : public QObject
{
    Q_OBJECT

private slots:
    void variantsOfTheHouseAreListed()
    {
        const auto mamba = bench::taskNotes(sourceTasks() / "mamba");
        ACCELOPT_VERIFY_OK(mamba);
        QVERIFY(mamba->calibrated);
        QCOMPARE(mamba->variants.size(), std::size_t(3));
        QCOMPARE(mamba->variants[0].name, std::string("v1_plain"));
        QCOMPARE(mamba->variants[2].publishedPercentOfPeak.value(), 52.7);
        for (const bench::TaskVariant &variant : mamba->variants)
            QVERIFY(readFile(variant.path).find("def kernel(delta, u, a, b, c)") !=
                    std::string::npos);
        const auto rope = bench::taskNotes(sourceTasks() / "rope_single_freq_apply");
        ACCELOPT_VERIFY_OK(rope);
        QCOMPARE(rope->variants.size(), std::size_t(1));
    }

    void onlyTheBfloat16TasksAreUncalibrated()
    {
        const bench::TaskCatalogue catalogue({{sourceTasks(), bench::TaskOrigin::BuiltIn}});
        for (const bench::TaskEntry &entry : catalogue.entries()) {
            const auto notes = bench::taskNotes(entry.folder);
            ACCELOPT_VERIFY_OK(notes);
            QCOMPARE(notes->calibrated, !entry.name.ends_with("_bf16"));
        }
    }

    void aTaskNeedsNoNotes()
    {
        const QTemporaryDir folder;
        const auto notes = notesOf(folder, "");
        ACCELOPT_VERIFY_OK(notes);
        QVERIFY(notes->calibrated);
        QVERIFY(notes->variants.empty());
    }

    void mistakesAreNamedWithTheirPlace_data()
    {
        QTest::addColumn<QString>("members");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const std::string &members, const char *words) {
            QTest::newRow(name) << QString::fromStdString(members) << QString::fromUtf8(words);
        };
        row("calibrated is no number", R"(, "calibrated": 1)", "calibrated: true or false");
        row("a variant has a file", ", \"variants\": [" + variantText("two") + "]",
            "two.py does not exist");
        row("a variant lies in the folder", ", \"variants\": [" + variantText("../one") + "]",
            "variants[0].name: a name without folders");
        row("names differ",
            ", \"variants\": [" + variantText("one") + "," + variantText("one") + "]",
            "two variants are named");
        row("a percentage is at most 100",
            ", \"variants\": [" + variantText("one", R"(, "published_percent_of_peak": 120)") + "]",
            "a percentage above 0");
        row("a variant says where it is from", R"(, "variants": [{"name": "one", "title": "T"}])",
            "source");
        row("a misspelt member is noticed",
            ", \"variants\": [" + variantText("one", R"(, "speed": 2)") + "]", "speed");
    }
    void mistakesAreNamedWithTheirPlace()
    {
        QFETCH(QString, members);
        QFETCH(QString, words);
        const QTemporaryDir folder;
        const auto notes = notesOf(folder, members.toStdString());
        QVERIFY(!notes);
        QVERIFY2(QString::fromStdString(describe(notes.error())).contains(words),
                 describe(notes.error()).c_str());
    }
};

ACCELOPT_TEST(tst_TaskNotes)
#include "tst_TaskNotes.moc"
