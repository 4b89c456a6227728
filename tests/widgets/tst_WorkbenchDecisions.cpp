// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "core/nki/syntax/Lexer.h"
#include "core/store/RunReader.h"
#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/memory/MemoryPane.h"
#include "widgets/models/MemoryModel.h"
#include "widgets/models/PlanModel.h"
#include "widgets/plans/PlanPane.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/run/Steering.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/NoticeBar.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QDialog>
#include <QDockWidget>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_WorkbenchDecisions : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void waitingLessonsStandFirstAndAreTold();
    void keysDecideOnTheSelectedLesson();
    void aRejectionAsksForItsReason();
    void editedWordsReachTheRun();
    void decisionsAreUndoneAndDoneAgain();
    void cardsTellWhoCarriedALesson();
    void theRuleAsksForTwoLineages();
    void aRunOfAnotherProcessTakesNoDecision();
    void kernelsArePinnedAndDropped();
    void aPersonWritesAKernel();
    void aWrongKernelIsMendedInItsCandidatesPlace();
    void aPersonWritesAndDropsPlans();
    void whatTheRunWouldIgnoreIsRefused();

private:
    void openRun(MemoryPolicy policy, std::vector<EventBody> more = {});
    void perform(const char *id) { m_window->commands().perform(QString::fromLatin1(id)); }
    QString tip(const char *id)
    {
        m_window->commands().refresh();
        return m_window->commands().action(QString::fromLatin1(id))->toolTip();
    }
    const search::MemoryItem *lesson() const
    {
        return search::item(m_window->document().state(), ItemId("e0.0"));
    }
    template <typename Widget> Widget *child(const char *name) const
    {
        return m_window->findChild<Widget *>(QString::fromLatin1(name));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchWindow> m_window;
    tests::HandMadeRun m_run;
};

void tst_WorkbenchDecisions::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void tst_WorkbenchDecisions::cleanup()
{
    m_window.reset();
    m_theme.reset();
}

/// The hand-made run, with further events, and with two plans of the second iteration still open
/// when events are given.
void tst_WorkbenchDecisions::openRun(MemoryPolicy policy, std::vector<EventBody> more)
{
    const QString path = m_folder->filePath(QStringLiteral("run.accelopt"));
    tests::RunParts parts = tests::handMadeRun();
    std::get<RunOpened>(parts.first.front()).config.memoryPolicy = policy;
    m_run = parts.run;
    if (!more.empty())
        parts.rest.resize(parts.rest.size() - 2);
    auto file = store::RunFile::create(path.toStdString());
    ACCELOPT_VERIFY_OK(file);
    ACCELOPT_VERIFY_OK(tests::appendTo(*file, parts.first, parts.texts));
    ACCELOPT_VERIFY_OK(tests::appendTo(*file, parts.rest, {}));
    if (!more.empty())
        ACCELOPT_VERIFY_OK(tests::appendTo(*file, more, {}));
    ACCELOPT_VERIFY_OK(file->close());
    m_window->openFile(path);
    QTRY_VERIFY(m_window->settled());
    QTRY_VERIFY(!m_window->document().writer().written);
    QVERIFY(lesson() != nullptr);
}

void tst_WorkbenchDecisions::waitingLessonsStandFirstAndAreTold()
{
    PairSummarized carried;
    carried.call = CallId("import.old");
    carried.iteration = -1;
    carried.item.id = ItemId("old");
    carried.item.title = "An older lesson";
    carried.item.strategy = "Do less.";
    openRun(MemoryPolicy::Reviewed, {carried});
    auto *bar = child<NoticeBar>("waitingBar");
    QTRY_VERIFY2(bar->text().startsWith(QStringLiteral("2 lessons wait")), qPrintable(bar->text()));
    auto *dock = child<QDockWidget>("memoryDock");
    QCOMPARE(dock->windowTitle(), QStringLiteral("Memory: 2 lessons for you to decide"));
    bar->findChild<QPushButton *>()->click();
    QVERIFY(bar->isHidden());
    QVERIFY(dock->isVisible());
    QVERIFY(m_window->memory().select(ItemId("old")));
    perform("memory.approve");
    QTRY_COMPARE(dock->windowTitle(), QStringLiteral("Memory: 1 lesson for you to decide"));
    // The next one that waits is selected, and stands first.
    QCOMPARE(m_window->memory().current()->item.id, ItemId("e0.0"));
    QCOMPARE(m_window->memory().shown()->index(0, MemoryModel::Title).data().toString(),
             QStringLiteral("Load once"));
}

