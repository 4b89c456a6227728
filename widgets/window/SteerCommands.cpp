// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/dialogs/TextDialog.h"
#include "widgets/format/Formatting.h"
#include "widgets/memory/MemoryPane.h"
#include "widgets/plans/PlanPane.h"
#include "widgets/run/DecisionDesk.h"
#include "widgets/run/RunDocument.h"
#include "widgets/run/Steering.h"
#include "widgets/scratchpad/ScratchpadPane.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/NoticeBar.h"
#include "widgets/window/SelectionHub.h"
#include "widgets/window/WorkbenchWindow.h"

#include <QDockWidget>
#include <QTabWidget>

// Commands by which a person takes a hand in the search: on lessons, kernels and plans.

namespace accelopt::widgets {

void WorkbenchWindow::makeMemoryCommands()
{
    const QString memory = tr("&Memory");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &key,
                         const QString &help, Decision decision, void (MemoryPane::*act)()) {
        m_commands->add({QString::fromLatin1(id),
                         memory,
                         text,
                         {key},
                         help,
                         Picture::None,
                         [this, act] { (m_memory->*act)(); },
                         [this, decision] { return m_memory->whyNot(decision); }});
    };
    add("memory.approve", tr("&Approve"), QKeySequence(Qt::Key_A),
        tr("Planners are told the selected lesson from now on"), Decision::ApproveItem,
        &MemoryPane::approve);
    add("memory.pin", tr("&Pin"), QKeySequence(Qt::Key_P),
        tr("The selected lesson never falls out of the memory; again: takes the pin back"),
        Decision::PinItem, &MemoryPane::pin);
    add("memory.reject", tr("&Reject…"), QKeySequence(Qt::Key_R),
        tr("Planners are not told the selected lesson; asks for the reason"), Decision::RejectItem,
        &MemoryPane::reject);
    add("memory.edit", tr("&Edit…"), QKeySequence(Qt::Key_E),
        tr("Say the selected lesson in other words"), Decision::EditItem, &MemoryPane::edit);
    m_commands->addSeparator(memory);
    m_commands->add(
        {QStringLiteral("memory.rule"),
         memory,
         tr("Approve by r&ule"),
         {QKeySequence(Qt::SHIFT | Qt::Key_A)},
         tr("Approve all that wait whose kernels can be told apart, that were learnt in "
            "two lineages, and that say nothing already in use"),
         Picture::None,
         [this] { m_memory->approveByRule(); },
         [this] {
             if (const QString why = m_desk->whyNot(); !why.isEmpty())
                 return why;
             return approvableByRule(*m_document).empty() ? tr("No waiting lesson fulfils the rule")
                                                          : QString();
         }});
    m_memory->setActions({m_commands->action(QStringLiteral("memory.approve")),
                          m_commands->action(QStringLiteral("memory.pin")),
                          m_commands->action(QStringLiteral("memory.reject")),
                          m_commands->action(QStringLiteral("memory.edit"))});
    connect(m_memory, &MemoryPane::currentChanged, m_commands, &CommandTable::refresh);
}

QString WorkbenchWindow::whyNotWritten() const
{
    if (const QString why = m_desk->whyNot(); !why.isEmpty())
        return why;
    if ((m_driver->active() && m_driver->status() != SearchDriver::Status::Paused) ||
        (steersOther() && isSearching()))
        return tr("The search is running; pause it first");
    if (m_document->state().phase == search::Phase::Finished)
        return tr("The run is finished; go on with it first (Run menu)");
    return {};
}

void WorkbenchWindow::decideOnKernel(Decision decision, const QString &words)
{
    PersonDecided decided;
    decided.decision = decision;
    decided.kernel = m_hub->current();
    m_desk->decide(decided, words.arg(m_document->name(m_hub->current())));
}

void WorkbenchWindow::writePlan(const PlanSlot &slot)
{
    const search::PlanRecord *record = search::plan(m_document->state(), slot);
    if (record == nullptr)
        return;
    TextQuestion question;
    question.title = tr("Plan %1").arg(formatting::text(planId(slot).value));
    question.explanation =
        tr("One change to %1, in words. The executor carries it out like any other plan.")
            .arg(m_document->name(record->plan.parent));
    question.lineLabel = tr("&Title:");
    question.line = formatting::text(record->plan.title);
    question.textLabel = tr("&Plan:");
    question.text = formatting::text(record->plan.text);
    question.accept = tr("Use this plan");
    auto *dialog = new TextDialog(question, this);
    connect(dialog, &TextDialog::given, this,
            [this, slot](const QString &line, const QString &text) {
                const PersonsAnswer answer =
                    personsPlan(m_document->state(), slot, line.toStdString(), text.toStdString());
                m_desk->record(answer.bodies, answer.texts);
            });
    dialog->open();
}

