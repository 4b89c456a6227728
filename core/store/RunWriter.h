// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/store/RunFile.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace accelopt::store {

/// A run file with a thread of its own, so that nobody else waits for the disk. What is asked is
/// done in the order of asking; all functions may be called from any thread.
class RunWriter
{
public:
    /// What became of an append: the events with their numbers and times, or why they were not
    /// written. Called on the writer's thread; it hands the news on and does not call back into the
    /// writer.
    using Done = std::function<void(Result<std::vector<Event>>)>;

    explicit RunWriter(RunFile file);
    /// Finishes everything that was asked, then closes the file.
    ~RunWriter();
    RunWriter(const RunWriter &) = delete;
    RunWriter &operator=(const RunWriter &) = delete;

    /// RunFile::append() without waiting for it; `done` may be empty.
    void append(std::vector<Event> events, std::vector<Text> texts, Done done = {});
    /// RunFile::append(), durable when it returns; what was asked before is written before.
    Result<void> appendAndWait(std::span<Event> events, std::span<const Text> texts);
    /// The functions of RunFile; each waits for its turn.
    Result<std::string> text(const TextId &id);
    Result<std::vector<Event>> eventsAfter(std::int64_t sequence, std::size_t limit = kAllEvents);
    /// Closes the file after everything that was asked before; what is asked later fails.
    Result<void> close();

private:
    using Work = std::function<void(RunFile &)>;
    void post(Work work);
    template <typename Answer> Answer ask(std::function<Answer(RunFile &)> question);
    void serve(const std::stop_token &stop);

    RunFile m_file; ///< the thread's alone
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Work> m_queue; ///< guarded by m_mutex
    std::jthread m_thread;    ///< last, so that it ends before what it uses
};

} // namespace accelopt::store
