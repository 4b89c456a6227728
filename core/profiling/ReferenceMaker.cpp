// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/ReferenceMaker.h"

#include "core/bench/ReferenceDriver.h"
#include "core/bench/TaskCatalogue.h"

#include <QProcess>
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace accelopt::profiling {
namespace {

constexpr qsizetype kMaximumOutputBytes = 1 << 20;

void keepTail(QByteArray &kept, const QByteArray &more)
{
    kept += more;
    if (kept.size() > kMaximumOutputBytes)
        kept = kept.right(kMaximumOutputBytes);
}

/// Bytes of all tensors of a task as they are kept, and of the largest of them.
std::pair<std::int64_t, std::int64_t> tensorByteCounts(const Task &task)
{
    std::int64_t sum = 0;
    std::int64_t largest = 0;
    const auto add = [&](const Shape &shape) {
        constexpr std::int64_t kBytesPerElement = 4;
        const std::int64_t bytes = elementCount(shape) * kBytesPerElement;
        sum += bytes;
        largest = std::max(largest, bytes);
    };
    for (const TaskArgument &argument : task.arguments)
        if (!argument.scalar)
            add(argument.shape);
    for (const TaskResult &result : task.results)
        add(result.shape);
    return {sum, largest};
}

ChildLimits limitsFor(const Task &task)
{
    const auto [sum, largest] = tensorByteCounts(task);
    ChildLimits limits;
    // A reference in float64 keeps twice the bytes of each tensor, and temporaries of the same
    // size.
    constexpr std::int64_t kTimes = 12;
    constexpr std::int64_t kBase = std::int64_t(2) << 30;
    limits.memoryBytes = kBase + kTimes * sum;
    constexpr std::int64_t kNpyHeader = 64 * 1024;
    limits.fileBytes = largest + kNpyHeader;
    return limits;
}

std::string sizeText(std::int64_t bytes)
{
    if (bytes >= 1'000'000'000)
        return fmt::format("{:.1f} GB", double(bytes) / 1e9);
    return fmt::format("{:.0f} MB", std::max(1.0, double(bytes) / 1e6));
}

} // namespace

ReferenceMaker::ReferenceMaker(bench::TensorCache cache, QObject *parent)
    : QObject(parent),
      m_cache(std::move(cache))
{
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        m_timedOut = true;
        if (m_process)
            killGroup(*m_process);
    });
}

ReferenceMaker::~ReferenceMaker()
{
    cancelAll();
}

void ReferenceMaker::cancelAll()
{
    m_queue.clear();
    m_finished.clear();
    m_limit.stop();
    m_busy = false;
    if (m_process)
        dispose(std::exchange(m_process, nullptr));
    if (m_folder)
        m_cache.abandonEntry(*std::exchange(m_folder, std::nullopt));
}

void ReferenceMaker::make(const Task &task, std::uint64_t seed, const std::string &suite, Done done)
{
    const auto same = std::find_if(m_queue.begin(), m_queue.end(), [&](const Work &work) {
        return work.task.hash == task.hash && work.task.shapeName == task.shapeName &&
               work.seed == seed && work.suite == suite;
    });
    if (same != m_queue.end()) {
        same->waiting.push_back(std::move(done));
        return;
    }
    Work work{task, seed, suite, {}};
    work.waiting.push_back(std::move(done));
    m_queue.push_back(std::move(work));
    QMetaObject::invokeMethod(this, &ReferenceMaker::next, Qt::QueuedConnection);
}

const InputSuite *ReferenceMaker::suiteOf(const Work &work) const
{
    const auto found =
        std::find_if(work.task.suites.begin(), work.task.suites.end(),
                     [&](const InputSuite &suite) { return suite.name == work.suite; });
    return found == work.task.suites.end() ? nullptr : &*found;
}

bench::TensorKey ReferenceMaker::keyOf(const Work &work) const
{
    return bench::tensorKey(work.task, work.seed, suiteOf(work), m_numpyVersion);
}

void ReferenceMaker::next()
{
    if (m_busy || m_queue.empty())
        return;
    m_busy = true;
    const Work &work = m_queue.front();
    if (!work.suite.empty() && !suiteOf(work)) {
        finish(fail(ErrorCode::WrongUse,
                    fmt::format("task {} has no input suite \"{}\"", work.task.name, work.suite)));
        return;
    }
    if (!work.task.trusted) {
        finish(tl::unexpected(bench::notTrusted(work.task)));
        return;
    }
    if (m_numpyVersion.empty())
        startVersion();
    else
        startMaking();
}

void ReferenceMaker::startVersion()
{
    run(bench::versionRequest(), ChildLimits{});
}

