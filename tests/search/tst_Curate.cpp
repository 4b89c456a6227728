// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Curate.h"
#include "tests/search/Sketch.h"

using namespace accelopt;
using namespace accelopt::search;
using namespace accelopt::search::tests;

namespace {

/// The third worked example: candidate 10 ms; groups {8, 9}, {10.5, 20}, {12, 15}, {9.7}.
Sketch thirdExample(MemoryPolicy policy)
{
    Sketch sketch(10.0);
    sketch.state.config.topK = 2;
    sketch.state.config.memoryCapacity = 3;
    for (const char *old : {"x", "y", "z"}) {
        ExperienceItem item;
        item.id = ItemId(old);
        importItem(sketch.state, item, "test");
    }
    sketch.state.config.memoryPolicy = policy;
    sketch.iteration({10.0}, {{{8.0, 9.0}, {10.5, 20.0}, {12.0, 15.0}, {9.7}}});
    return sketch;
}

/// Answers every open pair and lets the items enter the memory.
void summarize(State &state)
{
    IterationRecord &iteration = state.iterations.back();
    for (const auto &[index, rank] : state.openPairs) {
        PairRecord &pair = iteration.curation.pairs[static_cast<std::size_t>(rank)];
        pair.status = PairStatus::Answered;
        pair.item.id = itemId(index, rank);
        pair.item.title = "title";
        pair.item.strategy = "strategy";
    }
    state.openPairs.clear();
    remember(state, iteration);
}

std::string pairs(const State &state)
{
    std::string text;
    for (const PairRecord &pair : state.iterations.back().curation.pairs)
        text += (text.empty() ? "" : ", ") + std::string(pair.positive ? "+ " : "- ") +
                pair.slow.value + " -> " + pair.fast.value;
    return text;
}

std::string memory(const State &state)
{
    std::vector<ItemId> ids;
    for (const std::size_t index : state.active)
        ids.push_back(state.items[index].item.id);
    return names(ids);
}

PersonDecided decision(Decision what, const char *item)
{
    PersonDecided decided;
    decided.decision = what;
    decided.item = ItemId(item);
    return decided;
}

} // namespace

