// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/RemoteHost.h"

#include "core/bench/ReferenceDriver.h"
#include "core/bench/Roofline.h"
#include "core/domain/Resources.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/syntax/Lexer.h"
#include "core/profiling/Seeds.h"
#include "core/profiling/SshConnection.h"
#include "core/profiling/WorkerProtocol.h"

#include <QDir>
#include <QFile>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::profiling {
namespace {

using Json = nlohmann::json;

constexpr int kHostProtocol = 1;
constexpr double kLongestRetrySeconds = 60;
constexpr int kBeatsPerLease = 3;
/// Task files are texts of a few kilobytes.
constexpr qint64 kMostTaskFileBytes = qint64(4) << 20;

std::string base64Of(const std::string &bytes)
{
    return QByteArray::fromStdString(bytes).toBase64().toStdString();
}

/// Spread of a round of executions below which it counts, by device (the method's own noise gates).
double noiseGate(const std::string &device)
{
    return device == "trn1" ? 0.01 : 0.04;
}

/// What the worker that drives the Neuron SDK needs besides.
void addNeuron(Json &line, const Task &task, const HostProfile &host, const std::string &device)
{
    constexpr double kGigabyte = 1e9;
    line["judge_with"] = "neuron";
    for (const char *script : {"neuron_worker.py", "reference_driver.py"})
        line["scripts"][script] =
            base64Of(std::string(resource(fmt::format("resources/{}", script))));
    line["neuron"] = {{"python", host.neuronPython},
                      {"compile_at_once", host.compileAtOnce},
                      {"keep_bytes", std::int64_t(host.keepGigabytes * kGigabyte)},
                      {"noise_gate", noiseGate(device)}};
    Json &about = line["task"];
    about["entry_point"] = task.entryPoint.empty() ? "kernel" : task.entryPoint;
    about["tolerance"] = task.tolerance;
    about["arguments"] = Json::array();
    for (const TaskArgument &argument : task.arguments)
        about["arguments"].push_back({{"name", argument.name}, {"dtype", argument.dtype}});
    about["layouts"] = Json::array();
    for (const TaskLayout &layout : task.layouts)
        about["layouts"].push_back(
            {{"name", layout.name}, {"arguments", layout.arguments}, {"results", layout.results}});
}

/// What a search is told of the answer to its question.
SimPool::Answer toJudgeAnswer(std::function<void(Result<search::JudgeAnswer>)> done)
{
    return [done = std::move(done)](Result<JudgeReply> reply) {
        if (!reply)
            done(tl::unexpected(std::move(reply.error())));
        else
            done(search::JudgeAnswer{std::move(reply->verdict), std::move(reply->profile)});
    };
}

} // namespace

RemoteHost::RemoteHost(HostProfile host, Task task, std::string device, QStringList hidden,
                       QObject *parent)
    : QObject(parent),
      m_host(std::move(host)),
      m_task(std::move(task)),
      m_device(std::move(device)),
      m_hidden(std::move(hidden))
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &RemoteHost::connectNow);
    m_beat.setInterval(std::max(50, int(m_host.leaseSeconds * 1000 / kBeatsPerLease)));
    connect(&m_beat, &QTimer::timeout, this, &RemoteHost::beat);
    if (m_host.workers > 0)
        m_kernelsAtOnce = 2 * m_host.workers;
}

RemoteHost::~RemoteHost()
{
    m_jobs.clear();
    delete m_connection;
}

qint64 RemoteHost::connectionProcessId() const
{
    return m_connection == nullptr ? 0 : m_connection->processId();
}

