// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/details/KernelCard.h"
#include "widgets/diff/DiffView.h"
#include "widgets/gauges/EngineGauges.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/NoticeBar.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QLabel>
#include <QMenuBar>
#include <QScrollBar>
#include <QSet>
#include <QTemporaryDir>
#include <Qsci/qsciscintilla.h>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_WorkbenchWindow : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void commandsHaveTextHelpAndKeysOfTheirOwn();
    void commandsThatCannotBeDoneSayWhy();
    void startsWithoutARun();
    void showsARunFile();
    void selectingAKernelReachesEveryPane();
    void aFailedKernelShowsItsVerdict();
    void textOfAgentsIsNeverMarkup();
    void arrowKeysWalkTheTree();
    void pointingTellsWhatIsThere();
    void bothSidesScrollTogether();
    void aRunOfAnotherProcessIsFollowedNotSteered();
    void theThemeReachesEveryPane();
    void aWrongFileIsExplainedAndLeavesTheStartPage();

private:
    void openRun();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchWindow> m_window;
    tests::HandMadeRun m_run;
};

void tst_WorkbenchWindow::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void tst_WorkbenchWindow::cleanup()
{
    m_window.reset();
    m_theme.reset();
}

void tst_WorkbenchWindow::openRun()
{
    const QString file = m_folder->filePath(QStringLiteral("a run.accelopt"));
    const auto run = tests::writeHandMadeRun(file.toStdString());
    ACCELOPT_VERIFY_OK(run);
    m_run = *run;
    m_window->openFile(file);
    QTRY_VERIFY(m_window->settled());
}

void tst_WorkbenchWindow::commandsHaveTextHelpAndKeysOfTheirOwn()
{
    QSet<QString> ids;
    QSet<QString> keys;
    for (const Command &command : m_window->commands().commands()) {
        QVERIFY2(!command.text.isEmpty() && !command.help.isEmpty() && !command.menu.isEmpty(),
                 qPrintable(command.id));
        QVERIFY2(!ids.contains(command.id), qPrintable(command.id));
        ids.insert(command.id);
        QVERIFY(m_window->commands().action(command.id) != nullptr);
        for (const QKeySequence &key : command.keys) {
            QVERIFY2(!keys.contains(key.toString()),
                     qPrintable(command.id + QLatin1Char(' ') + key.toString()));
            keys.insert(key.toString());
        }
    }
    QVERIFY(ids.size() > 20);
    // Every command stands in a menu.
    int inMenus = 0;
    for (const QAction *menu : m_window->menuBar()->actions())
        for (const QAction *action : menu->menu()->actions())
            inMenus += action->isSeparator() ? 0 : 1;
    QCOMPARE(inMenus, int(ids.size()));
}

void tst_WorkbenchWindow::commandsThatCannotBeDoneSayWhy()
{
    QAction *run = m_window->commands().action(QStringLiteral("run.run"));
    QVERIFY(!run->isEnabled());
    QVERIFY(run->toolTip().contains(QStringLiteral("Open a run or start a search first")));
    openRun();
    // The run was left before its end, and nobody writes it: it can be gone on with.
    QVERIFY2(run->isEnabled(), qPrintable(run->toolTip()));
    QAction *pause = m_window->commands().action(QStringLiteral("run.pause"));
    QVERIFY(!pause->isEnabled());
    QVERIFY(pause->toolTip().contains(QStringLiteral("Nothing is running")));
}

void tst_WorkbenchWindow::startsWithoutARun()
{
    QVERIFY(m_window->findChild<QWidget *>(QStringLiteral("startPage"))->isVisible());
    QVERIFY(!m_window->tree().isVisible());
    QVERIFY(!m_window->findChild<QWidget *>(QStringLiteral("kernelList"))->isVisible());
    QCOMPARE(m_window->statusText(), QStringLiteral("No run is open"));
}

void tst_WorkbenchWindow::showsARunFile()
{
    openRun();
    QVERIFY(m_window->tree().isVisible());
    QVERIFY(!m_window->findChild<QWidget *>(QStringLiteral("startPage"))->isVisible());
    QCOMPARE(m_window->hub().current(), m_run.best);
    const QString status = m_window->statusText();
    QVERIFY2(status.contains(QStringLiteral("iteration 2 of 2")), qPrintable(status));
    QVERIFY2(status.contains(QStringLiteral("best 0.8000 ms, ▲ 2.50× (simulated)")),
             qPrintable(status));
    QVERIFY2(status.contains(QStringLiteral("4 tried")), qPrintable(status));
    QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("silu · 0.8000 ms simulated")));
    const QImage picture = m_window->grab().toImage();
    QCOMPARE(picture.size(), QSize(1280, 800) * m_window->devicePixelRatioF());
    // The best kernel's node is painted where the tree says it is.
    const QRectF place = m_window->tree().placeOf(m_run.best);
    QVERIFY(!place.isNull());
    const QPoint inside = m_window->tree().viewport()->mapTo(
        m_window.get(), (place.topLeft() + QPointF(place.width() / 2, 4)).toPoint());
    QCOMPARE(picture.pixelColor(inside).name(),
             Theme::color(ThemeKind::Light, Tone::BestPaper).name());
}