void WorkbenchWindow::writeKernel()
{
    const KernelId candidate = m_hub->current();
    const search::KernelRecord *record = search::kernel(m_document->state(), candidate);
    if (record == nullptr)
        return;
    const std::optional<std::string> source = m_document->text(record->text);
    if (!source) {
        m_notice->say(tr("The kernel's text is being read; try again in a moment."));
        return;
    }
    TextQuestion question;
    question.title = tr("A kernel made from %1").arg(m_document->name(candidate));
    question.explanation = tr("Change the kernel, or paste another. It takes the place of a plan "
                              "of this iteration, or of the next one when all are made, and is "
                              "judged and ranked like any other.");
    question.lineLabel = tr("&What it changes:");
    question.textLabel = tr("&Kernel:");
    question.text = formatting::text(*source);
    question.accept = tr("Add to the search");
    question.style = TextQuestion::Style::Code;
    auto *dialog = new TextDialog(question, this);
    connect(dialog, &TextDialog::given, this,
            [this, candidate](const QString &line, const QString &text) {
                addKernel(candidate, line.toStdString(), text.toStdString());
            });
    dialog->open();
}

void WorkbenchWindow::addKernel(const KernelId &from, const std::string &title,
                                const std::string &source)
{
    const auto answer = personsKernel(m_document->state(), from, title, source);
    if (answer && (!m_driver->active() || m_driver->status() == SearchDriver::Status::Paused)) {
        m_desk->record(answer->bodies, answer->texts);
    } else if (m_driver->active()) {
        // Placed where the search runs, before it begins what comes next.
        m_driver->queueKernel(from, title, source);
        m_notice->say(tr("The kernel is kept here until the search asks for plans again, and then "
                         "takes the first place."));
    } else {
        m_notice->say(formatting::text(describe(answer.error())));
    }
}

QString WorkbenchWindow::whyNoKernelAdded(const KernelId &wanted) const
{
    if (const QString why = m_desk->whyNot(); !why.isEmpty())
        return why;
    const search::KernelRecord *from = search::kernel(m_document->state(), wanted);
    if (from == nullptr)
        return tr("No kernel is selected");
    if (!m_driver->active())
        if (const QString why = whyNotWritten(); !why.isEmpty())
            return why;
    const auto could = personsKernel(m_document->state(), from->id, "?", "?");
    // The own search finds a place for it later, if there is none now.
    if (could || (m_driver->active() && from->judged &&
                  m_document->state().phase != search::Phase::Finished))
        return {};
    return formatting::text(describe(could.error()));
}

void WorkbenchWindow::makeScratchpadCommands()
{
    const QString steer = tr("&Steer");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &key,
                         const QString &help, std::function<void()> act,
                         std::function<QString()> whyNot) {
        Command command{
            QString::fromLatin1(id), steer, text, {key}, help, Picture::None, std::move(act),
            std::move(whyNot)};
        command.otherNames = tr("edit playground human node");
        m_commands->add(std::move(command));
        m_scratchpad->addAction(m_commands->action(QString::fromLatin1(id)));
    };
    m_commands->addSeparator(steer);
    add(
        "scratchpad.take", tr("&Edit this kernel in the scratchpad"),
        QKeySequence(Qt::CTRL | Qt::Key_E),
        tr("Take the selected kernel's text there; what changes is judged while you type"),
        [this] {
            m_lower->setCurrentWidget(m_scratchpad);
            m_scratchpad->takeSelected();
            m_scratchpad->setFocus();
        },
        [this] { return m_hub->current().empty() ? tr("No kernel is selected") : QString(); });
    add(
        "scratchpad.send", tr("Send the scratchpad to the &search…"),
        QKeySequence(Qt::CTRL | Qt::Key_Return),
        tr("The kernel as it stands takes the place of a plan, and is judged like any other"),
        [this] { sendScratchpad(); },
        [this]() -> QString {
            if (m_scratchpad->from().empty())
                return tr("The scratchpad is empty; take a kernel first");
            if (const QString why = whyNoKernelAdded(m_scratchpad->from()); !why.isEmpty())
                return why;
            const LabReport *report = m_scratchpad->report();
            return report != nullptr && !report->verdict.correct() && report->problem.empty()
                       ? tr("It does not keep the rules yet; the scratchpad says what is wrong")
                       : QString();
        });
    connect(m_scratchpad, &ScratchpadPane::profileChanged, m_commands, &CommandTable::refresh);
}

