// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Ids.h"

#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt {

/// The three agents of the paper.
enum class RoleName { Planner, Executor, Summarizer };
std::string_view name(RoleName role);
std::optional<RoleName> roleName(std::string_view name);
inline constexpr RoleName kRoles[] = {RoleName::Planner, RoleName::Executor, RoleName::Summarizer};

/// Where a plan stands in a run: iteration and candidate count from 0, plan within its candidate
/// from 0.
struct PlanSlot
{
    int iteration = 0;
    int candidate = 0;
    int plan = 0;
    auto operator<=>(const PlanSlot &) const = default;
};

/// Where an attempt stands: its plan's slot and its number within the plan from 0.
struct AttemptSlot
{
    PlanSlot plan;
    int attempt = 0;
    auto operator<=>(const AttemptSlot &) const = default;
};

/// "i2.c0.p3"
PlanId planId(const PlanSlot &slot);
/// "i2.c0.p3.a1"
std::string describe(const AttemptSlot &slot);

/// One optimisation idea with exactly one step, written for one candidate.
struct Plan
{
    PlanSlot slot;
    KernelId parent;
    std::string title; ///< a few words for lists
    std::string text;  ///< the prose the executor is given
    /// JSON of the rewrite it stands for; empty when an agent wrote free prose.
    std::string directive;
    std::vector<ItemId> usedItems; ///< experience items the prompt contained
    std::string author;            ///< "offline", a model's name, "human"
    bool operator==(const Plan &) const = default;
};

/// An experience item: a lesson distilled from a slow-fast pair.
struct ExperienceItem
{
    ItemId id;
    std::string title;
    std::string strategy; ///< the lesson in prose
    std::string before;   ///< snippet of the slow kernel
    std::string after;    ///< snippet of the fast kernel
    bool positive = true; ///< sign: positive = do this, negative = avoid the reverse
    double speedup = 1;   ///< latency(slow) / latency(fast), greater than 1
    KernelId slow;
    KernelId fast;
    PlanId plan; ///< the plan whose group made the pair
    int iteration = 0;
    std::map<std::string, std::string> tags; ///< "rewrite", "bound", "operator", "dialect"
    bool operator==(const ExperienceItem &) const = default;
};

/// What calls have cost so far.
struct Usage
{
    std::int64_t calls = 0;
    std::int64_t promptTokens = 0;
    std::int64_t cachedTokens = 0;
    std::int64_t completionTokens = 0;
    double usd = 0;
    std::int64_t unpricedCalls = 0; ///< calls without a known price: usd is then a lower bound

    Usage &operator+=(const Usage &other);
    bool operator==(const Usage &) const = default;
};

void to_json(nlohmann::json &json, const PlanSlot &slot);
void from_json(const nlohmann::json &json, PlanSlot &slot);
void to_json(nlohmann::json &json, const AttemptSlot &slot);
void from_json(const nlohmann::json &json, AttemptSlot &slot);
void to_json(nlohmann::json &json, const Plan &plan);
void from_json(const nlohmann::json &json, Plan &plan);
void to_json(nlohmann::json &json, const ExperienceItem &item);
void from_json(const nlohmann::json &json, ExperienceItem &item);
void to_json(nlohmann::json &json, const Usage &usage);
void from_json(const nlohmann::json &json, Usage &usage);

} // namespace accelopt
