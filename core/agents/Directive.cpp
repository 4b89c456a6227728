// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Directive.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace accelopt::agents {

using nlohmann::json;
using rewrite::EngineLoad;

namespace {

std::optional<EngineLoad> busyOf(const json &directive)
{
    const auto busy = directive.find("busy_ms");
    if (busy == directive.end() || !busy->is_array() || busy->size() != 4 ||
        !std::all_of(busy->begin(), busy->end(),
                     [](const json &value) { return value.is_number(); }))
        return std::nullopt;
    return EngineLoad{(*busy)[0], (*busy)[1], (*busy)[2], (*busy)[3]};
}

Result<Step> stepOf(const json &object)
{
    const auto foreign = [&] {
        return fail(ErrorCode::NotGood, "the plan's directive is not one of the offline agent's",
                    {}, object.dump());
    };
    if (!object.is_object())
        return foreign();
    Step step;
    if (const auto tune = object.find("tune"); tune != object.end() && tune->is_object()) {
        step.kind = Step::Kind::Tune;
        step.parameters = *tune;
        return step;
    }
    const auto name = object.find("rewrite");
    if (name == object.end() || !name->is_string())
        return foreign();
    step.rewrite = name->get<std::string>();
    const auto everywhere = object.find("everywhere");
    if (everywhere != object.end() && everywhere->is_boolean() && everywhere->get<bool>()) {
        step.kind = Step::Kind::Everywhere;
        const std::optional<EngineLoad> busy = busyOf(object);
        if (!busy)
            return fail(ErrorCode::NotGood,
                        "the plan's directive does not say how busy the engines are", {},
                        object.dump());
        step.busy = *busy;
        return step;
    }
    step.parameters = object.value("parameters", json::object());
    return step;
}

json jsonOf(const Step &step)
{
    switch (step.kind) {
    case Step::Kind::Place: return {{"rewrite", step.rewrite}, {"parameters", step.parameters}};
    case Step::Kind::Everywhere:
        return {{"rewrite", step.rewrite},
                {"everywhere", true},
                {"busy_ms", json::array({step.busy.tensor, step.busy.vector, step.busy.scalar,
                                         step.busy.dma})}};
    case Step::Kind::Tune: return {{"tune", step.parameters}};
    }
    return {};
}

} // namespace

std::string Step::name() const
{
    return kind == Kind::Tune ? "tune" : rewrite;
}

Result<std::vector<Step>> stepsOf(const std::string &directive)
{
    const json object = json::parse(directive, nullptr, false);
    std::vector<Step> steps;
    const bool several = object.is_object() && object.contains("steps");
    if (several && object["steps"].is_array() && !object["steps"].empty()) {
        for (const json &one : object["steps"]) {
            ACCELOPT_TRY(Step step, stepOf(one));
            steps.push_back(std::move(step));
        }
        return steps;
    }
    if (object.is_discarded())
        return fail(ErrorCode::NotGood, "the plan's directive is not one of the offline agent's",
                    {}, directive);
    ACCELOPT_TRY(Step step, stepOf(object));
    steps.push_back(std::move(step));
    return steps;
}

std::string directiveOf(const std::vector<Step> &steps)
{
    if (steps.size() == 1)
        return jsonOf(steps.front()).dump();
    json all = json::array();
    for (const Step &step : steps)
        all.push_back(jsonOf(step));
    return json{{"steps", std::move(all)}}.dump();
}

std::string canonicalDirective(const std::string &directive)
{
    const json object = json::parse(directive, nullptr, false);
    return object.is_discarded() ? directive : object.dump();
}

std::vector<std::string> namesIn(const std::string &directive)
{
    std::vector<std::string> names;
    const Result<std::vector<Step>> steps = stepsOf(directive);
    if (!steps)
        return names;
    for (const Step &step : *steps)
        if (std::find(names.begin(), names.end(), step.name()) == names.end())
            names.push_back(step.name());
    return names;
}

std::string joinedNames(const std::vector<std::string> &names)
{
    std::string joined;
    for (const std::string &name : names)
        joined += (joined.empty() ? "" : "+") + name;
    return joined;
}

std::vector<std::string> namesOfTag(const std::string &tag)
{
    std::vector<std::string> names;
    std::size_t at = 0;
    while (at < tag.size()) {
        const std::size_t end = std::min(tag.find('+', at), tag.size());
        if (end > at)
            names.push_back(tag.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

EngineLoad rounded(EngineLoad load)
{
    for (double *engine : {&load.tensor, &load.vector, &load.scalar, &load.dma})
        *engine = std::round(*engine * 1000) / 1000;
    return load;
}

} // namespace accelopt::agents