void tst_WorkbenchDecisions::keysDecideOnTheSelectedLesson()
{
    openRun(MemoryPolicy::Reviewed);
    QCOMPARE(lesson()->status, search::ItemStatus::Proposed);
    QTest::keyClick(m_window.get(), Qt::Key_A);
    QTRY_COMPARE(lesson()->status, search::ItemStatus::Active);
    QVERIFY(tip("memory.approve").contains(QStringLiteral("in use already")));
    QTest::keyClick(m_window.get(), Qt::Key_P);
    QTRY_VERIFY(lesson()->pinned);
    QTest::keyClick(m_window.get(), Qt::Key_P);
    QTRY_VERIFY(!lesson()->pinned);
    // A person's word, and durable.
    const auto reader = store::RunReader::openForReading(
        m_folder->filePath(QStringLiteral("run.accelopt")).toStdString());
    ACCELOPT_VERIFY_OK(reader);
    auto &open = const_cast<store::RunReader &>(*reader);
    const auto events = open.eventsAfter(0);
    ACCELOPT_VERIFY_OK(events);
    QCOMPARE(events->back().actor, std::string("human"));
    QCOMPARE(std::get<PersonDecided>(events->back().body).decision, Decision::UnpinItem);
}

void tst_WorkbenchDecisions::aRejectionAsksForItsReason()
{
    openRun(MemoryPolicy::Fifo);
    QTest::keyClick(m_window.get(), Qt::Key_R);
    QPointer<QDialog> dialog = child<QDialog>("reasonDialog");
    QVERIFY(dialog != nullptr);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    QTest::keyClick(dialog, Qt::Key_2);
    QTRY_VERIFY2(lesson()->status == search::ItemStatus::Rejected,
                 qPrintable(child<NoticeBar>("noticeBar")->text()));
    QCOMPARE(lesson()->fate.text,
             std::string("rejected by a person: Another lesson says the same"));
    QTRY_VERIFY(dialog.isNull());
    QVERIFY(m_window->memory().detailText().contains(QStringLiteral("says the same")));
}

void tst_WorkbenchDecisions::editedWordsReachTheRun()
{
    openRun(MemoryPolicy::Fifo);
    QTest::keyClick(m_window.get(), Qt::Key_E);
    auto *dialog = child<QDialog>("textDialog");
    QVERIFY(dialog != nullptr);
    dialog->findChild<QLineEdit *>(QStringLiteral("textDialogLine"))
        ->setText(QStringLiteral("Load every tile once"));
    dialog->accept();
    QTRY_COMPARE(lesson()->item.title, std::string("Load every tile once"));
    QCOMPARE(lesson()->item.strategy, std::string("Hoist loads out of loops."));
    QCOMPARE(lesson()->originalTitle, std::string("Load once"));
    perform("steer.undo");
    QTRY_COMPARE(lesson()->item.title, std::string("Load once"));
}

void tst_WorkbenchDecisions::decisionsAreUndoneAndDoneAgain()
{
    openRun(MemoryPolicy::Reviewed);
    QVERIFY(tip("steer.undo").contains(QStringLiteral("Nothing was decided")));
    perform("memory.approve");
    QTRY_COMPARE(lesson()->status, search::ItemStatus::Active);
    QCOMPARE(m_window->desk().undoWords(), QStringLiteral("approve “Load once”"));
    QVERIFY(tip("steer.undo").startsWith(QStringLiteral("Undo approve “Load once”")));
    perform("steer.undo");
    // Not merely rejected: it waits again.
    QTRY_COMPARE(lesson()->status, search::ItemStatus::Proposed);
    QCOMPARE(m_window->desk().undoWords(), QString());
    perform("steer.redo");
    QTRY_COMPARE(lesson()->status, search::ItemStatus::Active);
    QVERIFY(m_window->desk().redoWords().isEmpty());
}

