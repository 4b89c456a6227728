// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Directive.h"
#include "core/agents/Workshop.h"
#include "core/search/Interfaces.h"

#include <string>
#include <vector>

namespace accelopt::agents {

/// What applying a rewrite everywhere came to.
struct EverywhereResult
{
    std::string source;
    double estimatedSpeedup = 1;
    int places = 0;
};

/// Carries out plans: the steps of a directive, or what prose is understood to mean.
class OfflineExecutor
{
public:
    /// `workshop` is borrowed.
    explicit OfflineExecutor(Workshop &workshop) : m_workshop(workshop) {}

    /// The kernel that a plan asks for. NotGood or WrongUse error when it names no change that
    /// applies.
    /// `attempt` above 0 asks for another way of doing the same: another place of the last step's
    /// rewrite, fewer places, or another number of its setting, always the same one for the same
    /// number. NotGood error when there is none left: the same kernel is not written twice.
    Result<std::string> carryOut(const std::string &source, const Plan &plan, int attempt = 0);
    /// One step after the other.
    Result<std::string> carryOut(const std::string &source, const std::vector<Step> &steps);
    /// Applies a rewrite at its best place again and again while a gain is promised; `busy` is how
    /// busy the engines are with `source`. NotGood error when no place promises one.
    Result<EverywhereResult> everywhere(const std::string &source, const std::string &rewrite,
                                        const rewrite::EngineLoad &busy);

    /// A promise below this is not worth a profile.
    static constexpr double kWorthTrying = 1.0005;

private:
    Result<std::string> byWords(const std::string &source, const Plan &plan);
    Result<std::vector<std::string>> otherWays(const std::string &source, const Plan &plan);
    Result<std::vector<std::string>> otherEnds(const std::string &source, const Step &last);
    Result<std::string> carryOut(const std::string &source, const Step &step);

    Workshop &m_workshop;
};

} // namespace accelopt::agents
