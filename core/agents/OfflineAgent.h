// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/OfflineExecutor.h"
#include "core/agents/OfflinePlanner.h"
#include "core/agents/Workshop.h"
#include "core/domain/Task.h"
#include "core/search/Interfaces.h"

#include <functional>
#include <string>

namespace accelopt::agents {

/// Shapes the arguments of a task's kernels can have, for the analysis of their texts.
rewrite::ModelContext modelContextOf(const Task &task);

/// Plays all three roles with nothing but the rewrites of core/rewrite and a tuner: what a machine
/// without a model server has. Every answer is a function of the question alone (no clock, no
/// random numbers, no history), worked out before the call returns. Directives are described at
/// stepsOf().
class OfflineAgent final : public search::Role
{
public:
    /// `context` tells what is known of the kernels' arguments; `python` parses.
    explicit OfflineAgent(rewrite::ModelContext context = {},
                          std::string python = "/usr/bin/python3");

    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override;
    void write(const CallId &call, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override;
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override;
    int callsAtOnce() const override { return 1; }
    void cancelAll() override {}

    /// The planner's work. NotGood error when nothing is left to try.
    Result<search::PlannerAnswer> choosePlan(const search::PlannerQuestion &question);
    /// The executor's work. NotGood error when the plan names no change that applies.
    Result<search::ExecutorAnswer> carryOut(const search::ExecutorQuestion &question);
    /// The summarizer's work.
    static search::SummarizerAnswer distil(const search::SummarizerQuestion &question);

private:
    Workshop m_workshop;
    OfflineExecutor m_executor;
    OfflinePlanner m_planner;
};

} // namespace accelopt::agents
