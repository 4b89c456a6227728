// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::bench {

/// What a model asked for its tokens when the published searches were made, in US dollars.
struct PublishedPrice
{
    std::string model;
    double usdPerMillionInputTokens = 0;
    double usdPerMillionOutputTokens = 0;
};

/// What one published search over the fourteen tasks reached on hardware, and what it cost.
struct PublishedSearch
{
    std::string planner;               ///< empty where the source does not say
    std::string executor;              ///< the same
    std::string method;                ///< "beam and memory", "repeated sampling", ...
    std::optional<int> memoryCapacity; ///< ExpN; none where the source does not say
    double geometricMeanSpeedup = 1;
    double usd = 0;
};

/// How one task got better step by step.
struct PublishedSteps
{
    std::string task;
    std::string device;
    std::string unit;  ///< "percent_of_peak" (0-100) or "latency_ms"
    std::string label; ///< whose steps these are
    std::vector<double> steps;
};

/// What others measured and published, for overlays beside our own figures. The two are never
/// divided by each other.
struct PublishedFigures
{
    std::string source;
    std::vector<PublishedPrice> prices;
    std::vector<PublishedSearch> searches;
    std::vector<PublishedSteps> tasks;
};

/// The figures that come with the program.
Result<PublishedFigures> publishedFigures();
/// The same from a text; `file` names it in errors. Fails with Format, naming the place.
Result<PublishedFigures> readPublishedFigures(std::string_view text, const std::string &file);

} // namespace accelopt::bench