void tst_WorkbenchWindow::selectingAKernelReachesEveryPane()
{
    openRun();
    QVERIFY(m_window->select(QStringLiteral("k1")));
    QTRY_VERIFY(m_window->diff().hasTexts());
    QTRY_VERIFY(m_window->diff().right()->text().contains(QStringLiteral("nl.silu")));
    QTRY_VERIFY(m_window->diff().left()->text().startsWith(
        QStringLiteral("# baseline, 2.000 ms simulated\ndef kernel(x):")));
    QVERIFY(m_window->diff().right()->text().startsWith(QStringLiteral("# k1, 1.000 ms")));
    QVERIFY(!m_window->diff().alignment().changes.empty());
    QCOMPARE(m_window->findChild<QLabel *>(QStringLiteral("cardLatency"))->text(),
             QStringLiteral("1.000 ms"));
    QVERIFY(m_window->findChild<QLabel *>(QStringLiteral("cardKind"))
                ->text()
                .contains(QStringLiteral("simulated on trn1")));
    const auto *gauges = m_window->findChild<EngineGauges *>();
    QCOMPARE(gauges->rows().size(), std::size_t(6));
    QCOMPARE(gauges->rows()[1].value, 0.4);
    QCOMPARE(gauges->rows()[1].reference.value_or(-1), 0.2);
    const auto *card = m_window->findChild<KernelCard *>();
    QVERIFY(card->tabText(QStringLiteral("plan")).contains(QStringLiteral("Do this: Load once.")));
    QVERIFY(card->tabText(QStringLiteral("findings")).contains(QStringLiteral("larger tiles")));
    QVERIFY(!card->tabText(QStringLiteral("why")).isEmpty());
}

void tst_WorkbenchWindow::aFailedKernelShowsItsVerdict()
{
    openRun();
    QVERIFY(m_window->select(QStringLiteral("k2")));
    const auto *card = m_window->findChild<KernelCard *>();
    QTRY_VERIFY(card->tabText(QStringLiteral("verdict")).contains(QLatin1Char('^')));
    const QString verdict = card->tabText(QStringLiteral("verdict"));
    QVERIFY2(verdict.contains(QStringLiteral("Line 2: row 3 differs from the reference")),
             qPrintable(verdict));
    QVERIFY(verdict.contains(QStringLiteral("nl.store(x, x[1])")));
    QVERIFY(verdict.contains(QStringLiteral("store the row that was loaded")));
    QCOMPARE(m_window->findChild<QLabel *>(QStringLiteral("cardLatency"))->text(),
             QStringLiteral("≠ wrong result"));
}

void tst_WorkbenchWindow::textOfAgentsIsNeverMarkup()
{
    openRun();
    QVERIFY(m_window->select(QStringLiteral("k2")));
    const auto *card = m_window->findChild<KernelCard *>();
    QVERIFY(card->tabText(QStringLiteral("plan")).contains(QStringLiteral("<b>wrong</b>")));
    QTRY_VERIFY(
        card->tabText(QStringLiteral("verdict")).contains(QStringLiteral("<b>not bold</b>")));
}

void tst_WorkbenchWindow::arrowKeysWalkTheTree()
{
    openRun();
    KernelTreeCanvas &tree = m_window->tree();
    tree.setFocus();
    QTest::keyClick(&tree, Qt::Key_Left);
    QCOMPARE(m_window->hub().current(), m_run.faster);
    QTest::keyClick(&tree, Qt::Key_Left);
    QCOMPARE(m_window->hub().current(), m_run.baseline);
    QTest::keyClick(&tree, Qt::Key_Left);
    QCOMPARE(m_window->hub().current(), m_run.baseline);
    QTest::keyClick(&tree, Qt::Key_Right);
    QCOMPARE(m_window->hub().current(), m_run.faster);
    QTest::keyClick(&tree, Qt::Key_End);
    QCOMPARE(m_window->hub().current(), m_run.best);
}

