// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/KernelTableModel.h"
#include "widgets/models/MemoryModel.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/run/RunDocument.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_RunModels : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void followARunThatGrows();
    void kernelsSayWhatBecameOfThem();
    void lessonsStandNewestFirst();
    void manyKernelsComeInFewInserts();
    void namesLeadToKernels_data();
    void namesLeadToKernels();
    void aFileThatIsNoRunIsRefusedInWords();

private:
    std::filesystem::path file() const
    {
        return m_folder->filePath(QStringLiteral("r.accelopt")).toStdString();
    }
    QString fileName() const { return m_folder->filePath(QStringLiteral("r.accelopt")); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_RunModels::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_RunModels::followARunThatGrows()
{
    RunDocument document;
    KernelTableModel kernels(&document);
    MemoryModel lessons(&document);
    const QAbstractItemModelTester kernelsTester(
        &kernels, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QAbstractItemModelTester lessonsTester(
        &lessons, QAbstractItemModelTester::FailureReportingMode::Fatal);

    const tests::RunParts parts = tests::handMadeRun();
    auto writer = store::RunFile::create(file());
    ACCELOPT_VERIFY_OK(writer);
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.first, parts.texts));
    document.open(fileName());
    QTRY_COMPARE(kernels.rowCount(), 3);
    QTRY_VERIFY(document.writer().written);
    QCOMPARE(lessons.rowCount(), 0);
    const QModelIndex pending = kernels.index(1, KernelTableModel::VerdictColumn);
    QCOMPARE(pending.data().toString(), QStringLiteral("…"));

    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.rest, {}));
    QTRY_COMPARE(kernels.rowCount(), 4);
    QTRY_COMPARE(lessons.rowCount(), 1);
    QCOMPARE(pending.data().toString(), QStringLiteral("✓"));
    ACCELOPT_VERIFY_OK(writer->close());
    QTRY_VERIFY(!document.writer().written);
    document.close();
    QCOMPARE(kernels.rowCount(), 0);
    QCOMPARE(lessons.rowCount(), 0);
}

void tst_RunModels::kernelsSayWhatBecameOfThem()
{
    const auto run = tests::writeHandMadeRun(file());
    ACCELOPT_VERIFY_OK(run);
    RunDocument document;
    KernelTableModel model(&document);
    document.open(fileName());
    QTRY_VERIFY(document.loaded());
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        rows << cells.join(QStringLiteral(" | "));
    }
    QCOMPARE(rows.join(QLatin1Char('\n')),
             QStringLiteral("baseline | ✓ | 2.000 ms | = 1× |  | \n"
                            "k1 | ✓ | 1.000 ms | ▲ 2.00× | 1 | Load once\n"
                            "k2 | ≠ |  |  | 1 | wrong result: Store the <b>wrong</b> thing\n"
                            "k3 | ✓ | 0.8000 ms | ▲ 2.50× | 2 | Widen the tile"));
    QCOMPARE(model.rowOf(run->best), 3);
    QCOMPARE(model.kernelAt(3), run->best);
    QCOMPARE(model.index(3, 0).data(KernelTableModel::MeaningRole).toInt(),
             int(KernelTableModel::Meaning::Best));
    QCOMPARE(model.index(2, 0).data(KernelTableModel::MeaningRole).toInt(),
             int(KernelTableModel::Meaning::Failed));
    QVERIFY(model.index(2, 0)
                .data(Qt::ToolTipRole)
                .toString()
                .contains(QStringLiteral("row 3 differs")));
}

void tst_RunModels::lessonsStandNewestFirst()
{
    ACCELOPT_VERIFY_OK(tests::writeHandMadeRun(file()));
    RunDocument document;
    MemoryModel model(&document);
    document.open(fileName());
    QTRY_COMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, MemoryModel::Sign).data().toString(), QStringLiteral("+"));
    QCOMPARE(model.index(0, MemoryModel::Speedup).data().toString(), QStringLiteral("2.00×"));
    QCOMPARE(model.index(0, MemoryModel::Title).data().toString(), QStringLiteral("Load once"));
    QCOMPARE(model.index(0, MemoryModel::Status).data().toString(), QStringLiteral("in use"));
    QVERIFY(model.itemAt(0) != nullptr);
    QVERIFY(model.itemAt(1) == nullptr);
}

void tst_RunModels::manyKernelsComeInFewInserts()
{
    constexpr int kPlans = 1000;
    tests::RunParts parts = tests::handMadeRun();
    auto opened = std::get<RunOpened>(parts.first.front());
    opened.config.plansPerCandidate = kPlans;
    std::vector<EventBody> events{opened, parts.first[1]};
    for (int i = 0; i < kPlans; ++i) {
        auto plan = std::get<PlanMade>(parts.first[2]);
        plan.plan.slot.plan = i;
        events.push_back(plan);
    }
    for (int i = 0; i < kPlans; ++i) {
        auto attempt = std::get<AttemptMade>(parts.first[6]);
        attempt.slot.plan.plan = i;
        attempt.kernel = KernelId(std::to_string(i));
        events.push_back(attempt);
    }
    auto writer = store::RunFile::create(file());
    ACCELOPT_VERIFY_OK(writer);
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, events, parts.texts));
    ACCELOPT_VERIFY_OK(writer->close());

    RunDocument document;
    KernelTableModel model(&document);
    const QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);
    document.open(fileName());
    QTRY_COMPARE(model.rowCount(), kPlans + 1);
    QVERIFY2(inserts.count() <= 15, qPrintable(QString::number(inserts.count())));
}

void tst_RunModels::namesLeadToKernels_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("number");
    QTest::newRow("a number") << QStringLiteral("2") << 2;
    QTest::newRow("a number with its letter") << QStringLiteral("k1") << 1;
    QTest::newRow("the baseline") << QStringLiteral("baseline") << 0;
    QTest::newRow("the best") << QStringLiteral(" Best ") << 3;
    QTest::newRow("a number that is none") << QStringLiteral("k99") << -1;
    QTest::newRow("too few digits") << QStringLiteral("abc") << -1;
    QTest::newRow("nothing") << QString() << -1;
}

void tst_RunModels::namesLeadToKernels()
{
    QFETCH(const QString, name);
    QFETCH(const int, number);
    const auto run = tests::writeHandMadeRun(file());
    ACCELOPT_VERIFY_OK(run);
    RunDocument document;
    document.open(fileName());
    QTRY_VERIFY(document.loaded());
    QCOMPARE(document.number(document.find(name)), number);
    QCOMPARE(document.find(QString::fromStdString(run->wrong.value.substr(0, 8))), run->wrong);
    QCOMPARE(document.pathTo(run->best),
             (std::vector<KernelId>{run->baseline, run->faster, run->best}));
}

void tst_RunModels::aFileThatIsNoRunIsRefusedInWords()
{
    QFile other(m_folder->filePath(QStringLiteral("notes.txt")));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("not a run");
    other.close();
    RunDocument document;
    QSignalSpy failed(&document, &RunDocument::failed);
    document.open(other.fileName());
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("notes.txt")));
}

ACCELOPT_TEST(tst_RunModels)
#include "tst_RunModels.moc"
