// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/RunLoader.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace accelopt::widgets {

namespace {

/// Events in one part. Sequence numbers have no gaps, so that parts are found by number.
constexpr std::int64_t kPart = 2000;
/// Parts that may wait to be folded: what is decoded ahead takes memory.
constexpr std::int64_t kAhead = 4;

/// Decodes parts on a thread of its own, one after the other, a few ahead of who takes them.
class Decoder
{
public:
    Decoder(store::RunReader reader, std::int64_t parts)
        : m_reader(std::move(reader)),
          m_parts(parts),
          m_thread([this] { run(); })
    {}

    ~Decoder()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stopped = true;
        }
        m_turn.notify_all();
        m_thread.join();
    }

    Result<std::vector<Event>> take(std::int64_t part)
    {
        std::unique_lock lock(m_mutex);
        m_turn.wait(lock, [&] { return m_ready.contains(part); });
        Result<std::vector<Event>> events = std::move(m_ready.at(part));
        m_ready.erase(part);
        m_taken = part;
        lock.unlock();
        m_turn.notify_all();
        return events;
    }

private:
    void run()
    {
        for (std::int64_t part = 0; part < m_parts; ++part) {
            {
                std::unique_lock lock(m_mutex);
                m_turn.wait(lock, [&] { return m_stopped || part <= m_taken + kAhead; });
                if (m_stopped)
                    return;
            }
            Result<std::vector<Event>> events =
                m_reader.eventsAfter(part * kPart, std::size_t(kPart));
            {
                const std::lock_guard lock(m_mutex);
                m_ready.emplace(part, std::move(events));
            }
            m_turn.notify_all();
        }
    }

    store::RunReader m_reader;
    std::int64_t m_parts;
    std::mutex m_mutex;
    std::condition_variable m_turn;
    std::map<std::int64_t, Result<std::vector<Event>>> m_ready;
    std::int64_t m_taken = -1;
    bool m_stopped = false;
    std::thread m_thread; ///< last: it uses the others
};

} // namespace

Result<std::shared_ptr<RunIndex>> loadRun(store::RunReader &reader,
                                          const std::function<bool(double)> &go)
{
    ACCELOPT_TRY(const std::int64_t latest, reader.latestSequence());
    const std::int64_t parts = (latest + kPart - 1) / kPart;
    std::unique_ptr<Decoder> decoder;
    if (parts > 2) {
        auto second = store::RunReader::openForReading(reader.path());
        if (second)
            decoder = std::make_unique<Decoder>(std::move(*second), parts);
    }
    auto run = std::make_shared<RunIndex>();
    for (std::int64_t part = 0; part < parts; ++part) {
        if (!go(double(part) / double(parts)))
            return std::shared_ptr<RunIndex>();
        ACCELOPT_TRY(const std::vector<Event> events,
                     decoder ? decoder->take(part)
                             : reader.eventsAfter(part * kPart, std::size_t(kPart)));
        for (const Event &event : events)
            run->take(event);
    }
    return run;
}

} // namespace accelopt::widgets
