// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Hash.h"
#include "core/search/Interfaces.h"
#include "core/search/Random.h"

#include <QObject>
#include <QTimer>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::tests {

/// Hands answers over: at once, or one per turn of the event loop in an order of its own.
class Postman : public QObject
{
public:
    enum class Delivery { AtOnce, InOrder, Backwards, Shuffled, Held };

    explicit Postman(Delivery delivery) : m_delivery(delivery) {}

    void post(std::function<void()> letter)
    {
        if (m_delivery == Delivery::AtOnce) {
            letter();
            return;
        }
        m_letters.push_back(std::move(letter));
        if (m_delivery != Delivery::Held)
            QTimer::singleShot(0, this, &Postman::deliverOne);
    }
    void deliverOne()
    {
        if (m_letters.empty())
            return;
        const std::size_t at = m_delivery == Delivery::Backwards ? m_letters.size() - 1
                               : m_delivery == Delivery::Shuffled
                                   ? std::size_t(m_random.below(m_letters.size()))
                                   : 0;
        const auto letter = std::move(m_letters[at]);
        m_letters.erase(m_letters.begin() + std::ptrdiff_t(at));
        letter();
    }
    void deliverAll()
    {
        while (!m_letters.empty())
            deliverOne();
    }
    std::size_t waiting() const { return m_letters.size(); }
    void forget() { m_letters.clear(); }

private:
    Delivery m_delivery;
    search::Random m_random{11};
    std::vector<std::function<void()>> m_letters;
};

/// Keeps events and texts in memory; can fail.
class MemoryJournal : public search::Journal
{
public:
    Result<void> append(std::span<Event> given, std::span<const Text> texts) override
    {
        if (failures > 0 && --failures >= 0)
            return fail(ErrorCode::Environment, "the disk is full", "make room");
        for (const Text &text : texts)
            kept[text.id] = text.bytes;
        for (Event &event : given) {
            event.sequence = std::int64_t(events.size()) + 1;
            event.unixSeconds = 1000.0 + double(event.sequence);
            events.push_back(event);
        }
        return {};
    }
    Result<std::string> text(const TextId &id) override
    {
        if (textFailures > 0 && --textFailures >= 0)
            return fail(ErrorCode::Environment, "the disk cannot be read", "look at it");
        const auto it = kept.find(id);
        if (it == kept.end())
            return fail(ErrorCode::Internal, "no such text");
        return it->second;
    }

    std::vector<Event> events;
    std::map<TextId, std::string> kept;
    int failures = 0;     ///< how many of the next appends fail
    int textFailures = 0; ///< how many of the next reads fail
};

/// Plays the three roles; the same question always has the same answer. Some calls fail and some
/// kernels repeat.
class FakeRole : public search::Role
{
public:
    FakeRole(Postman *postman, int atOnce) : m_postman(postman), m_atOnce(atOnce) {}

    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override
    {
        begin(call, question.source);
        search::RoleReply<search::PlannerAnswer> reply;
        reply.usage = usage();
        reply.author = "fake";
        reply.prompt = "prompt of " + call.value;
        if (search::mixSeed(5, call.value) % 11 == 0)
            reply.answer = tl::unexpected(Error{ErrorCode::Service, "no plan", {}, {}});
        else
            reply.answer = search::PlannerAnswer{"plan " + call.value, "Do it.", ""};
        finish(call, std::move(reply), std::move(done));
    }
    void write(const CallId &call, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override
    {
        begin(call, question.source);
        search::RoleReply<search::ExecutorAnswer> reply;
        reply.usage = usage();
        reply.author = "fake";
        reply.rawAnswer = "answer of " + call.value;
        const std::uint64_t number = search::mixSeed(7, call.value + question.source) % 60;
        if (search::mixSeed(6, call.value) % 13 == 0)
            reply.answer = tl::unexpected(Error{ErrorCode::Service, "no kernel", {}, {}});
        else
            reply.answer =
                search::ExecutorAnswer{fmt::format("def kernel():\n    return {}\n", number)};
        finish(call, std::move(reply), std::move(done));
    }
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override
    {
        begin(call, question.slowSource);
        search::RoleReply<search::SummarizerAnswer> reply;
        reply.usage = usage();
        reply.author = "fake";
        reply.answer =
            search::SummarizerAnswer{false, "lesson " + call.value, "Do so.", "a", "b", {}};
        finish(call, std::move(reply), std::move(done));
    }
    int callsAtOnce() const override { return m_atOnce; }
    void cancelAll() override { ++m_generation; }

    int most = 0;                ///< calls that were under way together, at most
    int answered = 0;            ///< answers given
    std::set<std::string> asked; ///< calls, by name
    int emptySources = 0;        ///< questions about no text at all

private:
    void begin(const CallId &call, const std::string &source)
    {
        asked.insert(call.value);
        emptySources += source.empty() ? 1 : 0;
        most = std::max(most, ++m_underWay);
    }
    template <typename Reply, typename Done> void finish(const CallId &, Reply reply, Done done)
    {
        m_postman->post([this, generation = m_generation, reply = std::move(reply),
                         done = std::move(done)]() mutable {
            --m_underWay;
            if (generation != m_generation)
                return;
            ++answered;
            done(std::move(reply));
        });
    }
    static Usage usage() { return {1, 100, 0, 10, 0.01, 0}; }

    Postman *m_postman;
    int m_atOnce;
    int m_underWay = 0;
    int m_generation = 0;
};

/// Judges by the text alone; can fail.
class FakeProfiler : public search::Profiler
{
public:
    FakeProfiler(Postman *postman, int atOnce) : m_postman(postman), m_atOnce(atOnce) {}

    void judge(search::JudgeQuestion question,
               std::function<void(Result<search::JudgeAnswer>)> done) override
    {
        ++asked;
        emptySources += question.source.empty() ? 1 : 0;
        Result<search::JudgeAnswer> answer = answerTo(question);
        if (failures != 0) {
            --failures;
            answer = tl::unexpected(Error{failureCode, "the worker does not start", "look", {}});
        }
        m_postman->post([this, generation = m_generation, answer = std::move(answer),
                         done = std::move(done)]() mutable {
            if (generation == m_generation)
                done(std::move(answer));
        });
    }
    int kernelsAtOnce() const override { return m_atOnce; }
    void cancelAll() override { ++m_generation; }

    int asked = 0;
    int emptySources = 0;
    int failures = 0; ///< how many of the next judgements fail; negative: all
    ErrorCode failureCode = ErrorCode::Service;

private:
    static search::JudgeAnswer answerTo(const search::JudgeQuestion &question)
    {
        search::JudgeAnswer answer;
        const bool baseline = question.source.find("return 1000") != std::string::npos;
        const std::uint64_t dice = search::mixSeed(3, question.source);
        if (!baseline && dice % 5 == 0) {
            answer.verdict.status = VerdictStatus::Wrong;
            answer.verdict.reasons = {{"numbers", "tolerance", "row 3 differs", "", {}}};
            return answer;
        }
        answer.verdict.status = VerdictStatus::Correct;
        answer.profile.device = "trn1";
        answer.profile.modelVersion = "1";
        answer.profile.tieMargin = 0.02;
        answer.profile.latencyMs = baseline ? 10 : 5 + 0.125 * double(dice / 5 % 60);
        return answer;
    }

    Postman *m_postman;
    int m_atOnce;
    int m_generation = 0;
};

} // namespace accelopt::tests
