// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/diff/DiffView.h"
#include "widgets/roofline/RooflineView.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/FilterBar.h"
#include "widgets/window/Palette.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextBrowser>

using namespace accelopt;
using namespace accelopt::widgets;

class tst_WorkbenchLayout : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void layoutsShowWhatTheyAreFor_data();
    void layoutsShowWhatTheyAreFor();
    void teachingSaysWhatIsSeen();
    void chipsMakeOthersFaint();
    void everyPaneIsReachedByKeys();
    void theKeySheetNamesEveryCommand();
    void thePaletteFindsEveryCommand();
    void goingToAnythingFindsKernelsAndLessons();
    void theRooflineFollowsTheSelection();
    void whatWasLeftIsTakenUpAgain();

private:
    void openRun();
    void perform(const char *id) { m_window->commands().perform(QString::fromLatin1(id)); }
    template <typename Widget> Widget *child(const char *name) const
    {
        return m_window->findChild<Widget *>(QString::fromLatin1(name));
    }
    void makeWindow();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchWindow> m_window;
    tests::HandMadeRun m_run;
};

void tst_WorkbenchLayout::makeWindow()
{
    m_window.reset();
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->resize(1280, 800);
}

void tst_WorkbenchLayout::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    makeWindow();
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void tst_WorkbenchLayout::cleanup()
{
    m_window.reset();
    m_theme.reset();
}

void tst_WorkbenchLayout::openRun()
{
    const QString file = m_folder->filePath(QStringLiteral("run.accelopt"));
    const auto run = tests::writeHandMadeRun(file.toStdString());
    ACCELOPT_VERIFY_OK(run);
    m_run = *run;
    m_window->openFile(file);
    QTRY_VERIFY(m_window->settled());
}

void tst_WorkbenchLayout::layoutsShowWhatTheyAreFor_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QStringList>("shown");
    QTest::addColumn<QStringList>("hidden");
    QTest::newRow("searching: everything, with the comparison")
        << QStringLiteral("view.search")
        << QStringList{QStringLiteral("kernelTree"), QStringLiteral("kernelList"),
                       QStringLiteral("memoryPane"), QStringLiteral("diffRight"),
                       QStringLiteral("roofline")}
        << QStringList{QStringLiteral("teachHint"), QStringLiteral("chartView")};
    QTest::newRow("comparing: no tree")
        << QStringLiteral("view.compare")
        << QStringList{QStringLiteral("diffLeft"), QStringLiteral("diffRight")}
        << QStringList{QStringLiteral("kernelTree"), QStringLiteral("kernelList"),
                       QStringLiteral("memoryPane"), QStringLiteral("roofline")};
    QTest::newRow("teaching: a sentence, and no lists")
        << QStringLiteral("view.teach")
        << QStringList{QStringLiteral("kernelTree"), QStringLiteral("teachHint"),
                       QStringLiteral("roofline")}
        << QStringList{QStringLiteral("kernelList"), QStringLiteral("memoryPane")};
    QTest::newRow("presenting: tree and charts alone")
        << QStringLiteral("view.present")
        << QStringList{QStringLiteral("kernelTree"), QStringLiteral("chartPane")}
        << QStringList{QStringLiteral("kernelList"), QStringLiteral("memoryPane"),
                       QStringLiteral("roofline"), QStringLiteral("diffRight"),
                       QStringLiteral("filterBar")};
}

void tst_WorkbenchLayout::layoutsShowWhatTheyAreFor()
{
    QFETCH(const QString, command);
    QFETCH(const QStringList, shown);
    QFETCH(const QStringList, hidden);
    openRun();
    m_window->commands().perform(command);
    QTRY_VERIFY(m_window->settled());
    for (const QString &name : shown)
        QVERIFY2(m_window->findChild<QWidget *>(name)->isVisible(), qPrintable(name));
    for (const QString &name : hidden)
        QVERIFY2(!m_window->findChild<QWidget *>(name)->isVisible(), qPrintable(name));
}

void tst_WorkbenchLayout::teachingSaysWhatIsSeen()
{
    openRun();
    perform("view.teach");
    auto *hint = child<QLabel>("teachHint");
    QVERIFY(m_window->select(QStringLiteral("k1")));
    QVERIFY2(hint->text().startsWith(
                 QStringLiteral("k1 was made from baseline by the plan “Load once”. It takes 1.000 "
                                "ms simulated instead of 2.000 ms: ▲ 2.00×.")),
             qPrintable(hint->text()));
    QVERIFY(hint->text().contains(QStringLiteral("the DMA, which moves data, is busy (60 %)")));
    QVERIFY(m_window->select(QStringLiteral("k2")));
    QVERIFY2(hint->text().contains(QStringLiteral("row 3 differs")), qPrintable(hint->text()));
    QVERIFY(m_window->font().pointSizeF() > QApplication::font().pointSizeF());
    perform("view.search");
    QCOMPARE(m_window->font().pointSizeF(), QApplication::font().pointSizeF());
}

