// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/diff/DiffView.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/KernelListPane.h"
#include "widgets/window/SelectionHub.h"
#include "widgets/window/WorkbenchWindow.h"

#include <QDockWidget>
#include <QMessageBox>
#include <algorithm>

// The window's commands; what they do to the panes is in WorkbenchWindow.cpp.

namespace accelopt::widgets {

void WorkbenchWindow::makeRunCommands()
{
    using runner::Advance;
    const QString run = tr("&Run");
    const auto whyNotStepped = [this] {
        if (const QString reason = whyNotDriven(); !reason.isEmpty())
            return reason;
        return m_driver->busy() ? tr("It is running; pause it first") : QString();
    };
    m_commands->add({QStringLiteral("run.run"),
                     run,
                     tr("&Run"),
                     {QKeySequence(Qt::Key_F5)},
                     tr("Search to the end"),
                     Picture::Run,
                     [this] { drive(Advance::Run); },
                     [this] {
                         if (const QString reason = whyNotDriven(); !reason.isEmpty())
                             return reason;
                         return m_driver->status() == SearchDriver::Status::Running
                                    ? tr("It is running")
                                    : QString();
                     }});
    m_commands->add({QStringLiteral("run.pause"),
                     run,
                     tr("&Pause"),
                     {QKeySequence(Qt::Key_F6)},
                     tr("Begin nothing new; what is under way ends and is kept"),
                     Picture::Pause,
                     [this] { m_driver->advance(Advance::Pause); },
                     [this] {
                         if (const QString reason = whyNotDriven(); !reason.isEmpty())
                             return reason;
                         return m_driver->status() == SearchDriver::Status::Running
                                    ? QString()
                                    : tr("Nothing is running");
                     }});
    m_commands->add({QStringLiteral("run.stepItem"),
                     run,
                     tr("&Step"),
                     {QKeySequence(Qt::Key_F10)},
                     tr("One plan, kernel, judgement or lesson, then pause"),
                     Picture::StepItem,
                     [this] { drive(Advance::Item); },
                     whyNotStepped});
    m_commands->add({QStringLiteral("run.stepIteration"),
                     run,
                     tr("Step &iteration"),
                     {QKeySequence(Qt::SHIFT | Qt::Key_F10)},
                     tr("Up to the choice of the next beam, then pause"),
                     Picture::StepIteration,
                     [this] { drive(Advance::Iteration); },
                     whyNotStepped});
    m_commands->add({QStringLiteral("run.stop"),
                     run,
                     tr("S&top"),
                     {QKeySequence(Qt::SHIFT | Qt::Key_F5)},
                     tr("End the search: what is paid for is finished and the best is confirmed"),
                     Picture::Stop,
                     [this] {
                         PersonDecided stop;
                         stop.decision = Decision::Stop;
                         stop.reason = "stopped in the window";
                         m_driver->decide(stop);
                         // A paused search has to move to come to its end.
                         m_driver->advance(Advance::Run);
                     },
                     [this] {
                         if (const QString reason = whyNotDriven(); !reason.isEmpty())
                             return reason;
                         return m_driver->active() ? QString() : tr("Nothing is running");
                     }});
}

void WorkbenchWindow::stepOnBestPath(int step)
{
    const std::vector<KernelId> path = m_document->pathTo(m_document->state().best);
    if (path.empty())
        return;
    const auto at = std::find(path.begin(), path.end(), m_hub->current());
    const int place = at == path.end() ? int(path.size()) - 1 : int(at - path.begin()) + step;
    m_hub->setCurrent(path[std::size_t(std::clamp(place, 0, int(path.size()) - 1))]);
}

void WorkbenchWindow::makeViewCommands()
{
    const auto noRun = [this] { return whyNoRun(); };
    const auto noKernel = [this] {
        return m_hub->current().empty() ? tr("No kernel is selected") : QString();
    };
    const auto noChange = [this] {
        return m_diff->alignment().changes.empty() ? tr("The two kernels shown do not differ")
                                                   : QString();
    };
    const QString go = tr("&Go");
    const auto add = [this](const char *id, const QString &menu, const QString &text,
                            const QKeySequence &key, const QString &help, std::function<void()> act,
                            std::function<QString()> whyNot) {
        m_commands->add({QString::fromLatin1(id), menu, text,
                         key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key}, help,
                         Picture::None, std::move(act), std::move(whyNot)});
    };
    add(
        "go.find", go, tr("&Find a kernel"), QKeySequence(Qt::CTRL | Qt::Key_F),
        tr("Filter the list by name, plan, verdict or hash"),
        [this] {
            m_listDock->show();
            m_list->focusFilter();
        },
        noRun);
    add(
        "go.baseline", go, tr("&Baseline"), QKeySequence(Qt::CTRL | Qt::Key_Home),
        tr("Select the kernel the search started from"),
        [this] { m_hub->setCurrent(m_document->state().opened.baseline); }, noRun);
    add(
        "go.best", go, tr("B&est kernel"), QKeySequence(Qt::CTRL | Qt::Key_B),
        tr("Select the fastest kernel found so far"),
        [this] { m_hub->setCurrent(m_document->state().best); }, noRun);
    add(
        "go.parent", go, tr("&Parent"), QKeySequence(Qt::ALT | Qt::Key_Left),
        tr("Select the kernel this one was made from"),
        [this] {
            if (const KernelId parent = m_document->parentOf(m_hub->current()); !parent.empty())
                m_hub->setCurrent(parent);
        },
        noKernel);
    add(
        "go.pathBack", go, tr("B&ack on the best path"), QKeySequence(Qt::Key_BracketLeft),
        tr("One step towards the baseline"), [this] { stepOnBestPath(-1); }, noRun);
    add(
        "go.pathOn", go, tr("F&orward on the best path"), QKeySequence(Qt::Key_BracketRight),
        tr("One step towards the best kernel"), [this] { stepOnBestPath(1); }, noRun);
    add(
        "go.newest", go, tr("&Newest kernel"), QKeySequence(Qt::Key_Period),
        tr("Select the kernel that was written last"),
        [this] { m_hub->setCurrent(m_document->kernels().back()); },
        [this] {
            return m_document->kernels().empty() ? tr("There is no kernel yet") : QString();
        });

