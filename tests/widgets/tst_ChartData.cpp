// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/ChartData.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/charts/ChartPane.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"

#include <QFile>
#include <QImage>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_ChartData : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void speedupsShowEveryKernelAndTheBest();
    void costStepsAtEveryGain();
    void fastGivesShares();
    void countersAreSpread();
    void manyKernelsAreThinnedOutAndThatIsSaid();
    void everyChartSaysWhetherItIsSimulated();
    void thePaneDrawsAndExports();

private:
    report::RunFigures m_run;
};

void tst_ChartData::initTestCase()
{
    const tests::RunParts parts = tests::handMadeRun();
    std::vector<Event> events;
    for (const auto *bodies : {&parts.first, &parts.rest})
        for (const EventBody &body : *bodies)
            events.push_back({std::int64_t(events.size()) + 1, "test", 0, body});
    m_run = report::figuresOf(events);
}

void tst_ChartData::speedupsShowEveryKernelAndTheBest()
{
    const ChartData data = chartData(m_run, ChartKind::Speedups);
    QCOMPARE(data.lines.size(), std::size_t(2));
    QCOMPARE(data.lines[0].points, (std::vector<QPointF>{{1, 2}, {2, 2.5}}));
    // From the baseline, which counts as 1, to the best of each iteration.
    QCOMPARE(data.lines[1].points, (std::vector<QPointF>{{0, 1}, {1, 2}, {2, 2.5}}));
    QVERIFY(data.remark.isEmpty());
}

void tst_ChartData::costStepsAtEveryGain()
{
    const ChartData data = chartData(m_run, ChartKind::Cost);
    QCOMPARE(data.lines.size(), std::size_t(1));
    QCOMPARE(data.lines[0].style, ChartLine::Style::Steps);
    QCOMPARE(data.lines[0].points, (std::vector<QPointF>{{0, 1}, {1, 2}, {3, 2.5}}));
    QVERIFY2(data.remark.startsWith(QStringLiteral("3 kernels")), qPrintable(data.remark));
}

void tst_ChartData::fastGivesShares()
{
    const ChartData data = chartData(m_run, ChartKind::Fast);
    QCOMPARE(data.lines.size(), report::kFastThresholds.size());
    // One of the first iteration's two kernels is correct and twice as fast, the second's is 2.5.
    QCOMPARE(data.lines.front().points, (std::vector<QPointF>{{1, 50}, {2, 100}}));
    QCOMPARE(data.lines.back().points, (std::vector<QPointF>{{1, 0}, {2, 100}}));
}

void tst_ChartData::countersAreSpread()
{
    QVERIFY(chartCounters(m_run).contains(QStringLiteral("latency_ms")));
    const ChartData data = chartData(m_run, ChartKind::Counter, QStringLiteral("latency_ms"));
    QCOMPARE(data.boxes.size(), std::size_t(2));
    QCOMPARE(data.boxes[1].label, QStringLiteral("2"));
    QCOMPARE(data.boxes[1].spread.median, 0.8);
    QVERIFY(chartData(m_run, ChartKind::Counter, QStringLiteral("nothing")).isEmpty());
}

void tst_ChartData::manyKernelsAreThinnedOutAndThatIsSaid()
{
    report::RunFigures many = m_run;
    const report::KernelFigures one = many.kernels[1];
    // The baseline and the wrong kernel are not drawn.
    many.kernels.resize(2 * kMostChartPoints + 1, one);
    const ChartData data = chartData(many, ChartKind::Speedups);
    QVERIFY(data.lines[0].points.size() <= kMostChartPoints);
    QVERIFY2(data.remark.contains(QStringLiteral("of %1 kernels").arg(2 * kMostChartPoints - 1)),
             qPrintable(data.remark));
}

void tst_ChartData::everyChartSaysWhetherItIsSimulated()
{
    for (const ChartKind kind :
         {ChartKind::Speedups, ChartKind::Cost, ChartKind::Fast, ChartKind::Counter}) {
        QVERIFY(chartData(m_run, kind).title.contains(QStringLiteral("simulated on")));
        QVERIFY(!chartTable(m_run, kind).rows.empty());
    }
}

void tst_ChartData::thePaneDrawsAndExports()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run.accelopt"));
    ACCELOPT_VERIFY_OK(tests::writeHandMadeRun(path.toStdString()));
    Theme theme(ThemeKind::Light);
    RunDocument document;
    ChartPane pane(&document, &theme);
    pane.resize(700, 400);
    pane.show();
    QVERIFY(!pane.saveImage(folder.filePath(QStringLiteral("empty.png"))));
    document.open(path);
    QTRY_VERIFY(!pane.shown().isEmpty());
    for (const ChartKind kind :
         {ChartKind::Speedups, ChartKind::Cost, ChartKind::Fast, ChartKind::Counter}) {
        pane.setKind(kind);
        QVERIFY(!pane.shown().isEmpty());
        const QString image = folder.filePath(QStringLiteral("chart.png"));
        QVERIFY(pane.saveImage(image));
        QVERIFY(QImage(image).width() > 400);
    }
    const QString table = folder.filePath(QStringLiteral("chart.csv"));
    QVERIFY(pane.saveData(table));
    QFile file(table);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY2(bytes.contains("latency_ms"), bytes.constData());
    QVERIFY(!pane.saveData(folder.filePath(QStringLiteral("no/such/folder.csv"))));
}

ACCELOPT_TEST(tst_ChartData)
#include "tst_ChartData.moc"
