// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/SearchRunner.h"

#include "core/nki/syntax/Lexer.h"
#include "core/search/Fold.h"
#include "core/search/Questions.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::runner {

using namespace search;

namespace {

/// Seconds between two notes of the time spent; only budgets look at them.
constexpr double kSecondsBetweenNotes = 5;
/// A profiler that fails this often in a row is not asked again before a person says so.
constexpr int kMostJudgeFailures = 3;
constexpr std::size_t kRecentTexts = 256;

template <typename... Ts> struct Overloaded : Ts...
{
    using Ts::operator()...;
};
template <typename... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;

/// A text only when there is one.
TextId keep(std::string bytes, std::vector<Text> &texts)
{
    if (bytes.empty())
        return {};
    texts.push_back(makeText(std::move(bytes)));
    return texts.back().id;
}

} // namespace

SearchRunner::SearchRunner(State state, Journal *journal, Players players, QObject *parent)
    : QObject(parent),
      m_state(std::move(state)),
      m_journal(journal),
      m_players(players),
      m_alive(std::make_shared<bool>(true))
{
    qRegisterMetaType<accelopt::runner::Advance>();
    m_pump.setSingleShot(true);
    m_pump.setInterval(0);
    connect(&m_pump, &QTimer::timeout, this, &SearchRunner::pump);
    m_clock.start();
}

SearchRunner::~SearchRunner()
{
    *m_alive = false;
    abandon();
}

std::vector<InFlight> SearchRunner::inFlight() const
{
    std::vector<InFlight> list;
    for (const auto &[id, call] : m_calls)
        list.push_back({id, call.what, double(call.since.elapsed()) / 1000});
    return list;
}

void SearchRunner::abandon()
{
    // What has come back is paid for and is still written.
    if (!m_abandoned && !m_journalFails && *m_alive)
        flush();
    m_abandoned = true;
    m_calls.clear();
    for (Role *role : {m_players.planner, m_players.executor, m_players.summarizer})
        if (role != nullptr)
            role->cancelAll();
    if (m_players.profiler != nullptr)
        m_players.profiler->cancelAll();
}

std::string SearchRunner::text(const TextId &id)
{
    if (const auto it = m_recentTexts.find(id); it != m_recentTexts.end())
        return it->second;
    Result<std::string> bytes = m_journal->text(id);
    if (!bytes) {
        m_journalFails = true;
        block(bytes.error());
        return {};
    }
    if (m_recentTexts.size() >= kRecentTexts)
        m_recentTexts.clear();
    m_recentTexts.emplace(id, *bytes);
    return std::move(*bytes);
}

Result<void> SearchRunner::record(std::vector<EventBody> bodies, std::vector<Text> texts,
                                  std::string actor)
{
    std::vector<Event> events;
    for (EventBody &body : bodies)
        events.push_back({0, actor, 0, std::move(body)});
    ACCELOPT_CHECK(m_journal->append(events, texts));
    for (const Event &event : events)
        apply(m_state, event);
    emit appended(events);
    schedulePump();
    return {};
}

void SearchRunner::decide(const PersonDecided &decision)
{
    if (const Result<void> written = record({decision}, {}, "human"); !written)
        block(written.error());
}

void SearchRunner::advance(Advance mode)
{
    m_mode = mode;
    m_stepsLeft = mode == Advance::Item ? 1 : 0;
    m_stepKind = -1;
    m_stepIterations = m_state.iterations.size();
    if (mode != Advance::Pause) {
        m_blocked = false;
        m_journalFails = false;
        m_judgeFailures = 0;
    }
    schedulePump();
}

void SearchRunner::schedulePump()
{
    if (!m_abandoned)
        m_pump.start();
}

/// Order of the kinds of work within an iteration, for stepping by phase.
int SearchRunner::kindOf(const Command &command) const
{
    return int(command.index());
}