void tst_WorkbenchDecisions::cardsTellWhoCarriedALesson()
{
    PlanMade made;
    made.call = CallId("i1.c0.p2.plan");
    made.plan.slot = {1, 0, 2};
    made.plan.title = "Use the lesson";
    made.plan.usedItems = {ItemId("e0.0")};
    openRun(MemoryPolicy::Fifo, {made});
    const QString text = m_window->memory().detailText();
    QVERIFY2(text.contains(QStringLiteral("do this: k1 (1.000 ms simulated) is 2.00× faster than "
                                          "baseline (2.000 ms simulated)")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Prompts that carried it: 1; places won: 0")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("i1.c0.p2 “Use the lesson”: under way")),
             qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("learnt in iteration 1 of 2")));
    QCOMPARE(m_window->memory().shown()->index(0, 0).data(MemoryModel::RecordRole).toString(),
             QStringLiteral("1 prompt, 0 places won"));
}

void tst_WorkbenchDecisions::theRuleAsksForTwoLineages()
{
    openRun(MemoryPolicy::Reviewed);
    QVERIFY(tip("memory.rule").contains(QStringLiteral("No waiting lesson fulfils the rule")));
    QVERIFY(approvableByRule(m_window->document()).empty());
}

void tst_WorkbenchDecisions::aRunOfAnotherProcessTakesNoDecision()
{
    const QString path = m_folder->filePath(QStringLiteral("live.accelopt"));
    const tests::RunParts parts = tests::handMadeRun();
    auto writer = store::RunFile::create(path.toStdString());
    ACCELOPT_VERIFY_OK(writer);
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.first, parts.texts));
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.rest, {}));
    m_window->openFile(path);
    QTRY_VERIFY(m_window->document().writer().written);
    QTRY_VERIFY(m_window->memory().current() != nullptr);
    for (const char *id : {"memory.approve", "memory.pin", "memory.reject", "memory.edit",
                           "steer.pinKernel", "steer.writeKernel", "steer.dropPlan"})
        QVERIFY2(tip(id).contains(QStringLiteral("followed, not steered")), qPrintable(tip(id)));
    const std::int64_t before = m_window->document().state().lastSequence;
    QTest::keyClick(m_window.get(), Qt::Key_P);
    QCOMPARE(m_window->document().state().lastSequence, before);
    ACCELOPT_VERIFY_OK(writer->close());
    QTRY_VERIFY(m_window->commands().action(QStringLiteral("memory.pin"))->isEnabled());
}

void tst_WorkbenchDecisions::kernelsArePinnedAndDropped()
{
    openRun(MemoryPolicy::Fifo);
    QVERIFY(m_window->select(QStringLiteral("k1")));
    const auto record = [this] {
        return search::kernel(m_window->document().state(), m_run.faster);
    };
    QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ShiftModifier);
    QTRY_VERIFY(record()->pinned);
    QVERIFY(m_window->commands().action(QStringLiteral("steer.pinKernel"))->isChecked());
    perform("steer.dropKernel");
    QTRY_VERIFY(record()->dropped);
    QVERIFY(!record()->pinned);
    perform("steer.undo");
    QTRY_VERIFY(!record()->dropped && record()->pinned);
    QVERIFY(m_window->select(QStringLiteral("k2")));
    QVERIFY(tip("steer.pinKernel").contains(QStringLiteral("correct and comparable")));
    QVERIFY(m_window->select(QStringLiteral("baseline")));
    QVERIFY(tip("steer.dropKernel").contains(QStringLiteral("compared with")));
}

void tst_WorkbenchDecisions::aPersonWritesAKernel()
{
    CallFailed failed;
    failed.call = CallId("i1.c0.p2.plan");
    failed.slot = {1, 0, 2};
    failed.reason = "no idea";
    openRun(MemoryPolicy::Fifo, {failed}); // one plan is still open
    // From any kernel; this one is no candidate of the iteration.
    QVERIFY(m_window->select(QStringLiteral("k3")));
    QTRY_VERIFY(
        m_window->document().text(search::kernel(m_window->document().state(), m_run.best)->text));
    perform("steer.writeKernel");
    auto *dialog = child<QDialog>("textDialog");
    QVERIFY(dialog != nullptr);
    auto *text = dialog->findChild<QPlainTextEdit *>(QStringLiteral("textDialogText"));
    QVERIFY(text->toPlainText().startsWith(QString::fromLatin1(tests::kFasterText)));
    const QString source = QStringLiteral("def kernel(x):\n    nl.store(x, nl.silu(nl.load(x)))\n");
    text->setPlainText(source);
    dialog->findChild<QLineEdit *>(QStringLiteral("textDialogLine"))
        ->setText(QStringLiteral("One line"));
    dialog->accept();
    const KernelId written = nki::kernelIdentity(source.toStdString());
    const search::State &state = m_window->document().state();
    QTRY_VERIFY(search::kernel(state, written) != nullptr);
    QCOMPARE(search::kernel(state, written)->origin, search::Origin::Human);
    QCOMPARE(search::kernel(state, written)->parent, m_run.best);
    QCOMPARE(search::plan(state, {1, 0, 3})->plan.title, std::string("One line"));
    QCOMPARE(search::plan(state, {1, 0, 3})->plan.author, std::string("human"));
    QVERIFY(state.openJudgements.size() == 1);
    QVERIFY(tip("steer.writeKernel").contains(QStringLiteral("waits for no plan")));
}

