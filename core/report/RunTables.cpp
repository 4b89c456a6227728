// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/RunTables.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::report {

const store::ViewTable::Value *Row::value(std::string_view column) const
{
    const auto it = std::find(m_table->columns.begin(), m_table->columns.end(), column);
    if (it == m_table->columns.end())
        return nullptr;
    return &m_table->rows[m_row][std::size_t(it - m_table->columns.begin())];
}

bool Row::has(std::string_view column) const
{
    const auto *found = value(column);
    return found != nullptr && !std::holds_alternative<std::monostate>(*found);
}

std::string Row::text(std::string_view column) const
{
    const auto *found = value(column);
    if (found == nullptr)
        return {};
    if (const auto *text = std::get_if<std::string>(found))
        return *text;
    if (const auto *whole = std::get_if<std::int64_t>(found))
        return fmt::format("{}", *whole);
    if (const auto *number = std::get_if<double>(found))
        return fmt::format("{}", *number);
    return {};
}

std::optional<double> Row::number(std::string_view column) const
{
    const auto *found = value(column);
    if (found == nullptr)
        return std::nullopt;
    if (const auto *whole = std::get_if<std::int64_t>(found))
        return double(*whole);
    if (const auto *number = std::get_if<double>(found))
        return *number;
    return std::nullopt;
}

Result<RunTables> RunTables::read(store::RunReader &reader)
{
    RunTables tables;
    for (const std::string_view name : store::viewTableNames()) {
        ACCELOPT_TRY(store::ViewTable table, reader.viewTable(name));
        tables.m_tables.emplace(name, std::move(table));
    }
    return tables;
}

std::vector<Row> RunTables::rows(std::string_view name) const
{
    std::vector<Row> rows;
    const auto it = m_tables.find(name);
    if (it != m_tables.end())
        for (std::size_t row = 0; row < it->second.rows.size(); ++row)
            rows.emplace_back(it->second, row);
    return rows;
}

std::optional<Row> RunTables::run() const
{
    const std::vector<Row> all = rows("run");
    return all.empty() ? std::nullopt : std::optional(all.front());
}

} // namespace accelopt::report
