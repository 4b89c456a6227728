// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ChatService.h"

#include <QElapsedTimer>
#include <QNetworkAccessManager>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace accelopt::agents {
namespace {

using Json = nlohmann::json;

/// Qt sends at most so many requests to one host at once, per manager.
constexpr int kCallsPerManager = 6;
/// Retries of a stream that broke off or fell silent: the tokens are paid each time.
constexpr int kMostBrokenStreams = 2;
constexpr double kLongestBackoffSeconds = 60;

const QElapsedTimer &chatClock()
{
    static const QElapsedTimer clock = [] {
        QElapsedTimer started;
        started.start();
        return started;
    }();
    return clock;
}

} // namespace

/// A network manager and how many calls it has under way.
struct ChatService::Line
{
    QNetworkAccessManager manager;
    int calls = 0;
};

/// A letter with all its tries.
struct ChatService::Job
{
    Letter letter;
    Done done;
    ChatCall *call = nullptr;
    Line *line = nullptr;
    Usage usage;
    std::set<std::string> dropped; ///< optional fields that the server does not take
    std::string received;
    double deadline = 0;
    double notBefore = 0;
    int failures = 0;
    int broken = 0;
    bool shortened = false;
};

ChatService::ChatService(ModelProfile profile, std::string key, QObject *parent)
    : QObject(parent),
      m_profile(std::move(profile)),
      m_key(std::move(key)),
      m_atOnce(m_profile.callsAtOnce)
{
    m_wake.setSingleShot(true);
    connect(&m_wake, &QTimer::timeout, this, &ChatService::pump);
}

ChatService::~ChatService()
{
    cancelAll();
    // Calls that are over but not yet gone use the managers, which are destroyed before children.
    qDeleteAll(findChildren<ChatCall *>());
}

double ChatService::now() const
{
    return double(chatClock().elapsed()) / 1000;
}

double ChatService::jitter()
{
    // No secret and nothing that decides a result: it only keeps calls from retrying in step.
    m_random = m_random * 1664525u + 1013904223u;
    return 0.75 + 0.5 * double(m_random >> 8) / double(1u << 24);
}

void ChatService::ask(Letter letter, Done done)
{
    auto job = std::make_shared<Job>();
    job->letter = std::move(letter);
    job->done = std::move(done);
    job->deadline = now() + m_profile.callSeconds;
    m_queue.push_back(std::move(job));
    scheduleAt(now());
}

void ChatService::cancelAll()
{
    m_queue.clear();
    for (const auto &job : std::exchange(m_running, {})) {
        --job->line->calls;
        job->call->disconnect(this);
        delete job->call;
    }
}

void ChatService::scheduleAt(double seconds)
{
    const int wait = std::max(0, int((seconds - now()) * 1000) + (seconds > now() ? 1 : 0));
    if (!m_wake.isActive() || m_wake.remainingTime() > wait)
        m_wake.start(wait);
}

void ChatService::pump()
{
    const double time = now();
    if (m_notBefore > time) {
        if (!m_queue.empty())
            scheduleAt(m_notBefore);
        return;
    }
    double next = -1;
    for (auto it = m_queue.begin(); it != m_queue.end() && int(m_running.size()) < m_atOnce;) {
        if ((*it)->notBefore > time) {
            next = next < 0 ? (*it)->notBefore : std::min(next, (*it)->notBefore);
            ++it;
            continue;
        }
        const std::shared_ptr<Job> job = *it;
        it = m_queue.erase(it);
        start(job);
    }
    if (next >= 0)
        scheduleAt(next);
}

