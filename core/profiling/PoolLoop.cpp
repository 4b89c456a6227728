// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/PoolLoop.h"

#include "core/bench/TaskLoader.h"
#include "core/nki/machine/Machine.h"
#include "core/profiling/WorkerProtocol.h"

#include <QCoreApplication>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::profiling {
namespace {

using Json = nlohmann::json;

} // namespace

PoolLoop::PoolLoop(int input, int output, std::string software, QObject *parent)
    : QObject(parent),
      m_input(input),
      m_output(output),
      m_software(std::move(software)),
      m_readable(input, QSocketNotifier::Read)
{
    connect(&m_readable, &QSocketNotifier::activated, this, &PoolLoop::read);
}

void PoolLoop::read()
{
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(m_input, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (count <= 0) {
        m_readable.setEnabled(false);
        m_pool.reset(); // ends the workers
        QCoreApplication::quit();
        return;
    }
    m_buffer.append(bytes.data(), qsizetype(count));
    for (qsizetype at = m_buffer.indexOf('\n'); at >= 0; at = m_buffer.indexOf('\n')) {
        const QByteArray line = m_buffer.left(at);
        m_buffer.remove(0, at + 1);
        if (!line.trimmed().isEmpty())
            take(line);
    }
}

void PoolLoop::say(const std::string &line) const
{
    const std::string whole = line + "\n";
    for (std::size_t done = 0; done < whole.size();) {
        const ssize_t written = ::write(m_output, whole.data() + done, whole.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; // nobody listens any more; the input ends, too
        done += std::size_t(written);
    }
}

void PoolLoop::failed(const std::string &what, const Error &error) const
{
    say(Json{{"kind", "failed"}, {"what", what}, {"message", describe(error)}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
}

void PoolLoop::take(const QByteArray &line)
{
    const Json json = Json::parse(line.constBegin(), line.constEnd(), nullptr, false);
    const std::string kind = json.is_object() && json.contains("kind") && json["kind"].is_string()
                                 ? json["kind"].get<std::string>()
                                 : std::string();
    try {
        if (kind == "open")
            open(line);
        else if (kind == "judge")
            judge(line);
        else if (kind == "ask")
            ask(line);
        else
            failed("protocol", {ErrorCode::Format, "a line was not understood", {}, {}});
    } catch (const Json::exception &exception) {
        failed("protocol", {ErrorCode::Format, "a line was not understood", {}, exception.what()});
    }
}

void PoolLoop::open(const QByteArray &line)
{
    const Json json = Json::parse(line.constBegin(), line.constEnd());
    SimPoolOptions options;
    Result<Task> task =
        bench::loadTask(json.at("folder").get<std::string>(), json.at("shape").get<std::string>());
    if (!task) {
        failed("task", task.error());
        return;
    }
    if (task->hash != json.at("hash").get<std::string>()) {
        failed("task", {ErrorCode::WrongUse, "the task's files are not those of the hash", {}, {}});
        return;
    }
    Result<bench::TensorCache> cache = bench::TensorCache::open();
    if (!cache) {
        failed("cache", cache.error());
        return;
    }
    options.task = std::move(*task);
    options.device = json.at("device").get<std::string>();
    options.workers = json.at("workers").get<int>();
    m_pool.reset();
    m_references = std::make_unique<ReferenceMaker>(std::move(*cache));
    connect(m_references.get(), &ReferenceMaker::progress, this, [this](const QString &text) {
        say(Json{{"kind", "progress"}, {"text", text.toStdString()}}.dump());
    });
    m_pool = std::make_unique<SimPool>(std::move(options), m_references.get());
    say(Json{{"kind", "open"},
             {"model_version", nki::Machine::modelVersion()},
             {"software", m_software},
             {"kernels_at_once", m_pool->kernelsAtOnce()}}
            .dump());
}

void PoolLoop::judge(const QByteArray &line)
{
    const Json json = Json::parse(line.constBegin(), line.constEnd());
    JudgeReply reply;
    reply.id = json.at("id").get<std::int64_t>();
    if (!m_pool) {
        reply.error = Error{ErrorCode::WrongUse, "no task has been opened", {}, {}};
        say(encode(reply));
        return;
    }
    search::JudgeQuestion question;
    question.kernel = KernelId(json.at("kernel").get<std::string>());
    question.source =
        QByteArray::fromBase64(QByteArray::fromStdString(json.at("source").get<std::string>()))
            .toStdString();
    question.purpose =
        json.at("purpose") == "confirmation" ? JudgePurpose::Confirmation : JudgePurpose::Search;
    question.seed = json.at("seed").get<std::uint64_t>();
    m_pool->judge(std::move(question), [this, reply](Result<search::JudgeAnswer> answer) mutable {
        if (answer) {
            reply.verdict = std::move(answer->verdict);
            reply.profile = std::move(answer->profile);
        } else {
            reply.error = answer.error();
        }
        say(encode(reply));
    });
}

void PoolLoop::ask(const QByteArray &line)
{
    const Result<NumberedQuestion> asked =
        decodeQuestion({line.constData(), std::size_t(line.size())});
    if (!asked) {
        failed("protocol", asked.error());
        return;
    }
    if (!m_pool) {
        JudgeReply reply;
        reply.id = asked->id;
        reply.error = Error{ErrorCode::WrongUse, "no task has been opened", {}, {}};
        say(encode(reply));
        return;
    }
    m_pool->ask(asked->question, [this, id = asked->id](Result<JudgeReply> answer) {
        JudgeReply reply;
        if (answer)
            reply = std::move(*answer);
        else
            reply.error = answer.error();
        reply.id = id;
        say(encode(reply));
    });
}

} // namespace accelopt::profiling
