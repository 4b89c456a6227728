// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Task.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/rewrite/Rewrite.h"
#include "core/search/Interfaces.h"

#include <memory>
#include <string>
#include <vector>

namespace accelopt::agents {

/// Shapes the arguments of a task's kernels can have, for the analysis of their texts.
rewrite::ModelContext modelContextOf(const Task &task);

/// Plays all three roles with nothing but the rewrites of core/rewrite: what a machine without a
/// model server has. Every answer is a function of the question alone (no clock, no random numbers,
/// no history), worked out before the call returns. A directive is {"rewrite": name, "parameters":
/// {...}} for one place, or
/// {"rewrite": name, "everywhere": true, "busy_ms": [tensor, vector, scalar, dma]} for every place
/// that promises a gain when the engines are that busy.
class OfflineAgent final : public search::Role
{
public:
    /// `context` tells what is known of the kernels' arguments; `python` parses.
    explicit OfflineAgent(rewrite::ModelContext context = {},
                          std::string python = "/usr/bin/python3");
    ~OfflineAgent() override;

    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override;
    void write(const CallId &call, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override;
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override;
    int callsAtOnce() const override { return 1; }
    void cancelAll() override {}

    /// The planner's work: the plan that is the sample-th best of what is left to try. NotGood
    /// error when nothing is.
    Result<search::PlannerAnswer> choosePlan(const search::PlannerQuestion &question);
    /// The executor's work. NotGood error when the plan names no rewrite that applies.
    Result<search::ExecutorAnswer> carryOut(const search::ExecutorQuestion &question);
    /// The summarizer's work.
    static search::SummarizerAnswer distil(const search::SummarizerQuestion &question);

private:
    struct Parsed;
    struct Idea;
    struct Known;

    Result<std::unique_ptr<Parsed>> parse(const std::string &source);
    Result<std::vector<Idea>> ideas(const search::PlannerQuestion &question);
    Result<std::vector<Idea>> freshIdeas(const std::string &source, const Profile &profile);
    /// Applies a rewrite at its best place again and again while a gain is promised; `now` is how
    /// busy the engines are with `source`.
    Result<std::string> applyEverywhere(const std::string &source, const std::string &rewrite,
                                        const rewrite::EngineLoad &now, double &estimatedSpeedup,
                                        int &places);
    Result<std::string> applyByWords(const std::string &source, const Plan &plan);

    rewrite::ModelContext m_context;
    nki::SyntaxHelper m_helper;
    std::unique_ptr<Known>
        m_known; ///< ideas for the candidate asked about last: N samples share them
};

} // namespace accelopt::agents
