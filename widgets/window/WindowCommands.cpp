// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/board/BoardPane.h"
#include "widgets/charts/ChartPane.h"
#include "widgets/details/KernelCard.h"
#include "widgets/diff/DiffView.h"
#include "widgets/format/Formatting.h"
#include "widgets/jobs/JobPane.h"
#include "widgets/memory/MemoryPane.h"
#include "widgets/plans/PlanPane.h"
#include "widgets/roofline/RooflineView.h"
#include "widgets/run/RunDocument.h"
#include "widgets/scratchpad/ScratchpadPane.h"
#include "widgets/theme/Theme.h"
#include "widgets/timeline/TimelinePane.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/whatif/WhatIfPane.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/KernelListPane.h"
#include "widgets/window/KeySheet.h"
#include "widgets/window/Palette.h"
#include "widgets/window/SelectionHub.h"
#include "widgets/window/WorkbenchWindow.h"

#include <QDockWidget>
#include <QTabWidget>
#include <algorithm>

// The window's commands; what they do to the panes is in WorkbenchWindow.cpp.

namespace accelopt::widgets {

void WorkbenchWindow::stepOnBestPath(int step)
{
    const std::vector<KernelId> path = m_document->pathTo(m_document->state().best);
    if (path.empty())
        return;
    const auto at = std::find(path.begin(), path.end(), m_hub->current());
    const int place = at == path.end() ? int(path.size()) - 1 : int(at - path.begin()) + step;
    m_hub->setCurrent(path[std::size_t(std::clamp(place, 0, int(path.size()) - 1))]);
}

/// Adds a command without a picture.
class WorkbenchWindow::Adder
{
public:
    Adder(CommandTable *commands, QString menu) : m_commands(commands), m_menu(std::move(menu)) {}

    void operator()(const char *id, const QString &text, const QKeySequence &key,
                    const QString &help, std::function<void()> act, std::function<QString()> whyNot,
                    const QString &otherNames = {}) const
    {
        Command command{QString::fromLatin1(id),
                        m_menu,
                        text,
                        key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key},
                        help,
                        Picture::None,
                        std::move(act),
                        std::move(whyNot)};
        command.otherNames = otherNames;
        m_commands->add(std::move(command));
    }

private:
    CommandTable *m_commands;
    QString m_menu;
};

void WorkbenchWindow::makeGoCommands()
{
    const auto noRun = [this] { return whyNoRun(); };
    const auto noKernel = [this] {
        return m_hub->current().empty() ? tr("No kernel is selected") : QString();
    };
    const Adder add(m_commands, tr("&Go"));
    add(
        "go.anything", tr("&Go to anything…"), QKeySequence(Qt::CTRL | Qt::Key_P),
        tr("Find a kernel, a plan or a lesson by any of its words"), [this] { goToAnything(); },
        noRun, tr("jump search open"));
    add(
        "go.find", tr("&Find a kernel"), QKeySequence(Qt::CTRL | Qt::Key_F),
        tr("Filter the list by name, plan, verdict or hash"),
        [this] {
            m_listDock->show();
            m_list->focusFilter();
        },
        noRun);
    add(
        "go.baseline", tr("&Baseline"), QKeySequence(Qt::CTRL | Qt::Key_Home),
        tr("Select the kernel the search started from"),
        [this] { m_hub->setCurrent(m_document->state().opened.baseline); }, noRun);
    add(
        "go.best", tr("B&est kernel"), QKeySequence(Qt::CTRL | Qt::Key_B),
        tr("Select the fastest kernel found so far"),
        [this] { m_hub->setCurrent(m_document->state().best); }, noRun);
    add(
        "go.parent", tr("&Parent"), QKeySequence(Qt::ALT | Qt::Key_Left),
        tr("Select the kernel this one was made from"),
        [this] {
            if (const KernelId parent = m_document->parentOf(m_hub->current()); !parent.empty())
                m_hub->setCurrent(parent);
        },
        noKernel);
    add(
        "go.pathBack", tr("B&ack on the best path"), QKeySequence(Qt::Key_BracketLeft),
        tr("One step towards the baseline"), [this] { stepOnBestPath(-1); }, noRun);
    add(
        "go.pathOn", tr("F&orward on the best path"), QKeySequence(Qt::Key_BracketRight),
        tr("One step towards the best kernel"), [this] { stepOnBestPath(1); }, noRun);
    add(
        "go.newest", tr("&Newest kernel"), QKeySequence(Qt::Key_Period),
        tr("Select the kernel that was written last"),
        [this] { m_hub->setCurrent(m_document->kernels().back()); },
        [this] {
            return m_document->kernels().empty() ? tr("There is no kernel yet") : QString();
        });
}

