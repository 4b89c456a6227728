// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scratchpad/ScratchpadPane.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/jobs/JobModel.h"
#include "widgets/jobs/JobPane.h"
#include "widgets/roofline/RooflineView.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/timeline/TimelinePane.h"
#include "widgets/timeline/TimelineView.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/WorkbenchWindow.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QFile>
#include <QPushButton>
#include <QTemporaryDir>
#include <Qsci/qsciscintilla.h>

using namespace accelopt;
using namespace accelopt::widgets;

/// The panes that say something of a kernel before it is judged, and of what is under way.
class tst_Scratchpad : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void aKernelIsLookedAtWhileItIsTyped();
    void whatIsWrongIsSaidWithItsLine();
    void theTimelineOfAKernelThatCannotBeTracedSaysWhy();
    void jobsSayWhatIsUnderWayAndWhatFailed();

private:
    static QString baselineOfSilu()
    {
        QFile file(QStringLiteral(ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    QString tip(const char *id)
    {
        m_window->commands().refresh();
        return m_window->commands().action(QString::fromLatin1(id))->toolTip();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchWindow> m_window;
};

void tst_Scratchpad::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_window = std::make_unique<WorkbenchWindow>(ACCELOPT_BIN_DIR, m_theme.get());
    m_window->resize(1280, 800);
    m_window->show();
    const QString path = m_folder->filePath(QStringLiteral("run.accelopt"));
    ACCELOPT_VERIFY_OK(tests::writeHandMadeRun(path.toStdString()));
    m_window->openFile(path);
    QTRY_VERIFY(m_window->settled());
}

void tst_Scratchpad::cleanup()
{
    m_window.reset();
    m_theme.reset();
}

void tst_Scratchpad::aKernelIsLookedAtWhileItIsTyped()
{
    QVERIFY(m_window->select(QStringLiteral("baseline")));
    QVERIFY(tip("scratchpad.send").contains(QStringLiteral("empty")));
    m_window->commands().perform(QStringLiteral("scratchpad.take"));
    ScratchpadPane &pad = m_window->scratchpad();
    QTRY_VERIFY(!pad.source().empty());
    QCOMPARE(pad.from(), m_window->document().state().opened.baseline);
    pad.editor()->setText(baselineOfSilu());
    QTRY_VERIFY_WITH_TIMEOUT(pad.report() != nullptr && pad.report()->verdict.correct(), 60000);
    QVERIFY2(pad.verdictText().contains(QStringLiteral("keeps the rules")),
             qPrintable(pad.verdictText()));
    QVERIFY(pad.report()->timed);
    QVERIFY(!pad.report()->timeline.events.empty());
    QVERIFY(pad.report()->sbuf.bytesPerPartition > 0);
    QVERIFY(pad.report()->sbuf.bytesPerPartition <= pad.report()->sbuf.capacity);
    QVERIFY(pad.report()->sbuf.line > 0);
    auto *roofline = m_window->findChild<RooflineView *>();
    QTRY_VERIFY(roofline->draft().has_value());
    m_window->document().close();
    QVERIFY(pad.source().empty());
    QVERIFY(!roofline->draft());
}

void tst_Scratchpad::whatIsWrongIsSaidWithItsLine()
{
    QVERIFY(m_window->select(QStringLiteral("baseline")));
    m_window->commands().perform(QStringLiteral("scratchpad.take"));
    ScratchpadPane &pad = m_window->scratchpad();
    QTRY_VERIFY(!pad.source().empty());
    QString text = baselineOfSilu();
    pad.editor()->setText(text.append(QStringLiteral("\n    this is no python\n")));
    QTRY_VERIFY_WITH_TIMEOUT(pad.report() != nullptr && !pad.report()->verdict.correct() &&
                                 pad.report()->verdict.status == VerdictStatus::NotCompiling &&
                                 pad.verdictText().contains(QStringLiteral("line ")),
                             60000);
    QVERIFY(tip("scratchpad.send").contains(QStringLiteral("finished")) ||
            tip("scratchpad.send").contains(QStringLiteral("plan")) ||
            tip("scratchpad.send").contains(QStringLiteral("rules")));
    QVERIFY(!m_window->commands().action(QStringLiteral("scratchpad.send"))->isEnabled());
}

void tst_Scratchpad::theTimelineOfAKernelThatCannotBeTracedSaysWhy()
{
    QVERIFY(m_window->showLower(QStringLiteral("timeline")));
    QVERIFY(m_window->select(QStringLiteral("k2")));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->settled(), 60000);
    QVERIFY(m_window->timeline().settled());
    QVERIFY(m_window->timeline().view()->placeOf(0).isNull());
    QVERIFY(!m_window->showLower(QStringLiteral("nothing")));
}

void tst_Scratchpad::jobsSayWhatIsUnderWayAndWhatFailed()
{
    JobModel &jobs = *m_window->jobs().model();
    const QAbstractItemModelTester tester(&jobs,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    // A plan of the first iteration failed, three of the second; the confirmation is not made.
    QTRY_COMPARE(jobs.count(JobModel::Kind::Failed), 4);
    QVERIFY(jobs.count(JobModel::Kind::Waiting) > 0);
    QCOMPARE(jobs.count(JobModel::Kind::UnderWay), 0);
    QVERIFY2(m_window->jobs().summary().contains(QStringLiteral("4 failed")),
             qPrintable(m_window->jobs().summary()));
    m_window->jobs().findChild<QPushButton *>(QStringLiteral("jobsRead"))->click();
    QCOMPARE(jobs.count(JobModel::Kind::Failed), 0);
    QVERIFY(jobs.count(JobModel::Kind::Waiting) > 0);
    m_window->document().close();
    QCOMPARE(jobs.rowCount(), 0);
}

ACCELOPT_TEST(tst_Scratchpad)
#include "tst_Scratchpad.moc"