void tst_WorkbenchWindow::pointingTellsWhatIsThere()
{
    openRun();
    KernelTreeCanvas &tree = m_window->tree();
    const QString node = tree.tipAt(tree.placeOf(m_run.faster).center().toPoint());
    QVERIFY2(node.contains(QStringLiteral("1.000 ms simulated")), qPrintable(node));
    QVERIFY(node.contains(QStringLiteral("Load once")));
    const QString failed = tree.tipAt(tree.placeOf(m_run.wrong).center().toPoint());
    QVERIFY2(failed.contains(QStringLiteral("row 3 differs")), qPrintable(failed));
    QVERIFY(tree.tipAt({2, 2}).isEmpty());
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                      tree.placeOf(m_run.wrong).center().toPoint());
    QCOMPARE(m_window->hub().current(), m_run.wrong);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, Qt::ControlModifier,
                      tree.placeOf(m_run.baseline).center().toPoint());
    QCOMPARE(m_window->hub().current(), m_run.wrong);
    QCOMPARE(m_window->hub().second(), m_run.baseline);
}

void tst_WorkbenchWindow::bothSidesScrollTogether()
{
    DiffView &diff = m_window->diff();
    std::string left;
    std::string right;
    for (int i = 0; i < 200; ++i) {
        left += "line " + std::to_string(i) + "\n";
        right += "line " + std::to_string(i) + "\n";
        if (i == 50)
            right += "one\ntwo\nthree\n";
    }
    openRun();
    diff.compare(left, QStringLiteral("left"), right, QStringLiteral("right"));
    QCOMPARE(diff.left()->verticalScrollBar()->maximum(),
             diff.right()->verticalScrollBar()->maximum());
    diff.right()->verticalScrollBar()->setValue(120);
    QCOMPARE(diff.left()->verticalScrollBar()->value(), 120);
    diff.nextChange();
    QCOMPARE(diff.currentChange(), 0);
    int line = 0;
    int column = 0;
    diff.right()->getCursorPosition(&line, &column);
    QCOMPARE(line, 52); // below the title and the lines 0 to 50
    QCOMPARE(diff.left()->verticalScrollBar()->value(), diff.right()->verticalScrollBar()->value());
    diff.nextChange();
    QCOMPARE(diff.currentChange(), 0);
}

void tst_WorkbenchWindow::aRunOfAnotherProcessIsFollowedNotSteered()
{
    const tests::RunParts parts = tests::handMadeRun();
    const QString file = m_folder->filePath(QStringLiteral("live.accelopt"));
    auto writer = store::RunFile::create(file.toStdString());
    ACCELOPT_VERIFY_OK(writer);
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.first, parts.texts));
    m_window->openFile(file);
    QTRY_VERIFY(m_window->document().writer().written);
    QTRY_COMPARE(m_window->document().kernels().size(), std::size_t(3));
    for (const char *id :
         {"run.run", "run.pause", "run.stepItem", "run.stepIteration", "run.stop"}) {
        QAction *action = m_window->commands().action(QString::fromLatin1(id));
        QVERIFY2(!action->isEnabled(), id);
        QVERIFY2(action->toolTip().contains(QStringLiteral("followed, not steered")),
                 qPrintable(action->toolTip()));
    }
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.rest, {}));
    QTRY_COMPARE(m_window->document().kernels().size(), std::size_t(4));
    QTRY_COMPARE(m_window->hub().current(), parts.run.best);
    ACCELOPT_VERIFY_OK(writer->close());
    QTRY_VERIFY(m_window->commands().action(QStringLiteral("run.run"))->isEnabled());
}

void tst_WorkbenchWindow::theThemeReachesEveryPane()
{
    openRun();
    m_window->commands().perform(QStringLiteral("view.theme"));
    QCOMPARE(m_theme->kind(), ThemeKind::Dark);
    const QImage picture = m_window->grab().toImage();
    for (const char *name : {"kernelTree", "diffLeft", "kernelTable", "why"}) {
        const auto *pane = m_window->findChild<QWidget *>(QString::fromLatin1(name));
        QVERIFY2(pane != nullptr, name);
        const QPoint corner = pane->mapTo(m_window.get(), QPoint(2, pane->height() - 3));
        QVERIFY2(picture.pixelColor(corner).lightness() < 128, name);
    }
    m_theme->setKind(ThemeKind::Light);
}

void tst_WorkbenchWindow::aWrongFileIsExplainedAndLeavesTheStartPage()
{
    m_window->openFile(m_folder->filePath(QStringLiteral("none.accelopt")));
    auto *notice = m_window->findChild<NoticeBar *>();
    QTRY_VERIFY(notice->text().contains(QStringLiteral("none.accelopt")));
    QVERIFY(m_window->findChild<QWidget *>(QStringLiteral("startPage"))->isVisible());
}

ACCELOPT_TEST(tst_WorkbenchWindow)
#include "tst_WorkbenchWindow.moc"
