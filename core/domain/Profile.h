// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Verdict.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace accelopt {

/// An inclusive range of milliseconds within which the true latency is believed to lie.
struct Interval
{
    double low = 0;
    double high = 0;
    bool operator==(const Interval &) const = default;
};

/// What the profile suggests: a condition met, its cause, what to try.
struct Finding
{
    std::string rule;      ///< stable name, e.g. "spill"
    std::string condition; ///< the condition with its threshold and the value found
    std::string cause;
    std::string advice;
    SourcePlace place;
    bool operator==(const Finding &) const = default;
};

/// What one source line costs.
struct LineCost
{
    int line = 0;
    double instructions = 0;
    double dmaBytes = 0;
    double flops = 0;
    double busyNs = 0; ///< engine and DMA time of the line's instructions, summed over engines
    bool operator==(const LineCost &) const = default;
};

/// Latency and counters of a correct kernel on one device. Profiles of different devices, kinds
/// (simulated or measured) or model versions never share a ranking.
struct Profile
{
    std::string device; ///< "trn1", "trn2"
    bool simulated = true;
    std::string modelVersion; ///< version of the cost model, empty when measured
    std::string tableHash;    ///< hash of the cost tables, empty when measured
    double latencyMs = 0;
    Interval intervalMs;
    /// Relative half-width below which two latencies of this kind are a tie (0.02 = 2 %).
    double tieMargin = 0;
    /// neuron-profile's names; its `*_percent` are fractions 0-1.
    std::map<std::string, double> counters;
    std::string bound; ///< "memory", "tensor" or "vector"; empty when the task has no roof
    std::optional<double> percentOfPeak; ///< 0-100; none when the task has no minimum-work figures
    std::vector<Finding> findings;
    std::vector<LineCost> lines;

    bool operator==(const Profile &) const = default;
};

/// True when figures of the two may be compared in a ranking.
bool comparable(const Profile &a, const Profile &b);

/// True when the two latencies cannot be told apart: their relative difference is within the larger
/// tie margin.
bool tied(const Profile &a, const Profile &b);

void to_json(nlohmann::json &json, const Interval &interval);
void from_json(const nlohmann::json &json, Interval &interval);
void to_json(nlohmann::json &json, const Finding &finding);
void from_json(const nlohmann::json &json, Finding &finding);
void to_json(nlohmann::json &json, const LineCost &cost);
void from_json(const nlohmann::json &json, LineCost &cost);
void to_json(nlohmann::json &json, const Profile &profile);
void from_json(const nlohmann::json &json, Profile &profile);

} // namespace accelopt
