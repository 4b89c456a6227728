// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

namespace accelopt::tests {

/// A process that runs a function and can be killed at any moment. The function writes lines to its
/// pipe; it uses nothing that the parent has open, and starts no threads.
class ForkedChild
{
public:
    /// Sends one line to the parent.
    using Say = std::function<void(const std::string &)>;

    explicit ForkedChild(const std::function<void(const Say &)> &body);
    ForkedChild(const ForkedChild &) = delete;
    ForkedChild &operator=(const ForkedChild &) = delete;
    /// Kills the process if it still runs.
    ~ForkedChild();

    long pid() const { return m_pid; }
    /// The next line, waiting for it; empty when the process has ended.
    std::string line();
    /// SIGKILL; returns when the process is gone.
    void kill();

private:
    int m_pid = -1;
    int m_pipe = -1;
    std::string m_buffer;
};

} // namespace accelopt::tests
