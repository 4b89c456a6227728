// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/search/Interfaces.h"
#include "core/search/Next.h"
#include "core/search/State.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace accelopt::runner {

/// How far the runner goes before it pauses by itself.
enum class Advance {
    Pause,     ///< start nothing; what is under way ends and is kept
    Item,      ///< one call or judgement
    Phase,     ///< everything of the kind that is outstanding first: plans, kernels, judgements,
               ///< lessons
    Iteration, ///< up to the selection of the next beam
    Run,       ///< to the end
};

/// Who plays the roles; all borrowed.
struct Players
{
    search::Role *planner = nullptr;
    search::Role *executor = nullptr;
    search::Role *summarizer = nullptr;
    search::Profiler *profiler = nullptr;
};

/// Something that is under way.
struct InFlight
{
    CallId call;
    std::string what; ///< for people: "plan 2 for candidate 1"
    double seconds = 0;
};

/// Carries out what the engine commands and appends what comes back, until the engine says that the
/// run is finished. Lives on one thread with an event loop; the players and the journal belong to
/// that thread too. Nothing but the events it writes changes the state.
class SearchRunner : public QObject
{
    Q_OBJECT

public:
    /// `state` is the fold of the journal's events.
    SearchRunner(search::State state, search::Journal *journal, Players players,
                 QObject *parent = nullptr);
    ~SearchRunner() override;

    const search::State &state() const { return m_state; }
    bool finished() const { return m_state.phase == search::Phase::Finished; }
    Advance mode() const { return m_mode; }
    std::vector<InFlight> inFlight() const;
    /// From now on these play; only while nothing is under way.
    void setPlayers(Players players) { m_players = players; }

    /// Appends events of a person's (or of the opening of the run) and goes on.
    Result<void> record(std::vector<EventBody> bodies, std::vector<Text> texts, std::string actor);

public slots:
    void advance(accelopt::runner::Advance mode);
    /// Records a person's decision.
    void decide(const accelopt::PersonDecided &decision);
    /// Gives up what is under way (it will be in doubt) and starts nothing more. For leaving the
    /// program.
    void abandon();

signals:
    /// Events were written and applied, in order.
    void appended(const std::vector<accelopt::Event> &events);
    /// Nothing is under way and nothing will be started until somebody advances.
    void paused();
    void finishedRun(const QString &reason);
    /// Nothing can be done before a person decides.
    void waiting(const QString &reason);
    /// A service or the disk failed. Nothing is lost; advance() tries again.
    void blocked(const QString &message, int exitStatus);

private:
    struct Call
    {
        std::string what;
        QElapsedTimer since;
        bool paid = false; ///< a role call, as opposed to a judgement
    };
    /// What came back, to be written.
    struct Arrival
    {
        CallId call;
        std::vector<EventBody> bodies;
        std::vector<Text> texts;
        std::string actor;
    };

    void schedulePump();
    void pump();
    bool flush();
    void start(const search::Command &command);
    void startPlanner(const search::AskPlanner &command);
    void startExecutor(const search::AskExecutor &command);
    void startSummarizer(const search::AskSummarizer &command);
    void startJudge(const search::Judge &command);
    void arrive(Arrival arrival);
    /// True when the service behind a role failed: nothing is written, and a person is told.
    bool roleFailed(const CallId &call, const Error &error);
    void onJudgeFailed(const CallId &call, const Error &error);
    void block(const Error &error);
    /// Forgets a call when a text of its question could not be read: nobody is asked.
    bool giveUpUnread(const CallId &call);
    std::string text(const TextId &id);
    int kindOf(const search::Command &command) const;

    search::State m_state;
    search::Journal *m_journal;
    Players m_players;
    Advance m_mode = Advance::Pause;
    int m_stepsLeft = 0;
    int m_stepKind = -1;
    std::size_t m_stepIterations = 0;
    std::map<CallId, Call> m_calls;
    std::deque<Arrival> m_arrivals;
    std::map<TextId, std::string> m_recentTexts; ///< saves reading back what was just written
    QTimer m_pump;
    QElapsedTimer m_clock;
    int m_judgeFailures = 0;
    bool m_blocked = false;
    bool m_journalFails = false; ///< what blocks is the journal itself
    bool m_abandoned = false;
    bool m_announcedWait = false;
    std::shared_ptr<bool> m_alive;
};

} // namespace accelopt::runner

Q_DECLARE_METATYPE(accelopt::runner::Advance)