void tst_WorkbenchLayout::chipsMakeOthersFaint()
{
    openRun();
    KernelTreeCanvas &tree = m_window->tree();
    QCOMPARE(tree.fitting(), 3);
    perform("filter.faster");
    QCOMPARE(tree.fitting(), 2);
    QCOMPARE(m_window->filters().countText(), QStringLiteral("2 of 3 kernels"));
    QVERIFY(m_window->commands().action(QStringLiteral("filter.faster"))->isChecked());
    perform("filter.compute-bound");
    QCOMPARE(tree.fitting(), 0);
    // Nothing has gone: it is still there to be chosen.
    QVERIFY(!tree.placeOf(m_run.best).isNull());
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QCOMPARE(tree.fitting(), 3);
    QVERIFY(m_window->filters().countText().isEmpty());
}

void tst_WorkbenchLayout::everyPaneIsReachedByKeys()
{
    openRun();
    const std::pair<Qt::Key, const char *> panes[] = {
        {Qt::Key_1, "kernelTree"},  {Qt::Key_2, "diffRight"}, {Qt::Key_3, "kernelTable"},
        {Qt::Key_4, "memoryTable"}, {Qt::Key_5, nullptr},     {Qt::Key_6, nullptr},
        {Qt::Key_7, "roofline"},    {Qt::Key_8, "chartKind"}};
    for (const auto &[key, name] : panes) {
        QTest::keyClick(m_window.get(), key, Qt::AltModifier);
        QWidget *focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr);
        if (name != nullptr)
            QTRY_COMPARE(QApplication::focusWidget()->objectName(), QString::fromLatin1(name));
    }
}

void tst_WorkbenchLayout::theKeySheetNamesEveryCommand()
{
    QTest::keyClick(m_window.get(), Qt::Key_Question);
    auto *sheet = child<QTextBrowser>("keySheetText");
    QVERIFY(sheet != nullptr);
    const QString text = sheet->toPlainText();
    for (const Command &command : m_window->commands().commands()) {
        QVERIFY2(text.contains(plainText(command.text)), qPrintable(command.id));
        for (const QKeySequence &key : command.keys)
            QVERIFY2(text.contains(key.toString(QKeySequence::NativeText)), qPrintable(command.id));
    }
}

void tst_WorkbenchLayout::thePaletteFindsEveryCommand()
{
    openRun();
    perform("help.palette");
    auto *palette = child<Palette>("palette");
    QVERIFY(palette != nullptr);
    QCOMPARE(palette->shown().size(), qsizetype(m_window->commands().commands().size()));
    auto *field = palette->findChild<QLineEdit *>();
    QTest::keyClicks(field, QStringLiteral("breakpoint new"));
    QCOMPARE(palette->shown(),
             QStringList{QStringLiteral("Steer: Halt when there is a new best kernel")});
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_window->driver().breakPoints(), std::set<BreakPoint>{BreakPoint::NewBest});
}

void tst_WorkbenchLayout::goingToAnythingFindsKernelsAndLessons()
{
    openRun();
    QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier);
    auto *palette = child<Palette>("palette");
    QVERIFY(palette != nullptr);
    QCOMPARE(palette->shown().size(), 5); // four kernels and a lesson
    auto *field = palette->findChild<QLineEdit *>();
    QTest::keyClicks(field, QStringLiteral("k1"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_window->hub().current(), m_run.faster);
}

void tst_WorkbenchLayout::theRooflineFollowsTheSelection()
{
    openRun();
    auto *roofline = child<RooflineView>("roofline");
    // The made-up profiles lack traffic, so there is nothing to place, and that is said.
    m_window->grab();
    QVERIFY(roofline->shown().points.empty());
    QVERIFY(roofline->shown().bytesPerSecond > 0);
    QVERIFY(!roofline->shown().ceilings.empty());
}

void tst_WorkbenchLayout::whatWasLeftIsTakenUpAgain()
{
    m_window->keepSession(Reopen::LastRun);
    openRun();
    perform("view.teach");
    perform("view.contrast");
    perform("filter.beam");
    perform("break.new-best");
    QVERIFY(m_window->compare(QStringLiteral("baseline"), QStringLiteral("k1")));
    m_window->close();
    makeWindow();
    m_window->keepSession(Reopen::LastRun);
    m_window->show();
    QTRY_VERIFY(m_window->settled());
    QCOMPARE(m_window->document().file(), QString::fromStdString(m_run.file.string()));
    QTRY_COMPARE(m_window->hub().current(), m_run.faster);
    QCOMPARE(m_window->hub().second(), m_run.baseline);
    QCOMPARE(m_window->layoutKind(), Layout::Teach);
    QCOMPARE(m_theme->kind(), ThemeKind::HighContrast);
    QCOMPARE(m_window->tree().filter(), std::set<FilterChip>{FilterChip::Beam});
    QVERIFY(m_window->driver().breakPoints().contains(BreakPoint::NewBest));
    // A run that is gone is not missed.
    m_window->close();
    m_window.reset();
    std::filesystem::remove(m_run.file);
    makeWindow();
    m_window->keepSession(Reopen::LastRun);
    m_window->show();
    QVERIFY(!m_window->document().isOpen());
    m_theme->setKind(ThemeKind::Light);
}

ACCELOPT_TEST(tst_WorkbenchLayout)
#include "tst_WorkbenchLayout.moc"
