// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/OfflinePlanner.h"

#include "core/agents/IdeaFinder.h"
#include "core/agents/TrackRecord.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

namespace accelopt::agents {

using search::BeamMate;
using search::PlannerQuestion;

namespace {

constexpr std::size_t kMostKept = 16;
// What an idea of unknown worth counts, as a gain.
constexpr double kCuriosity = 0.02;
// Each earlier sample with the same rewrite makes another one this much less interesting.
constexpr double kRepetition = 0.6;

// How often each kind has a turn in a round, and without gain also the order; a kind that has run
// out is passed over.
constexpr IdeaKind kMix[] = {IdeaKind::Chain, IdeaKind::Site, IdeaKind::Unsure, IdeaKind::Site};
constexpr IdeaKind kMixWithoutGain[] = {IdeaKind::Setting, IdeaKind::Unsure, IdeaKind::Chain,
                                        IdeaKind::Setting, IdeaKind::Site};

double scoreOf(const Idea &idea, const TrackRecord &record)
{
    // What was measured elsewhere counts beside what is estimated here.
    double gain = std::max(idea.promise - 1, record.foretold(idea) - 1);
    if (idea.kind == IdeaKind::Setting || idea.kind == IdeaKind::Unsure)
        gain = gain > 0 ? gain + kCuriosity : kCuriosity * std::pow(idea.promise, 4);
    return gain * idea.evidence * record.weight(idea);
}

/// What makes two ideas alike.
std::vector<std::string> traitsOf(const Idea &idea)
{
    return idea.kind == IdeaKind::Setting ? std::vector{idea.turning.knob} : idea.names;
}

struct Scored
{
    const Idea *idea = nullptr;
    double score = 0;
};

/// Ideas of one kind, best first, from which samples take.
class Pile
{
public:
    void add(Scored one) { m_left.push_back(one); }
    bool empty() const { return m_left.empty(); }

    /// The score of the best one after those whose traits were seen that often.
    double most(const std::map<std::string, int> &seen) const
    {
        double most = -1;
        for (const Scored &one : m_left)
            most = std::max(most, scoreAfter(one, seen));
        return most;
    }

    const Idea *take(std::map<std::string, int> &seen)
    {
        const double wanted = most(seen);
        const auto best = std::find_if(m_left.begin(), m_left.end(), [&](const Scored &one) {
            return scoreAfter(one, seen) >= wanted;
        });
        const Idea *idea = best->idea;
        m_left.erase(best);
        for (const std::string &trait : traitsOf(*idea))
            ++seen[trait];
        return idea;
    }

private:
    static double scoreAfter(const Scored &one, const std::map<std::string, int> &seen)
    {
        int repeated = 0;
        for (const std::string &trait : traitsOf(*one.idea))
            if (const auto found = seen.find(trait); found != seen.end())
                repeated = std::max(repeated, found->second);
        return one.score * std::pow(kRepetition, repeated);
    }

