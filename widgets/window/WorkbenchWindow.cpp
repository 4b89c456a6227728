// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "widgets/board/BoardPane.h"
#include "widgets/charts/ChartPane.h"
#include "widgets/details/KernelCard.h"
#include "widgets/diff/DiffView.h"
#include "widgets/format/Formatting.h"
#include "widgets/jobs/JobModel.h"
#include "widgets/jobs/JobPane.h"
#include "widgets/memory/MemoryPane.h"
#include "widgets/plans/PlanPane.h"
#include "widgets/roofline/RooflineView.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/scratchpad/ScratchpadPane.h"
#include "widgets/theme/Theme.h"
#include "widgets/timeline/TimelinePane.h"
#include "widgets/timeline/TimelineView.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/whatif/WhatIfPane.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/ElidedLabel.h"
#include "widgets/window/FilterBar.h"
#include "widgets/window/KernelListPane.h"
#include "widgets/window/NoticeBar.h"
#include "widgets/window/SelectionHub.h"
#include "widgets/window/StartPage.h"

#include <QAction>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

namespace accelopt::widgets {

WorkbenchWindow::WorkbenchWindow(std::filesystem::path programFolder, Theme *theme, QWidget *parent)
    : QMainWindow(parent),
      m_theme(theme),
      m_document(new RunDocument(this)),
      m_hub(new SelectionHub(this)),
      m_driver(new SearchDriver(programFolder, this)),
      m_commands(new CommandTable(theme, this)),
      m_desk(new DecisionDesk(m_document, m_driver, this)),
      m_programFolder(programFolder)
{
    setObjectName(QStringLiteral("workbench"));
    m_start = new StartPage(std::move(programFolder), theme);
    makePanes();
    makeCommands();
    connectDocument();
    connectDriver();
    // The application's palette reaches widgets some time later; this one at once.
    connect(theme, &Theme::changed, this, [this] { setPalette(m_theme->palette()); });
    connect(m_start, &StartPage::searchWanted, this, &WorkbenchWindow::startSearch);
    connect(m_start, &StartPage::fileWanted, this, &WorkbenchWindow::openFile);
    connect(m_start, &StartPage::browseWanted, this, &WorkbenchWindow::browse);
    connect(m_start, &StartPage::problem, m_notice, &NoticeBar::say);
    resize(1440, 900);
    setLayoutKind(Layout::Search);
    refreshStatus();
}

WorkbenchWindow::~WorkbenchWindow() = default;

QDockWidget *WorkbenchWindow::addPane(const QString &name, const QString &title, QWidget *content,
                                      Qt::DockWidgetArea area)
{
    auto *dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    // A floating dock cannot be brought back by hand on Wayland.
    dock->setFeatures(QGuiApplication::platformName().startsWith(QStringLiteral("wayland"))
                          ? QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable
                          : QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                                QDockWidget::DockWidgetFloatable);
    addDockWidget(area, dock);
    return dock;
}

void WorkbenchWindow::makePanes()
{
    m_notice = new NoticeBar(m_theme);
    m_waiting = new NoticeBar(m_theme);
    m_waiting->setObjectName(QStringLiteral("waitingBar"));
    m_tree = new KernelTreeCanvas(m_document, m_hub, m_theme);
    m_diff = new DiffView(m_document, m_hub, m_theme);
    m_centre = new QSplitter(Qt::Vertical);
    m_centre->setChildrenCollapsible(false);
    m_filters = new FilterBar(m_tree);
    m_hint = new QLabel;
    m_hint->setObjectName(QStringLiteral("teachHint"));
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setWordWrap(true);
    m_hint->setMargin(8);
    m_upper = new QWidget;
    auto *upper = new QVBoxLayout(m_upper);
    upper->setContentsMargins(0, 0, 0, 0);
    upper->setSpacing(0);
    upper->addWidget(m_hint);
    upper->addWidget(m_filters);
    upper->addWidget(m_tree, 1);
    m_charts = new ChartPane(m_document, m_theme);
    m_lower = new QTabWidget;
    m_lower->setObjectName(QStringLiteral("lowerTabs"));
    m_lower->setDocumentMode(true);
    m_lower->addTab(m_diff, tr("Comparison"));
    m_lower->addTab(m_charts, tr("Charts"));
    makeLowerPanes();
    m_centre->addWidget(m_upper);
    m_centre->addWidget(m_lower);
    m_centre->setStretchFactor(0, 1);
    m_centre->setStretchFactor(1, 1);
    m_centre->setSizes({1000, 1000}); // halves, whatever the panes would like to have
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_start);
    m_stack->addWidget(m_centre);
    auto *middle = new QWidget;
    auto *column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_waiting);
    column->addWidget(m_stack, 1);
    setCentralWidget(middle);
    setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);

    m_list = new KernelListPane(m_document, m_hub, m_theme);
    m_memory = new MemoryPane(m_document, m_hub, m_desk, m_theme);
    m_plans = new PlanPane(m_document, m_hub, m_theme);
    m_roofline = new RooflineView(m_document, m_hub, m_theme, m_programFolder);
    connect(m_scratchpad, &ScratchpadPane::profileChanged, m_roofline, &RooflineView::setDraft);
    m_card = new KernelCard(m_document, m_hub, m_theme);
    m_listDock =
        addPane(QStringLiteral("kernelsDock"), tr("Kernels"), m_list, Qt::LeftDockWidgetArea);
    m_memoryDock =
        addPane(QStringLiteral("memoryDock"), tr("Memory"), m_memory, Qt::LeftDockWidgetArea);
    m_plansDock =
        addPane(QStringLiteral("plansDock"), tr("Plans"), m_plans, Qt::LeftDockWidgetArea);
    tabifyDockWidget(m_memoryDock, m_plansDock);
    m_memoryDock->raise();
    m_cardDock =
        addPane(QStringLiteral("kernelDock"), tr("Kernel"), m_card, Qt::RightDockWidgetArea);
    m_rooflineDock = addPane(QStringLiteral("rooflineDock"), tr("Roofline"), m_roofline,
                             Qt::RightDockWidgetArea);
}

