// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ChatFailure.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace accelopt::agents {
namespace {

using Json = nlohmann::json;

/// A message is for people: no more of a server's page than this.
constexpr std::size_t kMostErrorText = 400;

/// What error bodies have in common, whatever their shape.
struct ErrorFields
{
    std::string message;
    std::string type;
    std::string code;
};

std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

std::string textOf(const Json &json)
{
    if (json.is_string())
        return json.get<std::string>();
    return json.is_null() ? std::string()
                          : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string field(const Json &json, const char *name)
{
    const auto found = json.find(name);
    return found == json.end() ? std::string() : textOf(*found);
}

std::string shortened(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    if (text.size() > kMostErrorText)
        text = text.substr(0, kMostErrorText) + "...";
    return text;
}

ErrorFields fieldsOf(std::string_view body)
{
    const Json json = Json::parse(body, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return {shortened(std::string(body.substr(0, kMostErrorText + 1))), {}, {}};
    const auto nested = json.find("error");
    if (nested != json.end() && nested->is_string())
        return {shortened(nested->get<std::string>()), {}, {}};
    const Json &error = nested != json.end() && nested->is_object() ? *nested : json;
    ErrorFields fields{field(error, "message"), field(error, "type"), field(error, "code")};
    if (fields.message.empty())
        fields.message = field(error, "detail");
    if (fields.message.empty())
        fields.message = std::string(body.substr(0, kMostErrorText + 1));
    fields.message = shortened(std::move(fields.message));
    return fields;
}

bool has(const std::string &text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

ChatClass classOf(int status, const ErrorFields &fields, bool toldToWait)
{
    const std::string names = lowered(fields.type + " " + fields.code);
    const std::string words = lowered(fields.message);
    if (has(names,
            {"insufficient_quota", "credit_balance", "spend_limit", "usage_limit", "billing"}) ||
        status == 402)
        return ChatClass::Money;
    if (has(names, {"context_length", "exceed_context"}) || status == 413 ||
        ((status == 400 || status == 200 || status == 422) &&
         has(words, {"maximum context length", "context size", "context window", "too long"})))
        return ChatClass::Context;
    if (has(names, {"rate_limit", "slow_down"}))
        return ChatClass::Rate;
    if (has(names, {"overloaded", "server_error", "api_error", "timeout", "unavailable"}))
        return ChatClass::Transient;
    if (status == 429)
        return toldToWait || !has(words, {"spend limit", "quota", "credit"}) ? ChatClass::Rate
                                                                             : ChatClass::Money;
    if (status == 401 || status == 403 || has(names, {"authentication", "invalid_api_key"}))
        return ChatClass::Auth;
    if (status == 404 || (status >= 300 && status < 400) || has(names, {"model_not_found"}))
        return ChatClass::Config;
    if (status == 408 || status == 409 || status >= 500)
        return ChatClass::Transient;
    if (status >= 400)
        return ChatClass::Request;
    // Within a stream of status 200 a numeric code tells what the status could not.
    int code = 0;
    const char *end = fields.code.data() + fields.code.size();
    if (!fields.code.empty() && std::from_chars(fields.code.data(), end, code).ptr == end &&
        code >= 300 && code != status)
        return classOf(code, {fields.message, fields.type, {}}, toldToWait);
    return ChatClass::Transient;
}

} // namespace

ChatFailure classifyStatus(int status, std::string_view body, std::string_view retryAfter)
{
    ChatFailure failure;
    double seconds = 0;
    const char *end = retryAfter.data() + retryAfter.size();
    if (!retryAfter.empty() && std::from_chars(retryAfter.data(), end, seconds).ec == std::errc() &&
        seconds >= 0)
        failure.retryAfterSeconds = seconds;
    const ErrorFields fields = fieldsOf(body);
    failure.kind = classOf(status, fields, !retryAfter.empty());
    failure.message = fmt::format("the server answered {}: {}", status,
                                  fields.message.empty() ? "nothing more" : fields.message);
    return failure;
}

ChatFailure classifyError(std::string_view json, int status)
{
    const ErrorFields fields = fieldsOf(json);
    return {classOf(status, fields, false),
            fmt::format("the server reported an error within its answer: {}", fields.message),
            std::nullopt};
}

bool mayRetry(ChatClass kind)
{
    switch (kind) {
    case ChatClass::Network:
    case ChatClass::Transient:
    case ChatClass::Rate:
    case ChatClass::Cut:
    case ChatClass::Stall: return true;
    default: return false;
    }
}

bool stopsService(ChatClass kind)
{
    switch (kind) {
    case ChatClass::Money:
    case ChatClass::Auth:
    case ChatClass::Config:
    case ChatClass::Request: return true;
    default: return mayRetry(kind);
    }
}

std::string_view name(ChatClass kind)
{
    constexpr std::string_view kNames[] = {
        "good",    "network", "transient", "rate",     "money", "auth", "config",
        "context", "request", "truncated", "filtered", "empty", "cut",  "stall"};
    static_assert(std::size(kNames) == std::size_t(ChatClass::Stall) + 1);
    return kNames[std::size_t(kind)];
}

std::string hintFor(ChatClass kind)
{
    switch (kind) {
    case ChatClass::Network: return "check that the server runs and that the address is right";
    case ChatClass::Transient: return "the server has troubles of its own; go on when it is well";
    case ChatClass::Rate: return "lower calls_at_once, or go on later";
    case ChatClass::Money: return "the account's quota or limit is used up; raise it, then go on";
    case ChatClass::Auth: return "check the key in the environment variable of this model";
    case ChatClass::Config: return "check the address and the model's name in models.json";
    case ChatClass::Context: return "the model cannot take a prompt of this length";
    case ChatClass::Request: return "the server does not take such requests; see its message";
    case ChatClass::Truncated: return "raise max_tokens in models.json";
    case ChatClass::Filtered: return "another model may answer";
    case ChatClass::Cut:
    case ChatClass::Stall: return "check the connection and the server, then go on";
    default: return {};
    }
}

} // namespace accelopt::agents
