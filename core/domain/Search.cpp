// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Search.h"

#include "core/domain/JsonFields.h"

#include <fmt/format.h>

namespace accelopt {

using json_fields::get;

std::string_view name(RoleName role)
{
    switch (role) {
    case RoleName::Planner: return "planner";
    case RoleName::Executor: return "executor";
    case RoleName::Summarizer: return "summarizer";
    }
    return "planner";
}

std::optional<RoleName> roleName(std::string_view text)
{
    for (RoleName role : kRoles)
        if (name(role) == text)
            return role;
    return std::nullopt;
}

PlanId planId(const PlanSlot &slot)
{
    return PlanId(fmt::format("i{}.c{}.p{}", slot.iteration, slot.candidate, slot.plan));
}

std::string describe(const AttemptSlot &slot)
{
    return fmt::format("{}.a{}", planId(slot.plan).value, slot.attempt);
}

Usage &Usage::operator+=(const Usage &other)
{
    calls += other.calls;
    promptTokens += other.promptTokens;
    cachedTokens += other.cachedTokens;
    completionTokens += other.completionTokens;
    usd += other.usd;
    unpricedCalls += other.unpricedCalls;
    return *this;
}

void to_json(nlohmann::json &json, const PlanSlot &slot)
{
    json = {{"iteration", slot.iteration}, {"candidate", slot.candidate}, {"plan", slot.plan}};
}

void from_json(const nlohmann::json &json, PlanSlot &slot)
{
    get(json, "iteration", slot.iteration);
    get(json, "candidate", slot.candidate);
    get(json, "plan", slot.plan);
}

void to_json(nlohmann::json &json, const AttemptSlot &slot)
{
    json = slot.plan;
    json["attempt"] = slot.attempt;
}

void from_json(const nlohmann::json &json, AttemptSlot &slot)
{
    json.get_to(slot.plan);
    get(json, "attempt", slot.attempt);
}

void to_json(nlohmann::json &json, const Plan &plan)
{
    nlohmann::json used = nlohmann::json::array();
    for (const ItemId &item : plan.usedItems)
        used.push_back(item.value);
    json = {{"slot", plan.slot},    {"parent", plan.parent.value}, {"title", plan.title},
            {"text", plan.text},    {"directive", plan.directive}, {"used_items", std::move(used)},
            {"author", plan.author}};
}

void from_json(const nlohmann::json &json, Plan &plan)
{
    get(json, "slot", plan.slot);
    get(json, "parent", plan.parent);
    get(json, "title", plan.title);
    get(json, "text", plan.text);
    get(json, "directive", plan.directive);
    plan.usedItems.clear();
    for (const std::string &item : json.at("used_items").get<std::vector<std::string>>())
        plan.usedItems.emplace_back(item);
    get(json, "author", plan.author);
}

void to_json(nlohmann::json &json, const ExperienceItem &item)
{
    json = {{"id", item.id.value},     {"title", item.title},         {"strategy", item.strategy},
            {"before", item.before},   {"after", item.after},         {"positive", item.positive},
            {"speedup", item.speedup}, {"slow", item.slow.value},     {"fast", item.fast.value},
            {"plan", item.plan.value}, {"iteration", item.iteration}, {"tags", item.tags}};
}

void from_json(const nlohmann::json &json, ExperienceItem &item)
{
    get(json, "id", item.id);
    get(json, "title", item.title);
    get(json, "strategy", item.strategy);
    get(json, "before", item.before);
    get(json, "after", item.after);
    get(json, "positive", item.positive);
    get(json, "speedup", item.speedup);
    get(json, "slow", item.slow);
    get(json, "fast", item.fast);
    get(json, "plan", item.plan);
    get(json, "iteration", item.iteration);
    get(json, "tags", item.tags);
}

void to_json(nlohmann::json &json, const Usage &usage)
{
    json = {{"calls", usage.calls},
            {"prompt_tokens", usage.promptTokens},
            {"cached_tokens", usage.cachedTokens},
            {"completion_tokens", usage.completionTokens},
            {"usd", usage.usd},
            {"unpriced_calls", usage.unpricedCalls}};
}

void from_json(const nlohmann::json &json, Usage &usage)
{
    get(json, "calls", usage.calls);
    get(json, "prompt_tokens", usage.promptTokens);
    get(json, "cached_tokens", usage.cachedTokens);
    get(json, "completion_tokens", usage.completionTokens);
    get(json, "usd", usage.usd);
    get(json, "unpriced_calls", usage.unpricedCalls);
}

} // namespace accelopt