void RemoteHost::judge(search::JudgeQuestion question,
                       std::function<void(Result<search::JudgeAnswer>)> done)
{
    if (measures()) {
        // The same inputs as a simulator would be given, said one by one.
        PoolQuestion asked;
        asked.source = std::move(question.source);
        for (const std::uint64_t seed : secretSeeds(question.seed, question.purpose, 1))
            asked.inputs = question.purpose == JudgePurpose::Confirmation
                               ? allInputs(m_task, seed)
                               : std::vector<InputChoice>{{seed, {}}};
        ask(std::move(asked), toJudgeAnswer(std::move(done)));
        return;
    }
    const std::int64_t id = m_nextId++;
    const Json line{
        {"kind", "judge"},
        {"id", id},
        {"kernel", question.kernel.value},
        {"source", base64Of(question.source)},
        {"purpose", question.purpose == JudgePurpose::Confirmation ? "confirmation" : "search"},
        {"seed", question.seed}};
    post(id, {QByteArray::fromStdString(line.dump()), toJudgeAnswer(std::move(done)), {}});
}

void RemoteHost::ask(PoolQuestion question, SimPool::Answer done)
{
    const std::int64_t id = m_nextId++;
    if (!measures()) {
        post(id, {QByteArray::fromStdString(encode(question, id)), std::move(done), {}});
        return;
    }
    // The host draws the inputs itself; even a kernel that is not checked needs some to run.
    if (question.inputs.empty())
        question.inputs.push_back({0, {}});
    Json line = Json::parse(encode(question, id));
    const KernelId kernel = nki::kernelIdentity(question.source);
    line["kernel"] = kernel.value;
    line["requests"] = Json::array();
    for (const InputChoice &choice : question.inputs) {
        const auto suite = std::ranges::find(m_task.suites, choice.suite,
                                             [](const InputSuite &one) { return one.name; });
        line["requests"].push_back(
            {{"suite", choice.suite},
             {"request",
              bench::makeRequest(m_task, choice.seed,
                                 suite == m_task.suites.end() ? nullptr : &*suite, "")}});
    }
    post(id, {QByteArray::fromStdString(line.dump()), std::move(done), kernel});
}

/// Names the kernels whose compiled files and profiles the host is to keep longest.
void RemoteHost::keepFastest(const KernelId &kernel, double latencyMs)
{
    constexpr std::size_t kMostKept = 16; // a beam of any preset, and the baseline
    const auto same = [&](const auto &one) { return one.second == kernel; };
    if (latencyMs <= 0 || kernel.value.empty() || std::ranges::any_of(m_fastest, same))
        return;
    m_fastest.emplace_back(latencyMs, kernel);
    std::sort(m_fastest.begin() + 1, m_fastest.end());
    m_fastest.resize(std::min(m_fastest.size(), kMostKept));
    Json names = Json::array();
    for (const auto &[ms, one] : m_fastest)
        names.push_back(one.value);
    if (m_ready)
        m_connection->send(
            QByteArray::fromStdString(Json{{"kind", "keep"}, {"kernels", names}}.dump()));
}

/// The share of the peak, and whether the latency can be true, as the simulator's judge says it.
void RemoteHost::addRoof(JudgeReply &reply) const
{
    const auto device = bench::deviceRoof(m_device);
    if (!device || reply.profile.latencyMs <= 0)
        return;
    const auto roof = bench::roofline(m_task, *device);
    if (!roof)
        return;
    reply.profile.bound = roof->bound;
    reply.profile.percentOfPeak = bench::percentOfPeak(*roof, reply.profile.latencyMs);
    if (reply.profile.latencyMs >= roof->peakMs || !reply.verdict.correct())
        return;
    reply.verdict.status = VerdictStatus::Suspicious;
    reply.verdict.reasons.push_back(
        {"plausibility",
         "above_roof",
         fmt::format("the measured latency of {:.4g} ms is below {:.4g} ms, the least that the "
                     "task's {} work takes on {}",
                     reply.profile.latencyMs, roof->peakMs, roof->bound, m_device),
         "a person should look at this kernel: it may not do the task's work",
         {}});
}

void RemoteHost::post(std::int64_t id, Job job)
{
    const QByteArray line = job.line;
    m_jobs[id] = std::move(job);
    if (m_ready)
        m_connection->send(line);
    else if (m_connection == nullptr && !m_retry.isActive())
        m_retry.start(0);
}

