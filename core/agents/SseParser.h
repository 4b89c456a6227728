// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace accelopt::agents {

/// Takes a stream of server-sent events apart, byte by byte as it comes: lines end with \n or \r\n,
/// several data lines of one event are joined by newlines, lines that begin with a colon are
/// comments. A character split between two pieces is put together again.
class SseParser
{
public:
    /// The data of the events that are complete with these bytes.
    std::vector<std::string> feed(std::string_view bytes);
    /// The data of an event whose blank line never came; empty when there is none.
    std::string rest();

private:
    void takeLine(std::string_view line, std::vector<std::string> &events);

    std::string m_line;
    std::string m_data;
    bool m_hasData = false;
};

} // namespace accelopt::agents