bool SearchRunner::flush()
{
    if (m_arrivals.empty())
        return true;
    std::vector<Event> events;
    std::vector<Text> texts;
    for (const Arrival &arrival : m_arrivals) {
        for (const EventBody &body : arrival.bodies)
            events.push_back({0, arrival.actor, 0, body});
        texts.insert(texts.end(), arrival.texts.begin(), arrival.texts.end());
    }
    const double seconds = double(m_clock.elapsed()) / 1000;
    if (seconds >= kSecondsBetweenNotes)
        events.push_back({0, "engine", 0, TimePassed{seconds}});
    if (const Result<void> written = m_journal->append(events, texts); !written) {
        // What came back stays in hand and is written at the next try.
        m_journalFails = true;
        block(written.error());
        return false;
    }
    if (seconds >= kSecondsBetweenNotes)
        m_clock.restart();
    for (const Arrival &arrival : m_arrivals)
        m_calls.erase(arrival.call);
    m_arrivals.clear();
    for (Text &text : texts) {
        if (m_recentTexts.size() >= kRecentTexts)
            m_recentTexts.clear();
        m_recentTexts.insert_or_assign(text.id, std::move(text.bytes));
    }
    for (const Event &event : events)
        apply(m_state, event);
    emit appended(events);
    return true;
}

void SearchRunner::pump()
{
    if (m_abandoned)
        return;
    // While another service fails, what others answer is kept all the same.
    if (m_blocked) {
        if (!m_journalFails)
            flush();
        return;
    }
    if (!flush())
        return;
    if (finished())
        return;
    if (m_mode == Advance::Iteration && m_state.iterations.size() > m_stepIterations)
        m_mode = Advance::Pause;
    const std::vector<Command> commands = next(m_state);
    if (!commands.empty()) {
        if (const auto *finish = std::get_if<Finish>(&commands.front())) {
            if (!m_calls.empty())
                return;
            const std::string reason = finish->reason;
            const double seconds = double(m_clock.restart()) / 1000;
            if (const Result<void> written =
                    record({TimePassed{seconds}, RunFinished{reason}}, {}, "engine");
                !written) {
                block(written.error());
                return;
            }
            emit finishedRun(QString::fromStdString(reason));
            return;
        }
        if (const auto *wait = std::get_if<WaitForPerson>(&commands.front())) {
            if (!m_announcedWait)
                emit waiting(QString::fromStdString(wait->reason));
            m_announcedWait = true;
            return;
        }
    }
    m_announcedWait = false;

    if (m_mode == Advance::Phase) {
        // The phase is the kind of work that stands first; it ends when none of that kind is left.
        int first = -1;
        for (const Command &command : commands)
            if (first < 0 || kindOf(command) < first)
                first = kindOf(command);
        if (m_stepKind < 0)
            m_stepKind = first;
        else if (first != m_stepKind && m_calls.empty())
            m_mode = Advance::Pause;
    }
    if (m_mode == Advance::Pause || (m_mode == Advance::Item && m_stepsLeft == 0)) {
        if (m_calls.empty()) {
            m_mode = Advance::Pause;
            emit paused();
        }
        return;
    }

    // Calls are written down before they are made, all of a turn at once.
    std::map<const void *, int> room;
    for (Role *role : {m_players.planner, m_players.executor, m_players.summarizer})
        room[role] = role->callsAtOnce();
    room[m_players.profiler] = m_players.profiler->kernelsAtOnce();
    const auto player = [&](const Command &command) -> const void * {
        return std::visit(
            Overloaded{[&](const AskPlanner &) -> const void * { return m_players.planner; },
                       [&](const AskExecutor &) -> const void * { return m_players.executor; },
                       [&](const AskSummarizer &) -> const void * { return m_players.summarizer; },
                       [&](const auto &) -> const void * { return m_players.profiler; }},
            command);
    };
    std::set<CallId> underWay;
    for (const auto &[id, call] : m_calls)
        underWay.insert(id);
    for (const Command &command : commands)
        if (underWay.contains(callId(command)))
            --room[player(command)];
    std::vector<const Command *> chosen;
    std::vector<EventBody> begun;
    for (const Command &command : commands) {
        if (underWay.contains(callId(command)))
            continue;
        if (m_mode == Advance::Phase && kindOf(command) != m_stepKind)
            continue;
        int &left = room[player(command)];
        if (left <= 0)
            continue;
        if (m_mode == Advance::Item && int(chosen.size()) >= m_stepsLeft)
            break;
        --left;
        chosen.push_back(&command);
        if (std::holds_alternative<AskPlanner>(command))
            begun.push_back(CallStarted{callId(command), RoleName::Planner});
        else if (std::holds_alternative<AskExecutor>(command))
            begun.push_back(CallStarted{callId(command), RoleName::Executor});
        else if (std::holds_alternative<AskSummarizer>(command))
            begun.push_back(CallStarted{callId(command), RoleName::Summarizer});
    }
    if (m_mode == Advance::Item)
        m_stepsLeft -= int(chosen.size());
    if (!begun.empty()) {
        if (const Result<void> written = record(std::move(begun), {}, "engine"); !written) {
            block(written.error());
            return;
        }
    }
    for (const Command *command : chosen) {
        if (m_journalFails)
            break; // the text of the one before could not be read: it and the rest are asked later
        start(*command);
    }
    if (chosen.empty() && m_calls.empty() && m_mode != Advance::Pause) {
        m_mode = Advance::Pause;
        emit paused();
    }
}