void RemoteHost::cancelAll()
{
    ++m_generation;
    m_retry.stop();
    if (m_jobs.empty())
        return;
    m_jobs.clear();
    // The far side cannot be told which kernel to give up; without a connection it ends them all.
    m_beat.stop();
    m_ready = false;
    delete std::exchange(m_connection, nullptr);
}

void RemoteHost::connectNow()
{
    if (m_connection != nullptr)
        return;
    emit progress(QStringLiteral("connecting to %1").arg(QString::fromStdString(m_host.name)));
    m_ready = false;
    m_beatsMissed = 0;
    m_connection = new SshConnection(m_host, m_hidden, this);
    connect(m_connection, &SshConnection::line, this, &RemoteHost::onLine);
    connect(m_connection, &SshConnection::ended, this, &RemoteHost::onEnded, Qt::QueuedConnection);
    m_connection->start();
}

Result<QByteArray> RemoteHost::openLine() const
{
    Json files = Json::object();
    const QDir folder(QString::fromStdString(m_task.folder));
    for (const QString &name :
         folder.entryList({QStringLiteral("*.json"), QStringLiteral("*.py")}, QDir::Files)) {
        QFile file(folder.filePath(name));
        if (file.size() > kMostTaskFileBytes)
            continue;
        if (!file.open(QIODevice::ReadOnly))
            return fail(ErrorCode::Environment,
                        fmt::format("{} cannot be read", file.fileName().toStdString()),
                        "check who may read the task's files");
        files[name.toStdString()] = file.readAll().toBase64().toStdString();
    }
    Json line{{"kind", "open"},
              {"nkisim", m_host.nkisim},
              {"workers", m_host.workers},
              {"lease", m_host.leaseSeconds},
              {"device", m_device},
              {"when_cut", m_whenCut == WhenCut::Finish ? "finish" : "stop"},
              {"model_version", measures() ? std::string() : nki::Machine::modelVersion()},
              {"task",
               {{"hash", m_task.hash},
                {"shape", m_task.shapeName},
                {"folder", folder.dirName().toStdString()},
                {"files", files}}}};
    if (measures())
        addNeuron(line, m_task, m_host, m_device);
    return QByteArray::fromStdString(line.dump());
}

void RemoteHost::sendOpen()
{
    const Result<QByteArray> line = openLine();
    if (!line) {
        giveUp(line.error());
        return;
    }
    m_connection->send(*line);
    m_beat.start();
}

void RemoteHost::beat()
{
    if (m_connection == nullptr)
        return;
    if (++m_beatsMissed > kBeatsPerLease) {
        // ssh's own watch notices a network that is gone; this one a far side that is stuck.
        emit troubled(QStringLiteral("%1 does not answer any more; connecting again")
                          .arg(QString::fromStdString(m_host.name)));
        m_beat.stop();
        m_connection->close();
        return;
    }
    m_connection->send(R"({"kind": "beat"})");
}

