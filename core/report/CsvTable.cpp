// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/CsvTable.h"

#include "core/report/CleanText.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::report {

namespace {

std::string quoted(const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"')
            result += '"';
        result += c;
    }
    return result + "\"";
}

} // namespace

CsvField::CsvField(double value)
{
    if (std::isfinite(value))
        m_text = fmt::format("{}", value);
}

CsvField::CsvField(int value) : m_text(fmt::format("{}", value)) {}

CsvField::CsvField(std::int64_t value) : m_text(fmt::format("{}", value)) {}

CsvField::CsvField(std::size_t value) : m_text(fmt::format("{}", value)) {}

CsvField::CsvField(std::string_view text) : m_text(cleanText(text))
{
    constexpr std::string_view kFormulaStarts = "=+-@\t\r";
    if (!m_text.empty() && kFormulaStarts.find(m_text.front()) != std::string_view::npos)
        m_text.insert(m_text.begin(), '\'');
}

CsvField csvFlag(bool value)
{
    return value ? 1 : 0;
}

std::string toCsv(const CsvTable &table)
{
    std::string csv;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        csv += (column > 0 ? "," : "") + quoted(table.columns[column].name);
    csv += "\r\n";
    for (const std::vector<CsvField> &row : table.rows) {
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            csv += (column > 0 ? "," : "") +
                   (column < row.size() ? quoted(row[column].text()) : std::string());
        csv += "\r\n";
    }
    return csv;
}

} // namespace accelopt::report