void WorkbenchWindow::makeCompareCommands()
{
    const auto noKernel = [this] {
        return m_hub->current().empty() ? tr("No kernel is selected") : QString();
    };
    const auto noChange = [this] {
        return m_diff->alignment().changes.empty() ? tr("The two kernels shown do not differ")
                                                   : QString();
    };
    const QString compare = tr("&Compare");
    const Adder add(m_commands, compare);
    add(
        "compare.parent", tr("With its &parent"), QKeySequence(Qt::Key_C),
        tr("Compare with the kernel it was made from"), [this] { m_hub->setSecond({}); }, noKernel);
    add(
        "compare.baseline", tr("With the &baseline"), QKeySequence(Qt::SHIFT | Qt::Key_C),
        tr("Compare with the kernel the search started from"),
        [this] { m_hub->setSecond(m_document->state().opened.baseline); }, noKernel);
    add(
        "compare.swap", tr("S&wap sides"), QKeySequence(Qt::Key_X),
        tr("Compare the other way round"),
        [this] {
            const KernelId second =
                m_hub->second().empty() ? m_document->parentOf(m_hub->current()) : m_hub->second();
            if (!second.empty())
                m_hub->setBoth(second, m_hub->current());
        },
        noKernel);
    m_commands->addSeparator(compare);
    add(
        "compare.next", tr("&Next change"), QKeySequence(Qt::ALT | Qt::Key_Down),
        tr("Go to the next difference"), [this] { m_diff->nextChange(); }, noChange);
    add(
        "compare.previous", tr("P&revious change"), QKeySequence(Qt::ALT | Qt::Key_Up),
        tr("Go to the previous difference"), [this] { m_diff->previousChange(); }, noChange);
}

void WorkbenchWindow::makeViewCommands()
{
    const auto noRun = [this] { return whyNoRun(); };
    const QString view = tr("&View");
    const Adder add(m_commands, view);
    add(
        "view.search", tr("&Search layout"), QKeySequence(Qt::CTRL | Qt::Key_1),
        tr("Tree, comparison, lists and the kernel"), [this] { setLayoutKind(Layout::Search); },
        noRun);
    add(
        "view.compare", tr("&Compare layout"), QKeySequence(Qt::CTRL | Qt::Key_2),
        tr("The comparison as large as possible"), [this] { setLayoutKind(Layout::Compare); },
        noRun);
    add(
        "view.teach", tr("&Teach layout"), QKeySequence(Qt::CTRL | Qt::Key_3),
        tr("Larger, with a sentence that says what is seen"),
        [this] { setLayoutKind(Layout::Teach); }, noRun, tr("lesson class student"));
    add(
        "view.present", tr("&Present layout"), QKeySequence(Qt::CTRL | Qt::Key_4),
        tr("The tree and the charts alone, large"), [this] { setLayoutKind(Layout::Present); },
        noRun, tr("slides projector"));
    add("view.fullScreen", tr("F&ull screen"), QKeySequence(Qt::Key_F11),
        tr("The whole screen; again: a window"),
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); }, {});
    m_commands->addSeparator(view);
    add(
        "view.fit", tr("&Fit the tree"), QKeySequence(Qt::Key_F),
        tr("Show as much of the tree as can be read"), [this] { m_tree->fit(); }, noRun);
    add(
        "view.larger", tr("&Larger"), QKeySequence(Qt::CTRL | Qt::Key_Equal),
        tr("Larger tree and text"),
        [this] {
            m_tree->zoomBy(1.15);
            m_diff->zoomBy(1);
        },
        noRun);
    add(
        "view.smaller", tr("S&maller"), QKeySequence(Qt::CTRL | Qt::Key_Minus),
        tr("Smaller tree and text"),
        [this] {
            m_tree->zoomBy(1 / 1.15);
            m_diff->zoomBy(-1);
        },
        noRun);
    add(
        "view.normal", tr("&Normal size"), QKeySequence(Qt::CTRL | Qt::Key_0),
        tr("Tree and text as they were"),
        [this] {
            m_tree->resetZoom();
            m_diff->resetZoom();
        },
        noRun);
    m_commands->addSeparator(view);
    const std::pair<const char *, QDockWidget *> panes[] = {{"view.kernels", m_listDock},
                                                            {"view.memory", m_memoryDock},
                                                            {"view.plans", m_plansDock},
                                                            {"view.kernel", m_cardDock},
                                                            {"view.roofline", m_rooflineDock}};
    for (const auto &[id, dock] : panes)
        add(
            id, tr("Show or hide: %1").arg(dock->windowTitle().section(QLatin1Char(':'), 0, 0)), {},
            tr("Show or hide this pane"),
            [pane = dock] {
                pane->setVisible(pane->isHidden());
                pane->raise();
            },
            noRun);
    m_commands->addSeparator(view);
    add("view.theme", tr("Light or &dark"), QKeySequence(Qt::CTRL | Qt::Key_T),
        tr("Change between the light and the dark theme"),
        [this] {
            m_theme->setKind(m_theme->kind() == ThemeKind::Light ? ThemeKind::Dark
                                                                 : ThemeKind::Light);
        },
        {});
    add(
        "view.contrast", tr("&High contrast"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T),
        tr("Light on black with strong edges; again: the dark theme"),
        [this] {
            m_theme->setKind(m_theme->kind() == ThemeKind::HighContrast ? ThemeKind::Dark
                                                                        : ThemeKind::HighContrast);
        },
        {}, tr("accessibility black"));
}

