// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SimPool.h"

#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/Seeds.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QThread>
#include <algorithm>
#include <fmt/format.h>

namespace accelopt::profiling {
namespace {

// One at work and one ready behind it, so that a worker never waits for the event loop.
constexpr std::size_t kJobsPerWorker = 2;
constexpr int kMaximumCrashes = 2;
constexpr int kMaximumFailedStarts = 2;

/// The verdict on a kernel whose judging ended the worker.
JudgeReply replyFor(const JudgeRequest &request, const WorkerEnd &end)
{
    const auto [rule, hint] = [&]() -> std::pair<const char *, const char *> {
        switch (end.cause) {
        case WorkerEnd::Cause::TimeLimit:
        case WorkerEnd::Cause::CpuLimit:
            return {"time_limit", "use fewer loop passes and instructions"};
        case WorkerEnd::Cause::OutputLimit: return {"output_limit", "print less"};
        default: return {"crash", "the simulator failed on this kernel twice; please report it"};
        }
    }();
    JudgeReply reply;
    reply.id = request.id;
    reply.verdict = oracle::runFailed(rule, end.message, hint);
    return reply;
}

/// Bytes of one set of the task's tensors as they are kept.
std::int64_t tensorBytes(const Task &task)
{
    constexpr std::int64_t kBytesPerElement = 4;
    std::int64_t elements = 0;
    for (const TaskArgument &argument : task.arguments)
        elements += argument.scalar ? 0 : elementCount(argument.shape);
    for (const TaskResult &result : task.results)
        elements += elementCount(result.shape);
    return elements * kBytesPerElement;
}

oracle::SeedTensors pathsOf(const InputChoice &choice, const bench::TensorEntry &entry,
                            const Task &task)
{
    oracle::SeedTensors tensors;
    tensors.seed = choice.seed;
    tensors.suite = choice.suite;
    for (std::size_t i = 0; i < task.arguments.size(); ++i)
        tensors.inputs.push_back(task.arguments[i].scalar ? std::string()
                                                          : entry.argumentPath(i).string());
    for (std::size_t i = 0; i < task.results.size(); ++i)
        tensors.results.push_back(entry.resultPath(i).string());
    tensors.noise = entry.noise();
    return tensors;
}

} // namespace

Result<QString> findSimulator()
{
    const QString named = qEnvironmentVariable("ACCELOPT_NKISIM");
    const QString path = !named.isEmpty()
                             ? named
                             : QCoreApplication::applicationDirPath() + QStringLiteral("/nkisim");
    const QFileInfo file(path);
    if (file.isFile() && file.isExecutable())
        return file.absoluteFilePath();
    return fail(ErrorCode::Environment,
                fmt::format("the simulator {} is not there or cannot be run", path.toStdString()),
                named.isEmpty()
                    ? "Install nkisim beside this program, or name it in ACCELOPT_NKISIM."
                    : "Correct the environment variable ACCELOPT_NKISIM.");
}

std::vector<InputChoice> allInputs(const Task &task, std::uint64_t seed)
{
    std::vector<InputChoice> inputs{{seed, {}}};
    for (const InputSuite &suite : task.suites)
        inputs.push_back({seed, suite.name});
    return inputs;
}

SimPool::SimPool(SimPoolOptions options, ReferenceMaker *references, QObject *parent)
    : QObject(parent),
      m_options(std::move(options)),
      m_references(references),
      m_maximumWorkers(m_options.workers > 0 ? m_options.workers
                                             : std::max(1, QThread::idealThreadCount()))
{}

SimPool::~SimPool()
{
    cancelAll();
    for (Worker &worker : m_workers)
        delete worker.process;
}

int SimPool::kernelsAtOnce() const
{
    return m_maximumWorkers * int(kJobsPerWorker);
}

void SimPool::setWorkers(int workers)
{
    m_maximumWorkers = std::max(1, workers);
    endSurplusWorkers();
    dispatch();
}

void SimPool::endSurplusWorkers()
{
    for (auto worker = m_workers.end(); worker != m_workers.begin();) {
        --worker;
        if (int(m_workers.size()) <= m_maximumWorkers)
            return;
        if (!worker->jobs.empty())
            continue;
        worker->process->disconnect(this);
        worker->process->deleteLater();
        worker = m_workers.erase(worker);
    }
}

std::vector<qint64> SimPool::workerProcessIds() const
{
    std::vector<qint64> ids;
    for (const Worker &worker : m_workers)
        if (worker.process->processId() > 0)
            ids.push_back(worker.process->processId());
    return ids;
}

std::vector<InputChoice> SimPool::inputsFor(const search::JudgeQuestion &question) const
{
    const std::vector<std::uint64_t> seeds =
        secretSeeds(question.seed, question.purpose, std::max(1, m_options.seedsPerPurpose));
    std::vector<InputChoice> inputs;
    if (question.purpose == JudgePurpose::Confirmation ||
        tensorBytes(m_options.task) <= m_options.searchSuiteBytes)
        inputs = allInputs(m_options.task, seeds.front());
    else
        inputs.push_back({seeds.front(), {}});
    for (std::size_t i = 1; i < seeds.size(); ++i)
        inputs.push_back({seeds[i], {}});
    return inputs;
}

void SimPool::judge(search::JudgeQuestion question,
                    std::function<void(Result<search::JudgeAnswer>)> done)
{
    PoolQuestion asked;
    asked.inputs = inputsFor(question);
    asked.quickFlops = question.purpose == JudgePurpose::Confirmation ? m_options.confirmationFlops
                                                                      : m_options.searchFlops;
    asked.samplingSeed = samplingSeed(question.seed, question.purpose, question.kernel);
    asked.source = std::move(question.source);
    ask(std::move(asked), [done = std::move(done)](Result<JudgeReply> reply) {
        if (!reply)
            done(tl::unexpected(std::move(reply.error())));
        else
            done(search::JudgeAnswer{std::move(reply->verdict), std::move(reply->profile)});
    });
}

void SimPool::ask(PoolQuestion question, Answer done)
{
    Job job;
    job.request.id = m_nextId++;
    job.request.source = std::move(question.source);
    job.request.taskFolder = m_options.task.folder;
    job.request.shapeName = m_options.task.shapeName;
    job.request.taskHash = m_options.task.hash;
    job.request.device = m_options.device;
    job.request.check = question.check;
    job.request.quickFlops = question.quickFlops;
    job.request.samplingSeed = question.samplingSeed;
    job.request.lines = question.lines;
    job.done = std::move(done);
    if (question.check == oracle::NumberCheck::None)
        question.inputs.clear();
    enqueue(std::move(job), question.inputs);
}

void SimPool::enqueue(Job job, const std::vector<InputChoice> &inputs)
{
    std::vector<InputChoice> missing;
    for (const InputChoice &choice : inputs)
        if (!m_tensors.contains(choice))
            missing.push_back(choice);
    // Paths are filled in when all tensors are there; until then only the choice is known.
    for (const InputChoice &choice : inputs)
        job.request.tensors.push_back({choice.seed, {}, {}, choice.suite, {}});
    if (missing.empty()) {
        for (oracle::SeedTensors &tensors : job.request.tensors)
            tensors = pathsOf({tensors.seed, tensors.suite},
                              m_tensors.at({tensors.seed, tensors.suite}), m_options.task);
        m_queue.push_back(std::move(job));
        QMetaObject::invokeMethod(this, &SimPool::dispatch, Qt::QueuedConnection);
        return;
    }
    m_waiting.push_back({std::move(job), missing});
    for (const InputChoice &choice : missing)
        requestTensors(choice);
}

void SimPool::requestTensors(const InputChoice &choice)
{
    if (std::find(m_requested.begin(), m_requested.end(), choice) != m_requested.end())
        return;
    m_requested.push_back(choice);
    // The maker outlives the pool, so its answer may come when the pool is gone.
    const QPointer<SimPool> self(this);
    m_references->make(m_options.task, choice.seed, choice.suite,
                       [self, choice](const Result<bench::TensorEntry> &entry) {
                           if (self)
                               self->onTensors(choice, entry);
                       });
}

void SimPool::onTensors(const InputChoice &choice, const Result<bench::TensorEntry> &entry)
{
    std::erase(m_requested, choice);
    if (entry)
        m_tensors.insert_or_assign(choice, *entry);
    std::deque<Waiting> waiting = std::exchange(m_waiting, {});
    for (Waiting &one : waiting) {
        const auto missed = std::find(one.missing.begin(), one.missing.end(), choice);
        if (missed == one.missing.end()) {
            m_waiting.push_back(std::move(one));
            continue;
        }
        if (!entry) {
            answerLater(std::move(one.job.done), tl::unexpected(entry.error()));
            continue;
        }
        one.missing.erase(missed);
        if (!one.missing.empty()) {
            m_waiting.push_back(std::move(one));
            continue;
        }
        for (oracle::SeedTensors &tensors : one.job.request.tensors)
            tensors = pathsOf({tensors.seed, tensors.suite},
                              m_tensors.at({tensors.seed, tensors.suite}), m_options.task);
        m_queue.push_back(std::move(one.job));
    }
    dispatch();
}

SimPool::Worker *SimPool::workerForNextJob()
{
    Worker *least = nullptr;
    for (Worker &worker : m_workers)
        if (!least || worker.jobs.size() < least->jobs.size())
            least = &worker;
    if (least && least->jobs.empty())
        return least;
    if (int(m_workers.size()) >= m_maximumWorkers)
        return least && least->jobs.size() < kJobsPerWorker ? least : nullptr;

    auto program =
        m_options.program.isEmpty() ? findSimulator() : Result<QString>(m_options.program);
    if (!program) {
        failAll(program.error());
        return nullptr;
    }
    auto *process = new WorkerProcess(*program, m_options.limits, this);
    connect(process, &WorkerProcess::ready, this, [this] { m_failedStarts = 0; });
    connect(process, &WorkerProcess::answered, this,
            [this, process](const JudgeReply &reply) { onAnswered(process, reply); });
    connect(process, &WorkerProcess::ended, this,
            [this, process](const WorkerEnd &end) { onEnded(process, end); });
    m_workers.push_back({process, {}});
    process->start();
    // A start that fails at once has ended the worker already.
    return !m_workers.empty() && m_workers.back().process == process ? &m_workers.back() : nullptr;
}

void SimPool::dispatch()
{
    while (!m_queue.empty()) {
        Worker *worker = workerForNextJob();
        if (!worker || m_queue.empty())
            return;
        Job job = std::move(m_queue.front());
        m_queue.pop_front();
        worker->process->send(job.request);
        worker->jobs.push_back(std::move(job));
    }
}

void SimPool::onAnswered(WorkerProcess *process, const JudgeReply &reply)
{
    const auto worker = std::find_if(m_workers.begin(), m_workers.end(),
                                     [&](const Worker &w) { return w.process == process; });
    if (worker == m_workers.end() || worker->jobs.empty())
        return;
    Job job = std::move(worker->jobs.front());
    worker->jobs.pop_front();
    if (reply.id != job.request.id)
        answerLater(std::move(job.done),
                    fail(ErrorCode::Internal, "a simulator worker answered another question"));
    else if (reply.error)
        answerLater(std::move(job.done), tl::unexpected(*reply.error));
    else
        answerLater(std::move(job.done), reply);
    endSurplusWorkers();
    dispatch();
}

void SimPool::onEnded(WorkerProcess *process, const WorkerEnd &end)
{
    const auto found = std::find_if(m_workers.begin(), m_workers.end(),
                                    [&](const Worker &w) { return w.process == process; });
    if (found == m_workers.end())
        return;
    std::deque<Job> jobs = std::move(found->jobs);
    m_workers.erase(found);
    process->deleteLater();

    if (end.cause == WorkerEnd::Cause::NotStarted) {
        for (auto job = jobs.rbegin(); job != jobs.rend(); ++job)
            m_queue.push_front(std::move(*job));
        if (++m_failedStarts >= kMaximumFailedStarts)
            failAll(end.error);
        QMetaObject::invokeMethod(this, &SimPool::dispatch, Qt::QueuedConnection);
        return;
    }
    // The first job was at work when it happened; those behind it had nothing to do with it.
    while (jobs.size() > 1) {
        m_queue.push_front(std::move(jobs.back()));
        jobs.pop_back();
    }
    if (!jobs.empty()) {
        Job job = std::move(jobs.front());
        const bool mayBeChance =
            end.cause == WorkerEnd::Cause::Died || end.cause == WorkerEnd::Cause::BadAnswer;
        if (mayBeChance && ++job.crashes < kMaximumCrashes)
            m_queue.push_front(std::move(job));
        else
            answerLater(std::move(job.done), replyFor(job.request, end));
    }
    QMetaObject::invokeMethod(this, &SimPool::dispatch, Qt::QueuedConnection);
}

void SimPool::answerLater(Answer done, Result<JudgeReply> reply)
{
    // Whoever is told may ask again, cancel or delete the pool: nothing of it may stand on the
    // stack.
    QMetaObject::invokeMethod(
        this,
        [this, generation = m_generation, done = std::move(done), reply = std::move(reply)] {
            if (generation == m_generation)
                done(reply);
        },
        Qt::QueuedConnection);
}

void SimPool::failAll(const Error &error)
{
    m_failedStarts = 0;
    for (Job &job : std::exchange(m_queue, {}))
        answerLater(std::move(job.done), tl::unexpected(error));
}

void SimPool::cancelAll()
{
    ++m_generation;
    m_queue.clear();
    m_waiting.clear();
    // A worker cannot be told to stop; an idle one is kept.
    for (auto worker = m_workers.begin(); worker != m_workers.end();) {
        if (worker->jobs.empty()) {
            ++worker;
            continue;
        }
        worker->process->disconnect(this);
        worker->process->deleteLater();
        worker = m_workers.erase(worker);
    }
}

} // namespace accelopt::profiling
