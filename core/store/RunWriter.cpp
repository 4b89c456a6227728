// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunWriter.h"

#include <future>
#include <memory>
#include <utility>

namespace accelopt::store {

RunWriter::RunWriter(RunFile file)
    : m_file(std::move(file)),
      m_thread([this](const std::stop_token &stop) { serve(stop); })
{}

RunWriter::~RunWriter() = default;

void RunWriter::serve(const std::stop_token &stop)
{
    while (true) {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, stop, [this] { return !m_queue.empty(); });
        if (m_queue.empty())
            break; // asked to stop, and nothing is left to do
        const Work work = std::move(m_queue.front());
        m_queue.pop_front();
        lock.unlock();
        work(m_file);
    }
    static_cast<void>(m_file.close());
}

void RunWriter::post(Work work)
{
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back(std::move(work));
    }
    m_wake.notify_one();
}

template <typename Answer> Answer RunWriter::ask(std::function<Answer(RunFile &)> question)
{
    // Shared: the writer's thread may still be leaving set_value() when the answer is here already.
    auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> answer = promise->get_future();
    post([promise, &question](RunFile &file) { promise->set_value(question(file)); });
    return answer.get();
}

void RunWriter::append(std::vector<Event> events, std::vector<Text> texts, Done done)
{
    post([events = std::move(events), texts = std::move(texts),
          done = std::move(done)](RunFile &file) mutable {
        Result<void> outcome = file.append(events, texts);
        if (!done)
            return;
        if (outcome)
            done(std::move(events));
        else
            done(tl::unexpected(std::move(outcome.error())));
    });
}

Result<void> RunWriter::appendAndWait(std::span<Event> events, std::span<const Text> texts)
{
    return ask<Result<void>>([=](RunFile &file) { return file.append(events, texts); });
}

Result<std::string> RunWriter::text(const TextId &id)
{
    return ask<Result<std::string>>([&id](RunFile &file) { return file.text(id); });
}

Result<std::vector<Event>> RunWriter::eventsAfter(std::int64_t sequence, std::size_t limit)
{
    return ask<Result<std::vector<Event>>>(
        [=](RunFile &file) { return file.eventsAfter(sequence, limit); });
}

Result<void> RunWriter::close()
{
    return ask<Result<void>>([](RunFile &file) { return file.close(); });
}

} // namespace accelopt::store