void WorkbenchWindow::makeHelpCommands()
{
    const Adder add(m_commands, tr("&Help"));
    add(
        "help.palette", tr("&Commands…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
        tr("Find a command by its name, or by what other programs call it"),
        [this] { showPalette(); }, {}, tr("palette actions"));
    add(
        "help.keys", tr("&Keys"), QKeySequence(Qt::Key_Question),
        tr("All commands with their keys"), [this] { (new KeySheet(*m_commands, this))->open(); },
        {}, tr("shortcuts sheet"));
}

void WorkbenchWindow::showPalette()
{
    std::vector<PaletteEntry> entries;
    for (const Command &command : m_commands->commands()) {
        QStringList keys;
        for (const QKeySequence &key : command.keys)
            keys << key.toString(QKeySequence::NativeText);
        const QString text = command.nowText ? command.nowText() : command.text;
        entries.push_back({plainText(command.menu) + QStringLiteral(": ") + plainText(text),
                           keys.join(QStringLiteral(", ")),
                           command.help + QLatin1Char(' ') + command.otherNames,
                           command.whyNot ? command.whyNot() : QString(),
                           [this, id = command.id] { m_commands->perform(id); }});
    }
    (new Palette(tr("Commands: type a part of the name"), std::move(entries), this))->open();
}

void WorkbenchWindow::goToAnything()
{
    const search::State &state = m_document->state();
    std::vector<PaletteEntry> entries;
    for (const KernelId &id : m_document->kernels()) {
        const search::KernelRecord *record = search::kernel(state, id);
        if (record == nullptr)
            continue;
        QString text = m_document->name(id);
        if (record->first)
            if (const search::PlanRecord *plan = search::plan(state, record->first->slot.plan))
                text += QStringLiteral("  ") + formatting::text(plan->plan.title);
        const QString figure = !record->judged ? tr("being judged")
                               : record->verdict.correct()
                                   ? formatting::latency(record->profile)
                                   : formatting::verdict(record->verdict.status);
        entries.push_back(
            {text, figure, formatting::text(id.value), {}, [this, id] { m_hub->setCurrent(id); }});
    }
    for (const search::MemoryItem &item : state.items)
        entries.push_back({tr("Lesson: %1").arg(formatting::text(item.item.title)),
                           formatting::text(std::string(search::name(item.status))),
                           formatting::text(item.item.id.value + " " + item.item.strategy),
                           {},
                           [this, id = item.item.id] {
                               m_memoryDock->show();
                               m_memoryDock->raise();
                               m_memory->select(id);
                           }});
    (new Palette(tr("Go to a kernel or a lesson"), std::move(entries), this))->open();
}

void WorkbenchWindow::makePaneCommands()
{
    const Adder add(m_commands, tr("&Go"));
    m_commands->addSeparator(tr("&Go"));
    const auto noRun = [this] { return whyNoRun(); };
    const struct
    {
        const char *id;
        QString text;
        QDockWidget *dock; ///< nullptr for what stands in the middle
        QWidget *pane;
    } panes[] = {{"go.tree", tr("To the tree"), nullptr, m_tree},
                 {"go.diff", tr("To the comparison"), nullptr, m_diff},
                 {"go.list", tr("To the list of kernels"), m_listDock, m_list},
                 {"go.memory", tr("To the lessons"), m_memoryDock, m_memory},
                 {"go.plans", tr("To the plans"), m_plansDock, m_plans},
                 {"go.card", tr("To the kernel's card"), m_cardDock, m_card},
                 {"go.roofline", tr("To the roofline"), m_rooflineDock, m_roofline},
                 {"go.charts", tr("To the charts"), nullptr, m_charts},
                 {"go.timeline", tr("To the timeline"), nullptr, m_timeline},
                 {"go.scratchpad", tr("To the scratchpad"), nullptr, m_scratchpad},
                 {"go.whatIf", tr("To what if"), nullptr, m_whatIf},
                 {"go.jobs", tr("To the jobs"), nullptr, m_jobs},
                 {"go.board", tr("To the board of runs"), nullptr, m_board}};
    // Alt with the digits along the keyboard, then with what stands beside them.
    const Qt::Key keys[] = {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_5,
                            Qt::Key_6, Qt::Key_7, Qt::Key_8, Qt::Key_9, Qt::Key_0,
                            Qt::Key_W, Qt::Key_J, Qt::Key_D};
    std::size_t key = 0;
    for (const auto &one : panes)
        add(
            one.id, one.text, QKeySequence(Qt::ALT | keys[key++]), tr("Keys then go to this pane"),
            [this, dock = one.dock, pane = one.pane] {
                if (dock != nullptr) {
                    dock->show();
                    dock->raise();
                }
                if (const int tab = m_lower->indexOf(pane); tab >= 0)
                    m_lower->setCurrentIndex(tab);
                if (dock == nullptr)
                    (pane == m_tree ? m_upper : static_cast<QWidget *>(m_lower))->show();
                pane->setFocus(Qt::ShortcutFocusReason);
            },
            noRun);
}

} // namespace accelopt::widgets
