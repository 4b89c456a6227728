// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Long because: the worlds and the driver that runs them make no sense apart.
#pragma once

#include "core/search/Calls.h"
#include "core/search/Fold.h"
#include "core/search/Next.h"
#include "core/search/Questions.h"
#include "core/search/Random.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace accelopt::search::tests {

/// Kernels by name and what the fake profiler says of them.
inline KernelJudged judgedCorrect(const std::string &kernel, double latencyMs, double tieMargin = 0)
{
    KernelJudged event;
    event.kernel = KernelId(kernel);
    event.verdict.status = VerdictStatus::Correct;
    event.profile.device = "trn1";
    event.profile.modelVersion = "1";
    event.profile.latencyMs = latencyMs;
    event.profile.tieMargin = tieMargin;
    event.profile.counters = {{"hbm_read_bytes", 1e6 * latencyMs}};
    return event;
}

inline KernelJudged judgedAs(const std::string &kernel, VerdictStatus status)
{
    KernelJudged event;
    event.kernel = KernelId(kernel);
    event.verdict.status = status;
    event.verdict.reasons = {Reason{"language", "err_made_up", "made up", "", {3, 1, 3, 2}}};
    return event;
}

/// Agents and a profiler that answer at once, the same question always alike. Tests replace what
/// they want to steer.
struct World
{
    std::uint64_t seed = 1;
    std::string baseline = "baseline";

    /// Kernel that the executor writes in a turn; empty = the call fails.
    std::function<std::string(const State &, const Turn &)> write = [](const State &,
                                                                       const Turn &turn) {
        return describe(turn.slot) + (turn.repair > 0 ? "r" + std::to_string(turn.repair) : "");
    };
    std::function<KernelJudged(const std::string &, JudgePurpose)> judge =
        [](const std::string &kernel, JudgePurpose) { return judgedCorrect(kernel, 10); };
    std::function<bool(const PlanSlot &)> planFails = [](const PlanSlot &) { return false; };
    enum class Lesson { Item, Declined, Failed };
    std::function<Lesson(int, int)> lesson = [](int, int) { return Lesson::Item; };
    Usage usagePerCall{1, 100, 0, 10, 0.01, 0};

    EventBody answer(const State &state, const Command &command) const
    {
        return std::visit([&](const auto &one) { return answerTo(state, one); }, command);
    }

private:
    static std::string noText(const TextId &id) { return "bytes of " + id.value; }

    CallFailed failed(const CallId &call, RoleName role) const
    {
        CallFailed event;
        event.call = call;
        event.role = role;
        event.reason = "the server gave up";
        event.usage = usagePerCall;
        return event;
    }
    EventBody answerTo(const State &state, const AskPlanner &command) const
    {
        if (planFails(command.slot))
            return failed(command.call, RoleName::Planner);
        PlanMade event;
        event.call = command.call;
        event.plan = makePlan(question(state, command, noText),
                              {"plan " + planId(command.slot).value, "Do it.", ""}, "fake");
        event.usage = usagePerCall;
        return event;
    }
    EventBody answerTo(const State &state, const AskExecutor &command) const
    {
        const Turn turn{command.slot, command.repair};
        const std::string kernel = write(state, turn);
        if (kernel.empty())
            return failed(command.call, RoleName::Executor);
        AttemptMade event;
        event.call = command.call;
        event.slot = command.slot;
        event.repair = command.repair;
        event.kernel = KernelId(kernel);
        // The same kernel may be written with other comments.
        event.text = TextId("text of " + command.call.value);
        event.usage = usagePerCall;
        return event;
    }
    EventBody answerTo(const State &state, const AskSummarizer &command) const
    {
        const Lesson what = lesson(command.iteration, command.rank);
        if (what == Lesson::Failed)
            return failed(command.call, RoleName::Summarizer);
        PairSummarized event;
        event.call = command.call;
        event.iteration = command.iteration;
        event.rank = command.rank;
        event.usage = usagePerCall;
        event.declined = what == Lesson::Declined;
        if (!event.declined)
            event.item = makeItem(question(state, command, noText),
                                  {false, "lesson " + command.call.value, "Strategy.", "", "", {}});
        return event;
    }
    EventBody answerTo(const State &, const Judge &command) const
    {
        KernelJudged event = judge(command.kernel.value, command.purpose);
        event.purpose = command.purpose;
        return event;
    }
    EventBody answerTo(const State &, const WaitForPerson &) const
    {
        PersonDecided event;
        event.decision = Decision::Stop;
        return event;
    }
    EventBody answerTo(const State &, const Finish &command) const
    {
        return RunFinished{command.reason};
    }
};

/// Which of the commands under way is answered next.
enum class Arrival { First, Last, Random };

/// Carries out commands the way the runner does, in one thread and without I/O.
class Driver
{
public:
    Driver(World world, Arrival arrival, std::uint64_t orderSeed = 7)
        : m_world(std::move(world)),
          m_arrival(arrival),
          m_order(orderSeed)
    {}

