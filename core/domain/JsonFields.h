// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Ids.h"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

// Shared by the codecs of this room; not part of its words.

namespace accelopt::json_fields {

/// Stops the decoding of a value that has the wrong form; becomes an Error with code Format at the
/// border.
[[noreturn]] inline void refuse(const std::string &what)
{
    throw nlohmann::json::other_error::create(501, what, nullptr);
}

/// A figure as JSON. JSON has no infinity and no NaN, but a wrong kernel's error may well be one.
inline nlohmann::json figure(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

inline double figure(const nlohmann::json &json)
{
    if (json.is_string()) {
        if (json == "nan")
            return std::numeric_limits<double>::quiet_NaN();
        if (json == "inf")
            return std::numeric_limits<double>::infinity();
        if (json == "-inf")
            return -std::numeric_limits<double>::infinity();
        refuse("not a number: " + json.get<std::string>());
    }
    return json.get<double>();
}

inline nlohmann::json figures(const std::map<std::string, double> &values)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto &[key, value] : values)
        json[key] = figure(value);
    return json;
}

inline std::map<std::string, double> figures(const nlohmann::json &json)
{
    if (!json.is_object())
        refuse("figures are not an object");
    std::map<std::string, double> values;
    for (const auto &[key, value] : json.items())
        values.emplace(key, figure(value));
    return values;
}

template <typename Tag> void get(const nlohmann::json &json, const char *key, Id<Tag> &id)
{
    json.at(key).get_to(id.value);
}

template <typename Value> void get(const nlohmann::json &json, const char *key, Value &value)
{
    json.at(key).get_to(value);
}

template <typename Value> nlohmann::json orNull(const std::optional<Value> &value)
{
    return value ? nlohmann::json(*value) : nlohmann::json();
}

template <typename Value>
void get(const nlohmann::json &json, const char *key, std::optional<Value> &value)
{
    const nlohmann::json &field = json.at(key);
    if (field.is_null())
        value.reset();
    else
        value = field.get<Value>();
}

} // namespace accelopt::json_fields
