// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/WhatIf.h"

#include "core/search/Fold.h"
#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/run/RunDocument.h"
#include "widgets/whatif/WhatIfPane.h"
#include "widgets/window/SelectionHub.h"

#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_WhatIf : public QObject
{
    Q_OBJECT

private slots:
    void asRecordedItIsTheRecordedRun();
    void aWiderBeamAsksWhatWasNeverAsked();
    void impatienceEndsTheRun();
    void withoutLessonsThePlannersWereToldOtherThings();
    void thePaneSaysHowFarItHolds();

private:
    static search::State recorded()
    {
        const tests::RunParts parts = tests::handMadeRun();
        std::vector<Event> events;
        for (const auto &list : {parts.first, parts.rest})
            for (const EventBody &body : list)
                events.push_back({std::int64_t(events.size()) + 1, "test", 0, body});
        return search::fold(events);
    }
};

void tst_WhatIf::asRecordedItIsTheRecordedRun()
{
    const search::State run = recorded();
    const WhatIf same = whatIf(run, run.opened.config);
    QCOMPARE(same.answeredIterations, 2);
    QCOMPARE(same.state.best, run.best);
    QCOMPARE(same.state.iterations.size(), run.iterations.size());
    for (std::size_t i = 0; i < run.iterations.size(); ++i)
        if (run.iterations[i].selection.done)
            QVERIFY(same.state.iterations[i].selection.beam == run.iterations[i].selection.beam);
    QVERIFY(same.state.complaints.empty());
    // The second judgement is what the recorded run lacks.
    QVERIFY2(same.endsBecause.find("second time") != std::string::npos, same.endsBecause.c_str());
}

void tst_WhatIf::aWiderBeamAsksWhatWasNeverAsked()
{
    const search::State run = recorded();
    RunConfig config = run.opened.config;
    config.beamWidth = 2;
    const WhatIf wider = whatIf(run, config);
    QCOMPARE(wider.answeredIterations, 1);
    QCOMPARE(wider.exactIterations, 1);
    QVERIFY(!wider.finished);
    QCOMPARE(wider.state.iterations.front().selection.beam.size(), std::size_t(2));
    QVERIFY2(wider.endsBecause.find("iteration 2") != std::string::npos &&
                 wider.endsBecause.find("never asked") != std::string::npos,
             wider.endsBecause.c_str());
}

void tst_WhatIf::impatienceEndsTheRun()
{
    const search::State run = recorded();
    RunConfig config = run.opened.config;
    config.iterations = 1;
    const WhatIf shorter = whatIf(run, config);
    QCOMPARE(shorter.state.iterations.size(), std::size_t(1));
    QCOMPARE(shorter.answeredIterations, 1);
    QVERIFY(shorter.state.best != run.best);
}

void tst_WhatIf::withoutLessonsThePlannersWereToldOtherThings()
{
    tests::RunParts parts = tests::handMadeRun();
    // The second iteration's planner was told the lesson of the first.
    for (EventBody &body : parts.rest)
        if (auto *made = std::get_if<PlanMade>(&body); made && made->plan.slot.iteration == 1)
            made->plan.usedItems = {ItemId("e0.0")};
    std::vector<Event> events;
    for (const auto &list : {parts.first, parts.rest})
        for (const EventBody &body : list)
            events.push_back({std::int64_t(events.size()) + 1, "test", 0, body});
    const search::State run = search::fold(events);
    QCOMPARE(whatIf(run, run.opened.config).exactIterations, 2);
    RunConfig config = run.opened.config;
    config.topK = 0;
    const WhatIf without = whatIf(run, config);
    QCOMPARE(without.exactIterations, 1);
    QCOMPARE(without.answeredIterations, 2);
    QVERIFY(without.state.items.empty());
}

void tst_WhatIf::thePaneSaysHowFarItHolds()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run.accelopt"));
    ACCELOPT_VERIFY_OK(tests::writeHandMadeRun(path.toStdString()));
    RunDocument document;
    SelectionHub hub;
    WhatIfPane pane(&document, &hub);
    pane.show();
    document.open(path);
    QTRY_VERIFY(pane.shown() != nullptr);
    QVERIFY2(pane.verdictText().startsWith(QStringLiteral("Valid up to iteration")),
             qPrintable(pane.verdictText()));
    auto *table = pane.findChild<QTableWidget *>(QStringLiteral("whatIfTable"));
    QCOMPARE(table->rowCount(), 2);
    QCOMPARE(table->item(0, 1)->text(), QStringLiteral("k1"));
    QCOMPARE(table->item(0, 2)->text(), QStringLiteral("k1"));
    pane.findChild<QSpinBox *>(QStringLiteral("whatIfBeamWidth"))->setValue(2);
    QTRY_COMPARE(pane.shown()->answeredIterations, 1);
    QCOMPARE(table->item(0, 2)->text(), QStringLiteral("k1, baseline"));
    QVERIFY(table->item(0, 2)->font().bold());
    pane.findChild<QPushButton *>(QStringLiteral("whatIfReset"))->click();
    QTRY_COMPARE(pane.shown()->answeredIterations, 2);
    document.close();
    QCOMPARE(pane.shown(), nullptr);
}

ACCELOPT_TEST(tst_WhatIf)
#include "tst_WhatIf.moc"
