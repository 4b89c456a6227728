// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Idea.h"
#include "core/agents/OfflineExecutor.h"
#include "core/agents/Workshop.h"
#include "core/domain/Profile.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::agents {

/// Finds everything the offline agents could try on one kernel, with what it promises. Looks a few
/// steps ahead by estimates alone, so that a gain behind a step that gains nothing is found, too.
class IdeaFinder
{
public:
    /// `workshop` and `executor` are borrowed, the profile as well.
    IdeaFinder(Workshop &workshop, OfflineExecutor &executor, const Profile &profile)
        : m_workshop(workshop),
          m_executor(executor),
          m_profile(profile)
    {}

    /// NotGood error when the text is no kernel.
    Result<std::vector<Idea>> find(const std::string &source);

private:
    /// A kernel reached by some steps.
    struct Path
    {
        Idea idea;
        std::string source;
    };

    void addSites(const OpenKernel &kernel);
    Result<void> prepare(const OpenKernel &kernel);
    void addEverywhere(const OpenKernel &kernel);
    void addChains();
    void addSettings(const OpenKernel &kernel);
    bool extend(Path &path);
    bool add(Idea idea);
    void judgeEvidence(Idea &idea, const SourcePlace &place, std::string_view counters) const;

    Workshop &m_workshop;
    OfflineExecutor &m_executor;
    const Profile &m_profile;
    rewrite::EngineLoad m_now;    ///< of the kernel, as profiled
    rewrite::EngineLoad m_offset; ///< what the profile knows better than the estimate
    std::vector<Path> m_seeds;    ///< the best of each rewrite
    /// Steps that change nothing but the text, before all others; none where none is needed.
    Path m_prepared;
    std::set<std::pair<std::string, std::string>> m_found; ///< rewrite and title of each site
    std::set<KernelId> m_seen;
    std::vector<Idea> m_ideas;
    int m_opens = 0;
    int m_mostOpens = 0;
};

} // namespace accelopt::agents
