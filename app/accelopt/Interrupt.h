// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSocketNotifier>
#include <functional>
#include <memory>

namespace accelopt::cli {

/// As long as it lives, the first Ctrl+C (or SIGTERM) calls `stop` from the event loop, so that
/// what is paid for is kept; the second one ends the program at once.
class Interrupt
{
public:
    explicit Interrupt(std::function<void()> stop);
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

private:
    static void onSignal(int);
    static inline int s_pipe[2] = {-1, -1};
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace accelopt::cli