class tst_Curate : public QObject
{
    Q_OBJECT

private slots:
    void thirdWorkedExampleUnderFifo()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Fifo);
        State &state = sketch.state;
        takePairs(state, state.iterations.back());
        QCOMPARE(pairs(state), std::string("+ 10. -> 8., - 15. -> 10."));
        const CurationRecord &curation = state.iterations.back().curation;
        QCOMPARE(curation.pairs[0].speedup, 1.25);
        QCOMPARE(curation.pairs[1].speedup, 1.5);
        QCOMPARE(curation.groups.size(), std::size_t(4));
        QVERIFY(qAbs(curation.groups[1].speedup - 0.952) < 0.001);
        QVERIFY(!curation.groups[1].taken);
        QVERIFY(!curation.groups[3].taken);
        summarize(state);
        QCOMPARE(memory(state), std::string("e0.0 e0.1 x"));
        QCOMPARE(item(state, ItemId("y"))->status, ItemStatus::FellOut);
        QCOMPARE(item(state, ItemId("z"))->fate.text,
                 std::string("pushed out by newer items: the memory holds 3 items"));
    }

    void thirdWorkedExampleUnderPublishedCode()
    {
        std::set<std::string> drawn;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Sketch sketch = thirdExample(MemoryPolicy::PublishedCode);
            State &state = sketch.state;
            state.config.seed = seed;
            takePairs(state, state.iterations.back());
            QCOMPARE(pairs(state), std::string("+ 10. -> 8., - 20. -> 10."));
            summarize(state);
            const std::string now = memory(state);
            QVERIFY2(now.starts_with("e0.0 e0.1 "), now.c_str());
            QCOMPARE(state.active.size(), std::size_t(3));
            drawn.insert(now.substr(10));
            // The same seed draws the same item.
            Sketch again = thirdExample(MemoryPolicy::PublishedCode);
            again.state.config.seed = seed;
            takePairs(again.state, again.state.iterations.back());
            summarize(again.state);
            QCOMPARE(memory(again.state), now);
        }
        QCOMPARE(drawn, (std::set<std::string>{"x", "y", "z"}));
    }

    void negativesTakeThePlacesThatPositivesLeave()
    {
        Sketch sketch(10.0);
        sketch.state.config.topK = 4;
        sketch.iteration({10.0}, {{{8.0}, {20.0}, {30.0}, {15.0}, {14.0}}});
        takePairs(sketch.state, sketch.state.iterations.back());
        QCOMPARE(pairs(sketch.state),
                 std::string("+ 10. -> 8., - 30. -> 10., - 20. -> 10., - 15. -> 10."));
    }

    void positivesTakeAtMostHalf()
    {
        Sketch sketch(10.0);
        sketch.state.config.topK = 4;
        sketch.iteration({10.0}, {{{8.0}, {7.0}, {6.0}, {9.0}}});
        takePairs(sketch.state, sketch.state.iterations.back());
        QCOMPARE(pairs(sketch.state), std::string("+ 10. -> 6., + 10. -> 7."));
        QCOMPARE(sketch.state.iterations.back().curation.groups[0].text,
                 std::string("positive pair, rank 3 of 4, 1.250x: only 2 taken"));
    }

    void lessonsAreNotLearntFromNoiseUnlessTheRunSaysSo()
    {
        for (const bool separableOnly : {true, false}) {
            Sketch sketch(10.0, 0.1);
            sketch.state.config.separableOnly = separableOnly;
            sketch.iteration({10.0}, {{{9.5}}});
            takePairs(sketch.state, sketch.state.iterations.back());
            QCOMPARE(pairs(sketch.state), std::string(separableOnly ? "" : "+ 10. -> 9.5"));
        }
    }

    void reflexionTakesEveryCorrectNewKernel()
    {
        Sketch sketch(10.0);
        sketch.state.config.intake = Intake::EveryKernel;
        sketch.state.config.memoryCapacity = 0;
        sketch.state.config.topK = 1;
        sketch.iteration({10.0}, {{{9.9, {}}, {8.0, 12.0}, {9.9}}});
        takePairs(sketch.state, sketch.state.iterations.back());
        QCOMPARE(pairs(sketch.state), std::string("+ 10. -> 8., + 10. -> 9.9, - 12. -> 10."));
        summarize(sketch.state);
        QCOMPARE(memory(sketch.state), std::string("e0.0 e0.1 e0.2"));
    }

    void noIntakeTakesNothing()
    {
        Sketch sketch(10.0);
        sketch.state.config.intake = Intake::None;
        sketch.iteration({10.0}, {{{5.0}}});
        takePairs(sketch.state, sketch.state.iterations.back());
        QVERIFY(sketch.state.openPairs.empty());
    }

    void pinnedItemsNeverFallOutAndCount()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Fifo);
        State &state = sketch.state;
        QCOMPARE(decideItem(state, decision(Decision::PinItem, "z")), std::string());
        QCOMPARE(decideItem(state, decision(Decision::PinItem, "y")), std::string());
        takePairs(state, state.iterations.back());
        summarize(state);
        QCOMPARE(memory(state), std::string("e0.0 y z"));
        QCOMPARE(item(state, ItemId("e0.1"))->status, ItemStatus::FellOut);
        QCOMPARE(item(state, ItemId("x"))->status, ItemStatus::FellOut);
    }

    void moreItemsThanPlacesCannotBePinned()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Fifo);
        State &state = sketch.state;
        for (const char *old : {"x", "y", "z"})
            QCOMPARE(decideItem(state, decision(Decision::PinItem, old)), std::string());
        takePairs(state, state.iterations.back());
        summarize(state);
        QCOMPARE(memory(state), std::string("x y z"));
        QVERIFY(!decideItem(state, decision(Decision::PinItem, "e0.0")).empty());
        QCOMPARE(item(state, ItemId("e0.0"))->status, ItemStatus::FellOut);
    }

    void reviewedItemsWaitForApproval()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Reviewed);
        State &state = sketch.state;
        takePairs(state, state.iterations.back());
        summarize(state);
        QCOMPARE(memory(state), std::string("x y z"));
        QCOMPARE(item(state, ItemId("e0.0"))->status, ItemStatus::Proposed);
        QCOMPARE(decideItem(state, decision(Decision::ApproveItem, "e0.0")), std::string());
        QCOMPARE(memory(state), std::string("e0.0 x y"));
        QCOMPARE(experiences(state).front().id, ItemId("e0.0"));
        QCOMPARE(decideItem(state, decision(Decision::RejectItem, "e0.1")), std::string());
        QCOMPARE(item(state, ItemId("e0.1"))->status, ItemStatus::Rejected);
        // Both can be taken back; what waits reaches no prompt.
        QCOMPARE(decideItem(state, decision(Decision::ProposeItem, "e0.0")), std::string());
        QCOMPARE(decideItem(state, decision(Decision::ProposeItem, "e0.1")), std::string());
        QCOMPARE(item(state, ItemId("e0.0"))->status, ItemStatus::Proposed);
        QCOMPARE(item(state, ItemId("e0.1"))->status, ItemStatus::Proposed);
        QCOMPARE(memory(state), std::string("x y"));
    }

    void rejectedItemsLeaveAtOnceAndStayInTheHistory()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Fifo);
        PersonDecided reject = decision(Decision::RejectItem, "y");
        reject.reason = "only noise";
        QCOMPARE(decideItem(sketch.state, reject), std::string());
        QCOMPARE(memory(sketch.state), std::string("x z"));
        QCOMPARE(item(sketch.state, ItemId("y"))->fate.text,
                 std::string("rejected by a person: only noise"));
    }

    void editedItemsKeepBothTexts()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Fifo);
        State &state = sketch.state;
        takePairs(state, state.iterations.back());
        summarize(state);
        PersonDecided edit = decision(Decision::EditItem, "e0.0");
        edit.title = "better";
        QCOMPARE(decideItem(state, edit), std::string());
        edit.title = "best";
        edit.strategy = "say it";
        QCOMPARE(decideItem(state, edit), std::string());
        const MemoryItem *edited = item(state, ItemId("e0.0"));
        QCOMPARE(edited->item.title, std::string("best"));
        QCOMPARE(edited->item.strategy, std::string("say it"));
        QCOMPARE(edited->originalTitle, std::string("title"));
        QCOMPARE(edited->originalStrategy, std::string("strategy"));
    }

    void anUnknownItemIsAComplaint()
    {
        Sketch sketch = thirdExample(MemoryPolicy::Fifo);
        QVERIFY(!decideItem(sketch.state, decision(Decision::PinItem, "nobody")).empty());
    }
};

ACCELOPT_TEST(tst_Curate)
#include "tst_Curate.moc"
