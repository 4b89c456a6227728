// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/SearchDriver.h"

#include "tests/support/TestMain.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/WorkbenchWindow.h"

#include <QAction>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

/// A search of the window's own, driven as a person drives it. Here and not with the other tests of
/// widgets because it needs the simulator.
class tst_SearchDriver : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void stepsPausesGoesOnAndEnds();
    void closingWhileItRunsAsksOnce();
    void refusesAnUnknownTaskInWords();

private:
    runner::RunRequest request() const;
    QAction *action(const char *id) const
    {
        return m_window->commands().action(QString::fromLatin1(id));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchWindow> m_window;
};

void tst_SearchDriver::init()
{
    m_window.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->show();
}

runner::RunRequest tst_SearchDriver::request() const
{
    runner::RunRequest request;
    request.config.shape = "lab";
    request.config.iterations = 2;
    request.config.plansPerCandidate = 2;
    request.config.beamWidth = 1;
    request.workers = 1;
    request.out = m_folder->filePath(QStringLiteral("run.accelopt")).toStdString();
    return request;
}

void tst_SearchDriver::stepsPausesGoesOnAndEnds()
{
    using Status = SearchDriver::Status;
    SearchDriver &driver = m_window->driver();
    RunDocument &document = m_window->document();
    connect(&driver, &SearchDriver::fileMade, &document, [&](const QString &file) {
        if (!document.isOpen())
            document.open(file);
    });
    driver.start(request(), runner::Advance::Item);
    QTRY_COMPARE_WITH_TIMEOUT(driver.status(), Status::Paused, 60000);
    // One item: the judgement of the baseline, and nothing more.
    QTRY_VERIFY(search::speedupOverBaseline(document.state(), document.state().opened.baseline) >
                0);
    QCOMPARE(document.kernels().size(), std::size_t(1));
    QVERIFY(action("run.run")->isEnabled());
    QVERIFY(!action("run.pause")->isEnabled());
    QVERIFY(action("run.stepItem")->isEnabled());

    action("run.stepIteration")->trigger();
    QVERIFY(!action("run.stepItem")->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(driver.status(), Status::Paused, 60000);
    QVERIFY(document.state().phase != search::Phase::Finished);

    action("run.run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(driver.status(), Status::Finished, 60000);
    QTRY_COMPARE(document.state().phase, search::Phase::Finished);
    QVERIFY(document.state().complaints.empty());
    QTRY_VERIFY(!document.writer().written);
    QVERIFY(!action("run.run")->isEnabled());
    QVERIFY(action("run.run")->toolTip().contains(QStringLiteral("finished")));
    QVERIFY(m_window->statusText().startsWith(QStringLiteral("Finished")));
}

void tst_SearchDriver::closingWhileItRunsAsksOnce()
{
    QSignalSpy closed(&m_window->driver(), &SearchDriver::closed);
    m_window->startSearch(request());
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().isOpen(), 60000);
    QVERIFY(!m_window->close());
    auto *box = m_window->findChild<QMessageBox *>(QStringLiteral("leaveBox"));
    QVERIFY(box != nullptr);
    QVERIFY(m_window->isVisible());
    QVERIFY(!m_window->close());
    QCOMPARE(m_window->findChildren<QMessageBox *>().size(), 1);
    for (QAbstractButton *button : box->buttons())
        if (box->buttonRole(button) == QMessageBox::DestructiveRole)
            button->click();
    QTRY_VERIFY(!m_window->isVisible());
    QCOMPARE(closed.count(), 1);
    // What was written can be gone on with.
    m_window->show();
    const QString file = m_folder->filePath(QStringLiteral("run.accelopt"));
    m_window->openFile(file);
    QTRY_VERIFY(m_window->document().loaded());
    QVERIFY2(action("run.run")->isEnabled(), qPrintable(action("run.run")->toolTip()));
    action("run.run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), SearchDriver::Status::Finished, 60000);
}

void tst_SearchDriver::refusesAnUnknownTaskInWords()
{
    QSignalSpy refused(&m_window->driver(), &SearchDriver::refused);
    runner::RunRequest wrong = request();
    wrong.task = "no-such-task";
    m_window->startSearch(wrong);
    QTRY_COMPARE(refused.count(), 1);
    QVERIFY(refused.front().front().toString().contains(QStringLiteral("no-such-task")));
    QCOMPARE(refused.front().back().toInt(), 2);
    QCOMPARE(m_window->driver().status(), SearchDriver::Status::None);
    QVERIFY(!m_window->document().isOpen());
}

ACCELOPT_TEST(tst_SearchDriver)
#include "tst_SearchDriver.moc"
