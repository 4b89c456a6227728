// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace accelopt {

/// A name that cannot be mixed up with a name of another kind.
template <typename Tag> struct Id
{
    std::string value;

    Id() = default;
    explicit Id(std::string text) : value(std::move(text)) {}
    bool empty() const { return value.empty(); }
    auto operator<=>(const Id &) const = default;
};

/// SHA-256 of a kernel's normalised token stream: two kernels with this in common are the same
/// kernel.
using KernelId = Id<struct KernelTag>;
/// SHA-256 of the exact bytes of a text kept with a run (source, plan, prompt, answer).
using TextId = Id<struct TextTag>;
/// Names one plan of a run: "i<iteration>.c<candidate>.p<plan>".
using PlanId = Id<struct PlanTag>;
/// Names one experience item of a run: "e<iteration>.<rank>".
using ItemId = Id<struct ItemTag>;
/// Names one call to a role; the same question asked again after a crash has the same name.
using CallId = Id<struct CallTag>;

/// The first digits of a long id, for people.
template <typename Tag> std::string shortId(const Id<Tag> &id)
{
    return id.value.substr(0, 10);
}

} // namespace accelopt

template <typename Tag> struct std::hash<accelopt::Id<Tag>>
{
    std::size_t operator()(const accelopt::Id<Tag> &id) const noexcept
    {
        return std::hash<std::string>{}(id.value);
    }
};
