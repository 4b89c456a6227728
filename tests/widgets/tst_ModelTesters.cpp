// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/models/KernelOrder.h"
#include "widgets/models/KernelTableModel.h"
#include "widgets/models/MemoryModel.h"
#include "widgets/models/PlanModel.h"
#include "widgets/run/RunDocument.h"

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

/// Qt's own tester watches every model while a run grows, is changed by a person, and is closed.
class tst_ModelTesters : public QObject
{
    Q_OBJECT

private slots:
    void everyModelKeepsQtsRules();
    void onlyWhatChangedIsAnnounced();
};

void tst_ModelTesters::everyModelKeepsQtsRules()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run.accelopt"));
    const tests::RunParts parts = tests::handMadeRun();
    auto file = store::RunFile::create(path.toStdString());
    ACCELOPT_VERIFY_OK(file);
    ACCELOPT_VERIFY_OK(tests::appendTo(*file, parts.first, parts.texts));
    RunDocument document;
    KernelTableModel kernels(&document);
    MemoryModel memory(&document);
    PlanModel plans(&document);
    std::vector<std::unique_ptr<QSortFilterProxyModel>> proxies;
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    const std::pair<QAbstractItemModel *, int> models[] = {{&kernels, KernelTableModel::SortRole},
                                                           {&memory, MemoryModel::QueueRole},
                                                           {&plans, Qt::DisplayRole}};
    using Report = QAbstractItemModelTester::FailureReportingMode;
    for (const auto &[model, role] : models) {
        auto proxy = std::make_unique<QSortFilterProxyModel>();
        proxy->setSourceModel(model);
        proxy->setSortRole(role);
        proxy->sort(2);
        testers.push_back(std::make_unique<QAbstractItemModelTester>(model, Report::QtTest));
        testers.push_back(std::make_unique<QAbstractItemModelTester>(proxy.get(), Report::QtTest));
        proxies.push_back(std::move(proxy));
    }
    KernelOrder order(&kernels);
    testers.push_back(std::make_unique<QAbstractItemModelTester>(&order, Report::QtTest));
    order.sort(KernelTableModel::Latency);
    document.open(path);
    QTRY_COMPARE(kernels.rowCount(), 3);
    QCOMPARE(plans.rowCount(), 4);
    ACCELOPT_VERIFY_OK(tests::appendTo(*file, parts.rest, {}));
    QTRY_COMPARE(kernels.rowCount(), 4);
    QTRY_COMPARE(memory.rowCount(), 1);
    const auto shown = [&order] {
        QStringList names;
        for (int row = 0; row < order.rowCount(); ++row)
            names << order.index(row, KernelTableModel::Name).data().toString();
        return names;
    };
    const QStringList byLatency{QStringLiteral("k3"), QStringLiteral("k1"),
                                QStringLiteral("baseline"), QStringLiteral("k2")};
    QCOMPARE(shown(), byLatency);
    const QPersistentModelIndex kept = order.index(3, 0);
    order.sort(KernelTableModel::Latency, Qt::DescendingOrder);
    QCOMPARE(kept.data().toString(), QStringLiteral("k2"));
    QCOMPARE(kept.row(), 0);
    order.setFilter(QStringLiteral("TILE"));
    QCOMPARE(shown(), QStringList{QStringLiteral("k3")});
    order.setFilter(QStringLiteral("wrong"));
    QCOMPARE(shown(), QStringList{QStringLiteral("k2")});
    QVERIFY(!order.mapFromSource(kernels.index(1, 0)).isValid());
    order.setFilter({});
    order.sort(KernelTableModel::Name);
    PersonDecided reject;
    reject.decision = Decision::RejectItem;
    reject.item = ItemId("e0.0");
    ACCELOPT_VERIFY_OK(tests::appendTo(*file, {reject}, {}));
    QTRY_COMPARE(memory.index(0, MemoryModel::Status).data().toString(),
                 QStringLiteral("rejected"));
    ACCELOPT_VERIFY_OK(file->close());
    document.close();
    QCOMPARE(kernels.rowCount() + memory.rowCount() + plans.rowCount(), 0);
}

void tst_ModelTesters::onlyWhatChangedIsAnnounced()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run.accelopt"));
    const auto run = tests::writeHandMadeRun(path.toStdString());
    ACCELOPT_VERIFY_OK(run);
    RunDocument document;
    KernelTableModel kernels(&document);
    document.open(path);
    QTRY_VERIFY(document.loaded());
    QTRY_VERIFY(!document.writer().written);
    std::vector<std::pair<int, int>> rows;
    connect(&kernels, &QAbstractItemModel::dataChanged, this,
            [&](const QModelIndex &from, const QModelIndex &to) {
                rows.emplace_back(from.row(), to.row());
            });
    auto file = store::RunFile::openForWriting(path.toStdString());
    ACCELOPT_VERIFY_OK(file);
    PersonDecided drop;
    drop.decision = Decision::DropKernel;
    drop.kernel = run->best;
    ACCELOPT_VERIFY_OK(tests::appendTo(*file, {drop}, {}));
    // The best kernel was the last one and is now the first written.
    QTRY_COMPARE(document.state().best, run->faster);
    QCOMPARE(rows, (std::vector<std::pair<int, int>>{{1, 1}, {3, 3}}));
    ACCELOPT_VERIFY_OK(file->close());
}

ACCELOPT_TEST(tst_ModelTesters)
#include "tst_ModelTesters.moc"
