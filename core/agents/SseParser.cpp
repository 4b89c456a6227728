// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/SseParser.h"

#include <utility>

namespace accelopt::agents {

std::vector<std::string> SseParser::feed(std::string_view bytes)
{
    std::vector<std::string> events;
    for (;;) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos)
            break;
        m_line.append(bytes.substr(0, end));
        bytes.remove_prefix(end + 1);
        if (m_line.ends_with('\r'))
            m_line.pop_back();
        takeLine(m_line, events);
        m_line.clear();
    }
    m_line.append(bytes);
    return events;
}

void SseParser::takeLine(std::string_view line, std::vector<std::string> &events)
{
    if (line.empty()) {
        if (std::exchange(m_hasData, false))
            events.push_back(std::exchange(m_data, {}));
        return;
    }
    constexpr std::string_view kData = "data:";
    if (!line.starts_with(kData))
        return;
    line.remove_prefix(kData.size());
    if (line.starts_with(' '))
        line.remove_prefix(1);
    if (std::exchange(m_hasData, true))
        m_data += '\n';
    m_data.append(line);
}

std::string SseParser::rest()
{
    std::vector<std::string> events;
    if (!m_line.empty())
        takeLine(std::exchange(m_line, {}), events);
    m_hasData = false;
    return std::exchange(m_data, {});
}

} // namespace accelopt::agents
