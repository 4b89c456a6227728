// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/store/RunReader.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::report {

/// A row of a view table by column name; what is absent or null reads as nothing.
class Row
{
public:
    Row(const store::ViewTable &table, std::size_t row) : m_table(&table), m_row(row) {}
    std::string text(std::string_view column) const;
    std::optional<double> number(std::string_view column) const;
    bool flag(std::string_view column) const { return number(column).value_or(0) != 0; }
    bool has(std::string_view column) const;

private:
    const store::ViewTable::Value *value(std::string_view column) const;
    const store::ViewTable *m_table;
    std::size_t m_row;
};

/// The view tables of a run, read once.
class RunTables
{
public:
    static Result<RunTables> read(store::RunReader &reader);
    std::vector<Row> rows(std::string_view table) const;
    /// The only row of table `run`, if the run was opened.
    std::optional<Row> run() const;

private:
    std::map<std::string, store::ViewTable, std::less<>> m_tables;
};

} // namespace accelopt::report
