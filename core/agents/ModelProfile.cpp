// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ModelProfile.h"

#include "core/agents/Keychain.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace accelopt::agents {
namespace {

using Json = nlohmann::json;

constexpr int kMostCallsAtOnce = 1024;
constexpr double kTokensOfPrice = 1e6;

const std::set<std::string> kModelFields = {
    "name",          "address",      "model",       "key_variable", "command",
    "calls_at_once", "max_tokens",   "temperature", "price",        "first_byte_seconds",
    "idle_seconds",  "call_seconds", "retries",     "tell_peak",    "tell_findings",
    "tell_lines"};
const std::set<std::string> kKeyFields = {"key",   "api_key", "apikey",
                                          "token", "secret",  "password"};

template <typename Value> void take(const Json &json, const char *field, Value &value)
{
    if (const auto found = json.find(field); found != json.end())
        found->get_to(value);
}

/// Reads one entry; throws what the JSON library throws.
Result<ModelProfile> readModel(const Json &json, const std::string &where)
{
    for (const auto &[field, value] : json.items()) {
        if (kKeyFields.contains(field))
            return fail(
                ErrorCode::WrongUse,
                fmt::format("{} holds a key in \"{}\"; keys do not belong in files", where, field),
                "take it out, put it into an environment variable and name that in "
                "\"key_variable\"");
        if (!kModelFields.contains(field))
            return fail(ErrorCode::Format,
                        fmt::format("{}: there is no field \"{}\"", where, field),
                        "see the user guide for the fields of models.json");
    }
    ModelProfile profile;
    json.at("name").get_to(profile.name);
    take(json, "address", profile.address);
    take(json, "model", profile.model);
    take(json, "key_variable", profile.keyVariable);
    take(json, "command", profile.command);
    take(json, "calls_at_once", profile.callsAtOnce);
    take(json, "max_tokens", profile.maxTokens);
    if (json.contains("temperature"))
        profile.temperature = json.at("temperature").get<double>();
    if (json.contains("price")) {
        const Json &price = json.at("price");
        ModelPrices prices;
        price.at("in").get_to(prices.input);
        price.at("out").get_to(prices.output);
        prices.cached = price.value("cached", prices.input);
        profile.prices = prices;
    }
    take(json, "first_byte_seconds", profile.firstByteSeconds);
    take(json, "idle_seconds", profile.idleSeconds);
    take(json, "call_seconds", profile.callSeconds);
    take(json, "retries", profile.retries);
    take(json, "tell_peak", profile.tellPeak);
    take(json, "tell_findings", profile.tellFindings);
    take(json, "tell_lines", profile.tellLines);
    return profile;
}

Result<void> checkModel(ModelProfile &profile, const std::string &where)
{
    const auto refuse = [&](std::string what, std::string hint) {
        return fail(ErrorCode::Format, fmt::format("{}: {}", where, what), std::move(hint));
    };
    if (profile.name.empty() || profile.name.find_first_of(" ,:/") != std::string::npos)
        return refuse("a name must be one word without , : and /", "rename the entry");
    if (profile.name == "offline" || profile.name == "person" || profile.name == "replay")
        return refuse(fmt::format("the name {} has a meaning of its own", profile.name),
                      "rename the entry");
    if (profile.address.empty() == profile.command.empty())
        return refuse("an entry has either an \"address\" or a \"command\"", "give one of them");
    if (!profile.address.empty()) {
        if (!profile.address.starts_with("http://") && !profile.address.starts_with("https://"))
            return refuse(fmt::format("the address {} is not http:// or https://", profile.address),
                          "write it as https://host/v1");
        if (profile.address.find('@') != std::string::npos)
            return refuse("the address holds a user name or password",
                          "name the variable with the key in \"key_variable\"");
        while (profile.address.ends_with('/'))
            profile.address.pop_back();
        if (profile.model.empty())
            return refuse("\"model\" is missing", "name the model as the server does");
    }
    if (profile.callsAtOnce < 1 || profile.callsAtOnce > kMostCallsAtOnce)
        return refuse("\"calls_at_once\" must be between 1 and 1024", "correct it");
    if (profile.maxTokens < 1 || profile.retries < 0 || profile.firstByteSeconds <= 0 ||
        profile.idleSeconds <= 0 || profile.callSeconds <= 0)
        return refuse("limits must be greater than 0", "correct them");
    return {};
}

std::string environment(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

Result<double> numberIn(const char *name, double otherwise)
{
    const std::string text = environment(name);
    if (text.empty())
        return otherwise;
    double number = 0;
    const char *end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 0)
        return fail(ErrorCode::WrongUse,
                    fmt::format("the environment variable {} is no number: {}", name, text),
                    "correct it");
    return number;
}

} // namespace

