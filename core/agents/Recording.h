// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/Interfaces.h"

#include <functional>
#include <map>
#include <span>
#include <string>

namespace accelopt::agents {

/// Plays the roles by giving the answers of an earlier run again: the same question has the same
/// name in every run, so that a run with the same configuration goes the same way, without network
/// and without cost. A question that the recording does not hold is a failed call.
class Recording final : public search::Role
{
public:
    using TextLookup = std::function<Result<std::string>(const TextId &)>;

    /// `texts` is used when an answer is asked for and must outlive this. `from` names the
    /// recording in messages.
    Recording(std::span<const Event> events, TextLookup texts, std::string from);

    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override;
    void write(const CallId &call, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override;
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override;
    int callsAtOnce() const override { return 1; }
    void cancelAll() override {}

    std::size_t size() const { return m_answers.size(); }

private:
    template <typename Answer>
    search::RoleReply<Answer> replyOf(const CallId &call, Result<Answer> answer) const;
    Error missing(const CallId &call) const;

    std::map<CallId, Event> m_answers;
    TextLookup m_texts;
    std::string m_from;
};

} // namespace accelopt::agents
