// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/CleanText.h"

#include <nlohmann/json.hpp>

namespace accelopt::report {

std::string cleanText(std::string_view text)
{
    const std::string valid =
        nlohmann::json::parse(
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
            .get<std::string>();
    std::string clean;
    clean.reserve(valid.size());
    for (const char c : valid) {
        if ((c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == '\x7f')
            clean += "\xEF\xBF\xBD";
        else
            clean += c;
    }
    return clean;
}

std::string escapedHtml(std::string_view text)
{
    std::string escaped;
    for (const char c : cleanText(text)) {
        switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '"': escaped += "&quot;"; break;
        case '\'': escaped += "&#39;"; break;
        default: escaped += c;
        }
    }
    return escaped;
}

} // namespace accelopt::report
