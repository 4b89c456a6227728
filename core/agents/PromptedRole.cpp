// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/PromptedRole.h"

#include "core/agents/AnswerReader.h"
#include "core/agents/PromptTemplate.h"

#include <fmt/format.h>
#include <span>
#include <type_traits>

namespace accelopt::agents {
namespace {

/// Items of the memory that a prompt keeps when the whole was too long.
constexpr std::size_t kFewExperiences = 2;

/// The message that is the same for all calls of a role: facts first, then the role's own words.
Result<PromptMessage> systemMessage(std::string_view role)
{
    ACCELOPT_TRY(std::string text, fillPrompt("facts", {}));
    ACCELOPT_TRY(const std::string glossary, fillPrompt("profile-glossary", {}));
    ACCELOPT_TRY(const std::string guide, fillPrompt("guide", {}));
    ACCELOPT_TRY(const std::string words, fillPrompt(role, {}));
    text += "\n" + glossary + "\n" + guide + "\n" + words;
    return PromptMessage{"system", std::move(text)};
}

std::string codeBlock(const std::string &source)
{
    return "```python\n" + source + (source.ends_with('\n') ? "" : "\n") + "```";
}

/// A heading, its marks included, with what belongs below it; nothing when there is nothing.
std::string section(std::string_view heading, const std::string &text)
{
    return text.empty() ? std::string() : fmt::format("{}\n\n{}", heading, text);
}

} // namespace

PromptedRole::PromptedRole(Correspondent *correspondent, std::string task, PromptDetails details)
    : m_correspondent(correspondent),
      m_task(std::move(task)),
      m_details(details)
{}

PromptedRole::~PromptedRole()
{
    // Letters under way hold nothing of this, and no answer may come to someone who has left.
    m_correspondent->cancelAll();
}

Result<std::vector<PromptMessage>> PromptedRole::messages(const search::PlannerQuestion &question,
                                                          const PromptDetails &details,
                                                          std::size_t mostExperiences) const
{
    ACCELOPT_TRY(PromptMessage system, systemMessage("planner"));
    const std::span<const ExperienceItem> items(question.experiences);
    ACCELOPT_TRY(
        std::string text,
        fillPrompt(
            "planner-question",
            {{"task", m_task},
             {"experiences", section(kLessonsHeading, experienceWords(items.first(std::min(
                                                          items.size(), mostExperiences))))},
             {"kernel", codeBlock(question.source)},
             {"profile", section("## Its profile", profileWords(question.profile, details))},
             {"past", section("## Plans tried on it and its relatives", pastWords(question.past))},
             {"number", std::to_string(question.slot.plan + 1)},
             {"samples", std::to_string(question.samples)}}));
    return std::vector<PromptMessage>{std::move(system), {"user", std::move(text)}};
}

Result<Letter> PromptedRole::letter(const CallId &call,
                                    const search::PlannerQuestion &question) const
{
    Letter letter{call, RoleName::Planner, {}, {}};
    ACCELOPT_TRY(letter.messages, messages(question, m_details, question.experiences.size()));
    ACCELOPT_TRY(letter.shorter,
                 messages(question, {m_details.peak, false, false}, kFewExperiences));
    return letter;
}

Result<Letter> PromptedRole::letter(const CallId &call,
                                    const search::ExecutorQuestion &question) const
{
    Letter letter{call, RoleName::Executor, {}, {}};
    ACCELOPT_TRY(PromptMessage system, systemMessage("executor"));
    ACCELOPT_TRY(std::string text,
                 fillPrompt("executor-question", {{"task", m_task},
                                                  {"kernel", codeBlock(question.source)},
                                                  {"title", question.plan.title},
                                                  {"plan", question.plan.text}}));
    letter.messages = {std::move(system), {"user", std::move(text)}};
    if (question.repair > 0) {
        ACCELOPT_TRY(std::string repair,
                     fillPrompt("repair", {{"verdict", verdictWords(question.previousVerdict,
                                                                    question.previousAnswer)}}));
        letter.messages.push_back({"assistant", codeBlock(question.previousAnswer) + "\n"});
        letter.messages.push_back({"user", std::move(repair)});
    }
    return letter;
}

Result<Letter> PromptedRole::letter(const CallId &call,
                                    const search::SummarizerQuestion &question) const
{
    Letter letter{call, RoleName::Summarizer, {}, {}};
    ACCELOPT_TRY(PromptMessage system, systemMessage("summarizer"));
    ACCELOPT_TRY(
        std::string text,
        fillPrompt(
            "summarizer-question",
            {{"task", m_task},
             {"slow", codeBlock(question.slowSource)},
             {"slow_profile", profileWords(question.slowProfile, m_details)},
             {"fast", codeBlock(question.fastSource)},
             {"fast_profile", profileWords(question.fastProfile, m_details)},
             {"plan", question.plan.text},
             {"speedup", fmt::format("{:.3g}", question.speedup)},
             {"sign", question.positive
                          ? "The plan made the slow kernel into the fast one: say what to do."
                          : "The plan made the fast kernel into the slow one: say what to "
                            "avoid."}}));
    letter.messages = {std::move(system), {"user", std::move(text)}};
    return letter;
}

template <typename Question, typename Answer>
void PromptedRole::correspond(const CallId &call, const Question &question,
                              Result<Answer> (*read)(const std::string &),
                              std::function<void(search::RoleReply<Answer>)> done)
{
    Result<Letter> written = letter(call, question);
    if (!written) {
        done({tl::unexpected(written.error()), {}, {}, {}, {}});
        return;
    }
    m_correspondent->ask(std::move(*written), [read, done = std::move(done)](LetterReply reply) {
        Result<Answer> answer = tl::unexpected(Error{});
        if (!reply.text)
            answer = tl::unexpected(reply.text.error());
        else if (!reply.text->empty())
            answer = read(*reply.text);
        // Some servers give the whole answer as thinking. A kernel or a plan is judged by what
        // it does; a lesson would be believed, so that it never comes from there.
        else if (!reply.reasoning.empty() && !std::is_same_v<Answer, search::SummarizerAnswer>)
            answer = read(reply.reasoning);
        else
            answer = fail(ErrorCode::NotGood, "the answer is empty");
        done({std::move(answer), reply.usage, std::move(reply.author), std::move(reply.sent),
              std::move(reply.received)});
    });
}

void PromptedRole::plan(const CallId &call, search::PlannerQuestion question,
                        std::function<void(search::RoleReply<search::PlannerAnswer>)> done)
{
    correspond<search::PlannerQuestion, search::PlannerAnswer>(call, question, &readPlan,
                                                               std::move(done));
}

void PromptedRole::write(const CallId &call, search::ExecutorQuestion question,
                         std::function<void(search::RoleReply<search::ExecutorAnswer>)> done)
{
    correspond<search::ExecutorQuestion, search::ExecutorAnswer>(call, question, &readKernelAnswer,
                                                                 std::move(done));
}

void PromptedRole::summarize(const CallId &call, search::SummarizerQuestion question,
                             std::function<void(search::RoleReply<search::SummarizerAnswer>)> done)
{
    correspond<search::SummarizerQuestion, search::SummarizerAnswer>(call, question, &readLesson,
                                                                     std::move(done));
}

} // namespace accelopt::agents
