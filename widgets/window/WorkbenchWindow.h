// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runner/SearchSession.h"
#include "widgets/run/SearchDriver.h"

#include <QMainWindow>
#include <QString>
#include <filesystem>
#include <functional>

class QDockWidget;
class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTimer;

namespace accelopt::widgets {

class BoardPane;
class CommandTable;
class ChartPane;
class DecisionDesk;
class DiffView;
class ElidedLabel;
class FilterBar;
class JobPane;
class KernelCard;
class KernelListPane;
class KernelTreeCanvas;
class MemoryPane;
class NoticeBar;
class PlanPane;
class RooflineView;
class RunDocument;
class ScratchpadPane;
class SelectionHub;
class StartPage;
class Theme;
class TimelinePane;
class WhatIfPane;

/// How the panes are arranged.
enum class Layout {
    Search,  ///< tree above the comparison, lists at the left, the kernel at the right
    Compare, ///< the comparison as large as possible
    Teach,   ///< larger, the roofline beside the kernel, and a sentence that says what is seen
    Present, ///< the tree and the charts alone, large
};
QString name(Layout layout);

/// What is restored when the window opens.
enum class Reopen {
    Look,    ///< theme, sizes and layout
    LastRun, ///< these, and the run that was open last with its selection
};

/// The window: the panes of one run, its commands, and a search of its own when there is one.
class WorkbenchWindow : public QMainWindow
{
    Q_OBJECT

public:
    /// `programFolder` is where tasks and the simulator worker are looked for. The theme is
    /// borrowed.
    WorkbenchWindow(std::filesystem::path programFolder, Theme *theme, QWidget *parent = nullptr);
    ~WorkbenchWindow() override;

    RunDocument &document() const { return *m_document; }
    SelectionHub &hub() const { return *m_hub; }
    SearchDriver &driver() const { return *m_driver; }
    CommandTable &commands() const { return *m_commands; }
    KernelTreeCanvas &tree() const { return *m_tree; }
    DiffView &diff() const { return *m_diff; }
    MemoryPane &memory() const { return *m_memory; }
    PlanPane &plans() const { return *m_plans; }
    ChartPane &charts() const { return *m_charts; }
    FilterBar &filters() const { return *m_filters; }
    WhatIfPane &whatIf() const { return *m_whatIf; }
    ScratchpadPane &scratchpad() const { return *m_scratchpad; }
    TimelinePane &timeline() const { return *m_timeline; }
    JobPane &jobs() const { return *m_jobs; }
    BoardPane &board() const { return *m_board; }
    /// Brings a pane of the middle's lower half to the front by its name: diff, charts, timeline,
    /// whatif, scratchpad, jobs or board; false when there is none of that name.
    bool showLower(const QString &name);
    /// What the Teach layout says about the selected kernel.
    QString lessonText() const;
    DecisionDesk &desk() const { return *m_desk; }
    /// What the strip beside the toolbar's buttons says.
    QString statusText() const;
    /// Everything that the open run has to show is on screen.
    bool settled() const;

    /// Shows a run file, after what runs here has been left.
    void openFile(const QString &file);
    /// Starts a new search and shows it.
    void startSearch(const runner::RunRequest &request);
    void setLayoutKind(Layout layout);
    Layout layoutKind() const { return m_layoutKind; }
    /// Takes up what was left off last time, and keeps it from now on, also through a crash.
    void keepSession(Reopen what);
    /// Selects a kernel by any name that RunDocument::find() takes; false when there is none.
    bool select(const QString &name);
    bool compare(const QString &a, const QString &b);

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    class Adder;
    void makePanes();
    void makeCommands();
    void makeRunCommands();
    void makeMemoryCommands();
    void makeSteerCommands();
    void makeGoCommands();
    void makeCompareCommands();
    void makeViewCommands();
    void makeHelpCommands();
    void makePaneCommands();
    void makeScratchpadCommands();
    void makeLowerPanes();
    void decideOnKernel(Decision decision, const QString &words);
    void writePlan(const PlanSlot &slot);
    void writeKernel();
    /// A kernel of a person's into the search: now, or when it has room for it.
    void addKernel(const KernelId &from, const std::string &title, const std::string &source);
    QString whyNoKernelAdded(const KernelId &from) const;
    void sendScratchpad();
    void refreshWaiting();
    void showPalette();
    void makeFilterCommands();
    void applyTextScale();
    void refreshHint();
    void saveSession();
    void restorePanes();
    void goToAnything();
    void connectDocument();
    void connectDriver();
    QDockWidget *addPane(const QString &name, const QString &title, QWidget *content,
                         Qt::DockWidgetArea area);
    void showPanes();
    void refreshStatus();
    void followBest();
    void browse();
    void drive(runner::Advance mode);
    void pause();
    void stop();
    void goOn();
    /// Looks at the process that writes the open run when it is not this one.
    void watchOtherDriver();
    QString otherDriverText() const;
    /// Somebody searches, this window or the process it follows.
    bool isSearching() const;
    bool steersOther() const;
    void leaveThen(std::function<void()> next);
    void finishLeaving();
    void stepOnBestPath(int step);
    QString whyNoRun() const;
    QString whyNotDriven() const;
    QString whyNotGoneOnWith() const;
    /// Why no plan or kernel can be written into the run at the moment.
    QString whyNotWritten() const;

    Theme *m_theme;
    RunDocument *m_document;
    SelectionHub *m_hub;
    SearchDriver *m_driver;
    CommandTable *m_commands;
    DecisionDesk *m_desk;
    StartPage *m_start = nullptr;
    QStackedWidget *m_stack = nullptr;
    NoticeBar *m_notice = nullptr;
    NoticeBar *m_waiting = nullptr; ///< says that lessons wait
    QSplitter *m_centre = nullptr;
    QWidget *m_upper = nullptr; ///< the tree with its chips
    QTabWidget *m_lower = nullptr;
    FilterBar *m_filters = nullptr;
    ChartPane *m_charts = nullptr;
    TimelinePane *m_timeline = nullptr;
    WhatIfPane *m_whatIf = nullptr;
    ScratchpadPane *m_scratchpad = nullptr;
    JobPane *m_jobs = nullptr;
    BoardPane *m_board = nullptr;
    QLabel *m_hint = nullptr;
    KernelTreeCanvas *m_tree = nullptr;
    DiffView *m_diff = nullptr;
    KernelListPane *m_list = nullptr;
    MemoryPane *m_memory = nullptr;
    PlanPane *m_plans = nullptr;
    KernelCard *m_card = nullptr;
    RooflineView *m_roofline = nullptr;
    QDockWidget *m_listDock = nullptr;
    QDockWidget *m_memoryDock = nullptr;
    QDockWidget *m_plansDock = nullptr;
    QDockWidget *m_cardDock = nullptr;
    QDockWidget *m_rooflineDock = nullptr;
    ElidedLabel *m_status = nullptr;
    std::filesystem::path m_programFolder;
    QString m_watchedOther;  ///< file whose driving process is looked at
    QString m_progress;      ///< what the search says it prepares
    KernelId m_autoSelected; ///< what we selected ourselves, to move on with the best kernel
    std::function<void()> m_afterLeaving;
    std::size_t m_waitingSaid = 0; ///< lessons that were said to wait
    Layout m_layoutKind = Layout::Search;
    QTimer *m_saving = nullptr; ///< null as long as no session is kept
    QString m_reopened;         ///< file whose selection is restored once it is read
    bool m_panesRestored = false;
    bool m_asking = false;
    bool m_panesShown = false; ///< the panes are shown as long as a run is open
};

} // namespace accelopt::widgets
