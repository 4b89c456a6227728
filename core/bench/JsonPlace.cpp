// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/JsonPlace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>

namespace accelopt::bench {

using nlohmann::json;

namespace {

constexpr std::uintmax_t kMaxJsonBytes = 4u << 20;

/// Line and column (from 1) of a byte of the text.
std::string placeOf(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
    return fmt::format("line {}, column {}", line, column);
}

} // namespace

Result<json> parseJson(std::string_view text, const std::string &file)
{
    try {
        return json::parse(text);
    } catch (const json::parse_error &error) {
        const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
        return fail(ErrorCode::Format,
                    fmt::format("{}, {}: this is not JSON", file, placeOf(text, byte)),
                    "look for a missing comma, quote or bracket at that place", error.what());
    }
}

Result<json> readJsonFile(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("cannot read {}", path),
                    "check that the file exists and may be read");
    std::string text;
    text.resize(kMaxJsonBytes + 1);
    stream.read(text.data(), std::streamsize(text.size()));
    text.resize(std::size_t(stream.gcount()));
    if (text.size() > kMaxJsonBytes)
        return fail(ErrorCode::Format, fmt::format("{} is larger than 4 MiB", path));
    return parseJson(text, path);
}

JsonPlace JsonPlace::inside(const json &node, const std::string &path) const
{
    JsonPlace place(node, m_file);
    place.m_path = path;
    return place;
}

tl::unexpected<Error> JsonPlace::problem(const std::string &what, const std::string &hint) const
{
    return fail(ErrorCode::Format,
                m_path.empty() ? fmt::format("{}: {}", m_file, what)
                               : fmt::format("{}: {}: {}", m_file, m_path, what),
                hint);
}

std::optional<JsonPlace> JsonPlace::maybeMember(std::string_view name) const
{
    if (!m_node->is_object())
        return std::nullopt;
    const auto found = m_node->find(std::string(name));
    if (found == m_node->end())
        return std::nullopt;
    return inside(*found, m_path.empty() ? std::string(name) : fmt::format("{}.{}", m_path, name));
}

Result<JsonPlace> JsonPlace::member(std::string_view name) const
{
    if (!m_node->is_object())
        return problem("an object { } is expected here");
    auto found = maybeMember(name);
    if (!found)
        return problem(fmt::format("\"{}\" is missing", name));
    return *found;
}

Result<std::vector<JsonPlace>> JsonPlace::elements() const
{
    if (!m_node->is_array())
        return problem("a list [ ] is expected here");
    std::vector<JsonPlace> places;
    for (std::size_t i = 0; i < m_node->size(); ++i)
        places.push_back(inside((*m_node)[i], fmt::format("{}[{}]", m_path, i)));
    return places;
}

Result<std::vector<std::pair<std::string, JsonPlace>>> JsonPlace::members() const
{
    if (!m_node->is_object())
        return problem("an object { } is expected here");
    std::vector<std::pair<std::string, JsonPlace>> places;
    for (auto it = m_node->begin(); it != m_node->end(); ++it)
        places.emplace_back(it.key(), *maybeMember(it.key()));
    return places;
}

Result<std::string> JsonPlace::text() const
{
    if (!m_node->is_string() || m_node->get_ref<const std::string &>().empty())
        return problem("a text in quotes is expected here");
    return m_node->get<std::string>();
}

Result<double> JsonPlace::number() const
{
    if (!m_node->is_number())
        return problem("a number is expected here");
    return m_node->get<double>();
}

Result<std::int64_t> JsonPlace::integer() const
{
    if (!m_node->is_number_integer() ||
        (m_node->is_number_unsigned() && m_node->get<std::uint64_t>() > std::uint64_t(INT64_MAX)))
        return problem("a whole number is expected here");
    return m_node->get<std::int64_t>();
}

Result<void> JsonPlace::onlyMembers(std::initializer_list<std::string_view> names) const
{
    if (!m_node->is_object())
        return problem("an object { } is expected here");
    for (auto it = m_node->begin(); it != m_node->end(); ++it)
        if (std::find(names.begin(), names.end(), it.key()) == names.end())
            return problem(fmt::format("\"{}\" is not known here", it.key()),
                           fmt::format("known are: {}", fmt::join(names, ", ")));
    return {};
}

} // namespace accelopt::bench