    std::vector<Scored> m_left;
};

/// Settings of one knob are tried outwards from its number, one on each side at a time: what the
/// nearest comes to decides about the others.
class Nearest
{
public:
    void see(const Turning &turning)
    {
        double &nearest =
            m_nearest.try_emplace(sideOf(turning), std::abs(turning.direction)).first->second;
        nearest = std::min(nearest, std::abs(turning.direction));
    }
    bool holds(const Turning &turning) const
    {
        const auto found = m_nearest.find(sideOf(turning));
        return turning.direction == 0 || found == m_nearest.end() ||
               std::abs(turning.direction) <= found->second;
    }

private:
    static std::pair<std::string, bool> sideOf(const Turning &turning)
    {
        return {turning.knob, turning.direction > 0};
    }
    std::map<std::pair<std::string, bool>, double> m_nearest;
};

std::string boundWords(const Profile &profile)
{
    std::string words;
    if (!profile.bound.empty())
        words = fmt::format("; it is bound by {}", profile.bound);
    if (profile.percentOfPeak)
        words += fmt::format("{} {:.0f} % of peak", words.empty() ? "; it is at" : " at",
                             *profile.percentOfPeak);
    return words;
}

} // namespace

std::vector<const Idea *> rankedIdeas(const std::vector<Idea> &ideas, const TrackRecord &record,
                                      const std::set<KernelId> &taken)
{
    std::vector<const Idea *> open;
    Nearest nearest;
    for (const Idea &idea : ideas)
        if (!taken.contains(idea.result) && !record.tried(idea) && !record.pointless(idea)) {
            open.push_back(&idea);
            if (idea.kind == IdeaKind::Setting)
                nearest.see(idea.turning);
        }
    std::map<IdeaKind, Pile> piles;
    for (const Idea *idea : open)
        if (idea->kind != IdeaKind::Setting || nearest.holds(idea->turning))
            piles[idea->kind].add({idea, scoreOf(*idea, record)});
    const bool inOrder = record.gainedNothing();
    const std::span<const IdeaKind> mix =
        inOrder ? std::span<const IdeaKind>(kMixWithoutGain) : std::span<const IdeaKind>(kMix);
    std::vector<const Idea *> ranked;
    std::map<std::string, int> seen;
    for (bool any = true; any;) {
        any = false;
        std::vector<IdeaKind> turns(mix.begin(), mix.end());
        while (!turns.empty()) {
            // Within a round the most promising kind goes first, as the run may pay for few
            // samples.
            const auto turn =
                inOrder ? turns.begin()
                        : std::max_element(turns.begin(), turns.end(), [&](IdeaKind a, IdeaKind b) {
                              return piles[a].most(seen) < piles[b].most(seen);
                          });
            if (!piles[*turn].empty()) {
                ranked.push_back(piles[*turn].take(seen));
                any = true;
            }
            turns.erase(turn);
        }
    }
    while (!piles[IdeaKind::Setting].empty())
        ranked.push_back(piles[IdeaKind::Setting].take(seen));
    return ranked;
}

Result<const OfflinePlanner::Ideas *> OfflinePlanner::ideasFor(const std::string &source,
                                                               const Profile &profile)
{
    const auto kept = std::find_if(m_known.begin(), m_known.end(), [&](const Known &one) {
        return one.source == source && one.profile == profile;
    });
    if (kept != m_known.end()) {
        m_known.splice(m_known.begin(), m_known, kept);
        return &m_known.front().ideas;
    }
    ACCELOPT_TRY(Ideas fresh, IdeaFinder(m_workshop, m_executor, profile).find(source));
    m_known.push_front({source, profile, std::move(fresh)});
    if (m_known.size() > kMostKept)
        m_known.pop_back();
    return &m_known.front().ideas;
}

Result<search::PlannerAnswer> OfflinePlanner::choose(const PlannerQuestion &question)
{
    std::set<KernelId> taken(question.known.begin(), question.known.end());
    // Two candidates often lead to the same kernel by the same two steps in another order.
    for (const BeamMate &mate : question.before) {
        const Result<const Ideas *> ideas = ideasFor(mate.source, mate.profile);
        if (!ideas)
            continue;
        const TrackRecord record(mate.candidate, mate.past, question.experiences, mate.profile);
        const Ranked ranked = rankedIdeas(**ideas, record, taken);
        const auto count =
            std::min(ranked.size(), static_cast<std::size_t>(std::max(question.samples, 0)));
        for (std::size_t i = 0; i < count; ++i)
            taken.insert(ranked[i]->result);
    }
    ACCELOPT_TRY(const Ideas *ideas, ideasFor(question.source, question.profile));
    const TrackRecord record(question.candidate, question.past, question.experiences,
                             question.profile);
    const Ranked ranked = rankedIdeas(*ideas, record, taken);
    const auto sample = static_cast<std::size_t>(std::max(question.slot.plan, 0));
    if (sample < ranked.size())
        return search::PlannerAnswer{ranked[sample]->title, ranked[sample]->text,
                                     ranked[sample]->directive};
    if (!ranked.empty())
        return fail(ErrorCode::NotGood,
                    ranked.size() == 1
                        ? std::string("only 1 idea is left to try for this kernel, and another "
                                      "sample has it")
                        : fmt::format("only {} ideas are left to try for this kernel, and other "
                                      "samples have them",
                                      ranked.size()),
                    "Other agents, or a person, may have more ideas.");
    const std::string tried = record.summary();
    return fail(ErrorCode::NotGood,
                fmt::format("no rewrite and no setting is left to try for this kernel{}{}",
                            tried.empty() ? "" : " after " + tried, boundWords(question.profile)),
                "Other agents, or a person, may have more ideas.");
}

} // namespace accelopt::agents
