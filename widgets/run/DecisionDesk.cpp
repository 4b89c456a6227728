// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/DecisionDesk.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/run/SearchDriver.h"

#include <algorithm>

namespace accelopt::widgets {

namespace {

/// Who writes a file is looked up twice a second, so our own lock is seen for a while.
constexpr int kOwnLockSeenMs = 1500;

PersonDecided onItem(Decision decision, const ItemId &item, std::string reason = {})
{
    PersonDecided decided;
    decided.decision = decision;
    decided.item = item;
    decided.reason = std::move(reason);
    return decided;
}

PersonDecided onKernel(Decision decision, const KernelId &kernel)
{
    PersonDecided decided;
    decided.decision = decision;
    decided.kernel = kernel;
    return decided;
}

/// The lesson as it is now, after it was something else.
std::vector<PersonDecided> restoring(const search::MemoryItem &item)
{
    const ItemId &id = item.item.id;
    switch (item.status) {
    case search::ItemStatus::Active:
        return {onItem(item.pinned ? Decision::PinItem : Decision::ApproveItem, id)};
    case search::ItemStatus::Proposed: return {onItem(Decision::ProposeItem, id)};
    case search::ItemStatus::Rejected:
    case search::ItemStatus::FellOut:
        return {onItem(Decision::RejectItem, id, "taken back by a person")};
    }
    return {};
}

std::vector<PersonDecided> restoring(const search::KernelRecord &kernel)
{
    if (kernel.pinned)
        return {onKernel(Decision::PinKernel, kernel.id)};
    if (kernel.dropped)
        return {onKernel(Decision::DropKernel, kernel.id)};
    return {};
}

} // namespace

std::vector<PersonDecided> takingBack(const search::State &state, const PersonDecided &decision)
{
    const search::MemoryItem *item = search::item(state, decision.item);
    const search::KernelRecord *kernel = search::kernel(state, decision.kernel);
    std::vector<PersonDecided> back;
    switch (decision.decision) {
    case Decision::ApproveItem:
    case Decision::RejectItem:
    case Decision::ProposeItem:
        if (item != nullptr)
            back = restoring(*item);
        break;
    case Decision::PinItem:
        if (item == nullptr || item->pinned)
            break;
        back = {onItem(Decision::UnpinItem, decision.item)};
        if (item->status != search::ItemStatus::Active) {
            const std::vector<PersonDecided> rest = restoring(*item);
            back.insert(back.end(), rest.begin(), rest.end());
        }
        break;
    case Decision::UnpinItem: back = {onItem(Decision::PinItem, decision.item)}; break;
    case Decision::EditItem:
        if (item == nullptr)
            break;
        back = {onItem(Decision::EditItem, decision.item)};
        back.front().title = item->item.title;
        back.front().strategy = item->item.strategy;
        break;
    case Decision::PinKernel:
    case Decision::UnpinKernel:
        back = {onKernel(decision.decision == Decision::PinKernel ? Decision::UnpinKernel
                                                                  : Decision::PinKernel,
                         decision.kernel)};
        if (kernel != nullptr && kernel->dropped)
            back.push_back(onKernel(Decision::DropKernel, decision.kernel));
        break;
    case Decision::DropKernel:
        back = {onKernel(Decision::UndropKernel, decision.kernel)};
        if (kernel != nullptr && !kernel->dropped) {
            const std::vector<PersonDecided> rest = restoring(*kernel);
            back.insert(back.end(), rest.begin(), rest.end());
        }
        break;
    case Decision::UndropKernel: back = {onKernel(Decision::DropKernel, decision.kernel)}; break;
    case Decision::Stop: break;
    }
    return back;
}

DecisionDesk::DecisionDesk(RunDocument *document, SearchDriver *driver, QObject *parent)
    : QObject(parent),
      m_document(document),
      m_driver(driver)
{
    m_writing.setSingleShot(true);
    m_writing.setInterval(kOwnLockSeenMs);
    connect(&m_writing, &QTimer::timeout, this, &DecisionDesk::changed);
    connect(document, &RunDocument::closed, this, &DecisionDesk::forget);
    connect(driver, &SearchDriver::recorded, this, [this] {
        if (writesItself())
            m_writing.start();
    });
    connect(driver, &SearchDriver::recorded, this, &DecisionDesk::changed);
    connect(driver, &SearchDriver::notRecorded, this, [this](quint64 ticket, const QString &why) {
        // What never happened cannot be undone.
        const auto it = std::find_if(m_steps.begin(), m_steps.end(),
                                     [&](const Step &step) { return step.ticket == ticket; });
        if (it != m_steps.end()) {
            const auto place = std::size_t(it - m_steps.begin());
            m_taken -= place < m_taken ? 1 : 0;
            m_steps.erase(it);
        }
        emit refused(why);
        emit changed();
    });
}

void DecisionDesk::forget()
{
    m_steps.clear();
    m_taken = 0;
    m_writing.stop();
    emit changed();
}

QString DecisionDesk::whyNot() const
{
    if (!m_document->isOpen())
        return tr("No run is open");
    if (!m_document->loaded())
        return tr("The run is being read");
    const WriterState &writer = m_document->writer();
    if (!writer.written || m_driver->active() || isWriting() || m_driver->otherDriver().reachable)
        return {};
    return writer.pid > 0 ? tr("Process %1 writes this run, and only it may change it: here it is "
                               "followed, not steered")
                                .arg(writer.pid)
                          : tr("Another process writes this run, and only it may change it: here "
                               "it is followed, not steered");
}

bool DecisionDesk::writesItself() const
{
    return !m_driver->active() && !m_driver->otherDriver().reachable;
}

quint64 DecisionDesk::send(const std::vector<PersonDecided> &decisions)
{
    const quint64 ticket = ++m_ticket;
    if (writesItself())
        m_writing.start();
    m_driver->record(m_document->file(), std::vector<EventBody>(decisions.begin(), decisions.end()),
                     {}, ticket);
    return ticket;
}

void DecisionDesk::decide(const PersonDecided &decision, const QString &words)
{
    decide(std::vector<PersonDecided>{decision}, words);
}

void DecisionDesk::decide(const std::vector<PersonDecided> &decisions, const QString &words)
{
    if (const QString why = whyNot(); !why.isEmpty()) {
        emit refused(why);
        return;
    }
    if (decisions.empty())
        return;
    Step step{words, decisions, {}, 0};
    for (const PersonDecided &decision : decisions) {
        // The last is taken back first.
        const std::vector<PersonDecided> back = takingBack(m_document->state(), decision);
        step.back.insert(step.back.begin(), back.begin(), back.end());
    }
    step.ticket = send(decisions);
    m_steps.resize(m_taken);
    if (!step.back.empty()) {
        m_steps.push_back(std::move(step));
        m_taken = m_steps.size();
    }
    emit changed();
}

void DecisionDesk::record(const std::vector<EventBody> &bodies, const std::vector<Text> &texts)
{
    if (const QString why = whyNot(); !why.isEmpty()) {
        emit refused(why);
        return;
    }
    if (writesItself())
        m_writing.start();
    m_driver->record(m_document->file(), bodies, texts, ++m_ticket);
}

QString DecisionDesk::undoWords() const
{
    return m_taken > 0 ? m_steps[m_taken - 1].words : QString();
}

QString DecisionDesk::redoWords() const
{
    return m_taken < m_steps.size() ? m_steps[m_taken].words : QString();
}

void DecisionDesk::undo()
{
    if (m_taken == 0)
        return;
    --m_taken;
    send(m_steps[m_taken].back);
    emit changed();
}

void DecisionDesk::redo()
{
    if (m_taken >= m_steps.size())
        return;
    Step &step = m_steps[m_taken++];
    step.ticket = send(step.done);
    emit changed();
}

} // namespace accelopt::widgets
