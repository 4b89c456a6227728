// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/BreakWatch.h"

#include "core/search/Fold.h"
#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"

using namespace accelopt;
using namespace accelopt::widgets;

class tst_BreakWatch : public QObject
{
    Q_OBJECT

private slots:
    void everyPointHasANameAndWords();
    void haltsWhereItShould_data();
    void haltsWhereItShould();
    void saysNothingTwice();
    void aBudgetBreaksOnceAtFourFifths();
};

namespace {

/// The sentences said over the hand-made run, one for each event at which something was said.
QStringList said(std::set<BreakPoint> points, MemoryPolicy policy = MemoryPolicy::Fifo)
{
    const tests::RunParts parts = tests::handMadeRun();
    std::vector<EventBody> bodies = parts.first;
    bodies.insert(bodies.end(), parts.rest.begin(), parts.rest.end());
    std::get<RunOpened>(bodies.front()).config.memoryPolicy = policy;
    search::State state;
    BreakWatch watch;
    watch.setPoints(std::move(points));
    watch.begin(state);
    QStringList sentences;
    std::int64_t sequence = 0;
    for (const EventBody &body : bodies) {
        search::apply(state, {++sequence, "test", 0, body});
        if (const QString sentence = watch.look(state); !sentence.isEmpty())
            sentences << sentence;
    }
    return sentences;
}

} // namespace

void tst_BreakWatch::everyPointHasANameAndWords()
{
    QSet<QString> names;
    for (const BreakPoint point : allBreakPoints()) {
        QVERIFY(!name(point).isEmpty() && !text(point).isEmpty());
        names.insert(name(point));
    }
    QCOMPARE(names.size(), qsizetype(allBreakPoints().size()));
}

void tst_BreakWatch::haltsWhereItShould_data()
{
    QTest::addColumn<int>("point");
    QTest::addColumn<bool>("reviewed");
    QTest::addColumn<int>("times");
    QTest::addColumn<QString>("words");
    QTest::newRow("before the plans of both iterations")
        << int(BreakPoint::Plans) << false << 2
        << QStringLiteral("before the plans of iteration 1");
    QTest::newRow("before the lessons of the first iteration, and of the second")
        << int(BreakPoint::Lessons) << false << 2
        << QStringLiteral("before the lessons of iteration 1");
    QTest::newRow("at two kernels that are the best one after the other")
        << int(BreakPoint::NewBest) << false << 2 << QStringLiteral("2.00");
    QTest::newRow("at a lesson that waits")
        << int(BreakPoint::Proposal) << true << 1 << QStringLiteral("waits for your approval");
    QTest::newRow("at no lesson when none has to wait")
        << int(BreakPoint::Proposal) << false << 0 << QString();
    QTest::newRow("at nothing suspicious when nothing is")
        << int(BreakPoint::Suspicious) << false << 0 << QString();
}

void tst_BreakWatch::haltsWhereItShould()
{
    QFETCH(const int, point);
    QFETCH(const bool, reviewed);
    QFETCH(const int, times);
    QFETCH(const QString, words);
    const QStringList sentences =
        said({BreakPoint(point)}, reviewed ? MemoryPolicy::Reviewed : MemoryPolicy::Fifo);
    QVERIFY2(sentences.size() == times, qPrintable(sentences.join(QLatin1Char('\n'))));
    if (times > 0)
        QVERIFY2(sentences.front().contains(words), qPrintable(sentences.front()));
    QVERIFY(said({}).isEmpty());
}

void tst_BreakWatch::saysNothingTwice()
{
    search::State state;
    BreakWatch watch;
    watch.setPoints({BreakPoint::Plans});
    state.iterations.resize(1);
    QVERIFY(!watch.look(state).isEmpty());
    QVERIFY(watch.look(state).isEmpty());
    // What is there when the watch begins has been seen.
    state.iterations.resize(2);
    watch.begin(state);
    QVERIFY(watch.look(state).isEmpty());
}

void tst_BreakWatch::aBudgetBreaksOnceAtFourFifths()
{
    search::State state;
    state.config.budgetKernels = 10;
    BreakWatch watch;
    watch.setPoints({BreakPoint::Budget});
    watch.begin(state);
    state.counts.written = 7;
    QVERIFY(watch.look(state).isEmpty());
    state.counts.written = 8;
    QVERIFY(watch.look(state).contains(QStringLiteral("80 %")));
    state.counts.written = 9;
    QVERIFY(watch.look(state).isEmpty());
    state.config.budgetMinutes = 1;
    state.secondsSpent = 66;
    QCOMPARE(budgetShare(state), 1.1);
}

ACCELOPT_TEST(tst_BreakWatch)
#include "tst_BreakWatch.moc"
