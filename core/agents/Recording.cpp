// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Recording.h"

#include <fmt/format.h>
#include <utility>

namespace accelopt::agents {

Recording::Recording(std::span<const Event> events, TextLookup texts, std::string from)
    : m_texts(std::move(texts)),
      m_from(std::move(from))
{
    for (const Event &event : events) {
        if (const auto *plan = std::get_if<PlanMade>(&event.body))
            m_answers.emplace(plan->call, event);
        else if (const auto *attempt = std::get_if<AttemptMade>(&event.body))
            m_answers.emplace(attempt->call, event);
        else if (const auto *lesson = std::get_if<PairSummarized>(&event.body))
            m_answers.emplace(lesson->call, event);
        else if (const auto *failed = std::get_if<CallFailed>(&event.body))
            m_answers.emplace(failed->call, event);
    }
}

Error Recording::missing(const CallId &call) const
{
    return {ErrorCode::NotGood,
            fmt::format("the recording {} holds no answer to {}", m_from, call.value),
            "a replay needs the task and the configuration of the recorded run",
            {}};
}

template <typename Answer>
search::RoleReply<Answer> Recording::replyOf(const CallId &call, Result<Answer> answer) const
{
    search::RoleReply<Answer> reply{std::move(answer), {}, "replay", {}, {}};
    reply.usage.calls = 1;
    if (const auto found = m_answers.find(call); found != m_answers.end()) {
        reply.author = found->second.actor;
        if (const auto *failed = std::get_if<CallFailed>(&found->second.body))
            reply.answer = tl::unexpected(Error{ErrorCode::NotGood, failed->reason, {}, {}});
    }
    return reply;
}

void Recording::plan(const CallId &call, search::PlannerQuestion,
                     std::function<void(search::RoleReply<search::PlannerAnswer>)> done)
{
    Result<search::PlannerAnswer> answer = tl::unexpected(missing(call));
    if (const auto found = m_answers.find(call); found != m_answers.end())
        if (const auto *made = std::get_if<PlanMade>(&found->second.body))
            answer = search::PlannerAnswer{made->plan.title, made->plan.text, made->plan.directive};
    done(replyOf(call, std::move(answer)));
}

void Recording::write(const CallId &call, search::ExecutorQuestion,
                      std::function<void(search::RoleReply<search::ExecutorAnswer>)> done)
{
    Result<search::ExecutorAnswer> answer = tl::unexpected(missing(call));
    if (const auto found = m_answers.find(call); found != m_answers.end())
        if (const auto *made = std::get_if<AttemptMade>(&found->second.body)) {
            Result<std::string> text = m_texts(made->text);
            if (text)
                answer = search::ExecutorAnswer{std::move(*text)};
            else
                answer = tl::unexpected(Error{ErrorCode::Environment, text.error().message,
                                              text.error().hint, text.error().detail});
        }
    done(replyOf(call, std::move(answer)));
}

void Recording::summarize(const CallId &call, search::SummarizerQuestion,
                          std::function<void(search::RoleReply<search::SummarizerAnswer>)> done)
{
    Result<search::SummarizerAnswer> answer = tl::unexpected(missing(call));
    if (const auto found = m_answers.find(call); found != m_answers.end())
        if (const auto *made = std::get_if<PairSummarized>(&found->second.body))
            answer =
                search::SummarizerAnswer{made->declined,    made->item.title, made->item.strategy,
                                         made->item.before, made->item.after, made->item.tags};
    done(replyOf(call, std::move(answer)));
}

} // namespace accelopt::agents
