// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ChatAnswer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::agents {
namespace {

using Json = nlohmann::json;

/// Appends a text field that may be missing or null.
void appendText(const Json &json, const char *field, std::string &text)
{
    const auto found = json.find(field);
    if (found != json.end() && found->is_string())
        text += found->get<std::string>();
}

std::int64_t countIn(const Json &json, const char *field)
{
    const auto found = json.find(field);
    return found != json.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}

} // namespace

void ChatAnswer::takeEvent(std::string_view data)
{
    if (data == "[DONE]")
        m_ended = true;
    else if (!data.empty())
        takeJson(data);
}

void ChatAnswer::takeDocument(std::string_view body)
{
    takeJson(body);
    m_ended = true;
}

void ChatAnswer::takeJson(std::string_view text)
{
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        if (!m_failure)
            m_failure = ChatFailure{ChatClass::Transient,
                                    "the server sent something that is no JSON", std::nullopt};
        return;
    }
    const auto error = json.find("error");
    if ((error != json.end() && !error->is_null()) || json.value("object", Json()) == "error") {
        m_failure = classifyError(text, 200);
        return;
    }
    if (const auto model = json.find("model"); model != json.end() && model->is_string())
        m_model = model->get<std::string>();
    if (const auto usage = json.find("usage"); usage != json.end() && usage->is_object()) {
        m_hasUsage = true;
        m_usage.promptTokens = countIn(*usage, "prompt_tokens");
        m_usage.completionTokens = countIn(*usage, "completion_tokens");
        if (const auto details = usage->find("prompt_tokens_details");
            details != usage->end() && details->is_object())
            m_usage.cachedTokens = countIn(*details, "cached_tokens");
    }
    const auto choices = json.find("choices");
    if (choices == json.end() || !choices->is_array() || choices->empty())
        return;
    const Json &choice = choices->front();
    if (!choice.is_object())
        return;
    if (choice.contains("index") && choice["index"] != 0)
        return; // one sample was asked for
    for (const char *part : {"delta", "message"})
        if (const auto found = choice.find(part); found != choice.end() && found->is_object()) {
            appendText(*found, "content", m_text);
            appendText(*found, "reasoning", m_reasoning);
            appendText(*found, "reasoning_content", m_reasoning);
        }
    if (const auto reason = choice.find("finish_reason");
        reason != choice.end() && reason->is_string())
        m_finishReason = reason->get<std::string>();
}

ChatFailure ChatAnswer::judge() const
{
    if (m_failure)
        return *m_failure;
    if (!m_ended || m_finishReason.empty())
        return {ChatClass::Cut, "the answer broke off before its end", std::nullopt};
    if (m_finishReason == "length" || m_finishReason == "max_tokens")
        return {ChatClass::Truncated,
                fmt::format("the answer reached its limit of tokens{}",
                            m_text.empty() ? " before it said anything" : ""),
                std::nullopt};
    if (m_finishReason == "content_filter" || m_finishReason == "refusal")
        return {ChatClass::Filtered, "the answer was held back by a content filter", std::nullopt};
    if (m_finishReason == "error")
        return {ChatClass::Transient, "the server gave up within the answer", std::nullopt};
    if (m_text.empty() && m_reasoning.empty())
        return {ChatClass::Empty, "the answer is empty", std::nullopt};
    return {};
}

std::string ChatAnswer::record() const
{
    Json json{{"content", m_text}, {"finish_reason", m_finishReason}};
    if (!m_reasoning.empty())
        json["reasoning"] = m_reasoning;
    if (!m_model.empty())
        json["model"] = m_model;
    if (m_hasUsage)
        json["usage"] = {{"prompt_tokens", m_usage.promptTokens},
                         {"cached_tokens", m_usage.cachedTokens},
                         {"completion_tokens", m_usage.completionTokens}};
    if (m_failure)
        json["error"] = m_failure->message;
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace accelopt::agents