void ReferenceMaker::startMaking()
{
    const Work &work = m_queue.front();
    if (auto entry = m_cache.find(keyOf(work), work.task)) {
        finish(std::move(*entry));
        return;
    }
    auto folder = m_cache.beginEntry();
    if (!folder) {
        finish(tl::unexpected(folder.error()));
        return;
    }
    m_folder = *folder;
    emit progress(QString::fromStdString(
        fmt::format("computing the numpy reference of {} ({}{})", work.task.name,
                    sizeText(tensorByteCounts(work.task).first),
                    work.suite.empty() ? std::string() : ", inputs \"" + work.suite + "\"")));
    run(bench::makeRequest(work.task, work.seed, suiteOf(work), *folder), limitsFor(work.task));
}

void ReferenceMaker::run(const std::string &request, const ChildLimits &limits)
{
    const std::vector<std::string> command = bench::referenceDriverCommand(m_python);
    QStringList arguments;
    for (std::size_t i = 1; i < command.size(); ++i)
        arguments << QString::fromStdString(command[i]);
    m_output.clear();
    m_errors.clear();
    m_timedOut = false;
    m_process = new QProcess(this);
    confine(*m_process, limits, {});
    connect(m_process, &QProcess::readyReadStandardOutput, this,
            [this] { keepTail(m_output, m_process->readAllStandardOutput()); });
    connect(m_process, &QProcess::readyReadStandardError, this,
            [this] { keepTail(m_errors, m_process->readAllStandardError()); });
    connect(m_process, &QProcess::finished, this, &ReferenceMaker::onFinished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;
        const std::string why = m_process->errorString().toStdString();
        m_process->deleteLater();
        m_process = nullptr;
        finish(fail(ErrorCode::Environment,
                    fmt::format("the Python interpreter {} cannot be started: {}", m_python, why),
                    "Install Python 3 with numpy (Debian: apt install python3-numpy)."));
    });
    m_elapsed.start();
    m_limit.start(int(m_secondsLimit * 1000));
    m_process->start(QString::fromStdString(command.front()), arguments);
    m_process->write(QByteArray::fromStdString(request));
    m_process->closeWriteChannel();
}

void ReferenceMaker::onFinished()
{
    m_limit.stop();
    keepTail(m_output, m_process->readAllStandardOutput());
    keepTail(m_errors, m_process->readAllStandardError());
    m_process->deleteLater();
    m_process = nullptr;
    const std::string output = m_output.toStdString();
    const std::string errors = m_errors.toStdString();
    if (m_numpyVersion.empty())
        takeVersion(output, errors);
    else
        takeEntry(output, errors);
}

void ReferenceMaker::takeVersion(const std::string &output, const std::string &errors)
{
    const auto answer = bench::readReferenceAnswer(output, errors);
    if (!answer) {
        finish(tl::unexpected(answer.error()));
        return;
    }
    m_numpyVersion = answer->numpyVersion.empty() ? "unknown" : answer->numpyVersion;
    startMaking();
}

void ReferenceMaker::takeEntry(const std::string &output, const std::string &errors)
{
    const Work &work = m_queue.front();
    const std::filesystem::path folder = *std::exchange(m_folder, std::nullopt);
    if (m_timedOut) {
        m_cache.abandonEntry(folder);
        finish(fail(ErrorCode::Environment,
                    fmt::format("the numpy reference of {} took more than {:g} s", work.task.name,
                                m_secondsLimit),
                    "Use a smaller shape of the task (--shape lab)."));
        return;
    }
    const auto answer = bench::readReferenceAnswer(output, errors);
    if (!answer) {
        m_cache.abandonEntry(folder);
        finish(tl::unexpected(answer.error()));
        return;
    }
    auto entry = m_cache.commitEntry(keyOf(work), work.task, folder);
    if (entry)
        emit progress(QString::fromStdString(fmt::format("the numpy reference of {} took {:.1f} s",
                                                         work.task.name,
                                                         double(m_elapsed.elapsed()) / 1000)));
    finish(std::move(entry));
}

void ReferenceMaker::finish(Result<bench::TensorEntry> answer)
{
    m_busy = false;
    m_limit.stop();
    if (m_folder)
        m_cache.abandonEntry(*std::exchange(m_folder, std::nullopt));
    m_finished.push_back({std::move(m_queue.front().waiting), std::move(answer)});
    m_queue.pop_front();
    // Whoever is told may delete this object: nothing may stand below it on the stack.
    QMetaObject::invokeMethod(this, &ReferenceMaker::deliver, Qt::QueuedConnection);
    QMetaObject::invokeMethod(this, &ReferenceMaker::next, Qt::QueuedConnection);
}

void ReferenceMaker::deliver()
{
    if (m_finished.empty())
        return;
    const Finished finished = std::move(m_finished.front());
    m_finished.pop_front();
    for (const Done &done : finished.waiting)
        done(finished.answer);
}

} // namespace accelopt::profiling
