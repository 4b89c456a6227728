// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "core/store/RunReader.h"
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/NoticeBar.h"
#include "widgets/window/SelectionHub.h"

#include <QAction>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QSettings>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::widgets;

/// Runs that the window takes up: its own after they ended, those of other processes, and those of
/// a window that was killed.
class tst_WorkbenchSteering : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void aStoppedRunIsTakenUp();
    void aFinishedRunGoesOnWithMoreIterations();
    void aKernelFromAnyNodeTakesItsPlaceWhenThereIsRoom();
    void aSearchOfAnotherProcessIsSteered();
    void aKilledWindowOpensAsItWas();

private:
    using Status = SearchDriver::Status;
    runner::RunRequest request(int iterations) const;
    void search(const runner::RunRequest &request, runner::Advance mode);
    QAction *action(const char *id) const
    {
        m_window->commands().refresh();
        return m_window->commands().action(QString::fromLatin1(id));
    }
    const search::State &state() const { return m_window->document().state(); }
    QString file() const { return m_folder->filePath(QStringLiteral("run.accelopt")); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchWindow> m_window;
    std::unique_ptr<QProcess> m_process;
};

void tst_WorkbenchSteering::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->show();
}

void tst_WorkbenchSteering::cleanup()
{
    if (m_process && m_process->state() != QProcess::NotRunning) {
        m_process->kill();
        m_process->waitForFinished();
    }
    m_process.reset();
    m_window.reset();
    m_theme.reset();
}

runner::RunRequest tst_WorkbenchSteering::request(int iterations) const
{
    runner::RunRequest request;
    request.config.shape = "lab";
    request.config.iterations = iterations;
    request.config.plansPerCandidate = 2;
    request.config.beamWidth = 1;
    request.config.patience = 0;
    request.workers = 1;
    request.out = file().toStdString();
    return request;
}

void tst_WorkbenchSteering::search(const runner::RunRequest &request, runner::Advance mode)
{
    m_window->driver().start(request, mode);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(),
                              mode == runner::Advance::Run ? Status::Finished : Status::Paused,
                              60000);
    QTRY_VERIFY(m_window->document().loaded());
}

void tst_WorkbenchSteering::aStoppedRunIsTakenUp()
{
    search(request(2), runner::Advance::Item);
    action("run.stop")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), Status::Finished, 60000);
    QTRY_VERIFY(state().phase == search::Phase::Finished);
    QVERIFY(state().stop.code == search::StopCode::Person);
    QTRY_VERIFY(!m_window->document().writer().written);
    // One step more, then to the end that was meant.
    QTRY_VERIFY2(action("run.stepItem")->isEnabled(),
                 qPrintable(action("run.stepItem")->toolTip()));
    action("run.stepItem")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), Status::Paused, 60000);
    QTRY_VERIFY(state().phase != search::Phase::Finished);
    QVERIFY2(m_window->statusText().startsWith(QStringLiteral("Paused")),
             qPrintable(m_window->statusText()));
    action("run.run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), Status::Finished, 60000);
    QTRY_VERIFY(state().stop.code == search::StopCode::IterationsDone);
    QVERIFY(state().complaints.empty());
}

void tst_WorkbenchSteering::aFinishedRunGoesOnWithMoreIterations()
{
    search(request(1), runner::Advance::Run);
    QTRY_VERIFY(state().phase == search::Phase::Finished);
    QTRY_VERIFY(!m_window->document().writer().written);
    QVERIFY(!action("run.run")->isEnabled());
    QVERIFY2(action("run.run")->toolTip().contains(QStringLiteral("Go on with it")),
             qPrintable(action("run.run")->toolTip()));
    action("run.goOn")->trigger();
    auto *dialog = m_window->findChild<QDialog *>(QStringLiteral("continueDialog"));
    QVERIFY(dialog != nullptr);
    auto *iterations = dialog->findChild<QSpinBox *>(QStringLiteral("continueIterations"));
    QCOMPARE(iterations->value(), 5);
    iterations->setValue(2);
    dialog->accept();
    QTRY_VERIFY_WITH_TIMEOUT(
        state().phase == search::Phase::Finished && state().iterations.size() == 2, 60000);
    QVERIFY(state().complaints.empty());
}

void tst_WorkbenchSteering::aKernelFromAnyNodeTakesItsPlaceWhenThereIsRoom()
{
    // Once the plans of the first iteration are made, none is waited for.
    search(request(2), runner::Advance::Item);
    action("run.stepPhase")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), Status::Paused, 60000);
    QTRY_VERIFY(!state().iterations.empty() && state().openPlans.empty());
    QVERIFY(m_window->select(QStringLiteral("baseline")));
    const search::KernelRecord *baseline = search::kernel(state(), state().opened.baseline);
    QTRY_VERIFY(m_window->document().text(baseline->text));
    QVERIFY2(action("steer.writeKernel")->isEnabled(),
             qPrintable(action("steer.writeKernel")->toolTip()));
    action("steer.writeKernel")->trigger();
    auto *dialog = m_window->findChild<QDialog *>(QStringLiteral("textDialog"));
    QVERIFY(dialog != nullptr);
    auto *text = dialog->findChild<QPlainTextEdit *>(QStringLiteral("textDialogText"));
    text->setPlainText(text->toPlainText() + QStringLiteral("\n# mine\nmine = 1\n"));
    dialog->findChild<QLineEdit *>(QStringLiteral("textDialogLine"))
        ->setText(QStringLiteral("My own"));
    dialog->accept();
    QVERIFY(m_window->findChild<NoticeBar *>(QStringLiteral("noticeBar"))
                ->text()
                .contains(QStringLiteral("until the search asks for plans again")));
    action("run.run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), Status::Finished, 60000);
    QTRY_VERIFY(state().phase == search::Phase::Finished);
    int ofPersons = 0;
    for (const auto &[id, record] : state().kernels)
        if (record.origin == search::Origin::Human) {
            ++ofPersons;
            QCOMPARE(record.parent, state().opened.baseline);
            QCOMPARE(record.iteration, 1);
            QVERIFY(record.judged);
        }
    QCOMPARE(ofPersons, 1);
    QVERIFY(state().complaints.empty());
}

