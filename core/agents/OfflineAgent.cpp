// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/OfflineAgent.h"

#include "core/agents/Directive.h"
#include "core/agents/Lesson.h"
#include "core/agents/PlanWords.h"
#include "core/nki/syntax/Lexer.h"

#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace accelopt::agents {

namespace {

constexpr const char *kAuthor = "offline";

template <typename Answer> search::RoleReply<Answer> reply(Result<Answer> answer)
{
    search::RoleReply<Answer> result{std::move(answer), {}, kAuthor, {}, {}};
    result.usage.calls = 1;
    return result;
}

} // namespace

rewrite::ModelContext modelContextOf(const Task &task)
{
    rewrite::ModelContext context;
    for (const TaskLayout &layout : task.layouts)
        context.layouts.push_back(layout.arguments);
    if (context.layouts.empty()) {
        std::vector<Shape> shapes;
        for (const TaskArgument &argument : task.arguments)
            shapes.push_back(argument.scalar ? Shape{} : argument.shape);
        context.layouts.push_back(std::move(shapes));
    }
    return context;
}

OfflineAgent::OfflineAgent(rewrite::ModelContext context, std::string python)
    : m_workshop(std::move(context), std::move(python)),
      m_executor(m_workshop),
      m_planner(m_workshop, m_executor)
{}

Result<search::PlannerAnswer> OfflineAgent::choosePlan(const search::PlannerQuestion &question)
{
    return m_planner.choose(question);
}

Result<search::ExecutorAnswer> OfflineAgent::carryOut(const search::ExecutorQuestion &question)
{
    if (question.repair > 0)
        return fail(ErrorCode::NotGood,
                    "the offline agent writes one kernel per plan and cannot repair it");
    ACCELOPT_TRY(std::string source,
                 m_executor.carryOut(question.source, question.plan, question.slot.attempt));
    return search::ExecutorAnswer{std::move(source)};
}

search::SummarizerAnswer OfflineAgent::distil(const search::SummarizerQuestion &question)
{
    search::SummarizerAnswer answer;
    if (nki::kernelIdentity(question.slowSource) == nki::kernelIdentity(question.fastSource)) {
        answer.declined = true;
        return answer;
    }
    std::vector<std::string> names = namesIn(question.plan.directive);
    if (names.empty())
        if (const rewrite::Rewrite *meant =
                rewriteMeant(question.plan.title + "\n" + question.plan.text))
            names.emplace_back(meant->name());
    const std::string what =
        question.plan.title.empty() ? std::string("this change") : question.plan.title;
    answer.title = question.positive ? what : "Avoid: " + what;
    for (const std::string &name : names) {
        const std::string lead = answer.strategy.empty() ? "" : " ";
        if (const rewrite::Rewrite *known = rewrite::findRewrite(name))
            answer.strategy +=
                lead + (question.positive ? fmt::format("{}: {}. It applies when {}.", name,
                                                        known->reason(), known->precondition())
                                          : fmt::format("{} did not pay here although {}.", name,
                                                        known->reason()));
    }
    if (answer.strategy.empty())
        answer.strategy = question.plan.text;
    answer.strategy += fmt::format(
        " Latency {:.4g} ms in the slow kernel, {:.4g} ms in the fast one ({:.3g}x).",
        question.slowProfile.latencyMs, question.fastProfile.latencyMs, question.speedup);
    const std::string counters = movedCounters(question.slowProfile, question.fastProfile);
    if (!counters.empty())
        answer.strategy += " From slow to fast: " + counters + ".";
    std::tie(answer.before, answer.after) = changedLines(question.slowSource, question.fastSource);
    if (!names.empty())
        answer.tags["rewrite"] = joinedNames(names);
    if (!question.slowProfile.bound.empty())
        answer.tags["bound"] = question.slowProfile.bound;
    answer.tags["dialect"] = "nki-classic";
    return answer;
}

void OfflineAgent::plan(const CallId &, search::PlannerQuestion question,
                        std::function<void(search::RoleReply<search::PlannerAnswer>)> done)
{
    done(reply(choosePlan(question)));
}

void OfflineAgent::write(const CallId &, search::ExecutorQuestion question,
                         std::function<void(search::RoleReply<search::ExecutorAnswer>)> done)
{
    done(reply(carryOut(question)));
}

void OfflineAgent::summarize(const CallId &, search::SummarizerQuestion question,
                             std::function<void(search::RoleReply<search::SummarizerAnswer>)> done)
{
    done(reply(Result<search::SummarizerAnswer>(distil(question))));
}

} // namespace accelopt::agents
