// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/TensorCache.h"
#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/profiling/ChildLimits.h"

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

class QProcess;

namespace accelopt::profiling {

/// Gets the inputs and reference results of tasks: from the cache, or by running the task's numpy
/// reference in a limited Python process, one at a time. The reference is the user's own file and
/// trusted; that of a task that is not is refused. Lives on one thread with an event loop.
class ReferenceMaker : public QObject
{
    Q_OBJECT

public:
    using Done = std::function<void(Result<bench::TensorEntry>)>;

    explicit ReferenceMaker(bench::TensorCache cache, QObject *parent = nullptr);
    ~ReferenceMaker() override;

    /// The tensors of the task drawn with this seed and changed by the suite of this name (empty:
    /// as drawn). `done` is called once, later, on this thread; it keeps the entry from being
    /// evicted as long as it keeps the answer. Several questions about the same entry are one piece
    /// of work.
    void make(const Task &task, std::uint64_t seed, const std::string &suite, Done done);
    /// Ends the work under way and forgets all questions; their `done` is not called any more.
    void cancelAll();

    /// The interpreter to use; a test may name another one.
    void setPython(std::string python) { m_python = std::move(python); }
    /// Seconds that one reference may take.
    void setTimeLimit(double seconds) { m_secondsLimit = seconds; }

signals:
    /// What is being done, for a person who waits ("computing the reference of bmm_softmax (1.1
    /// GB)").
    void progress(const QString &text);

private:
    /// One entry to be found or made, and who waits for it.
    struct Work
    {
        Task task;
        std::uint64_t seed = 0;
        std::string suite;
        std::vector<Done> waiting;
    };
    struct Finished
    {
        std::vector<Done> waiting;
        Result<bench::TensorEntry> answer;
    };

    void next();
    void startVersion();
    void startMaking();
    void run(const std::string &request, const ChildLimits &limits);
    void onFinished();
    void takeVersion(const std::string &output, const std::string &errors);
    void takeEntry(const std::string &output, const std::string &errors);
    void finish(Result<bench::TensorEntry> answer);
    void deliver();
    const InputSuite *suiteOf(const Work &work) const;
    bench::TensorKey keyOf(const Work &work) const;

    bench::TensorCache m_cache;
    std::string m_python = "/usr/bin/python3";
    double m_secondsLimit = 1800;
    std::string m_numpyVersion; ///< empty: not asked yet
    std::deque<Work> m_queue;   ///< the first one is at work when m_busy
    std::deque<Finished> m_finished;
    bool m_busy = false;
    QProcess *m_process = nullptr;
    std::optional<std::filesystem::path> m_folder; ///< being made
    QTimer m_limit;
    QElapsedTimer m_elapsed;
    QByteArray m_output;
    QByteArray m_errors;
    bool m_timedOut = false;
};

} // namespace accelopt::profiling
