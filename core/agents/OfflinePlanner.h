// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Idea.h"
#include "core/agents/OfflineExecutor.h"
#include "core/agents/TrackRecord.h"
#include "core/agents/Workshop.h"
#include "core/search/Interfaces.h"

#include <list>
#include <set>
#include <string>
#include <vector>

namespace accelopt::agents {

/// Chooses what to try on a kernel: ideas of the rewrites and of the tuner, ranked by what they
/// promise, by the profile's blame, and by what the run has taught. A function of the question
/// alone. What is kept between calls only saves working it out again.
class OfflinePlanner
{
public:
    /// Both are borrowed.
    OfflinePlanner(Workshop &workshop, OfflineExecutor &executor)
        : m_workshop(workshop),
          m_executor(executor)
    {}

    /// The plan for the question's sample: all samples of a candidate get different ones. NotGood
    /// error, with what was tried and what bounds the kernel, when none is left for it.
    Result<search::PlannerAnswer> choose(const search::PlannerQuestion &question);

private:
    /// All ideas for a kernel, whatever was tried before.
    struct Known
    {
        std::string source;
        Profile profile;
        std::vector<Idea> ideas;
    };
    using Ideas = std::vector<Idea>;
    using Ranked = std::vector<const Idea *>;

    Result<const Ideas *> ideasFor(const std::string &source, const Profile &profile);

    Workshop &m_workshop;
    OfflineExecutor &m_executor;
    std::list<Known> m_known; ///< last used first
};

/// The ideas in the order in which samples get them: best first, and mixed so that few samples see
/// many kinds. Leaves out what was tried or leads to a kernel in `taken`. Settings wait until the
/// others are used up, or until they gained nothing for an iteration.
std::vector<const Idea *> rankedIdeas(const std::vector<Idea> &ideas, const TrackRecord &record,
                                      const std::set<KernelId> &taken);

} // namespace accelopt::agents
