// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/CommandCorrespondent.h"

#include <QProcess>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::agents {
namespace {

using Json = nlohmann::json;

constexpr qint64 kMostCommandOutput = qint64(16) << 20;
constexpr std::size_t kMostCommandErrors = 400;

Json requestOf(const Letter &letter)
{
    Json messages = Json::array();
    for (const PromptMessage &message : letter.messages)
        messages.push_back({{"role", message.speaker}, {"content", message.text}});
    return {{"version", 1},
            {"call", letter.call.value},
            {"role", std::string(name(letter.role))},
            {"messages", std::move(messages)},
            {"text", readable(letter.messages)}};
}

/// The program and whatever it started.
void killAll(QProcess &process)
{
    if (const qint64 id = process.processId(); id > 0)
        ::kill(pid_t(-id), SIGKILL);
    process.kill();
}

} // namespace

struct CommandCorrespondent::Job
{
    Letter letter;
    Done done;
    QProcess process;
    QTimer limit;
    QByteArray output;
    Usage usage;
    bool tooSlow = false;
    bool tooLong = false;
};

CommandCorrespondent::CommandCorrespondent(ModelProfile profile, QObject *parent)
    : QObject(parent),
      m_profile(std::move(profile))
{}

CommandCorrespondent::~CommandCorrespondent()
{
    cancelAll();
}

void CommandCorrespondent::cancelAll()
{
    m_queue.clear();
    for (const auto &job : std::exchange(m_running, {})) {
        job->process.disconnect(this);
        killAll(job->process);
        job->process.waitForFinished(1000);
    }
}

void CommandCorrespondent::ask(Letter letter, Done done)
{
    auto job = std::make_shared<Job>();
    job->letter = std::move(letter);
    job->done = std::move(done);
    m_queue.push_back(std::move(job));
    QMetaObject::invokeMethod(this, &CommandCorrespondent::pump, Qt::QueuedConnection);
}

void CommandCorrespondent::pump()
{
    while (!m_queue.empty() && int(m_running.size()) < m_profile.callsAtOnce) {
        const std::shared_ptr<Job> job = m_queue.front();
        m_queue.pop_front();
        m_running.push_back(job);
        QStringList arguments;
        for (std::size_t i = 1; i < m_profile.command.size(); ++i)
            arguments << QString::fromStdString(m_profile.command[i]);
        QProcess *const process = &job->process;
        process->setChildProcessModifier([] { ::setpgid(0, 0); });
        // The job is kept alive by the list; a connection that held it would keep itself.
        const std::weak_ptr<Job> weak = job;
        connect(process, &QProcess::readyReadStandardOutput, this, [weak] {
            const auto self = weak.lock();
            if (!self)
                return;
            self->output += self->process.readAllStandardOutput();
            if (self->output.size() > kMostCommandOutput) {
                self->tooLong = true;
                killAll(self->process);
            }
        });
        connect(process, &QProcess::finished, this, [this, weak] {
            if (const auto self = weak.lock())
                onFinished(self);
        });
        connect(process, &QProcess::errorOccurred, this,
                [this, weak](QProcess::ProcessError error) {
                    const auto self = weak.lock();
                    if (self && error == QProcess::FailedToStart)
                        finish(self, fail(ErrorCode::Environment,
                                          fmt::format("the program {} of {} cannot be started: {}",
                                                      m_profile.command.front(), m_profile.name,
                                                      self->process.errorString().toStdString()),
                                          "correct \"command\" in models.json"));
                });
        job->limit.setSingleShot(true);
        connect(&job->limit, &QTimer::timeout, this, [weak] {
            if (const auto self = weak.lock()) {
                self->tooSlow = true;
                killAll(self->process);
            }
        });
        job->limit.start(
            std::chrono::milliseconds(std::int64_t(std::min(m_profile.callSeconds, 1e6) * 1000)));
        process->start(QString::fromStdString(m_profile.command.front()), arguments);
        process->write(QByteArray::fromStdString(
            requestOf(job->letter).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"));
        process->closeWriteChannel();
    }
}

Result<std::string> CommandCorrespondent::read(Job &job, const std::string &output) const
{
    const Json json = Json::parse(output, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("text") ||
        !json["text"].is_string())
        return fail(ErrorCode::NotGood,
                    fmt::format("{} did not answer with {{\"text\": ...}} on standard output",
                                m_profile.name));
    if (const auto usage = json.find("usage"); usage != json.end() && usage->is_object()) {
        const auto count = [&](const char *field) {
            const auto found = usage->find(field);
            return found != usage->end() && found->is_number() ? found->get<double>() : 0.0;
        };
        job.usage.promptTokens = std::int64_t(count("prompt_tokens"));
        job.usage.cachedTokens = std::int64_t(count("cached_tokens"));
        job.usage.completionTokens = std::int64_t(count("completion_tokens"));
        if (usage->contains("usd")) {
            job.usage.usd = count("usd");
            job.usage.unpricedCalls = 0;
        } else if (const auto usd = priceOf(m_profile, job.usage)) {
            job.usage.usd = *usd;
            job.usage.unpricedCalls = 0;
        }
    }
    return json["text"].get<std::string>();
}

void CommandCorrespondent::onFinished(const std::shared_ptr<Job> &job)
{
    job->output += job->process.readAllStandardOutput();
    job->usage.calls = 1;
    job->usage.unpricedCalls = 1;
    if (job->tooSlow) {
        finish(job, fail(ErrorCode::NotGood, fmt::format("{} did not answer within {:g} s",
                                                         m_profile.name, m_profile.callSeconds)));
        return;
    }
    if (job->tooLong) {
        finish(job, fail(ErrorCode::NotGood,
                         fmt::format("the answer of {} does not end", m_profile.name)));
        return;
    }
    if (job->process.exitStatus() != QProcess::NormalExit || job->process.exitCode() != 0) {
        std::string errors = job->process.readAllStandardError().trimmed().toStdString();
        if (errors.size() > kMostCommandErrors)
            errors = "..." + errors.substr(errors.size() - kMostCommandErrors);
        finish(job, fail(ErrorCode::NotGood,
                         job->process.exitStatus() == QProcess::NormalExit
                             ? fmt::format("{} ended with status {}: {}", m_profile.name,
                                           job->process.exitCode(), errors)
                             : fmt::format("{} crashed: {}", m_profile.name, errors)));
        return;
    }
    Result<std::string> text = read(*job, job->output.toStdString());
    finish(job, std::move(text));
}

void CommandCorrespondent::finish(const std::shared_ptr<Job> &job, Result<std::string> text)
{
    std::erase(m_running, job);
    job->limit.stop();
    LetterReply reply{std::move(text), {}, job->usage, m_profile.name, {}, {}};
    reply.sent = readable(job->letter.messages);
    reply.received = job->output.toStdString();
    // The process is told to end from within its own signal: it goes when that is over.
    QMetaObject::invokeMethod(
        this, [this, keep = job] { pump(); }, Qt::QueuedConnection);
    job->done(std::move(reply));
}

} // namespace accelopt::agents