Result<std::vector<ModelProfile>> readModels(std::string_view text, const std::string &where)
{
    std::vector<ModelProfile> profiles;
    int index = 0;
    try {
        const Json json = Json::parse(text);
        for (const Json &entry : json.at("models")) {
            ++index;
            const std::string place = fmt::format("{}, entry {}", where, index);
            ACCELOPT_TRY(ModelProfile profile, readModel(entry, place));
            ACCELOPT_CHECK(checkModel(profile, place));
            for (const ModelProfile &other : profiles)
                if (other.name == profile.name)
                    return fail(ErrorCode::Format,
                                fmt::format("{}: the name {} is taken", place, profile.name),
                                "rename one of the two");
            profiles.push_back(std::move(profile));
        }
    } catch (const Json::exception &exception) {
        return fail(ErrorCode::Format,
                    index == 0 ? fmt::format("{} is not of the form {{\"models\": [...]}}", where)
                               : fmt::format("{}, entry {} is not understood", where, index),
                    "see the user guide for the fields of models.json", exception.what());
    }
    return profiles;
}

Result<std::optional<ModelProfile>> modelOfEnvironment()
{
    ModelProfile profile;
    profile.name = "env";
    profile.address = environment("ACCELOPT_MODEL_ADDRESS");
    if (profile.address.empty())
        return std::optional<ModelProfile>();
    profile.model = environment("ACCELOPT_MODEL");
    profile.keyVariable = environment("ACCELOPT_MODEL_KEY_VARIABLE");
    ACCELOPT_TRY(const double calls, numberIn("ACCELOPT_MODEL_CALLS", profile.callsAtOnce));
    profile.callsAtOnce = int(std::min(calls, 1e6));
    if (!environment("ACCELOPT_MODEL_PRICE_IN").empty()) {
        ModelPrices prices;
        ACCELOPT_TRY(prices.input, numberIn("ACCELOPT_MODEL_PRICE_IN", 0));
        ACCELOPT_TRY(prices.cached, numberIn("ACCELOPT_MODEL_PRICE_CACHED", prices.input));
        ACCELOPT_TRY(prices.output, numberIn("ACCELOPT_MODEL_PRICE_OUT", 0));
        profile.prices = prices;
    }
    ACCELOPT_CHECK(checkModel(profile, "the model of the ACCELOPT_MODEL variables"));
    return profile;
}

Result<std::string> keyOf(const ModelProfile &profile)
{
    if (profile.keyVariable.empty())
        return std::string();
    std::string key = environment(profile.keyVariable.c_str());
    while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' '))
        key.pop_back();
    if (!key.empty())
        return key;
    std::string keychain;
    if (Keychain::available()) {
        Result<std::string> kept = Keychain::read(profile.keyVariable);
        if (kept && !kept->empty())
            return kept;
        keychain = kept ? "the keychain holds an empty key" : kept.error().message;
    }
    return fail(
        ErrorCode::Environment,
        fmt::format("the model {} wants a key in the environment variable {}, which is "
                    "not set{}{}",
                    profile.name, profile.keyVariable, keychain.empty() ? "" : ", and ", keychain),
        fmt::format("export {}=... in the shell that starts this program{}", profile.keyVariable,
                    Keychain::available()
                        ? fmt::format(", or store it with `accelopt models key {}`", profile.name)
                        : std::string()));
}

std::optional<double> priceOf(const ModelProfile &profile, const Usage &usage)
{
    if (!profile.prices || (usage.promptTokens == 0 && usage.completionTokens == 0))
        return std::nullopt;
    const double cached = double(std::min(usage.cachedTokens, usage.promptTokens));
    return ((double(usage.promptTokens) - cached) * profile.prices->input +
            cached * profile.prices->cached +
            double(usage.completionTokens) * profile.prices->output) /
           kTokensOfPrice;
}

} // namespace accelopt::agents
