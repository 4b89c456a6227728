// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/runner/CarriedMemory.h"
#include "core/store/RunFile.h"

#include <QTemporaryDir>
#include <algorithm>
#include <filesystem>

using namespace accelopt;
using namespace accelopt::runner;

namespace {

ExperienceItem lesson(const std::string &id, const std::string &from, const std::string &rewrite,
                      double speedup, bool positive = true)
{
    ExperienceItem item;
    item.id = ItemId(id);
    item.title = "Lesson " + id;
    item.positive = positive;
    item.speedup = speedup;
    item.tags = {{"operator", from}, {"dialect", "nki-classic"}};
    if (!rewrite.empty())
        item.tags["rewrite"] = rewrite;
    return item;
}

std::string chosen(std::vector<ExperienceItem> items, int most = 0)
{
    Task task;
    task.name = "silu";
    std::string text;
    for (const ExperienceItem &item : chooseItems(std::move(items), task, "trn1", most))
        text += (text.empty() ? "" : " ") + item.id.value;
    return text;
}

std::string namesOf(const std::vector<ExperienceItem> &items)
{
    std::vector<std::string> names;
    for (const ExperienceItem &item : items)
        names.push_back(item.id.value);
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string &name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

} // namespace

class tst_CarriedMemory : public QObject
{
    Q_OBJECT

private slots:
    void whatToDoComesBeforeWhatToAvoid()
    {
        // A loss is easily larger than any gain.
        QCOMPARE(
            chosen({lesson("loss", "adamw", "merge", 5.4, false),
                    lesson("gain", "adamw", "fuse", 1.2), lesson("more", "adamw", "widen", 1.4)}),
            std::string("more gain loss"));
    }

    void theSameOperatorComesFirst()
    {
        QCOMPARE(chosen({lesson("other", "adamw", "fuse", 2.0),
                         lesson("own loss", "silu", "merge", 1.3, false),
                         lesson("own", "silu", "widen", 1.1)}),
                 std::string("own own loss other"));
        QCOMPARE(
            chosen({lesson("other", "adamw", "fuse", 2.0), lesson("own", "silu", "widen", 1.1)}, 1),
            std::string("own"));
    }

    void eachSubjectIsCarriedOnce()
    {
        QCOMPARE(chosen({lesson("a", "adamw", "fuse", 1.2), lesson("b", "rope", "fuse", 1.5),
                         lesson("c", "rope", "fuse", 1.3, false),
                         lesson("d", "rope", "fuse+widen", 1.1)}),
                 std::string("b d c"));
        // Only a reader can tell what lessons in prose have in common.
        QCOMPARE(chosen({lesson("a", "adamw", "", 1.2), lesson("b", "rope", "", 1.5)}),
                 std::string("b a"));
    }

    void numbersStayWithTheirOperator()
    {
        QCOMPARE(
            chosen({lesson("foreign", "adamw", "tune", 1.5), lesson("first", "silu", "tune", 1.1),
                    lesson("second", "silu", "tune", 3.0, false),
                    lesson("own", "silu", "merge", 1.3, false)}),
            std::string("own first second"));
    }

    void anotherDialectIsLeftOut()
    {
        ExperienceItem other = lesson("other", "silu", "fuse", 1.2);
        other.tags["dialect"] = "nki-2";
        QCOMPARE(chosen({other}), std::string());
    }

    void whatMadeRoomForNewerOnesIsCarriedWhatWasRejectedIsNot()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("r.run")).toStdString();
        std::vector<Text> texts{makeText("def kernel(x):\n    return x\n")};
        RunOpened opened;
        opened.task = "silu";
        opened.config.memoryCapacity = 2;
        opened.baseline = KernelId("base");
        opened.baselineText = texts.front().id;
        std::vector<Event> events{{0, "engine", 0, opened}};
        // The last two find the memory full; the last was itself carried from elsewhere.
        for (const char *id : {"kept", "rejected", "fell", "elsewhere:fell"}) {
            PairSummarized summarized;
            summarized.iteration = -1;
            summarized.item = lesson(id, "silu", "fuse", 1.2);
            events.push_back({0, "engine", 0, summarized});
        }
        PersonDecided reject;
        reject.decision = Decision::RejectItem;
        reject.item = ItemId("rejected");
        events.push_back({0, "human", 0, reject});
        auto file = store::RunFile::create(path);
        ACCELOPT_VERIFY_OK(file);
        ACCELOPT_VERIFY_OK(file->append(events, texts));
        ACCELOPT_VERIFY_OK(file->close());
        const auto items = itemsOf(path);
        ACCELOPT_VERIFY_OK(items);
        QCOMPARE(namesOf(*items), std::string("r:fell r:kept"));
    }
};

ACCELOPT_TEST(tst_CarriedMemory)
#include "tst_CarriedMemory.moc"
