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
class QSplitter;
class QStackedWidget;

namespace accelopt::widgets {

class CommandTable;
class DiffView;
class ElidedLabel;
class KernelCard;
class KernelListPane;
class KernelTreeCanvas;
class MemoryPane;
class NoticeBar;
class RunDocument;
class SelectionHub;
class StartPage;
class Theme;

/// How the panes are arranged.
enum class Layout {
    Search,  ///< tree above the comparison, lists at the left, the kernel at the right
    Compare, ///< the comparison as large as possible
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
    /// What the strip beside the toolbar's buttons says.
    QString statusText() const;
    /// Everything that the open run has to show is on screen.
    bool settled() const;

    /// Shows a run file, after what runs here has been left.
    void openFile(const QString &file);
    /// Starts a new search and shows it.
    void startSearch(const runner::RunRequest &request);
    void setLayoutKind(Layout layout);
    /// Selects a kernel by any name that RunDocument::find() takes; false when there is none.
    bool select(const QString &name);
    bool compare(const QString &a, const QString &b);

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void makePanes();
    void makeCommands();
    void makeRunCommands();
    void makeViewCommands();
    void connectDocument();
    void connectDriver();
    QDockWidget *addPane(const QString &name, const QString &title, QWidget *content,
                         Qt::DockWidgetArea area);
    void showPanes();
    void refreshStatus();
    void followBest();
    void browse();
    void drive(runner::Advance mode);
    void leaveThen(std::function<void()> next);
    void finishLeaving();
    void stepOnBestPath(int step);
    QString whyNoRun() const;
    QString whyNotDriven() const;

    Theme *m_theme;
    RunDocument *m_document;
    SelectionHub *m_hub;
    SearchDriver *m_driver;
    CommandTable *m_commands;
    StartPage *m_start = nullptr;
    QStackedWidget *m_stack = nullptr;
    NoticeBar *m_notice = nullptr;
    QSplitter *m_centre = nullptr;
    KernelTreeCanvas *m_tree = nullptr;
    DiffView *m_diff = nullptr;
    KernelListPane *m_list = nullptr;
    MemoryPane *m_memory = nullptr;
    KernelCard *m_card = nullptr;
    QDockWidget *m_listDock = nullptr;
    QDockWidget *m_memoryDock = nullptr;
    QDockWidget *m_cardDock = nullptr;
    ElidedLabel *m_status = nullptr;
    QString m_progress;      ///< what the search says it prepares
    KernelId m_autoSelected; ///< what we selected ourselves, to move on with the best kernel
    std::function<void()> m_afterLeaving;
    bool m_asking = false;
    bool m_panesShown = false; ///< the panes are shown as long as a run is open
};

} // namespace accelopt::widgets
