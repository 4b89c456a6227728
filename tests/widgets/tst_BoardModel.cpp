// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/board/BoardModel.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTemporaryDir>
#include <cmath>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_BoardModel : public QObject
{
    Q_OBJECT

private slots:
    void aRunIsSaidInALine();
    void aFolderIsLookedAtAsItGrows();
};

void tst_BoardModel::aRunIsSaidInALine()
{
    QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("run.accelopt")).toStdString();
    ACCELOPT_VERIFY_OK(tests::writeHandMadeRun(path));
    const BoardEntry entry = boardEntry(path);
    QCOMPARE(entry.task, std::string("silu"));
    QCOMPARE(entry.iterations, 2);
    QCOMPARE(entry.planned, 2);
    QCOMPARE(entry.tried, 4);
    QCOMPARE(entry.bestMs, 0.8);
    QCOMPARE(entry.bestSpeedup, 2.5);
    QVERIFY((entry.speedups == std::vector<double>{1, 2, 2.5}));
    QVERIFY(!entry.written && entry.phase.empty() && entry.problem.empty());
    QVERIFY(!boardEntry(folder.path().toStdString() + "/none.accelopt").problem.empty());
}

void tst_BoardModel::aFolderIsLookedAtAsItGrows()
{
    QTemporaryDir folder;
    ACCELOPT_VERIFY_OK(
        tests::writeHandMadeRun(folder.filePath(QStringLiteral("b.accelopt")).toStdString()));
    QFile no(folder.filePath(QStringLiteral("c.accelopt")));
    QVERIFY(no.open(QIODevice::WriteOnly));
    no.write("this is no run");
    no.close();
    BoardModel board;
    const QAbstractItemModelTester tester(&board,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    board.setFolder(folder.path());
    QCOMPARE(board.rowCount(), 0); // nobody looks
    board.setWatched(true);
    QTRY_COMPARE(board.rowCount(), 2);
    const auto field = [&](int row, int column) {
        return board.index(row, column).data().toString();
    };
    QCOMPARE(field(0, BoardModel::Task), QStringLiteral("silu"));
    QCOMPARE(field(0, BoardModel::State), QStringLiteral("interrupted"));
    QCOMPARE(field(0, BoardModel::Iterations), QStringLiteral("2 of 2"));
    QCOMPARE(field(1, BoardModel::Task), QStringLiteral("c"));
    QCOMPARE(field(1, BoardModel::State), QStringLiteral("cannot be read"));
    QVERIFY(!board.index(1, 0).data(Qt::ToolTipRole).toString().isEmpty());
    QVERIFY(std::abs(board.geometricMean() - 2.5) < 1e-9);
    ACCELOPT_VERIFY_OK(
        tests::writeHandMadeRun(folder.filePath(QStringLiteral("a.accelopt")).toStdString()));
    QTRY_COMPARE(board.rowCount(), 3);
    QVERIFY(field(0, BoardModel::Course).isEmpty());
    QCOMPARE(board.index(0, BoardModel::Course)
                 .data(BoardModel::SpeedupsRole)
                 .value<QList<double>>()
                 .size(),
             3);
    board.setFolder({});
    QCOMPARE(board.rowCount(), 0);
}

ACCELOPT_TEST(tst_BoardModel)
#include "tst_BoardModel.moc"