QByteArray ChatService::bodyOf(const Job &job) const
{
    Json messages = Json::array();
    for (const PromptMessage &message : job.shortened ? job.letter.shorter : job.letter.messages)
        messages.push_back({{"role", message.speaker}, {"content", message.text}});
    Json body{{"model", m_profile.model}, {"messages", std::move(messages)}, {"stream", true}};
    const auto add = [&](const char *field, Json value) {
        if (!job.dropped.contains(field))
            body[field] = std::move(value);
    };
    add("stream_options", {{"include_usage", true}});
    if (m_profile.temperature)
        add("temperature", *m_profile.temperature);
    if (job.dropped.contains("max_tokens"))
        add("max_completion_tokens", m_profile.maxTokens);
    else
        add("max_tokens", m_profile.maxTokens);
    return QByteArray::fromStdString(body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void ChatService::start(const std::shared_ptr<Job> &job)
{
    const auto free = std::find_if(m_lines.begin(), m_lines.end(),
                                   [](const auto &line) { return line->calls < kCallsPerManager; });
    if (free == m_lines.end()) {
        m_lines.push_back(std::make_unique<Line>());
        job->line = m_lines.back().get();
    } else {
        job->line = free->get();
    }
    ++job->line->calls;
    ChatRequest request;
    request.url = QUrl(QString::fromStdString(m_profile.address + "/chat/completions"));
    request.key = QByteArray::fromStdString(m_key);
    request.body = bodyOf(*job);
    request.firstByteSeconds = m_profile.firstByteSeconds;
    request.idleSeconds = m_profile.idleSeconds;
    request.mostSeconds = std::max(0.001, job->deadline - now());
    job->call = new ChatCall(&job->line->manager, std::move(request), this);
    m_running.push_back(job);
    connect(
        job->call, &ChatCall::finished, this, [this, job] { onFinished(job); },
        Qt::QueuedConnection);
    job->call->start();
}

void ChatService::onFinished(const std::shared_ptr<Job> &job)
{
    if (std::find(m_running.begin(), m_running.end(), job) == m_running.end())
        return; // cancelled meanwhile
    std::erase(m_running, job);
    --job->line->calls;
    const ChatAnswer answer = job->call->answer();
    const ChatFailure failure = job->call->failure();
    if (job->call->answered()) {
        Usage usage = answer.usage();
        usage.calls = 1;
        const std::optional<double> usd = priceOf(m_profile, usage);
        usage.usd = usd.value_or(0);
        usage.unpricedCalls = usd ? 0 : 1;
        job->usage += usage;
    }
    job->received = answer.record();
    job->call->deleteLater();
    job->call = nullptr;
    scheduleAt(now());

    if (failure.kind == ChatClass::Good) {
        m_atOnce = std::min(m_atOnce + 1, m_profile.callsAtOnce);
        LetterReply reply{answer.text(), {}, job->usage, m_profile.name, {}, {}};
        if (answer.text().empty())
            reply.reasoning = clean(answer.reasoning());
        reply.text = clean(*reply.text);
        reply.sent = clean(readable(job->shortened ? job->letter.shorter : job->letter.messages));
        reply.received = clean(job->received);
        job->done(std::move(reply));
        return;
    }
    if (failure.kind == ChatClass::Context && !job->shortened && !job->letter.shorter.empty()) {
        job->shortened = true;
        m_queue.push_front(job);
        return;
    }
    if (failure.kind == ChatClass::Request && dropField(*job, failure.message)) {
        m_queue.push_front(job);
        return;
    }
    if (mayRetry(failure.kind)) {
        again(job, failure);
        return;
    }
    const Error error = errorOf(failure);
    give(job, tl::unexpected(error));
    if (stopsService(failure.kind))
        failQueued(error);
}

/// Puts a call back for another try, or gives it up.
void ChatService::again(const std::shared_ptr<Job> &job, const ChatFailure &failure)
{
    const bool broken = failure.kind == ChatClass::Cut || failure.kind == ChatClass::Stall;
    job->broken += broken ? 1 : 0;
    job->failures += failure.kind == ChatClass::Rate ? 0 : 1;
    const int step = std::min(std::max(job->failures, 1), 16);
    double wait = std::min(m_backoffSeconds * double(1 << (step - 1)), kLongestBackoffSeconds);
    wait = std::max(wait * jitter(), failure.retryAfterSeconds.value_or(0));
    if (failure.kind == ChatClass::Rate) {
        m_atOnce = std::max(1, m_atOnce / 2);
        m_notBefore = std::max(m_notBefore, now() + wait);
    }
    if (job->failures > m_profile.retries || job->broken > kMostBrokenStreams ||
        now() + wait > job->deadline) {
        const Error error = errorOf(failure);
        give(job, tl::unexpected(error));
        failQueued(error);
        return;
    }
    emit troubled(QString::fromStdString(clean(
        fmt::format("{}: {}; asking again in {:.0f} s", m_profile.name, failure.message, wait))));
    job->notBefore = now() + wait;
    m_queue.push_front(job);
    scheduleAt(job->notBefore);
}

/// Leaves out an optional field that the server's message names. False when there is none.
bool ChatService::dropField(Job &job, const std::string &message) const
{
    for (const char *field :
         {"stream_options", "temperature", "max_completion_tokens", "max_tokens"}) {
        if (message.find(field) == std::string::npos)
            continue;
        // The message may name the field to use instead of the one that was sent.
        const std::string sent =
            field == std::string("max_completion_tokens") && !job.dropped.contains("max_tokens")
                ? "max_tokens"
                : field;
        if (job.dropped.insert(sent).second)
            return true;
    }
    return false;
}

Error ChatService::errorOf(const ChatFailure &failure) const
{
    return {stopsService(failure.kind) ? ErrorCode::Environment : ErrorCode::NotGood,
            clean(fmt::format("the model {}: {}", m_profile.name, failure.message)),
            hintFor(failure.kind), std::string(agents::name(failure.kind))};
}

void ChatService::give(const std::shared_ptr<Job> &job, Result<std::string> text)
{
    LetterReply reply{std::move(text), {}, job->usage, m_profile.name, {}, {}};
    reply.sent = clean(readable(job->shortened ? job->letter.shorter : job->letter.messages));
    reply.received = clean(job->received);
    job->done(std::move(reply));
}

void ChatService::failQueued(const Error &error)
{
    for (const auto &job : std::exchange(m_queue, {}))
        give(job, tl::unexpected(error));
}

/// A server may repeat the key in its messages.
std::string ChatService::clean(std::string text) const
{
    constexpr std::string_view kInstead = "[key]";
    if (m_key.empty())
        return text;
    for (std::size_t at = text.find(m_key); at != std::string::npos;
         at = text.find(m_key, at + kInstead.size()))
        text.replace(at, m_key.size(), kInstead);
    return text;
}

} // namespace accelopt::agents