    const QString compare = tr("&Compare");
    add(
        "compare.parent", compare, tr("With its &parent"), QKeySequence(Qt::Key_C),
        tr("Compare with the kernel it was made from"), [this] { m_hub->setSecond({}); }, noKernel);
    add(
        "compare.baseline", compare, tr("With the &baseline"), QKeySequence(Qt::SHIFT | Qt::Key_C),
        tr("Compare with the kernel the search started from"),
        [this] { m_hub->setSecond(m_document->state().opened.baseline); }, noKernel);
    add(
        "compare.swap", compare, tr("S&wap sides"), QKeySequence(Qt::Key_X),
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
        "compare.next", compare, tr("&Next change"), QKeySequence(Qt::ALT | Qt::Key_Down),
        tr("Go to the next difference"), [this] { m_diff->nextChange(); }, noChange);
    add(
        "compare.previous", compare, tr("P&revious change"), QKeySequence(Qt::ALT | Qt::Key_Up),
        tr("Go to the previous difference"), [this] { m_diff->previousChange(); }, noChange);

    const QString view = tr("&View");
    add(
        "view.search", view, tr("&Search layout"), QKeySequence(Qt::CTRL | Qt::Key_1),
        tr("Tree, comparison, lists and the kernel"), [this] { setLayoutKind(Layout::Search); },
        noRun);
    add(
        "view.compare", view, tr("&Compare layout"), QKeySequence(Qt::CTRL | Qt::Key_2),
        tr("The comparison as large as possible"), [this] { setLayoutKind(Layout::Compare); },
        noRun);
    m_commands->addSeparator(view);
    add(
        "view.fit", view, tr("&Fit the tree"), QKeySequence(Qt::Key_F),
        tr("Show as much of the tree as can be read"), [this] { m_tree->fit(); }, noRun);
    add(
        "view.larger", view, tr("&Larger"), QKeySequence(Qt::CTRL | Qt::Key_Equal),
        tr("Larger tree and text"),
        [this] {
            m_tree->zoomBy(1.15);
            m_diff->zoomBy(1);
        },
        noRun);
    add(
        "view.smaller", view, tr("S&maller"), QKeySequence(Qt::CTRL | Qt::Key_Minus),
        tr("Smaller tree and text"),
        [this] {
            m_tree->zoomBy(1 / 1.15);
            m_diff->zoomBy(-1);
        },
        noRun);
    add(
        "view.normal", view, tr("&Normal size"), QKeySequence(Qt::CTRL | Qt::Key_0),
        tr("Tree and text as they were"),
        [this] {
            m_tree->resetZoom();
            m_diff->resetZoom();
        },
        noRun);
    m_commands->addSeparator(view);
    const std::pair<const char *, QDockWidget *> panes[] = {
        {"view.kernels", m_listDock}, {"view.memory", m_memoryDock}, {"view.kernel", m_cardDock}};
    for (const auto &[id, dock] : panes)
        add(
            id, view,
            tr("Show or hide: %1").arg(dock->windowTitle().section(QLatin1Char(':'), 0, 0)), {},
            tr("Show or hide this pane"), [pane = dock] { pane->setVisible(pane->isHidden()); },
            noRun);
    m_commands->addSeparator(view);
    add("view.theme", view, tr("Light or &dark"), QKeySequence(Qt::CTRL | Qt::Key_T),
        tr("Change between the light and the dark theme"),
        [this] {
            m_theme->setKind(m_theme->kind() == ThemeKind::Light ? ThemeKind::Dark
                                                                 : ThemeKind::Light);
        },
        {});

    const QString help = tr("&Help");
    add("help.keys", help, tr("&Keys"), QKeySequence(Qt::Key_Question),
        tr("All commands that have keys"),
        [this] {
            QString rows;
            for (const QString &line :
                 m_commands->keySheet().split(QLatin1Char('\n'), Qt::SkipEmptyParts))
                rows += QStringLiteral("<tr><td style='padding-right:24px'>") +
                        line.section(QLatin1Char('\t'), 0, 0).toHtmlEscaped() +
                        QStringLiteral("</td><td>") +
                        line.section(QLatin1Char('\t'), 1).toHtmlEscaped() +
                        QStringLiteral("</td></tr>");
            auto *box =
                new QMessageBox(QMessageBox::NoIcon, tr("Keys"),
                                QStringLiteral("<table>") + rows + QStringLiteral("</table>"),
                                QMessageBox::Close, this);
            box->setAttribute(Qt::WA_DeleteOnClose);
            box->open();
        },
        {});
}

} // namespace accelopt::widgets
