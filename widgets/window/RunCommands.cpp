// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/dialogs/ContinueDialog.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/WorkbenchWindow.h"

// Running, stepping and ending a search: the window's own, one that it takes up, or one that
// another process drives.

namespace accelopt::widgets {

void WorkbenchWindow::makeRunCommands()
{
    using runner::Advance;
    const QString run = tr("&Run");
    const auto whyNotStepped = [this] {
        if (const QString reason = whyNotDriven(); !reason.isEmpty())
            return reason;
        return isSearching() ? tr("It is running; pause it first") : QString();
    };
    m_commands->add({QStringLiteral("run.run"),
                     run,
                     tr("&Run"),
                     {QKeySequence(Qt::Key_F5)},
                     tr("Search to the end; a run that was stopped is taken up again"),
                     Picture::Run,
                     [this] { drive(Advance::Run); },
                     [this] {
                         if (const QString reason = whyNotDriven(); !reason.isEmpty())
                             return reason;
                         const bool running =
                             steersOther() ? m_driver->otherDriver().mode == Advance::Run
                                           : m_driver->status() == SearchDriver::Status::Running;
                         return running ? tr("It is running") : QString();
                     }});
    m_commands->add({QStringLiteral("run.pause"),
                     run,
                     tr("&Pause"),
                     {QKeySequence(Qt::Key_F6)},
                     tr("Begin nothing new; what is under way ends and is kept"),
                     Picture::Pause,
                     [this] { pause(); },
                     [this] {
                         if (const QString reason = whyNotDriven(); !reason.isEmpty())
                             return reason;
                         const bool running =
                             steersOther() ? m_driver->otherDriver().mode != Advance::Pause
                                           : m_driver->status() == SearchDriver::Status::Running;
                         return running ? QString() : tr("Nothing is running");
                     }});
    m_commands->add({QStringLiteral("run.stepItem"),
                     run,
                     tr("&Step"),
                     {QKeySequence(Qt::Key_F10)},
                     tr("One plan, kernel, judgement or lesson, then pause"),
                     Picture::StepItem,
                     [this] { drive(Advance::Item); },
                     whyNotStepped});
    m_commands->add({QStringLiteral("run.stepPhase"),
                     run,
                     tr("Step &phase"),
                     {QKeySequence(Qt::CTRL | Qt::Key_F10)},
                     tr("Everything of the kind that comes next: plans, kernels, judgements or "
                        "lessons; then pause"),
                     Picture::None,
                     [this] { drive(Advance::Phase); },
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
                     [this] { stop(); },
                     [this] {
                         if (const QString reason = whyNotDriven(); !reason.isEmpty())
                             return reason;
                         return m_driver->active() || steersOther() ? QString()
                                                                    : tr("Nothing is running");
                     }});
    m_commands->addSeparator(run);
    Command goOn{QStringLiteral("run.goOn"),
                 run,
                 tr("&Go on with it…"),
                 {QKeySequence(Qt::CTRL | Qt::Key_F5)},
                 tr("Give a run more iterations or a larger budget, and search on"),
                 Picture::None,
                 [this] { this->goOn(); },
                 [this] { return whyNotGoneOnWith(); }};
    goOn.otherNames = tr("continue resume extend more iterations");
    m_commands->add(std::move(goOn));
}

bool WorkbenchWindow::steersOther() const
{
    return !m_driver->active() && m_document->writer().written && m_driver->otherDriver().reachable;
}

bool WorkbenchWindow::isSearching() const
{
    if (!steersOther())
        return m_driver->busy();
    const SearchDriver::OtherDriver &other = m_driver->otherDriver();
    return other.mode != runner::Advance::Pause || other.inFlight > 0;
}

void WorkbenchWindow::drive(runner::Advance mode)
{
    if (m_driver->active())
        m_driver->advance(mode);
    else if (steersOther())
        m_driver->steerOther(m_document->file(), mode);
    else
        m_driver->resume(m_document->file(), mode);
}

void WorkbenchWindow::pause()
{
    if (steersOther())
        m_driver->steerOther(m_document->file(), runner::Advance::Pause);
    else
        m_driver->advance(runner::Advance::Pause);
}

void WorkbenchWindow::stop()
{
    PersonDecided decided;
    decided.decision = Decision::Stop;
    decided.reason = "stopped in the window";
    // A paused search has to move to come to its end.
    if (steersOther()) {
        m_driver->steerOther(m_document->file(), runner::Advance::Run, {decided});
        return;
    }
    m_driver->decide(decided);
    m_driver->advance(runner::Advance::Run);
}

void WorkbenchWindow::goOn()
{
    const search::State &state = m_document->state();
    auto *dialog = new ContinueDialog(
        state.config, int(state.iterations.size()),
        state.phase == search::Phase::Finished ? formatting::text(state.finishedReason) : QString(),
        this);
    connect(dialog, &ContinueDialog::given, this, [this](const RunConfig &config) {
        m_driver->resume(m_document->file(), runner::Advance::Run, config);
    });
    dialog->open();
}

void WorkbenchWindow::watchOtherDriver()
{
    const bool wanted = m_document->isOpen() && m_document->writer().written &&
                        !m_driver->active() && !m_desk->isWriting();
    const QString file = wanted ? m_document->file() : QString();
    if (file == m_watchedOther)
        return;
    m_watchedOther = file;
    m_driver->watchOtherDriver(file);
}

QString WorkbenchWindow::otherDriverText() const
{
    const qint64 pid = m_document->writer().pid;
    const QString who = pid > 0 ? tr("process %1").arg(pid) : tr("another process");
    if (!steersOther())
        return tr("Followed (%1 writes it)").arg(who);
    const SearchDriver::OtherDriver &other = m_driver->otherDriver();
    if (other.mode != runner::Advance::Pause)
        return tr("Running in %1").arg(who);
    return other.inFlight > 0 ? tr("Pausing in %1").arg(who) : tr("Paused in %1").arg(who);
}

QString WorkbenchWindow::whyNotDriven() const
{
    if (m_driver->active())
        return {};
    if (!m_document->isOpen())
        return tr("Open a run or start a search first");
    if (!m_document->loaded())
        return tr("The run is being read");
    const search::State &state = m_document->state();
    // What a person had stopped is taken up by Run; what ended by itself needs more room first.
    if (state.phase == search::Phase::Finished && state.stop.code != search::StopCode::Person)
        return tr("The run is finished: %1. Go on with it… gives it more iterations")
            .arg(formatting::text(state.finishedReason));
    const WriterState &writer = m_document->writer();
    if (writer.written && !m_desk->isWriting() && !m_driver->otherDriver().reachable)
        return writer.pid > 0
                   ? tr("Process %1 writes this run; here it is followed, not steered")
                         .arg(writer.pid)
                   : tr("Another process writes this run; here it is followed, not steered");
    return {};
}

QString WorkbenchWindow::whyNotGoneOnWith() const
{
    if (!m_document->isOpen())
        return tr("No run is open");
    if (!m_document->loaded())
        return tr("The run is being read");
    if (m_driver->active())
        return tr("The search is under way; stop it first");
    if (m_document->writer().written && !m_desk->isWriting())
        return tr("Another process writes this run; stop it first");
    if (m_document->state().phase == search::Phase::NotOpened)
        return tr("The file holds no run");
    return {};
}

} // namespace accelopt::widgets
