// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/SimPool.h"

#include <QByteArray>
#include <QObject>
#include <QSocketNotifier>
#include <memory>
#include <string>

namespace accelopt::profiling {

/// A pool of simulators behind JSON lines, for the far side of a connection. Reads from one file
/// descriptor and writes to another:
///   asked: {"kind": "open", "folder", "shape", "hash", "device", "workers"}
///   says:  {"kind": "open", "model_version", "software", "kernels_at_once"}, or
///          {"kind": "failed", "what": "task", "message"}
///   asked: {"kind": "judge", "id", "kernel", "source": base64, "purpose": "search" |
///          "confirmation", "seed"}
///   asked: {"kind": "ask", "id", "source": base64, "inputs": [{"seed", "suite"}], "check",
///          "quick_flops", "sampling_seed", "lines"}: the same with everything said, for a person
///   says:  {"id", "verdict", "profile", ...} as WorkerProtocol.h has it, in any order
///   says:  {"kind": "progress", "text"} for a person who waits
/// Quits the event loop when the input ends.
class PoolLoop : public QObject
{
    Q_OBJECT

public:
    PoolLoop(int input, int output, std::string software, QObject *parent = nullptr);

    /// Takes one line; for tests, too.
    void take(const QByteArray &line);

private:
    void read();
    void say(const std::string &line) const;
    void open(const QByteArray &line);
    void judge(const QByteArray &line);
    void ask(const QByteArray &line);
    void failed(const std::string &what, const Error &error) const;

    int m_input;
    int m_output;
    std::string m_software;
    QSocketNotifier m_readable;
    QByteArray m_buffer;
    std::unique_ptr<ReferenceMaker> m_references;
    std::unique_ptr<SimPool> m_pool;
};

} // namespace accelopt::profiling
