// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tree/TreeLayout.h"

#include "core/search/Fold.h"
#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"

#include <QRandomGenerator>
#include <set>

using namespace accelopt;
using namespace accelopt::widgets;

namespace {

search::State stateOf(const std::vector<std::vector<EventBody>> &parts)
{
    search::State state;
    std::int64_t sequence = 0;
    for (const std::vector<EventBody> &part : parts)
        for (const EventBody &body : part)
            search::apply(state, {++sequence, "test", 0, body});
    return state;
}

} // namespace

class tst_TreeLayout : public QObject
{
    Q_OBJECT

private slots:
    void childrenStandBesideTheirParents();
    void aNewNodeNeverMovesAnother();
    void noTwoNodesShareAPlace();
    void aKernelIsAddedOnce();
    void whatDidNotWorkStandsInTheLaneWithItsReason();
    void aGrowingRunKeepsItsPlaces();
};

void tst_TreeLayout::childrenStandBesideTheirParents()
{
    TreeLayout layout;
    layout.add(KernelId("b"), {}, 0);
    const int first = layout.add(KernelId("k1"), KernelId("b"), 1);
    const int second = layout.add(KernelId("k2"), KernelId("b"), 1);
    const int third = layout.add(KernelId("k3"), KernelId("b"), 1);
    const int child = layout.add(KernelId("k4"), KernelId("k2"), 2);
    QCOMPARE(layout.nodes()[std::size_t(first)].row, 0);
    QCOMPARE(layout.nodes()[std::size_t(second)].row, 1);
    QCOMPARE(layout.nodes()[std::size_t(third)].row, -1);
    QCOMPARE(layout.nodes()[std::size_t(child)].row, 1);
    QCOMPARE(layout.nodes()[std::size_t(child)].parent, second);
    QCOMPARE(layout.firstRow(), -1);
    QCOMPARE(layout.lastRow(), 1);
}

void tst_TreeLayout::aNewNodeNeverMovesAnother()
{
    QRandomGenerator random(7);
    TreeLayout layout;
    layout.add(KernelId("0"), {}, 0);
    std::vector<TreeNode> before;
    for (int i = 1; i < 400; ++i) {
        const auto parent = std::size_t(random.bounded(i));
        const TreeNode &node = layout.nodes()[parent];
        layout.add(KernelId(std::to_string(i)), node.kernel, node.column + 1 + random.bounded(3));
        for (std::size_t n = 0; n < before.size(); ++n) {
            QCOMPARE(layout.nodes()[n].row, before[n].row);
            QCOMPARE(layout.nodes()[n].column, before[n].column);
        }
        before = layout.nodes();
    }
}

void tst_TreeLayout::noTwoNodesShareAPlace()
{
    QRandomGenerator random(11);
    TreeLayout layout;
    layout.add(KernelId("0"), {}, 0);
    for (int i = 1; i < 400; ++i) {
        const KernelId parent = layout.nodes()[std::size_t(random.bounded(i))].kernel;
        layout.add(KernelId(std::to_string(i)), parent, 1 + random.bounded(4));
    }
    std::set<std::pair<int, int>> places;
    for (const TreeNode &node : layout.nodes())
        QVERIFY(places.emplace(node.column, node.row).second);
}

void tst_TreeLayout::aKernelIsAddedOnce()
{
    TreeLayout layout;
    const int first = layout.add(KernelId("b"), {}, 0);
    QCOMPARE(layout.add(KernelId("b"), {}, 3), first);
    QCOMPARE(layout.nodes().size(), std::size_t(1));
}

void tst_TreeLayout::whatDidNotWorkStandsInTheLaneWithItsReason()
{
    const tests::RunParts parts = tests::handMadeRun();
    const search::State state = stateOf({parts.first, parts.rest});
    QVERIFY2(state.complaints.empty(),
             state.complaints.empty() ? "" : state.complaints.front().c_str());
    TreeLayout layout;
    layout.update(state, {parts.run.baseline, parts.run.faster, parts.run.wrong, parts.run.best});
    QCOMPARE(layout.nodes().size(), std::size_t(3));
    QCOMPARE(layout.nodeOf(parts.run.wrong), -1);
    QStringList lane;
    for (const LaneItem &item : layout.lane())
        lane << QStringLiteral("%1 in column %2: %3")
                    .arg(int(item.kind))
                    .arg(item.column)
                    .arg(QString::fromStdString(item.reason));
    QCOMPARE(lane, (QStringList{
                       QStringLiteral("0 in column 1: wrong result: line 2: row 3 differs from "
                                      "the reference"),
                       QStringLiteral("1 in column 1: the same kernel was written before"),
                       QStringLiteral("2 in column 1: no plan: no idea is left"),
                       QStringLiteral("2 in column 2: no plan: no idea is left"),
                       QStringLiteral("2 in column 2: no plan: no idea is left"),
                       QStringLiteral("2 in column 2: no plan: no idea is left"),
                   }));
    layout.update(state, {parts.run.baseline, parts.run.faster, parts.run.wrong, parts.run.best});
    QCOMPARE(layout.lane().size(), std::size_t(6));
}

void tst_TreeLayout::aGrowingRunKeepsItsPlaces()
{
    const tests::RunParts parts = tests::handMadeRun();
    const std::vector<KernelId> order{parts.run.baseline, parts.run.faster, parts.run.wrong,
                                      parts.run.best};
    TreeLayout layout;
    search::State state;
    std::int64_t sequence = 0;
    std::map<KernelId, std::pair<int, int>> places;
    for (const auto &part : {parts.first, parts.rest}) {
        for (const EventBody &body : part) {
            search::apply(state, {++sequence, "test", 0, body});
            layout.update(state, order);
            for (const TreeNode &node : layout.nodes()) {
                const auto [it, isNew] = places.try_emplace(node.kernel, node.column, node.row);
                QCOMPARE(it->second, std::pair(node.column, node.row));
            }
        }
    }
    QCOMPARE(places.size(), std::size_t(3));
    QCOMPARE(places.at(parts.run.best).first, 2);
}

ACCELOPT_TEST(tst_TreeLayout)
#include "tst_TreeLayout.moc"
