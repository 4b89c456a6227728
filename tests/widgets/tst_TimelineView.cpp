// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/TimelineView.h"

#include "tests/support/TestMain.h"

#include <QImage>
#include <QSignalSpy>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_TimelineView : public QObject
{
    Q_OBJECT

private slots:
    void timesAreSaidInTheirUnit_data();
    void timesAreSaidInTheirUnit();
    void withoutATimelineItSaysWhy();
    void zoomKeepsWhatIsUnderThePointer();
    void manySmallEventsShareAPixelAndSaySo();
    void aClickPicksOutItsLine();
    void keysGoAlongTheCriticalPath();

private:
    /// `count` loads of 100 ns, one every 1 us, each followed by a vector instruction; line 2
    /// and 3.
    static std::shared_ptr<nki::Timeline> timeline(int count)
    {
        auto made = std::make_shared<nki::Timeline>();
        made->latencyNs = 1000.0 * count;
        for (int i = 0; i < count; ++i) {
            nki::TimelineEvent event;
            event.startNs = 1000.0 * i;
            event.durationNs = 100;
            event.bytes = 4096;
            event.line = 2;
            event.row = nki::TimelineRow::DmaLoad;
            event.criticalNs = 100;
            made->criticalPath.push_back(std::int32_t(made->events.size()));
            made->events.push_back(event);
            event.startNs += 100;
            event.durationNs = 800;
            event.bytes = 0;
            event.line = 3;
            event.row = nki::TimelineRow::Vector;
            event.criticalNs = 0;
            made->events.push_back(event);
        }
        return made;
    }
    static void show(TimelineView &view, int count)
    {
        view.resize(900, 240);
        view.setTimeline(timeline(count));
    }
};

void tst_TimelineView::timesAreSaidInTheirUnit_data()
{
    QTest::addColumn<double>("ns");
    QTest::addColumn<QString>("text");
    QTest::newRow("a few nanoseconds") << 4.2 << QStringLiteral("4.2 ns");
    QTest::newRow("nanoseconds") << 640.0 << QStringLiteral("640 ns");
    QTest::newRow("microseconds") << 12'500.0 << QStringLiteral("12.5 µs");
    QTest::newRow("milliseconds") << 1'898'000.0 << QStringLiteral("1.898 ms");
}

void tst_TimelineView::timesAreSaidInTheirUnit()
{
    QFETCH(const double, ns);
    QFETCH(const QString, text);
    QCOMPARE(timeText(ns), text);
}

void tst_TimelineView::withoutATimelineItSaysWhy()
{
    const Theme theme(ThemeKind::Light);
    TimelineView view(&theme);
    view.resize(400, 200);
    view.explain(QStringLiteral("It cannot be traced."));
    QVERIFY(!view.grab().isNull());
    QCOMPARE(view.tipAt({200, 100}), QString());
    QVERIFY(view.placeOf(0).isNull());
}

void tst_TimelineView::zoomKeepsWhatIsUnderThePointer()
{
    const Theme theme(ThemeKind::Light);
    TimelineView view(&theme);
    show(view, 10);
    QCOMPARE(view.spanNs(), 10'000.0);
    const double x = view.placeOf(10).left();
    view.zoomBy(4, x);
    QCOMPARE(view.spanNs(), 2500.0);
    QVERIFY(std::abs(view.placeOf(10).left() - x) < 0.5);
    for (int i = 0; i < 20; ++i)
        view.zoomBy(4, x);
    QVERIFY(view.spanNs() >= 50);
    view.showAll();
    QCOMPARE(view.startNs(), 0.0);
    QCOMPARE(view.spanNs(), 10'000.0);
    view.zoomBy(0.1, x); // there is nothing beyond
    QCOMPARE(view.spanNs(), 10'000.0);
}

void tst_TimelineView::manySmallEventsShareAPixelAndSaySo()
{
    const Theme theme(ThemeKind::Dark);
    TimelineView view(&theme);
    show(view, 20'000);
    view.grab();
    QVERIFY(view.paintedTogether() > 30'000);
    // Close enough, each stands alone.
    view.zoomBy(2000, view.placeOf(20'000).left());
    view.grab();
    QCOMPARE(view.paintedTogether(), 0);
    QVERIFY(view.paintedAlone() >= 18);
}

void tst_TimelineView::aClickPicksOutItsLine()
{
    const Theme theme(ThemeKind::Light);
    TimelineView view(&theme);
    show(view, 10);
    view.show();
    QSignalSpy chosen(&view, &TimelineView::lineChosen);
    const QPoint place = view.placeOf(5).center().toPoint();
    QVERIFY2(view.tipAt(place).contains(QStringLiteral("line 3")), qPrintable(view.tipAt(place)));
    QVERIFY(view.tipAt(place).contains(QStringLiteral("vector engine")));
    const QColor before = view.grab().toImage().pixelColor(view.placeOf(4).center().toPoint());
    QTest::mouseClick(&view, Qt::LeftButton, {}, place);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.front().front().toInt(), 3);
    QCOMPARE(view.line(), 3);
    // What belongs to other lines becomes faint.
    const QColor after = view.grab().toImage().pixelColor(view.placeOf(4).center().toPoint());
    QVERIFY(before != after);
    QTest::mouseClick(&view, Qt::LeftButton, {}, {view.width() - 20, view.height() - 4});
    QCOMPARE(view.line(), 0);
}

void tst_TimelineView::keysGoAlongTheCriticalPath()
{
    const Theme theme(ThemeKind::Light);
    TimelineView view(&theme);
    show(view, 10);
    view.zoomBy(8, view.placeOf(0).left());
    for (int i = 0; i < 9; ++i)
        QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(view.line(), 2);
    // The ninth stands where one looks now.
    QVERIFY(view.startNs() <= 8000 && view.startNs() + view.spanNs() >= 8100);
    QVERIFY(view.accessibleDescription().contains(QStringLiteral("critical path")));
    QTest::keyClick(&view, Qt::Key_Home);
    QCOMPARE(view.spanNs(), 10'000.0);
}

ACCELOPT_TEST(tst_TimelineView)
#include "tst_TimelineView.moc"
