// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/diff/DiffView.h"
#include "widgets/memory/MemoryPane.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/scratchpad/ScratchpadPane.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/window/KernelListPane.h"
#include "widgets/window/SelectionHub.h"

#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <Qsci/qsciscintilla.h>

using namespace accelopt;
using namespace accelopt::widgets;

/// An engineer's day without a mouse.
class tst_WorkbenchKeys : public QObject
{
    Q_OBJECT

private slots:
    void aDayByKeys();

private:
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(m_window.get(), Qt::Key(key), modifiers);
    }
    QString current() const { return m_window->document().name(m_window->hub().current()); }
    bool focusIsIn(const QWidget &pane) const
    {
        const QWidget *focus = QApplication::focusWidget();
        return focus != nullptr && (focus == &pane || pane.isAncestorOf(focus));
    }

    std::unique_ptr<WorkbenchWindow> m_window;
};

void tst_WorkbenchKeys::aDayByKeys()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run.accelopt"));
    ACCELOPT_VERIFY_OK(tests::writeHandMadeRun(path.toStdString()));
    Theme theme(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, &theme);
    m_window->resize(1280, 800);
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_window->openFile(path);
    QTRY_VERIFY(m_window->settled());

    // To the tree, along it, and back to the best kernel.
    press(Qt::Key_1, Qt::AltModifier);
    QVERIFY(focusIsIn(m_window->tree()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Home);
    QCOMPARE(current(), QStringLiteral("baseline"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
    QCOMPARE(current(), QStringLiteral("k1"));
    press(Qt::Key_BracketRight);
    QCOMPARE(current(), QStringLiteral("k3"));
    press(Qt::Key_BracketLeft);
    QCOMPARE(current(), QStringLiteral("k1"));
    press(Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(current(), QStringLiteral("k3"));

    // What changed against its parent, then against the baseline, then the other way round.
    press(Qt::Key_C);
    QTRY_VERIFY(m_window->diff().hasTexts());
    press(Qt::Key_C, Qt::ShiftModifier);
    QTRY_VERIFY(!m_window->diff().alignment().changes.empty());
    press(Qt::Key_Down, Qt::AltModifier);
    QVERIFY(m_window->diff().currentChange() >= 0);
    press(Qt::Key_X);
    QCOMPARE(current(), QStringLiteral("baseline"));

    // Find a kernel by a word of its plan, and go to it.
    press(Qt::Key_F, Qt::ControlModifier);
    auto *list = m_window->findChild<KernelListPane *>();
    QVERIFY(focusIsIn(*list));
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("load once"));
    auto *table = list->findChild<QTableView *>();
    QCOMPARE(table->model()->rowCount(), 1);
    press(Qt::Key_3, Qt::AltModifier);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QCOMPARE(current(), QStringLiteral("k1"));
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Delete);
    QCOMPARE(table->model()->rowCount(), 4);

    // Pin it, and take that back.
    press(Qt::Key_1, Qt::AltModifier);
    press(Qt::Key_P, Qt::ShiftModifier);
    const search::State &state = m_window->document().state();
    QTRY_COMPARE(state.pinned.size(), std::size_t(1));
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(state.pinned.empty());

    // A lesson is pinned.
    press(Qt::Key_4, Qt::AltModifier);
    QVERIFY(focusIsIn(m_window->memory()));
    press(Qt::Key_P);
    QTRY_VERIFY(search::item(state, ItemId("e0.0"))->pinned);

    // Go to anything, by typing.
    press(Qt::Key_P, Qt::ControlModifier);
    QDialog *palette = nullptr;
    QTRY_VERIFY((palette = m_window->findChild<QDialog *>()) != nullptr);
    QVERIFY(QTest::qWaitForWindowActive(palette));
    auto *line = palette->findChild<QLineEdit *>();
    QTest::keyClicks(line, QStringLiteral("k2"));
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_COMPARE(current(), QStringLiteral("k2"));

    // Every pane of the lower half is a key away, and the scratchpad takes the kernel along.
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    auto *lower = m_window->findChild<QTabWidget *>(QStringLiteral("lowerTabs"));
    for (const auto &[key, title] :
         {std::pair(Qt::Key_8, "Charts"), std::pair(Qt::Key_9, "Timeline"),
          std::pair(Qt::Key_0, "Scratchpad"), std::pair(Qt::Key_W, "What if"),
          std::pair(Qt::Key_J, "Jobs"), std::pair(Qt::Key_D, "Board"),
          std::pair(Qt::Key_2, "Comparison")}) {
        press(key, Qt::AltModifier);
        const QString shown = lower->tabText(lower->currentIndex());
        QVERIFY2(shown.startsWith(QLatin1String(title)), qPrintable(shown));
    }
    press(Qt::Key_E, Qt::ControlModifier);
    QTRY_VERIFY(!m_window->scratchpad().source().empty());
    QCOMPARE(m_window->document().name(m_window->scratchpad().from()), QStringLiteral("k2"));

    // The layouts, the theme, and the way back to the start page.
    press(Qt::Key_2, Qt::ControlModifier);
    QVERIFY(m_window->layoutKind() == Layout::Compare);
    press(Qt::Key_1, Qt::ControlModifier);
    QVERIFY(m_window->layoutKind() == Layout::Search);
    press(Qt::Key_T, Qt::ControlModifier);
    QVERIFY(theme.kind() == ThemeKind::Dark);
    press(Qt::Key_W, Qt::ControlModifier);
    QTRY_VERIFY(!m_window->document().isOpen());
    m_window.reset();
}

ACCELOPT_TEST(tst_WorkbenchKeys)
#include "tst_WorkbenchKeys.moc"