void RemoteHost::onLine(const QByteArray &line)
{
    const Json json = Json::parse(line.constBegin(), line.constEnd(), nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return;
    const auto text = [&](const char *field) {
        const auto found = json.find(field);
        return found != json.end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
    };
    const std::string kind = text("kind");
    if (kind == "beat") {
        m_beatsMissed = 0;
    } else if (kind == "progress") {
        emit progress(QString::fromStdString(m_host.name + ": " + text("text")));
    } else if (kind == "hello") {
        HostGreeting greeting;
        greeting.host = text("host");
        greeting.python = text("python");
        greeting.numpy = text("numpy");
        greeting.neuron = text("neuron");
        greeting.freeBytes = json.value("free_bytes", std::int64_t(0));
        greeting.cpus = json.value("cpus", 0);
        emit greeted(greeting);
        if (json.value("protocol", 0) != kHostProtocol || !text("problem").empty())
            giveUp({ErrorCode::Environment,
                    fmt::format("{}: {}", m_host.name, text("problem")),
                    "make room or correct the permissions on the host",
                    {}});
        else
            sendOpen();
    } else if (kind == "open") {
        if (!measures() && text("model_version") != nki::Machine::modelVersion()) {
            giveUp(
                {ErrorCode::Environment,
                 fmt::format("nkisim on {} has cost model {}, this program has {}: their figures "
                             "cannot be ranked together",
                             m_host.name, text("model_version"), nki::Machine::modelVersion()),
                 "install the same version on the host",
                 {}});
            return;
        }
        m_ready = true;
        m_kernelsAtOnce = std::max(1, json.value("kernels_at_once", m_kernelsAtOnce));
        if (measures())
            emit openedNeuron(QString::fromStdString(
                fmt::format("{}, {} cores", text("software"), json.value("cores", 0))));
        else
            emit opened(QString::fromStdString(text("model_version")));
        for (const auto &[id, job] : m_jobs)
            m_connection->send(job.line);
    } else if (kind == "failed") {
        onFailed(text("what"), text("message"));
    } else if (json.contains("id") && json["id"].is_number_integer()) {
        takeAnswer(json["id"].get<std::int64_t>(), line);
    }
}

void RemoteHost::takeAnswer(std::int64_t id, const QByteArray &line)
{
    const auto found = m_jobs.find(id);
    if (found == m_jobs.end())
        return;
    Result<JudgeReply> reply = decodeReply({line.constData(), std::size_t(line.size())});
    Job job = std::move(found->second);
    m_jobs.erase(found);
    m_failures = 0;
    if (!reply)
        answerLater(std::move(job.done), tl::unexpected(reply.error()));
    else if (reply->error)
        answerLater(std::move(job.done), tl::unexpected(*reply->error));
    else {
        if (measures()) {
            addRoof(*reply);
            keepFastest(job.kernel, reply->profile.latencyMs);
        }
        answerLater(std::move(job.done), std::move(reply));
    }
}

void RemoteHost::onFailed(const std::string &what, const std::string &message)
{
    if (what == "pool") { // it may have been killed: again, in a new connection
        emit troubled(
            QString::fromStdString(fmt::format("{}: {}; connecting again", m_host.name, message)));
        m_connection->close();
        return;
    }
    giveUp({ErrorCode::Environment, fmt::format("{}: {}", m_host.name, message),
            what == "nkisim" ? "install nkisim there, or name it in \"nkisim\" of hosts.json"
            : what == "neuron"
                ? "name the interpreter of the SDK's environment in \"neuron_python\" of hosts.json"
                : "look at the host",
            what});
}

void RemoteHost::onEnded(const SshFailure &failure)
{
    if (sender() != m_connection || m_connection == nullptr)
        return;
    m_connection->deleteLater();
    m_connection = nullptr;
    m_ready = false;
    m_beat.stop();
    if (m_jobs.empty())
        return; // the next question connects again
    const bool again = failure.kind == SshClass::Cancelled || mayReconnect(failure.kind);
    if (!again || ++m_failures > m_mostFailures) {
        giveUp(toError(failure));
        return;
    }
    const double wait = std::min(m_backoffSeconds * double(1 << std::min(m_failures - 1, 10)),
                                 kLongestRetrySeconds);
    if (failure.kind != SshClass::Cancelled)
        emit troubled(QString::fromStdString(
            fmt::format("{}; connecting again in {:.0f} s", failure.message, wait)));
    m_retry.start(int(wait * 1000));
}

void RemoteHost::giveUp(const Error &error)
{
    m_failures = 0;
    m_ready = false;
    m_beat.stop();
    if (m_connection != nullptr) {
        m_connection->disconnect(this);
        std::exchange(m_connection, nullptr)->deleteLater();
    }
    for (auto &[id, job] : std::exchange(m_jobs, {}))
        answerLater(std::move(job.done), tl::unexpected(error));
}

void RemoteHost::answerLater(SimPool::Answer done, Result<JudgeReply> answer)
{
    QMetaObject::invokeMethod(
        this,
        [this, generation = m_generation, done = std::move(done), answer = std::move(answer)] {
            if (generation == m_generation)
                done(answer);
        },
        Qt::QueuedConnection);
}

} // namespace accelopt::profiling
