// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Idea.h"
#include "core/search/Interfaces.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace accelopt::agents {

/// What a run has taught about ideas for one candidate: outcomes of plans on it and its relatives,
/// and the items of the memory.
class TrackRecord
{
public:
    TrackRecord(const KernelId &candidate, std::span<const search::PastAttempt> past,
                std::span<const search::Experience> items, const Profile &profile);

    /// Factor for what an idea promises: below 1 when its rewrites failed or lost, above when they
    /// won. Between 1/8 and 4.
    double weight(const Idea &idea) const;
    /// The speedup that positive lessons promise for an idea of unknown worth that does all they
    /// are about: a small share of their gain, half of that where the kernel is bound otherwise; 1
    /// when there is none. Where the estimate sees a gain, it knows the kernel better.
    double foretold(const Idea &idea) const;
    /// True for a setting further from the number than one that was slower or failed, with the same
    /// number before: sizes are searched outwards.
    bool pointless(const Idea &idea) const;
    /// True when it was tried on this candidate, or failed on a relative in the same words, or
    /// leads to a kernel that a relative's plan wrote.
    bool tried(const Idea &idea) const;
    /// True when the last iteration in which the candidate was tried brought nothing faster.
    bool gainedNothing() const { return m_gainedNothing; }
    /// "12 plans on it and its relatives: widen-tile 5 times (best 1.12x), tune 7 times (no gain)",
    /// or empty.
    std::string summary() const;

private:
    struct Account
    {
        int plans = 0;
        double best = 0;  ///< speedup
        double score = 0; ///< sum of logarithms
    };
    /// What a positive lesson is about, and the gain it promises.
    struct Promise
    {
        std::vector<std::string> names;
        double gain = 0;
    };
    static double scoreOf(const search::PastAttempt &attempt);

    std::map<std::string, Account> m_accounts;                 ///< by name of rewrite
    std::map<std::pair<std::string, bool>, double> m_turnings; ///< knob, upwards
    std::map<std::string, double> m_lessons;                   ///< logarithms, by name of rewrite
    std::vector<Promise> m_promises;
    std::vector<Turning> m_losses;       ///< settings that were slower or failed
    std::set<std::string> m_triedHere;   ///< directives
    std::set<std::string> m_failedWords; ///< titles of plans that gave no correct kernel
    std::set<KernelId> m_kernels;
    int m_plans = 0;
    bool m_gainedNothing = false;
};

} // namespace accelopt::agents