void tst_WorkbenchSteering::aSearchOfAnotherProcessIsSteered()
{
    m_process = std::make_unique<QProcess>();
    m_process->setStandardOutputFile(QProcess::nullDevice());
    m_process->setStandardErrorFile(QProcess::nullDevice());
    m_process->start(tests::kProgram,
                     {QStringLiteral("run"), QStringLiteral("--task"), QStringLiteral("silu"),
                      QStringLiteral("--shape"), QStringLiteral("lab"), QStringLiteral("-T"),
                      QStringLiteral("5000"), QStringLiteral("-N"), QStringLiteral("2"),
                      QStringLiteral("--patience"), QStringLiteral("0"),
                      QStringLiteral("--workers"), QStringLiteral("1"), QStringLiteral("--out"),
                      file()});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file()), 60000);
    m_window->openFile(file());
    QTRY_VERIFY_WITH_TIMEOUT(m_window->driver().otherDriver().reachable, 60000);
    QTRY_VERIFY_WITH_TIMEOUT(action("run.pause")->isEnabled(), 60000);
    action("run.pause")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(
        m_window->statusText().startsWith(QStringLiteral("Paused in process")),
        qPrintable(m_window->statusText()), 60000);
    // It stands still, and takes decisions and steps.
    QTRY_VERIFY(!state().kernels.empty());
    QVERIFY(m_window->select(QStringLiteral("baseline")));
    action("steer.pinKernel")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(state().pinned.size() == 1, 60000);
    const std::int64_t before = state().lastSequence;
    QTRY_VERIFY(action("run.stepItem")->isEnabled());
    action("run.stepItem")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(state().lastSequence > before, 60000);
    QVERIFY(m_process->state() == QProcess::Running);
    QTRY_VERIFY_WITH_TIMEOUT(action("run.stop")->isEnabled(), 60000);
    action("run.stop")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(state().phase == search::Phase::Finished, 60000);
    QCOMPARE(state().stop.code, search::StopCode::Person);
    QTRY_COMPARE_WITH_TIMEOUT(m_process->state(), QProcess::NotRunning, 60000);
    QTRY_VERIFY(!m_window->document().writer().written);
}

void tst_WorkbenchSteering::aKilledWindowOpensAsItWas()
{
    m_window.reset();
    m_process = std::make_unique<QProcess>();
    m_process->setStandardErrorFile(QProcess::nullDevice());
    m_process->start(QStringLiteral(ACCELOPT_BIN_DIR "/accelopt-workbench"),
                     {QStringLiteral("--run"), QStringLiteral("--task"), QStringLiteral("silu"),
                      QStringLiteral("--shape"), QStringLiteral("lab"), QStringLiteral("-T"),
                      QStringLiteral("5000"), QStringLiteral("--patience"), QStringLiteral("0"),
                      QStringLiteral("--workers"), QStringLiteral("1"), QStringLiteral("--theme"),
                      QStringLiteral("dark"), QStringLiteral("--layout"), QStringLiteral("compare"),
                      QStringLiteral("--out"), file()});
    // What is to be restored is written down by now.
    const auto kept = [] {
        return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("accelopt"),
                         QStringLiteral("workbench"))
            .value(QStringLiteral("file"))
            .toString();
    };
    QTRY_COMPARE_WITH_TIMEOUT(kept(), file(), 90000);
    const auto written = [this]() -> std::int64_t {
        auto reader = store::RunReader::openForReading(file().toStdString());
        return reader ? reader->latestSequence().value_or(0) : 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(written() > 10, 60000);
    m_process->kill();
    QVERIFY(m_process->waitForFinished(30000));
    const std::int64_t before = written();

    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->keepSession(Reopen::LastRun);
    m_window->show();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().loaded(), 60000);
    QCOMPARE(m_window->document().file(), file());
    QVERIFY(m_theme->kind() == ThemeKind::Dark);
    QVERIFY(m_window->layoutKind() == Layout::Compare);
    QVERIFY(state().lastSequence >= before);
    QVERIFY(state().complaints.empty());
    QTRY_VERIFY2(m_window->statusText().startsWith(QStringLiteral("Interrupted")),
                 qPrintable(m_window->statusText()));
    // And the search goes on.
    action("run.stepIteration")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->driver().status(), Status::Paused, 60000);
    QTRY_VERIFY(state().lastSequence > before);
    QVERIFY(state().complaints.empty());
}

ACCELOPT_TEST(tst_WorkbenchSteering)
#include "tst_WorkbenchSteering.moc"
