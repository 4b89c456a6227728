// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the workbench adds to the time of slow services: a search of the preset "paper" over a model
// server on loopback that answers each call after ten seconds, with up to 144 calls in flight.
// Lessons, plans and kernels wait for each other, so that an iteration takes as many answers one
// after the other as it has kinds of calls; what the whole took beyond that is the workbench's own:
// prompts, the network client, the run file, the engine.
//
//     bench_services [--iterations 2] [--seconds 10]
#include "core/agents/ChatService.h"
#include "core/agents/PromptedRole.h"
#include "core/nki/syntax/Lexer.h"
#include "core/runner/SearchRunner.h"
#include "core/search/Random.h"
#include "core/store/RunFile.h"
#include "core/store/RunWriter.h"
#include "tests/support/ScriptedServer.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QThread>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <future>
#include <map>
#include <string>

using namespace accelopt;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kCallsAtOnce = 144; // B = 6 candidates, N = 12 plans, K = 2 kernels

std::string kernelText(int number)
{
    std::string text = "@nki.jit\ndef kernel(x):\n";
    for (int line = 0; line < 80; ++line)
        text += fmt::format("    tile_{0} = nl.load(x[{0} * 128 + ip, ix], mask=(ix < {1}))\n",
                            line, line == 40 ? number : 4096);
    return text;
}

tests::Scripted replyTo(const tests::Requested &request, int number)
{
    if (request.body.contains("Your part: the planner"))
        return tests::answer("Title: Set tile_" + QByteArray::number(number) +
                             " wider\nLoad more columns at once.");
    if (request.body.contains("Your part: the summarizer"))
        return tests::answer("Title: Wider tiles\nLoad more.\n```\na\n```\n```\nb\n```\n");
    return tests::answer("```python\n" + QByteArray::fromStdString(kernelText(number)) + "```\n");
}

/// Every kernel is right, and of a latency of its own.
class InstantJudge : public search::Profiler
{
public:
    void judge(search::JudgeQuestion question,
               std::function<void(Result<search::JudgeAnswer>)> done) override
    {
        search::JudgeAnswer answer;
        answer.verdict.status = VerdictStatus::Correct;
        answer.profile.device = "trn1";
        answer.profile.modelVersion = "1";
        answer.profile.latencyMs =
            5 + 0.0001 * double(search::mixSeed(1, question.kernel.value) % 60'000);
        for (int counter = 0; counter < 40; ++counter)
            answer.profile.counters[fmt::format("counter_number_{}", counter)] = counter;
        done(std::move(answer));
    }
    int kernelsAtOnce() const override { return kCallsAtOnce; }
    void cancelAll() override {}
};

class FileJournal : public search::Journal
{
public:
    explicit FileJournal(store::RunFile file) : m_writer(std::move(file)) {}
    Result<void> append(std::span<Event> events, std::span<const Text> texts) override
    {
        return m_writer.appendAndWait(events, texts);
    }
    Result<std::string> text(const TextId &id) override { return m_writer.text(id); }

private:
    store::RunWriter m_writer;
};

template <typename T> T orExit(Result<T> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", describe(result.error()));
        std::exit(exitStatus(result.error().code));
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

/// Seconds of processor time of this thread.
double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    int iterations = 2;
    int seconds = 10;
    for (int n = 1; n + 1 < argc; n += 2)
        (std::string(argv[n]) == "--seconds" ? seconds : iterations) =
            std::max(1, std::atoi(argv[n + 1]));

    // The server has a thread of its own, as it would be another machine.
    std::promise<std::string> address;
    tests::ScriptedServer *server = nullptr;
    QThread serverThread;
    QObject context;
    context.moveToThread(&serverThread);
    serverThread.start();
    QMetaObject::invokeMethod(&context, [&] {
        server = new tests::ScriptedServer(&replyTo);
        server->delayMs = seconds * 1000;
        address.set_value(server->address());
    });

    agents::ModelProfile profile;
    profile.name = "slow";
    profile.address = address.get_future().get();
    profile.model = "m";
    profile.callsAtOnce = kCallsAtOnce;
    agents::ChatService service(profile, {});
    agents::PromptedRole role(&service, "Task: a row of tiles.", agents::detailsOf(profile));
    InstantJudge judge;
    QTemporaryDir folder;
    FileJournal journal(orExit(
        store::RunFile::create(folder.filePath(QStringLiteral("r.accelopt")).toStdString())));
    runner::SearchRunner runner(search::State{}, &journal,
                                runner::Players{&role, &role, &role, &judge});
    RunOpened opened;
    opened.config = orExit(preset("paper"));
    opened.config.iterations = iterations;
    opened.task = "bench";
    opened.modelVersion = "1";
    std::vector<Text> texts{makeText(kernelText(0))};
    opened.baseline = nki::kernelIdentity(texts.front().bytes);
    opened.baselineText = texts.front().id;
    orExit(runner.record({opened}, std::move(texts), "engine"));

    QEventLoop loop;
    QObject::connect(&runner, &runner::SearchRunner::finishedRun, &loop, &QEventLoop::quit);
    QObject::connect(&runner, &runner::SearchRunner::blocked, &loop, [](const QString &message) {
        fmt::print(stderr, "{}\n", message.toStdString());
        std::exit(3);
    });
    // Answers that had to wait for each other: plans, kernels and lessons of each iteration.
    std::map<std::pair<int, int>, bool> waves;
    QObject::connect(&runner, &runner::SearchRunner::appended, &loop,
                     [&](const std::vector<Event> &events) {
                         for (const Event &event : events) {
                             const int iteration = int(runner.state().iterations.size());
                             if (const auto *plan = std::get_if<PlanMade>(&event.body))
                                 waves[{plan->plan.slot.iteration, 0}] = true;
                             else if (const auto *made = std::get_if<AttemptMade>(&event.body))
                                 waves[{made->slot.plan.iteration, 1}] = true;
                             else if (std::holds_alternative<PairSummarized>(event.body))
                                 waves[{iteration, 2}] = true;
                         }
                     });
    const auto start = Clock::now();
    const double cpuBefore = threadSeconds();
    runner.advance(runner::Advance::Run);
    loop.exec();
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    const double ideal = double(waves.size()) * seconds;
    std::size_t requests = 0;
    int mostOpen = 0;
    QMetaObject::invokeMethod(
        &context,
        [&] {
            requests = server->requests.size();
            mostOpen = server->mostOpen;
            delete server;
        },
        Qt::BlockingQueuedConnection);
    serverThread.quit();
    serverThread.wait();
    fmt::print(
        "services: {} calls of {} s, at most {} at once, {} kernels: {:.2f} s where {} answers "
        "one after the other take {:.0f} s: {:.2f} % added, {:.2f} s of it processor time\n",
        requests, seconds, mostOpen, runner.state().counts.distinct, took, waves.size(), ideal,
        100 * (took - ideal) / ideal, threadSeconds() - cpuBefore);
    return took - ideal < 0.02 * ideal ? 0 : 1;
}