void WorkbenchWindow::sendScratchpad()
{
    TextQuestion question;
    question.title = tr("A kernel from the scratchpad");
    question.explanation = tr("Say in a few words what it changes; that is its plan.");
    question.lineLabel = tr("&What it changes:");
    question.textLabel = tr("&Kernel:");
    question.text = formatting::text(m_scratchpad->source());
    question.accept = tr("Add to the search");
    question.style = TextQuestion::Style::Code;
    auto *dialog = new TextDialog(question, this);
    connect(dialog, &TextDialog::given, this,
            [this, from = m_scratchpad->from()](const QString &line, const QString &text) {
                addKernel(from, line.toStdString(), text.toStdString());
            });
    dialog->open();
}

void WorkbenchWindow::makeSteerCommands()
{
    const QString steer = tr("&Steer");
    const auto record = [this] { return search::kernel(m_document->state(), m_hub->current()); };
    const auto whyNoKernel = [this, record]() -> QString {
        if (const QString why = m_desk->whyNot(); !why.isEmpty())
            return why;
        return record() == nullptr ? tr("No kernel is selected") : QString();
    };
    const auto add = [this, steer](const char *id, const QString &text, const QKeySequence &key,
                                   const QString &help, std::function<void()> act,
                                   std::function<QString()> whyNot) -> Command {
        return {QString::fromLatin1(id),
                steer,
                text,
                key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key},
                help,
                Picture::None,
                std::move(act),
                std::move(whyNot)};
    };
    Command undo = add(
        "steer.undo", tr("&Undo"), QKeySequence::Undo,
        tr("Take the last decision back; the run keeps both"), [this] { m_desk->undo(); },
        [this]() -> QString {
            if (const QString why = m_desk->whyNot(); !why.isEmpty())
                return why;
            return m_desk->undoWords().isEmpty() ? tr("Nothing was decided here yet") : QString();
        });
    undo.nowText = [this] {
        return m_desk->undoWords().isEmpty() ? tr("&Undo")
                                             : tr("&Undo %1").arg(m_desk->undoWords());
    };
    m_commands->add(undo);
    Command redo = add(
        "steer.redo", tr("&Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z),
        tr("Decide again what was undone"), [this] { m_desk->redo(); },
        [this]() -> QString {
            if (const QString why = m_desk->whyNot(); !why.isEmpty())
                return why;
            return m_desk->redoWords().isEmpty() ? tr("Nothing was undone") : QString();
        });
    redo.nowText = [this] {
        return m_desk->redoWords().isEmpty() ? tr("&Redo")
                                             : tr("&Redo %1").arg(m_desk->redoWords());
    };
    m_commands->add(redo);
    m_commands->addSeparator(steer);

    Command pin = add(
        "steer.pinKernel", tr("&Pin to the beam"), QKeySequence(Qt::SHIFT | Qt::Key_P),
        tr("The selected kernel always has a place in the beam; again: takes the pin back"),
        [this, record] {
            if (record()->pinned)
                decideOnKernel(Decision::UnpinKernel, tr("unpin %1"));
            else
                decideOnKernel(Decision::PinKernel, tr("pin %1"));
        },
        [whyNoKernel, record]() -> QString {
            if (const QString why = whyNoKernel(); !why.isEmpty())
                return why;
            return record()->rankable
                       ? QString()
                       : tr("Only a kernel that is correct and comparable can be built on");
        });
    pin.isOn = [record] { return record() != nullptr && record()->pinned; };
    pin.otherNames = tr("keep favourite star");
    m_commands->add(pin);
    Command drop = add(
        "steer.dropKernel", tr("&Drop from the beam"), QKeySequence(Qt::SHIFT | Qt::Key_D),
        tr("The search never builds on the selected kernel; again: takes that back"),
        [this, record] {
            if (record()->dropped)
                decideOnKernel(Decision::UndropKernel, tr("take %1 back"));
            else
                decideOnKernel(Decision::DropKernel, tr("drop %1"));
        },
        [this, whyNoKernel]() -> QString {
            if (const QString why = whyNoKernel(); !why.isEmpty())
                return why;
            return m_hub->current() == m_document->state().opened.baseline
                       ? tr("The baseline is what everything is compared with")
                       : QString();
        });
    drop.isOn = [record] { return record() != nullptr && record()->dropped; };
    drop.otherNames = tr("remove exclude prune");
    m_commands->add(drop);
    m_commands->addSeparator(steer);

    Command kernel = add(
        "steer.writeKernel", tr("&Write a kernel from this one…"),
        QKeySequence(Qt::SHIFT | Qt::Key_K),
        tr("Fork the selected kernel: edit it or paste another kernel into the search"),
        [this] { writeKernel(); }, [this] { return whyNoKernelAdded(m_hub->current()); });
    kernel.otherNames = tr("fork paste human node");
    m_commands->add(kernel);
    m_commands->add(add(
        "steer.writePlan", tr("Write a p&lan…"), QKeySequence(Qt::SHIFT | Qt::Key_N),
        tr("Put a plan of your own into the selected plan's place, or the next that is free"),
        [this] {
            const search::State &state = m_document->state();
            const std::optional<PlanSlot> chosen = m_plans->current();
            if (chosen && (isRewritable(state, *chosen) || state.openPlans.contains(*chosen)))
                writePlan(*chosen);
            else if (const auto free = openPlanSlot(state, {}))
                writePlan(*free);
        },
        [this]() -> QString {
            if (const QString why = whyNotWritten(); !why.isEmpty())
                return why;
            const search::State &state = m_document->state();
            const std::optional<PlanSlot> chosen = m_plans->current();
            return (chosen && isRewritable(state, *chosen)) || openPlanSlot(state, {})
                       ? QString()
                       : tr("All plans of this iteration are made and begun; pause before the "
                            "plans of the next one");
        }));
    m_commands->add(add(
        "steer.dropPlan", tr("Dr&op the plan"), QKeySequence(Qt::SHIFT | Qt::Key_X),
        tr("What of the selected plan is not begun is given up"),
        [this] {
            const PersonsAnswer answer = droppedPlan(m_document->state(), *m_plans->current(), {});
            m_desk->record(answer.bodies, answer.texts);
        },
        [this]() -> QString {
            if (const QString why = whyNotWritten(); !why.isEmpty())
                return why;
            const std::optional<PlanSlot> chosen = m_plans->current();
            if (!chosen)
                return tr("No plan is selected; the Plans pane lists those of this iteration");
            return droppedPlan(m_document->state(), *chosen, {}).bodies.empty()
                       ? tr("Everything of the plan is written already")
                       : QString();
        }));
    m_plans->setActions({m_commands->action(QStringLiteral("steer.writePlan")),
                         m_commands->action(QStringLiteral("steer.dropPlan"))});
    m_commands->addSeparator(steer);
    for (const BreakPoint point : allBreakPoints()) {
        Command command =
            add(qPrintable(QStringLiteral("break.") + name(point)), tr("Halt %1").arg(text(point)),
                {}, tr("The search pauses by itself, and goes on when you say so"),
                [this, point] {
                    std::set<BreakPoint> points = m_driver->breakPoints();
                    if (!points.erase(point))
                        points.insert(point);
                    m_driver->setBreakPoints(points);
                },
                {});
        command.isOn = [this, point] { return m_driver->breakPoints().contains(point); };
        command.otherNames = tr("break breakpoint stop");
        m_commands->add(command);
    }
    connect(m_plans, &PlanPane::currentChanged, m_commands, &CommandTable::refresh);
    connect(m_desk, &DecisionDesk::changed, m_commands, &CommandTable::refresh);
    connect(m_desk, &DecisionDesk::refused, m_notice, &NoticeBar::say);
    connect(m_driver, &SearchDriver::halted, m_notice, &NoticeBar::say);
}

void WorkbenchWindow::refreshWaiting()
{
    const std::size_t waiting = proposalCount(m_document->state());
    m_memoryDock->setWindowTitle(
        waiting == 0 ? tr("Memory")
                     : tr("Memory: %1 for you to decide")
                           .arg(formatting::count(qint64(waiting), tr("lesson"), tr("lessons"))));
    if (waiting == m_waitingSaid)
        return;
    m_waitingSaid = waiting;
    if (waiting == 0) {
        m_waiting->say({});
        return;
    }
    QString sentence = waiting == 1 ? tr("A lesson waits for your approval")
                                    : tr("%1 lessons wait for your approval").arg(waiting);
    sentence += m_document->state().phase == search::Phase::Finished
                    ? tr("; if the run is gone on with, planners are told what you approve.")
                    : tr("; the search goes on without waiting.");
    m_waiting->offer(sentence, tr("Look at them"), [this] {
        m_memoryDock->show();
        m_memoryDock->raise();
        m_memory->setFocus();
    });
}

} // namespace accelopt::widgets
