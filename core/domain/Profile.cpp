// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Profile.h"

#include "core/domain/JsonFields.h"

#include <algorithm>
#include <cmath>

namespace accelopt {

using json_fields::get;

bool comparable(const Profile &a, const Profile &b)
{
    return a.device == b.device && a.simulated == b.simulated && a.modelVersion == b.modelVersion &&
           a.tableHash == b.tableHash;
}

bool tied(const Profile &a, const Profile &b)
{
    const double larger = std::max(a.latencyMs, b.latencyMs);
    return std::abs(a.latencyMs - b.latencyMs) <= std::max(a.tieMargin, b.tieMargin) * larger;
}

void to_json(nlohmann::json &json, const Interval &interval)
{
    json = nlohmann::json::array({interval.low, interval.high});
}

void from_json(const nlohmann::json &json, Interval &interval)
{
    if (!json.is_array() || json.size() != 2)
        json_fields::refuse("an interval is not two numbers");
    json.at(0).get_to(interval.low);
    json.at(1).get_to(interval.high);
}

void to_json(nlohmann::json &json, const Finding &finding)
{
    json = {{"rule", finding.rule},
            {"condition", finding.condition},
            {"cause", finding.cause},
            {"advice", finding.advice},
            {"place", finding.place}};
}

void from_json(const nlohmann::json &json, Finding &finding)
{
    get(json, "rule", finding.rule);
    get(json, "condition", finding.condition);
    get(json, "cause", finding.cause);
    get(json, "advice", finding.advice);
    get(json, "place", finding.place);
}

void to_json(nlohmann::json &json, const LineCost &cost)
{
    json = {{"line", cost.line},
            {"instructions", cost.instructions},
            {"dma_bytes", cost.dmaBytes},
            {"flops", cost.flops},
            {"busy_ns", cost.busyNs}};
}

void from_json(const nlohmann::json &json, LineCost &cost)
{
    get(json, "line", cost.line);
    get(json, "instructions", cost.instructions);
    get(json, "dma_bytes", cost.dmaBytes);
    get(json, "flops", cost.flops);
    get(json, "busy_ns", cost.busyNs);
}

void to_json(nlohmann::json &json, const Profile &profile)
{
    json = {{"device", profile.device},
            {"simulated", profile.simulated},
            {"model_version", profile.modelVersion},
            {"table_hash", profile.tableHash},
            {"latency_ms", profile.latencyMs},
            {"interval_ms", profile.intervalMs},
            {"tie_margin", profile.tieMargin},
            {"counters", json_fields::figures(profile.counters)},
            {"bound", profile.bound},
            {"percent_of_peak", json_fields::orNull(profile.percentOfPeak)},
            {"findings", profile.findings},
            {"lines", profile.lines}};
}

void from_json(const nlohmann::json &json, Profile &profile)
{
    get(json, "device", profile.device);
    get(json, "simulated", profile.simulated);
    get(json, "model_version", profile.modelVersion);
    get(json, "table_hash", profile.tableHash);
    get(json, "latency_ms", profile.latencyMs);
    get(json, "interval_ms", profile.intervalMs);
    get(json, "tie_margin", profile.tieMargin);
    profile.counters = json_fields::figures(json.at("counters"));
    get(json, "bound", profile.bound);
    get(json, "percent_of_peak", profile.percentOfPeak);
    get(json, "findings", profile.findings);
    get(json, "lines", profile.lines);
}

} // namespace accelopt
