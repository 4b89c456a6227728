// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Interrupt.h"

#include <csignal>
#include <unistd.h>

namespace accelopt::cli {

Interrupt::Interrupt(std::function<void()> stop)
{
    if (::pipe(s_pipe) != 0)
        return;
    m_notifier = std::make_unique<QSocketNotifier>(s_pipe[0], QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(),
                     [stop = std::move(stop)] {
                         char byte = 0;
                         if (::read(s_pipe[0], &byte, 1) == 1)
                             stop();
                     });
    std::signal(SIGINT, &Interrupt::onSignal);
    std::signal(SIGTERM, &Interrupt::onSignal);
}

Interrupt::~Interrupt()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    m_notifier.reset();
    ::close(s_pipe[0]);
    ::close(s_pipe[1]);
}

void Interrupt::onSignal(int)
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(s_pipe[1], &byte, 1);
}

} // namespace accelopt::cli
