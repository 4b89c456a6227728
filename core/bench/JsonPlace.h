// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::bench {

/// Reads a JSON file. Fails with Environment when it cannot be read and with Format, naming line
/// and column, when it is not JSON.
Result<nlohmann::json> readJsonFile(const std::string &path);
/// The same for a text that is already in memory; `file` names it in errors.
Result<nlohmann::json> parseJson(std::string_view text, const std::string &file);

/// A value inside a JSON file that knows where it is, so that every complaint names file and place
/// ("task.json: arguments[2].shape"). Borrows the document.
class JsonPlace
{
public:
    JsonPlace(const nlohmann::json &root, std::string file) : m_node(&root), m_file(std::move(file))
    {}

    const nlohmann::json &node() const { return *m_node; }
    /// The member's place; an error when it is missing or this is not an object.
    Result<JsonPlace> member(std::string_view name) const;
    /// The member's place, or nothing when it is missing.
    std::optional<JsonPlace> maybeMember(std::string_view name) const;
    /// The elements of an array; an error when this is not an array.
    Result<std::vector<JsonPlace>> elements() const;
    /// The members of an object with their names; an error when this is not an object.
    Result<std::vector<std::pair<std::string, JsonPlace>>> members() const;
    /// A text that is not empty.
    Result<std::string> text() const;
    Result<double> number() const;
    Result<std::int64_t> integer() const;
    /// An error when this is not an object or has a member that is not among `names`: a misspelt
    /// name must not be ignored silently.
    Result<void> onlyMembers(std::initializer_list<std::string_view> names) const;

    /// A Format error about this place.
    tl::unexpected<Error> problem(const std::string &what, const std::string &hint = {}) const;

private:
    JsonPlace inside(const nlohmann::json &node, const std::string &path) const;

    const nlohmann::json *m_node;
    std::string m_file;
    std::string m_path;
};

} // namespace accelopt::bench