void SearchRunner::start(const Command &command)
{
    std::visit(Overloaded{[&](const AskPlanner &ask) { startPlanner(ask); },
                          [&](const AskExecutor &ask) { startExecutor(ask); },
                          [&](const AskSummarizer &ask) { startSummarizer(ask); },
                          [&](const Judge &judge) { startJudge(judge); }, [](const auto &) {}},
               command);
}

void SearchRunner::arrive(Arrival arrival)
{
    if (m_abandoned || !m_calls.contains(arrival.call))
        return;
    m_arrivals.push_back(std::move(arrival));
    schedulePump();
}

bool SearchRunner::giveUpUnread(const CallId &call)
{
    if (m_journalFails)
        m_calls.erase(call);
    return m_journalFails;
}

void SearchRunner::startPlanner(const AskPlanner &command)
{
    Call call;
    call.what =
        fmt::format("plan {} for candidate {}", command.slot.plan + 1, command.slot.candidate + 1);
    call.since.start();
    call.paid = true;
    m_calls.emplace(command.call, std::move(call));
    PlannerQuestion ask = question(m_state, command, [this](const TextId &id) { return text(id); });
    if (giveUpUnread(command.call))
        return;
    const PlannerQuestion asked = ask;
    m_players.planner->plan(
        command.call, std::move(ask),
        [this, alive = m_alive, asked, id = command.call,
         slot = command.slot](RoleReply<PlannerAnswer> reply) {
            if (!*alive)
                return;
            if (!reply.answer && roleFailed(id, reply.answer.error()))
                return;
            Arrival arrival{id, {}, {}, reply.author};
            const TextId prompt = keep(std::move(reply.prompt), arrival.texts);
            const TextId answer = keep(std::move(reply.rawAnswer), arrival.texts);
            if (reply.answer)
                arrival.bodies.push_back(PlanMade{id, makePlan(asked, *reply.answer, reply.author),
                                                  reply.usage, prompt, answer});
            else
                arrival.bodies.push_back(CallFailed{id, RoleName::Planner, slot, 0,
                                                    describe(reply.answer.error()), reply.usage,
                                                    prompt, answer});
            arrive(std::move(arrival));
        });
}

void SearchRunner::startExecutor(const AskExecutor &command)
{
    Call call;
    call.what = fmt::format("kernel for plan {}", describe(command.slot));
    call.since.start();
    call.paid = true;
    m_calls.emplace(command.call, std::move(call));
    ExecutorQuestion ask =
        question(m_state, command, [this](const TextId &id) { return text(id); });
    if (giveUpUnread(command.call))
        return;
    m_players.executor->write(
        command.call, std::move(ask),
        [this, alive = m_alive, command](RoleReply<ExecutorAnswer> reply) {
            if (!*alive)
                return;
            if (!reply.answer && roleFailed(command.call, reply.answer.error()))
                return;
            Arrival arrival{command.call, {}, {}, reply.author};
            const TextId prompt = keep(std::move(reply.prompt), arrival.texts);
            const TextId answer = keep(std::move(reply.rawAnswer), arrival.texts);
            if (reply.answer) {
                const KernelId kernel = nki::kernelIdentity(reply.answer->source);
                const TextId source = keep(std::move(reply.answer->source), arrival.texts);
                arrival.bodies.push_back(AttemptMade{command.call, command.slot, kernel, source,
                                                     reply.usage, prompt, answer, command.repair});
            } else {
                arrival.bodies.push_back(CallFailed{
                    command.call, RoleName::Executor, command.slot.plan, command.slot.attempt,
                    describe(reply.answer.error()), reply.usage, prompt, answer});
            }
            arrive(std::move(arrival));
        });
}

