// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Correspondent.h"
#include "core/agents/PromptWords.h"
#include "core/search/Interfaces.h"

#include <functional>
#include <memory>
#include <string>

namespace accelopt::agents {

/// Plays the roles by writing prompts and reading what a correspondent answers. Prompts begin with
/// what never changes (facts, guide), then the task, the memory, the candidate, and end with what
/// is asked, so that servers with a prefix cache read the beginning once.
class PromptedRole final : public search::Role
{
public:
    /// `correspondent` is borrowed; `task` is the task in words (taskWords()).
    PromptedRole(Correspondent *correspondent, std::string task, PromptDetails details);
    ~PromptedRole() override;

    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override;
    void write(const CallId &call, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override;
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override;
    int callsAtOnce() const override { return m_correspondent->callsAtOnce(); }
    void cancelAll() override { m_correspondent->cancelAll(); }

    // The letters that the questions become; they depend on the question alone.
    Result<Letter> letter(const CallId &call, const search::PlannerQuestion &question) const;
    Result<Letter> letter(const CallId &call, const search::ExecutorQuestion &question) const;
    Result<Letter> letter(const CallId &call, const search::SummarizerQuestion &question) const;

private:
    Result<std::vector<PromptMessage>> messages(const search::PlannerQuestion &question,
                                                const PromptDetails &details,
                                                std::size_t mostExperiences) const;
    template <typename Question, typename Answer>
    void correspond(const CallId &call, const Question &question,
                    Result<Answer> (*read)(const std::string &),
                    std::function<void(search::RoleReply<Answer>)> done);

    Correspondent *m_correspondent;
    std::string m_task;
    PromptDetails m_details;
};

} // namespace accelopt::agents