void WorkbenchWindow::makeCommands()
{
    const auto whyNoRun = [this] { return this->whyNoRun(); };
    const QString file = tr("&File");
    m_commands->add({QStringLiteral("file.new"),
                     file,
                     tr("&New search…"),
                     {QKeySequence::New},
                     tr("Choose a task and start a search"),
                     Picture::None,
                     [this] {
                         leaveThen([this] {
                             m_document->close();
                             m_start->refresh();
                         });
                     },
                     {}});
    m_commands->add({QStringLiteral("file.open"),
                     file,
                     tr("&Open a run…"),
                     {QKeySequence::Open},
                     tr("Look at a run file; one that is being written is followed"),
                     Picture::None,
                     [this] { browse(); },
                     {}});
    m_commands->add({QStringLiteral("file.close"),
                     file,
                     tr("&Close the run"),
                     {QKeySequence(Qt::CTRL | Qt::Key_W)},
                     tr("Back to the start page"),
                     Picture::None,
                     [this] {
                         leaveThen([this] {
                             m_document->close();
                             m_start->refresh();
                         });
                     },
                     whyNoRun});
    m_commands->addSeparator(file);
    m_commands->add({QStringLiteral("file.quit"),
                     file,
                     tr("&Quit"),
                     {QKeySequence(Qt::CTRL | Qt::Key_Q)},
                     tr("Close the window"),
                     Picture::None,
                     [this] { close(); },
                     {}});
    makeRunCommands();
    makeSteerCommands();
    makeMemoryCommands();
    makeScratchpadCommands();
    makeGoCommands();
    makePaneCommands();
    makeCompareCommands();
    makeViewCommands();
    makeFilterCommands();
    makeHelpCommands();
    m_commands->fill(menuBar());

    auto *bar = new QToolBar(tr("Run"));
    bar->setObjectName(QStringLiteral("runBar"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_commands->fill(bar, {QStringLiteral("run.run"), QStringLiteral("run.pause"),
                           QStringLiteral("run.stepItem"), QStringLiteral("run.stepIteration"),
                           QStringLiteral("run.stop")});
    bar->addSeparator();
    m_status = new ElidedLabel;
    m_status->setObjectName(QStringLiteral("runStatus"));
    bar->addWidget(m_status);
    addToolBar(bar);
    statusBar()->setSizeGripEnabled(false);
    m_commands->refresh();
}

void WorkbenchWindow::connectDocument()
{
    connect(m_document, &RunDocument::closed, this, [this] {
        m_hub->clear();
        m_autoSelected = {};
        refreshStatus();
    });
    connect(m_document, &RunDocument::opened, this, &WorkbenchWindow::refreshStatus);
    connect(m_document, &RunDocument::loadingChanged, this, [this] {
        m_status->setText(
            tr("Reading the run: %1").arg(formatting::share(m_document->loadedShare())));
    });
    connect(m_document, &RunDocument::updated, this, &WorkbenchWindow::refreshStatus);
    connect(m_document, &RunDocument::writerChanged, this, &WorkbenchWindow::refreshStatus);
    connect(m_driver, &SearchDriver::otherDriverChanged, this, &WorkbenchWindow::refreshStatus);
    connect(m_document, &RunDocument::caughtUp, this, [this] {
        followBest();
        refreshStatus();
    });
    connect(m_document, &RunDocument::noticed, m_notice, &NoticeBar::say);
    connect(m_document, &RunDocument::failed, this, [this](const QString &sentence) {
        m_notice->say(sentence);
        if (!m_document->loaded() && m_document->kernels().empty())
            m_document->close();
    });
    connect(m_hub, &SelectionHub::selectionChanged, m_commands, &CommandTable::refresh);
    connect(m_hub, &SelectionHub::selectionChanged, this, &WorkbenchWindow::refreshHint);
    connect(m_charts, &ChartPane::problem, m_notice, &NoticeBar::say);
}

void WorkbenchWindow::connectDriver()
{
    connect(m_driver, &SearchDriver::fileMade, this,
            [this](const QString &file, const QString &notice) {
                if (m_document->file() != file)
                    m_document->open(file);
                if (!notice.isEmpty())
                    m_notice->say(notice);
            });
    connect(m_driver, &SearchDriver::refused, this, [this](const QString &message, int) {
        m_progress.clear();
        m_notice->say(message);
        refreshStatus();
    });
    connect(m_driver, &SearchDriver::progress, this, [this](const QString &text) {
        m_progress = text;
        refreshStatus();
    });
    connect(m_driver, &SearchDriver::told, m_notice, &NoticeBar::say);
    connect(m_driver, &SearchDriver::kernelPlaced, this, [this](const QString &title) {
        m_notice->say(tr("Your kernel “%1” has taken its place in the search.").arg(title));
    });
    connect(m_driver, &SearchDriver::blocked, this, [this](const QString &message) {
        m_notice->say(message + tr(" Nothing is lost: Run goes on from here."));
    });
    connect(m_driver, &SearchDriver::statusChanged, this, [this] {
        if (m_afterLeaving && m_driver->active() && !m_driver->busy())
            m_driver->close();
        refreshStatus();
    });
    connect(m_driver, &SearchDriver::closed, this, &WorkbenchWindow::finishLeaving);
}

void WorkbenchWindow::makeLowerPanes()
{
    m_timeline = new TimelinePane(m_document, m_hub, m_theme, m_programFolder);
    m_whatIf = new WhatIfPane(m_document, m_hub);
    m_scratchpad = new ScratchpadPane(m_document, m_hub, m_theme, m_programFolder);
    m_jobs = new JobPane(m_document, m_hub, m_theme);
    m_lower->addTab(m_timeline, tr("Timeline"));
    m_lower->addTab(m_scratchpad, tr("Scratchpad"));
    m_lower->addTab(m_whatIf, tr("What if"));
    m_lower->addTab(m_jobs, tr("Jobs"));
    m_board = new BoardPane(m_document, m_theme);
    m_lower->addTab(m_board, tr("Board"));
    connect(m_board, &BoardPane::fileWanted, this, &WorkbenchWindow::openFile);
    connect(m_timeline->view(), &TimelineView::lineChosen, m_diff, &DiffView::showLine);
    connect(m_diff, &DiffView::lineChosen, m_timeline->view(), &TimelineView::setLine);
    // Failures that nobody has read are counted where they can be seen from everywhere.
    connect(m_jobs, &JobPane::summaryChanged, this, [this] {
        const int failed = m_jobs->model()->unread();
        m_lower->setTabText(m_lower->indexOf(m_jobs),
                            failed > 0 ? tr("Jobs: %1 failed").arg(failed) : tr("Jobs"));
    });
}

bool WorkbenchWindow::showLower(const QString &name)
{
    const std::pair<QString, QWidget *> panes[] = {
        {QStringLiteral("diff"), m_diff},         {QStringLiteral("charts"), m_charts},
        {QStringLiteral("timeline"), m_timeline}, {QStringLiteral("scratchpad"), m_scratchpad},
        {QStringLiteral("whatif"), m_whatIf},     {QStringLiteral("jobs"), m_jobs},
        {QStringLiteral("board"), m_board}};
    for (const auto &[called, pane] : panes)
        if (called == name) {
            m_lower->setCurrentWidget(pane);
            return true;
        }
    return false;
}

QString WorkbenchWindow::statusText() const
{
    return m_status->text();
}

bool WorkbenchWindow::settled() const
{
    return m_document->loaded() && !m_document->waitsForTexts() && m_charts->settled() &&
           (!m_timeline->isVisible() || m_timeline->settled());
}

void WorkbenchWindow::refreshStatus()
{
    const bool open = m_document->isOpen();
    m_stack->setCurrentIndex(open ? 1 : 0);
    if (open != m_panesShown) {
        m_panesShown = open;
        showPanes();
    }
    watchOtherDriver();

    const search::State &state = m_document->state();
    QStringList parts;
    using Status = SearchDriver::Status;
    const Status status = m_driver->status();
    const bool baselineKnown = search::speedupOverBaseline(state, state.opened.baseline) > 0;
    if (state.phase == search::Phase::Finished && !m_driver->busy())
        parts << tr("Finished: %1").arg(formatting::text(state.finishedReason));
    else if (status == Status::Paused)
        parts << tr("Paused");
    else if (status == Status::Pausing)
        parts << tr("Pausing: what is under way ends");
    else if (status == Status::Blocked)
        parts << tr("Halted");
    else if (status == Status::Waiting)
        parts << tr("Waits for you");
    else if (open && m_document->loaded() && !m_driver->active() &&
             (!m_document->writer().written || m_desk->isWriting()))
        parts << tr("Interrupted: Run goes on with it");
    else if (open && m_document->writer().written && !m_driver->active())
        parts << otherDriverText();
    if (!state.iterations.empty() && state.phase != search::Phase::Finished)
        parts << tr("iteration %1 of %2").arg(state.iterations.size()).arg(state.config.iterations);
    if (const search::KernelRecord *best = search::kernel(state, state.best);
        best != nullptr && baselineKnown)
        parts << tr("best %1, %2 (simulated)")
                     .arg(
                         formatting::latency(best->profile.latencyMs),
                         formatting::signedSpeedup(search::speedupOverBaseline(state, state.best)));
    if (state.counts.written > 0)
        parts << tr("%1 tried").arg(state.counts.written);
    const auto inFlight =
        state.callsInDoubt.size() + state.openJudgements.size() + state.openConfirmations.size();
    if (inFlight > 0 && m_document->writer().written)
        parts << tr("%1 in flight").arg(inFlight);
    if (open && !baselineKnown && status == Status::Running)
        parts << (m_progress.isEmpty() ? tr("judging the baseline") : m_progress);
    if (!open)
        parts << (status == Status::Running ? tr("Preparing the search…") : tr("No run is open"));
    m_status->setText(parts.join(QStringLiteral("   ·   ")));

    QString title = tr("AccelOpt Workbench");
    if (!state.opened.task.empty()) {
        title = formatting::text(state.opened.task);
        if (const search::KernelRecord *best = search::kernel(state, state.best);
            best != nullptr && baselineKnown)
            title += QStringLiteral(" · ") + formatting::latency(best->profile) +
                     QStringLiteral(" ") +
                     formatting::signedSpeedup(search::speedupOverBaseline(state, state.best));
        title += tr(" – AccelOpt Workbench");
        statusBar()->setToolTip(m_document->file());
        statusBar()->showMessage(tr("%1  ·  %2, shape %3, preset %4, seed %5")
                                     .arg(QFileInfo(m_document->file()).fileName(),
                                          formatting::text(state.config.device),
                                          formatting::text(state.config.shape),
                                          formatting::text(state.config.preset))
                                     .arg(state.config.seed));
    } else {
        statusBar()->clearMessage();
    }
    setWindowTitle(title);
    refreshWaiting();
    refreshHint();
    m_commands->refresh();
    if (m_document->loaded())
        followBest();
}

void WorkbenchWindow::followBest()
{
    // As long as nobody chose a kernel, the best one is shown.
    if (m_hub->current() != m_autoSelected)
        return;
    const search::State &state = m_document->state();
    const KernelId best = state.best.empty() ? state.opened.baseline : state.best;
    m_autoSelected = best;
    m_hub->setCurrent(best);
}

void WorkbenchWindow::openFile(const QString &file)
{
    leaveThen([this, file] {
        m_notice->say({});
        m_document->open(QFileInfo(file).absoluteFilePath());
    });
}

void WorkbenchWindow::browse()
{
    auto *dialog = new QFileDialog(this, tr("Open a run"), QFileInfo(m_document->file()).path(),
                                   tr("Runs (*.accelopt);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &WorkbenchWindow::openFile);
    dialog->open();
}

void WorkbenchWindow::startSearch(const runner::RunRequest &request)
{
    leaveThen([this, request] {
        m_notice->say({});
        m_progress.clear();
        m_document->close();
        m_driver->start(request, runner::Advance::Run);
    });
}

bool WorkbenchWindow::select(const QString &name)
{
    const KernelId kernel = m_document->find(name);
    if (kernel.empty())
        return false;
    m_hub->setCurrent(kernel);
    return true;
}

bool WorkbenchWindow::compare(const QString &a, const QString &b)
{
    const KernelId left = m_document->find(a);
    const KernelId right = m_document->find(b);
    if (left.empty() || right.empty())
        return false;
    m_hub->setBoth(right, left);
    return true;
}

void WorkbenchWindow::showPanes()
{
    for (QDockWidget *dock : {m_listDock, m_plansDock, m_memoryDock, m_cardDock, m_rooflineDock})
        dock->setVisible(m_panesShown && dock->property("wanted").toBool());
    // Sizes are only taken by panes that are shown and laid out.
    QTimer::singleShot(0, this, [this] {
        const int side = std::clamp(width() * 23 / 100, 290, 520);
        resizeDocks({m_listDock, m_cardDock}, {side, side + 10}, Qt::Horizontal);
        resizeDocks({m_listDock, m_memoryDock}, {height() * 42 / 100, height() * 46 / 100},
                    Qt::Vertical);
        resizeDocks({m_cardDock, m_rooflineDock}, {height() * 62 / 100, height() * 30 / 100},
                    Qt::Vertical);
        if (m_panesShown)
            restorePanes();
    });
}

QString WorkbenchWindow::whyNoRun() const
{
    return m_document->isOpen() ? QString() : tr("No run is open");
}

void WorkbenchWindow::leaveThen(std::function<void()> next)
{
    if (!m_driver->active()) {
        next();
        return;
    }
    if (m_asking)
        return;
    m_afterLeaving = std::move(next);
    if (!m_driver->busy()) {
        m_driver->close();
        return;
    }
    m_asking = true;
    auto *box =
        new QMessageBox(QMessageBox::Question, tr("A search is running"),
                        tr("A search is running in this window."), QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("leaveBox"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("It is kept in its file and can be gone on with later, either way. "
                               "Leaving at once loses only what is under way; it is asked again."));
    QPushButton *finish =
        box->addButton(tr("Finish what is under way, then leave"), QMessageBox::AcceptRole);
    QPushButton *now = box->addButton(tr("Leave now"), QMessageBox::DestructiveRole);
    QPushButton *keep = box->addButton(tr("Keep searching"), QMessageBox::RejectRole);
    box->setDefaultButton(finish);
    box->setEscapeButton(keep);
    connect(box, &QMessageBox::finished, this, [this, box, finish, now] {
        m_asking = false;
        if (box->clickedButton() == finish) {
            if (m_driver->busy())
                m_driver->advance(runner::Advance::Pause);
            else
                m_driver->close();
        } else if (box->clickedButton() == now) {
            m_driver->close();
        } else {
            m_afterLeaving = nullptr;
        }
    });
    box->open();
}

void WorkbenchWindow::finishLeaving()
{
    refreshStatus();
    if (!m_afterLeaving)
        return;
    if (m_asking) // the search ended while the question stood there
        if (auto *box = findChild<QMessageBox *>(QStringLiteral("leaveBox")))
            box->accept();
    const std::function<void()> next = std::exchange(m_afterLeaving, nullptr);
    next();
}

void WorkbenchWindow::closeEvent(QCloseEvent *event)
{
    saveSession();
    if (!m_driver->active()) {
        event->accept();
        return;
    }
    event->ignore();
    leaveThen([this] { close(); });
}

} // namespace accelopt::widgets