void SearchRunner::startSummarizer(const AskSummarizer &command)
{
    Call call;
    call.what = fmt::format("lesson {} of iteration {}", command.rank + 1, command.iteration + 1);
    call.since.start();
    call.paid = true;
    m_calls.emplace(command.call, std::move(call));
    SummarizerQuestion ask =
        question(m_state, command, [this](const TextId &id) { return text(id); });
    if (giveUpUnread(command.call))
        return;
    const SummarizerQuestion asked = ask;
    m_players.summarizer->summarize(
        command.call, std::move(ask),
        [this, alive = m_alive, asked, command](RoleReply<SummarizerAnswer> reply) {
            if (!*alive)
                return;
            if (!reply.answer && roleFailed(command.call, reply.answer.error()))
                return;
            Arrival arrival{command.call, {}, {}, reply.author};
            const TextId prompt = keep(std::move(reply.prompt), arrival.texts);
            const TextId answer = keep(std::move(reply.rawAnswer), arrival.texts);
            if (reply.answer) {
                PairSummarized summarized;
                summarized.call = command.call;
                summarized.iteration = command.iteration;
                summarized.rank = command.rank;
                summarized.declined = reply.answer->declined;
                if (!summarized.declined) {
                    summarized.item = makeItem(asked, *reply.answer);
                    // What decides whether the lesson is of use elsewhere; the summarizer's own
                    // words on it stand.
                    std::map<std::string, std::string> &tags = summarized.item.tags;
                    tags.emplace("operator", m_state.opened.task);
                    tags.emplace("device", m_state.config.device);
                    if (!asked.slowProfile.bound.empty())
                        tags.emplace("bound", asked.slowProfile.bound);
                }
                summarized.usage = reply.usage;
                summarized.prompt = prompt;
                summarized.answer = answer;
                arrival.bodies.push_back(std::move(summarized));
            } else {
                arrival.bodies.push_back(
                    CallFailed{command.call, RoleName::Summarizer, asked.plan.slot, command.rank,
                               describe(reply.answer.error()), reply.usage, prompt, answer});
            }
            arrive(std::move(arrival));
        });
}

void SearchRunner::startJudge(const Judge &command)
{
    Call call;
    call.what = fmt::format("{} kernel {}",
                            command.purpose == JudgePurpose::Search ? "judging" : "confirming",
                            shortId(command.kernel));
    call.since.start();
    m_calls.emplace(command.call, std::move(call));
    JudgeQuestion ask = question(m_state, command, [this](const TextId &id) { return text(id); });
    if (giveUpUnread(command.call))
        return;
    m_players.profiler->judge(
        std::move(ask), [this, alive = m_alive, command](Result<JudgeAnswer> answer) {
            if (!*alive)
                return;
            if (!answer) {
                onJudgeFailed(command.call, answer.error());
                return;
            }
            m_judgeFailures = 0;
            arrive({command.call,
                    {KernelJudged{command.kernel, command.purpose, std::move(answer->verdict),
                                  std::move(answer->profile)}},
                    {},
                    "profiler"});
        });
}

bool SearchRunner::roleFailed(const CallId &call, const Error &error)
{
    // What the role itself could not do is data; what its service could not is not.
    if (error.code != ErrorCode::Environment)
        return false;
    if (m_abandoned || m_calls.erase(call) == 0)
        return true;
    block(error);
    schedulePump();
    return true;
}

void SearchRunner::onJudgeFailed(const CallId &call, const Error &error)
{
    if (m_abandoned)
        return;
    m_calls.erase(call);
    if (++m_judgeFailures >= kMostJudgeFailures || error.code == ErrorCode::Environment ||
        error.code == ErrorCode::WrongUse) {
        block(error);
        return;
    }
    schedulePump();
}

void SearchRunner::block(const Error &error)
{
    if (std::exchange(m_blocked, true))
        return;
    m_mode = Advance::Pause;
    emit blocked(QString::fromStdString(accelopt::describe(error)), exitStatus(error.code));
}

} // namespace accelopt::runner
