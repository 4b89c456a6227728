// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/PublishedFigures.h"

#include "core/bench/JsonPlace.h"
#include "core/domain/Resources.h"

#include <nlohmann/json.hpp>

namespace accelopt::bench {

namespace {

constexpr const char *kFile = "resources/bench/published.json";

Result<std::string> textOf(const JsonPlace &place, std::string_view name)
{
    ACCELOPT_TRY(const auto member, place.member(name));
    return member.text();
}

Result<double> positiveOf(const JsonPlace &place, std::string_view name)
{
    ACCELOPT_TRY(const auto member, place.member(name));
    ACCELOPT_TRY(const double value, member.number());
    if (!(value > 0))
        return member.problem("a positive number is expected here");
    return value;
}

Result<PublishedPrice> readPrice(const JsonPlace &place)
{
    ACCELOPT_CHECK(place.onlyMembers(
        {"model", "usd_per_million_input_tokens", "usd_per_million_output_tokens"}));
    PublishedPrice price;
    ACCELOPT_TRY(price.model, textOf(place, "model"));
    ACCELOPT_TRY(price.usdPerMillionInputTokens, positiveOf(place, "usd_per_million_input_tokens"));
    ACCELOPT_TRY(price.usdPerMillionOutputTokens,
                 positiveOf(place, "usd_per_million_output_tokens"));
    return price;
}

Result<PublishedSearch> readSearch(const JsonPlace &place)
{
    ACCELOPT_CHECK(place.onlyMembers(
        {"planner", "executor", "method", "memory_capacity", "geometric_mean_speedup", "usd"}));
    PublishedSearch search;
    if (const auto planner = place.maybeMember("planner")) {
        ACCELOPT_TRY(search.planner, planner->text());
    }
    if (const auto executor = place.maybeMember("executor")) {
        ACCELOPT_TRY(search.executor, executor->text());
    }
    ACCELOPT_TRY(search.method, textOf(place, "method"));
    if (const auto capacity = place.maybeMember("memory_capacity")) {
        ACCELOPT_TRY(const std::int64_t value, capacity->integer());
        if (value < 0 || value > 1'000'000)
            return capacity->problem("a number of items is expected here");
        search.memoryCapacity = static_cast<int>(value);
    }
    ACCELOPT_TRY(search.geometricMeanSpeedup, positiveOf(place, "geometric_mean_speedup"));
    ACCELOPT_TRY(search.usd, positiveOf(place, "usd"));
    return search;
}

Result<PublishedSteps> readSteps(const JsonPlace &place)
{
    ACCELOPT_CHECK(place.onlyMembers({"task", "device", "unit", "label", "steps"}));
    PublishedSteps steps;
    ACCELOPT_TRY(steps.task, textOf(place, "task"));
    ACCELOPT_TRY(steps.device, textOf(place, "device"));
    ACCELOPT_TRY(const auto unit, place.member("unit"));
    ACCELOPT_TRY(steps.unit, unit.text());
    if (steps.unit != "percent_of_peak" && steps.unit != "latency_ms")
        return unit.problem("\"percent_of_peak\" or \"latency_ms\" is expected here");
    ACCELOPT_TRY(steps.label, textOf(place, "label"));
    ACCELOPT_TRY(const auto list, place.member("steps"));
    ACCELOPT_TRY(const auto elements, list.elements());
    for (const JsonPlace &element : elements) {
        ACCELOPT_TRY(const double value, element.number());
        if (!(value > 0))
            return element.problem("a positive number is expected here");
        steps.steps.push_back(value);
    }
    if (steps.steps.size() < 2)
        return list.problem("at least two steps are expected here");
    return steps;
}

template <typename Value>
Result<std::vector<Value>> readList(const JsonPlace &root, std::string_view name,
                                    Result<Value> (*read)(const JsonPlace &))
{
    ACCELOPT_TRY(const auto list, root.member(name));
    ACCELOPT_TRY(const auto elements, list.elements());
    std::vector<Value> values;
    for (const JsonPlace &element : elements) {
        ACCELOPT_TRY(Value value, read(element));
        values.push_back(std::move(value));
    }
    return values;
}

} // namespace

Result<PublishedFigures> readPublishedFigures(std::string_view text, const std::string &file)
{
    ACCELOPT_TRY(const nlohmann::json document, parseJson(text, file));
    const JsonPlace root(document, file);
    ACCELOPT_CHECK(
        root.onlyMembers({"format", "comment", "source", "prices", "searches", "tasks"}));
    PublishedFigures figures;
    ACCELOPT_TRY(figures.source, textOf(root, "source"));
    ACCELOPT_TRY(figures.prices, readList(root, "prices", readPrice));
    ACCELOPT_TRY(figures.searches, readList(root, "searches", readSearch));
    ACCELOPT_TRY(figures.tasks, readList(root, "tasks", readSteps));
    return figures;
}

Result<PublishedFigures> publishedFigures()
{
    return readPublishedFigures(resource(kFile), kFile);
}

} // namespace accelopt::bench
