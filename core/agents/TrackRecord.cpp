// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/TrackRecord.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace accelopt::agents {

using search::PastAttempt;

namespace {

// Speedups closer to 1 than this are no change.
constexpr double kNoChange = 0.002;

// What outcomes and lessons weigh, as logarithms of the factor.
constexpr double kWin = 0.5;      // for ten percent and more
constexpr double kIdle = -0.25;   // correct, and nothing gained
constexpr double kLoss = -0.6;    // correct and slower
constexpr double kFailure = -0.9; // no correct kernel
constexpr double kPraise = 0.1;   // a positive item: the estimate for the kernel itself knows more
constexpr double kWarning = -0.9; // a negative one
constexpr double kOtherBound = 0.5; // share of a lesson from a kernel with another bound
// Share of a lesson's gain that is expected of doing the same elsewhere. More than this made
// searches worse that carried lessons between operators.
constexpr double kTrust = 0.15;
// A setting that loses more than this says that those beyond it lose more.
constexpr double kClearLoss = 0.02;
constexpr double kLeast = -2.1;
constexpr double kMost = 1.4;

} // namespace

double TrackRecord::scoreOf(const PastAttempt &attempt)
{
    if (attempt.verdict != VerdictStatus::Correct)
        return kFailure;
    if (attempt.speedup > 1 + kNoChange)
        return kWin * std::min(1.0, 0.3 + (attempt.speedup - 1) * 7);
    return attempt.speedup < 1 - kNoChange ? kLoss : kIdle;
}

TrackRecord::TrackRecord(const KernelId &candidate, std::span<const PastAttempt> past,
                         std::span<const search::Experience> items, const Profile &profile)
{
    int lastHere = -1;
    for (const PastAttempt &attempt : past)
        if (attempt.parent == candidate)
            lastHere = std::max(lastHere, attempt.iteration);
    bool any = false;
    bool won = false;
    for (const PastAttempt &attempt : past) {
        ++m_plans;
        m_kernels.insert(attempt.kernel);
        const bool correct = attempt.verdict == VerdictStatus::Correct;
        if (attempt.parent == candidate) {
            m_triedHere.insert(canonicalDirective(attempt.directive));
            if (attempt.iteration == lastHere) {
                any = true;
                won = won || (correct && attempt.speedup > 1 + kNoChange);
            }
        }
        if (!correct)
            m_failedWords.insert(attempt.planTitle);
        const std::vector<std::string> names = namesIn(attempt.directive);
        // With several steps it is unknown which one is to blame or to praise.
        const double score =
            scoreOf(attempt) / static_cast<double>(std::max<std::size_t>(names.size(), 1));
        for (const std::string &name : names) {
            Account &account = m_accounts[name];
            ++account.plans;
            account.best = std::max(account.best, correct ? attempt.speedup : 0.0);
            // A tuner's knobs are judged one by one.
            account.score += name == "tune" ? 0 : score;
        }
        const Result<std::vector<Step>> steps = stepsOf(attempt.directive);
        if (steps && steps->size() == 1 && steps->front().kind == Step::Kind::Tune) {
            const Turning turning = turningOf(steps->front().parameters);
            if (turning.from > 0 && (!correct || attempt.speedup < 1 - kClearLoss))
                m_losses.push_back(turning);
            m_turnings[{turning.knob, turning.direction >= 0}] += score;
            // What was lost one way may be gained the other way.
            if (turning.direction != 0 && score < 0 && correct)
                m_turnings[{turning.knob, turning.direction < 0}] -= score / 3;
        }
    }
    m_gainedNothing = any && !won;

    for (const search::Experience &item : items) {
        const auto tag = item.tags.find("rewrite");
        if (tag == item.tags.end())
            continue;
        const auto bound = item.tags.find("bound");
        const bool same =
            bound == item.tags.end() || profile.bound.empty() || bound->second == profile.bound;
        const std::vector<std::string> names = namesOfTag(tag->second);
        // A setting's gain belongs to the numbers of its kernel.
        if (item.positive && item.speedup > 1 && !names.empty() && names.front() != "tune")
            m_promises.push_back({names, kTrust * (same ? 1 : kOtherBound) * (item.speedup - 1)});
        for (const std::string &name : names)
            m_lessons[name] += (item.positive ? kPraise : kWarning) * (same ? 1 : kOtherBound) /
                               static_cast<double>(names.size());
    }
}

double TrackRecord::weight(const Idea &idea) const
{
    double score = 0;
    for (const std::string &name : idea.names) {
        if (const auto account = m_accounts.find(name); account != m_accounts.end())
            score += account->second.score;
        if (const auto lesson = m_lessons.find(name); lesson != m_lessons.end())
            score += lesson->second;
    }
    if (!idea.names.empty())
        score /= static_cast<double>(idea.names.size());
    if (!idea.turning.knob.empty())
        if (const auto way = m_turnings.find({idea.turning.knob, idea.turning.direction >= 0});
            way != m_turnings.end())
            score += way->second;
    return std::exp(std::clamp(score, kLeast, kMost));
}

double TrackRecord::foretold(const Idea &idea) const
{
    double gain = 0;
    if (idea.kind != IdeaKind::Unsure)
        return 1;
    for (const Promise &promise : m_promises)
        if (std::all_of(promise.names.begin(), promise.names.end(), [&](const std::string &name) {
                return std::find(idea.names.begin(), idea.names.end(), name) != idea.names.end();
            }))
            gain = std::max(gain, promise.gain);
    return 1 + gain;
}

bool TrackRecord::pointless(const Idea &idea) const
{
    if (idea.kind != IdeaKind::Setting || idea.turning.direction == 0)
        return false;
    return std::any_of(m_losses.begin(), m_losses.end(), [&](const Turning &loss) {
        return loss.knob == idea.turning.knob && loss.from == idea.turning.from &&
               loss.direction * idea.turning.direction > 0 &&
               std::abs(loss.direction) <= std::abs(idea.turning.direction);
    });
}

bool TrackRecord::tried(const Idea &idea) const
{
    return m_triedHere.contains(idea.directive) || m_failedWords.contains(idea.title) ||
           m_kernels.contains(idea.result);
}

std::string TrackRecord::summary() const
{
    if (m_plans == 0)
        return {};
    std::vector<std::pair<std::string, Account>> accounts(m_accounts.begin(), m_accounts.end());
    std::stable_sort(accounts.begin(), accounts.end(),
                     [](const auto &a, const auto &b) { return a.second.plans > b.second.plans; });
    std::string words;
    for (const auto &[name, account] : accounts)
        words +=
            fmt::format("{}{} {} ({})", words.empty() ? ": " : ", ", name,
                        account.plans == 1 ? "once" : fmt::format("{} times", account.plans),
                        account.best > 1 + kNoChange ? fmt::format("best {:.3g}x", account.best)
                                                     : std::string("no gain"));
    return fmt::format("{} plan{} on it and its relatives{}", m_plans, m_plans == 1 ? "" : "s",
                       words);
}

} // namespace accelopt::agents
