// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Result.h"
#include "core/domain/RunConfig.h"
#include "core/domain/Search.h"
#include "core/domain/Verdict.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace accelopt {

// The events of a run. The log of events is the only truth: `state = fold(events)`. An event says
// what came back from the world (an answer, a judgement, a person's decision); what the engine
// concludes from it is never in the log. Long texts are named by TextId and kept beside the log.

/// First event of every run.
struct RunOpened
{
    RunConfig config;
    std::string task;
    /// Of task.json and reference, so that another task of the same name is noticed.
    std::string taskHash;
    std::string software;     ///< version of the workbench that opened the run
    std::string modelVersion; ///< of the cost model; empty when measured
    KernelId baseline;
    TextId baselineText;
};

/// A call to a role is about to be made. Without an answer later it is in doubt: possibly paid,
/// asked again.
struct CallStarted
{
    CallId call;
    RoleName role = RoleName::Planner;
};

/// The planner's answer for one slot.
struct PlanMade
{
    CallId call;
    Plan plan;
    Usage usage;
    TextId prompt; ///< empty when no prompt was written (offline agents)
    TextId answer;
};

/// The executor's answer for one slot: a kernel.
struct AttemptMade
{
    CallId call;
    AttemptSlot slot;
    KernelId kernel;
    TextId text;
    Usage usage;
    TextId prompt;
    TextId answer;
    int repair = 0; ///< number of the repair turn that made it, 0 for the first answer
};

/// A role gave no usable answer for this call, and will not be asked again.
struct CallFailed
{
    CallId call;
    RoleName role = RoleName::Planner;
    PlanSlot slot;
    int attempt = 0;    ///< meaningful for the executor
    std::string reason; ///< for people
    Usage usage;
    TextId prompt;
    TextId answer;
};

/// Why a kernel was judged.
enum class JudgePurpose { Search, Confirmation };

/// The profiler's word on a kernel.
struct KernelJudged
{
    KernelId kernel;
    JudgePurpose purpose = JudgePurpose::Search;
    Verdict verdict;
    Profile profile; ///< meaningful only when the verdict is correct
};

/// The summarizer made an item of a pair, or declined (no item): the kernels do not differ.
struct PairSummarized
{
    CallId call;
    int iteration = 0;
    int rank = 0; ///< of the pair within the iteration's intake
    bool declined = false;
    ExperienceItem item;
    Usage usage;
    TextId prompt;
    TextId answer;
};

/// What a person does to the run.
enum class Decision {
    PinKernel, ///< always has a place in the beam
    UnpinKernel,
    DropKernel, ///< is never selected
    UndropKernel,
    ApproveItem,
    RejectItem,
    PinItem,
    UnpinItem,
    EditItem,
    ProposeItem, ///< waits for approval again: an approval or a rejection is taken back
    Stop,        ///< finish what is paid for, then end
};

/// One decision of a person, on a kernel or an item (or on the run, for Stop).
struct PersonDecided
{
    Decision decision = Decision::Stop;
    KernelId kernel;
    ItemId item;
    std::string reason;
    std::string title;    ///< the new title, for EditItem
    std::string strategy; ///< the new text, for EditItem
};

/// Wall-clock seconds spent searching since the last such event; only budgets look at it.
struct TimePassed
{
    double seconds = 0;
};

/// A finished run was opened again with a larger bound or a changed configuration.
struct RunContinued
{
    RunConfig config;
};

/// Several runs share one budget, and part of it went to this run or from it. Each number is the
/// change of this run's own bound, negative for what it gave away; a bound that the run does not
/// have stays away.
struct BudgetMoved
{
    int round = 0; ///< of handing out, from 1; a run takes each round once
    int kernels = 0;
    double usd = 0;
    double minutes = 0;
    std::string reason; ///< for people, with the numbers that decided
};

/// Last event: the engine had no more to ask. `reason` is what a person reads ("6 iterations
/// done").
struct RunFinished
{
    std::string reason;
};

using EventBody =
    std::variant<RunOpened, CallStarted, PlanMade, AttemptMade, CallFailed, KernelJudged,
                 PairSummarized, PersonDecided, TimePassed, RunContinued, RunFinished, BudgetMoved>;

/// One line of the log.
struct Event
{
    std::int64_t sequence = 0; ///< from 1, without gaps
    std::string actor;         ///< "engine", "offline", a model, a host, "human"
    double unixSeconds = 0;    ///< when it was written; never looked at by the engine
    EventBody body;
};

/// A text named by an event.
struct Text
{
    TextId id;
    std::string bytes;
};

/// Names a text by the SHA-256 of its bytes.
Text makeText(std::string bytes);

/// The kind's name in the log ("run_opened", "plan_made", ...).
std::string_view kind(const EventBody &body);
/// What the event is about, for the log's subject column: a call, a kernel or an item; may be
/// empty.
std::string subject(const EventBody &body);
/// Version of the payload form that this program writes.
inline constexpr int kPayloadVersion = 1;
/// The payload as JSON.
nlohmann::json payload(const EventBody &body);
/// The event body of a logged kind and payload. Fails with Newer for an unknown kind or version,
/// with Format for a payload that is not of the kind's form.
Result<EventBody> eventBody(std::string_view kind, int version, const nlohmann::json &payload);

std::string_view name(Decision decision);
std::optional<Decision> decision(std::string_view name);

} // namespace accelopt
