// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <cstdint>

class QProcess;

namespace accelopt::profiling {

/// What a child process may use. Limits of the process as a whole are set before it runs; time is
/// watched by whoever started it.
struct ChildLimits
{
    /// Heap and private memory (RLIMIT_DATA): files mapped read-only do not count. 0: unlimited.
    std::int64_t memoryBytes = std::int64_t(3) << 30;
    /// Largest file that the child may write.
    std::int64_t fileBytes = 1 << 20;
    /// For one kernel (or one reference): CPU time of the process, and time on the wall.
    double cpuSeconds = 60;
    double wallSeconds = 240;
    /// Most bytes of one answer on standard output.
    std::int64_t outputBytes = std::int64_t(32) << 20;
};

/// Makes the process start in a group of its own, with the limits, and die when the thread that
/// started it ends. The environment is reduced to an allow-list (paths of libraries, locale,
/// temporary folder), so that no key of the user's reaches it, plus `extraEnvironment`
/// ("NAME=value").
void confine(QProcess &process, const ChildLimits &limits, const QStringList &extraEnvironment);

/// Kills the process and everything in its group. Does not wait.
void killGroup(QProcess &process);

/// Ends a process for good without keeping the caller: kills its group, waits a blink, and leaves
/// what is still dying to the event loop. Takes the process over.
void dispose(QProcess *process);

/// CPU seconds that a process has used so far; negative when it is gone.
double cpuSecondsOf(std::int64_t processId);

} // namespace accelopt::profiling
