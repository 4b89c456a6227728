// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::report {

/// A column of a table: its name carries the unit ("latency_ms").
struct CsvColumn
{
    std::string name;
    std::string unit;    ///< "ms", "1" for plain numbers, "" for texts
    std::string meaning; ///< one sentence
};

/// A field as the file will hold it. Numbers are written with as few digits as give the same
/// double again; what does not exist, and what is no number, is an empty field.
class CsvField
{
public:
    CsvField() = default;
    CsvField(double value);
    CsvField(int value);
    CsvField(std::int64_t value);
    CsvField(std::size_t value);
    CsvField(std::string_view text);
    CsvField(const std::string &text) : CsvField(std::string_view(text)) {}
    CsvField(const char *text) : CsvField(std::string_view(text)) {}
    template <typename Value> CsvField(const std::optional<Value> &value)
    {
        if (value)
            *this = CsvField(*value);
    }
    const std::string &text() const { return m_text; }

private:
    std::string m_text;
};
/// 1 or 0.
CsvField csvFlag(bool value);

/// A tidy table: one kind of thing per table, one thing per row.
struct CsvTable
{
    std::string name; ///< of the file, without ".csv"
    std::string what; ///< one sentence: what a row is
    std::vector<CsvColumn> columns;
    std::vector<std::vector<CsvField>> rows;
};

/// The table as RFC 4180 writes it: UTF-8, a header row, lines that end with CR LF, quotes where
/// they are needed. A text that a spreadsheet would take for a formula gets an apostrophe in front,
/// because many texts come from models.
std::string toCsv(const CsvTable &table);

} // namespace accelopt::report
