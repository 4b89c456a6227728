// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace accelopt::search {

/// What an earlier plan on this candidate, or on an ancestor or sibling of it, came to. Lets a
/// planner avoid repeating what failed.
struct PastAttempt
{
    KernelId parent;
    std::string planTitle;
    std::string directive;
    VerdictStatus verdict = VerdictStatus::Wrong;
    double speedup = 0; ///< against its parent; 0 when not correct
    bool duplicate = false;
    int iteration = -1; ///< of the plan
    KernelId kernel;    ///< what was written
};

/// An experience item as a prompt carries it.
using Experience = ExperienceItem;

/// Another candidate of the same beam. What a planner would propose for those before the one it is
/// asked about need not be proposed again.
struct BeamMate
{
    KernelId candidate;
    std::string source;
    Profile profile;
    std::vector<PastAttempt> past;
};

/// "Propose one plan for this candidate." Asked N times per candidate with sample = 0 .. N-1.
struct PlannerQuestion
{
    PlanSlot slot;
    int samples = 1; ///< N
    KernelId candidate;
    std::string source;
    Profile profile;
    Profile baseline;
    std::vector<Experience> experiences;
    std::vector<PastAttempt> past; ///< oldest first; the latest kMostPastAttempts
    /// Kernels of finished iterations and the baseline: newest first, the latest kMostKnownKernels.
    std::vector<KernelId> known;
    std::vector<BeamMate> before; ///< the candidates in front of this one, in their order
    std::uint64_t seed = 0;
};

/// Most past attempts and kernels that a planner is told: enough for every relative that matters,
/// and a question costs the same however long the run is.
inline constexpr std::size_t kMostPastAttempts = 256;
inline constexpr std::size_t kMostKnownKernels = 4096;

/// "Write the kernel that carries out this plan." With repair > 0 the previous answer and its
/// reasons go along.
struct ExecutorQuestion
{
    AttemptSlot slot;
    Plan plan;
    KernelId candidate;
    std::string source;
    int repair = 0;
    std::string previousAnswer;
    Verdict previousVerdict;
    std::uint64_t seed = 0;
};

/// "Distil the lesson of this slow-fast pair."
struct SummarizerQuestion
{
    int iteration = 0;
    int rank = 0;
    bool positive = true;
    double speedup = 1;
    KernelId slow;
    KernelId fast;
    std::string slowSource;
    std::string fastSource;
    Profile slowProfile;
    Profile fastProfile;
    Plan plan;
};

struct PlannerAnswer
{
    std::string title;
    std::string text;
    std::string directive;
};

struct ExecutorAnswer
{
    std::string source; ///< the kernel
};

struct SummarizerAnswer
{
    bool declined = false;
    std::string title;
    std::string strategy;
    std::string before;
    std::string after;
    std::map<std::string, std::string> tags;
};

/// An answer of a role with what it cost. `answer` carries an Error when the role gave nothing
/// usable; then the call is not repeated by the engine (retries are the role's own affair).
template <typename Answer> struct RoleReply
{
    Result<Answer> answer;
    Usage usage;
    std::string author;
    std::string prompt;    ///< as sent; empty when there is none
    std::string rawAnswer; ///< as received; empty when there is none
};

/// Someone who plays one or more of the three roles. `done` is called exactly once, on the thread
/// that asked, possibly before the call returns.
class Role
{
public:
    virtual ~Role() = default;
    virtual void plan(const CallId &call, PlannerQuestion question,
                      std::function<void(RoleReply<PlannerAnswer>)> done) = 0;
    virtual void write(const CallId &call, ExecutorQuestion question,
                       std::function<void(RoleReply<ExecutorAnswer>)> done) = 0;
    virtual void summarize(const CallId &call, SummarizerQuestion question,
                           std::function<void(RoleReply<SummarizerAnswer>)> done) = 0;
    /// How many calls may be under way at once.
    virtual int callsAtOnce() const = 0;
    /// Gives up every call under way; their `done` is not called any more.
    virtual void cancelAll() = 0;
};

/// "Is this kernel right, and how fast is it?"
struct JudgeQuestion
{
    KernelId kernel;
    std::string source;
    JudgePurpose purpose = JudgePurpose::Search;
    std::uint64_t seed = 0; ///< of the run; secret seeds are derived from it
};

struct JudgeAnswer
{
    Verdict verdict;
    Profile profile;
};

/// Turns kernels into verdicts and profiles. `done` is called exactly once, on the thread that
/// asked. An Error means that the service failed, not the kernel: the question may be asked again
/// later.
class Profiler
{
public:
    virtual ~Profiler() = default;
    virtual void judge(JudgeQuestion question, std::function<void(Result<JudgeAnswer>)> done) = 0;
    virtual int kernelsAtOnce() const = 0;
    virtual void cancelAll() = 0;
};

/// Where events and texts are kept. append() is all or nothing, and durable when it returns.
class Journal
{
public:
    virtual ~Journal() = default;
    /// Gives the events their sequence numbers and times, and writes them with the texts they name.
    virtual Result<void> append(std::span<Event> events, std::span<const Text> texts) = 0;
    /// A text named by an event written earlier.
    virtual Result<std::string> text(const TextId &id) = 0;
};

} // namespace accelopt::search