    void open(const RunConfig &config)
    {
        RunOpened event;
        event.config = config;
        event.task = "silu";
        event.baseline = KernelId(m_world.baseline);
        event.baselineText = TextId("text of the baseline");
        append(event, "engine");
    }

    /// Takes over the log of another driver that was killed.
    void resume(std::vector<Event> log)
    {
        m_log = std::move(log);
        m_state = fold(m_log);
    }

    void append(EventBody body, const std::string &actor)
    {
        Event event;
        event.sequence = static_cast<std::int64_t>(m_log.size()) + 1;
        event.actor = actor;
        event.body = std::move(body);
        apply(m_state, event);
        m_log.push_back(std::move(event));
        if (onEvent)
            onEvent(m_state);
    }

    /// Answers one command; false when there was none.
    bool step()
    {
        const std::vector<Command> commands = next(m_state, limits);
        if (commands.empty())
            return false;
        for (const Command &command : commands)
            start(command);
        const Command chosen = commands[pick(commands.size())];
        m_underWay.erase(callId(chosen));
        append(m_world.answer(m_state, chosen), "fake");
        return true;
    }

    /// Steps until nothing is left to do, or the condition holds after an event.
    void run(const std::function<bool(const State &)> &until = {})
    {
        while (!(until && until(m_state)) && step()) {
        }
    }

    State &state() { return m_state; }
    const std::vector<Event> &log() const { return m_log; }
    /// How often each kernel was judged, for each purpose.
    const std::map<std::string, int> &judgements() const { return m_judgements; }

    std::function<void(const State &)> onEvent;
    /// Without limits everything outstanding is under way at once.
    Limits limits;

private:
    std::size_t pick(std::size_t size)
    {
        switch (m_arrival) {
        case Arrival::First: return 0;
        case Arrival::Last: return size - 1;
        case Arrival::Random: return static_cast<std::size_t>(m_order.below(size));
        }
        return 0;
    }

    void start(const Command &command)
    {
        if (!m_underWay.insert(callId(command)).second)
            return;
        if (std::holds_alternative<AskPlanner>(command))
            append(CallStarted{callId(command), RoleName::Planner}, "engine");
        else if (std::holds_alternative<AskExecutor>(command))
            append(CallStarted{callId(command), RoleName::Executor}, "engine");
        else if (std::holds_alternative<AskSummarizer>(command))
            append(CallStarted{callId(command), RoleName::Summarizer}, "engine");
        else if (const auto *judge = std::get_if<Judge>(&command))
            ++m_judgements[judge->call.value];
    }

    World m_world;
    Arrival m_arrival;
    Random m_order;
    State m_state;
    std::vector<Event> m_log;
    std::set<CallId> m_underWay;
    std::map<std::string, int> m_judgements;
};

/// A world in which kernels repeat, tie, fail in every way, and calls fail, all decided by hashes.
inline World wildWorld(std::uint64_t seed)
{
    World world;
    world.seed = seed;
    const auto dice = [seed](const std::string &name, std::uint64_t sides) {
        return mixSeed(seed, name) % sides;
    };
    world.write = [dice](const State &state, const Turn &turn) -> std::string {
        const std::string call = writeCall(turn).value;
        if (dice("write " + call, 15) == 0)
            return {};
        const PlanRecord *from = plan(state, turn.slot.plan);
        if (dice("copy " + call, 12) == 0)
            return from->plan.parent.value;
        return "k" + std::to_string(dice("kernel " + call + from->plan.parent.value, 150));
    };
    world.judge = [dice](const std::string &kernel, JudgePurpose purpose) {
        if (kernel == "baseline")
            return judgedCorrect(kernel, 10, 0.02);
        switch (dice("verdict " + kernel, 10)) {
        case 0: return judgedAs(kernel, VerdictStatus::Wrong);
        case 1:
        case 2: return judgedAs(kernel, VerdictStatus::NotCompiling);
        case 3: return judgedAs(kernel, VerdictStatus::RunFailed);
        default: break;
        }
        if (purpose == JudgePurpose::Confirmation && dice("confirm " + kernel, 4) == 0)
            return judgedAs(kernel, VerdictStatus::Wrong);
        return judgedCorrect(kernel, 6 + 0.1 * double(dice("latency " + kernel, 80)), 0.02);
    };
    world.planFails = [dice](const PlanSlot &slot) {
        return dice("plan " + planId(slot).value, 15) == 0;
    };
    world.lesson = [dice](int iteration, int rank) {
        switch (dice("lesson " + summaryCall(iteration, rank).value, 8)) {
        case 0: return World::Lesson::Declined;
        case 1: return World::Lesson::Failed;
        default: return World::Lesson::Item;
        }
    };
    return world;
}

} // namespace accelopt::search::tests