void tst_WorkbenchDecisions::aWrongKernelIsMendedInItsCandidatesPlace()
{
    const search::State &state = m_window->document().state();
    CallFailed failed;
    failed.call = CallId("i1.c0.p2.plan");
    failed.slot = {1, 0, 2};
    failed.reason = "no idea";
    openRun(MemoryPolicy::Fifo, {failed});
    QVERIFY(m_window->select(QStringLiteral("k2")));
    const auto answer = personsKernel(state, m_run.wrong, "Mend it", "def kernel(x):\n    pass\n");
    ACCELOPT_VERIFY_OK(answer);
    m_window->desk().record(answer->bodies, answer->texts);
    QTRY_VERIFY(search::plan(state, {1, 0, 3})->status == search::PlanStatus::Made);
    // What does not work is nothing to measure a gain against.
    QCOMPARE(search::plan(state, {1, 0, 3})->plan.parent, m_run.faster);
    QVERIFY(search::plan(state, {1, 0, 3})->plan.text.find("not correct") != std::string::npos);
}

void tst_WorkbenchDecisions::aPersonWritesAndDropsPlans()
{
    PlanMade made;
    made.call = CallId("i1.c0.p2.plan");
    made.plan.slot = {1, 0, 2};
    made.plan.title = "An agent's idea";
    made.plan.text = "Do it.";
    openRun(MemoryPolicy::Fifo, {made});
    PlanPane &plans = m_window->plans();
    QCOMPARE(plans.model()->rowCount(), 4);
    const auto field = [&](int row, int column) {
        return plans.model()->index(row, column).data().toString();
    };
    QCOMPARE(field(2, PlanModel::State), QStringLiteral("1 of 1 to write"));
    QCOMPARE(field(3, PlanModel::State), QStringLiteral("not asked yet"));
    plans.select(2);
    perform("steer.writePlan");
    auto *dialog = child<QDialog>("textDialog");
    QVERIFY(dialog != nullptr);
    auto *line = dialog->findChild<QLineEdit *>(QStringLiteral("textDialogLine"));
    QCOMPARE(line->text(), QStringLiteral("An agent's idea"));
    line->setText(QStringLiteral("A better idea"));
    dialog->accept();
    QTRY_COMPARE(field(2, PlanModel::Title), QStringLiteral("A better idea"));
    QCOMPARE(field(2, PlanModel::Author), QStringLiteral("human"));
    perform("steer.dropPlan");
    QTRY_COMPARE(field(2, PlanModel::State), QStringLiteral("no kernel"));
    plans.select(3);
    perform("steer.dropPlan");
    QTRY_COMPARE(field(3, PlanModel::State), QStringLiteral("no plan"));
    QVERIFY(tip("steer.dropPlan").contains(QStringLiteral("written already")));
}

void tst_WorkbenchDecisions::whatTheRunWouldIgnoreIsRefused()
{
    openRun(MemoryPolicy::Fifo);
    const std::int64_t before = m_window->document().state().lastSequence;
    PersonDecided nonsense;
    nonsense.decision = Decision::PinKernel;
    nonsense.kernel = KernelId("unknown");
    m_window->desk().decide(nonsense, QStringLiteral("pin nothing"));
    QCOMPARE(m_window->desk().undoWords(), QStringLiteral("pin nothing"));
    auto *notice = child<NoticeBar>("noticeBar");
    QTRY_VERIFY2(notice->text().contains(QStringLiteral("the run has no kernel unknown")),
                 qPrintable(notice->text()));
    QVERIFY(m_window->desk().undoWords().isEmpty());
    QCOMPARE(m_window->document().state().lastSequence, before);
}

ACCELOPT_TEST(tst_WorkbenchDecisions)
#include "tst_WorkbenchDecisions.moc"
