// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the engine itself costs: a search of the preset "paper" whose agents and profiler answer at
// once, with texts and profiles as long as real ones, into a run file on disk. Prints kernels per
// minute and memory each time the number of kernels has doubled, then what a resume of that file
// takes.
//
//     bench_engine [--kernels 32000] [--callers 4] [FOLDER]
//
// FOLDER is where the run file is written meanwhile (its disk is measured, too); the current one by
// default.
#include "core/nki/syntax/Lexer.h"
#include "core/runner/SearchRunner.h"
#include "core/search/Fold.h"
#include "core/search/Random.h"
#include "core/store/RunFile.h"
#include "core/store/RunWriter.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace accelopt;
using Clock = std::chrono::steady_clock;

namespace {

struct Options
{
    int kernels = 32'000;
    int callers = 4;
    std::filesystem::path folder = ".";
};

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Resident memory of this process now, in MB.
double residentMb()
{
    std::ifstream file("/proc/self/statm");
    double whole = 0;
    double resident = 0;
    file >> whole >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Seconds of processor time that this process has used, all threads.
double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// A kernel of about 5 kB; most lines are those of every other.
std::string kernelText(std::uint64_t number)
{
    std::string text = "@nki.jit\ndef kernel(x):\n";
    for (int line = 0; line < 80; ++line)
        text += fmt::format("    tile_{0} = nl.load(x[{0} * 128 + ip, ix], mask=(ix < {1}))\n",
                            line, line == 40 ? number : 4096);
    return text;
}

/// Plans, writes and distils without thinking.
class InstantAgent : public search::Role
{
public:
    explicit InstantAgent(int callsAtOnce) : m_callsAtOnce(callsAtOnce) {}

    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override
    {
        const std::string title = fmt::format("Set tile_{} wider", call.value);
        done(reply(Result<search::PlannerAnswer>(search::PlannerAnswer{
                       title, std::string(600, 'p'), "{\"rewrite\":\"widen-tile\"}"}),
                   question.source));
    }
    void write(const CallId &, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override
    {
        done(reply(Result<search::ExecutorAnswer>(search::ExecutorAnswer{kernelText(++m_written)}),
                   question.source));
    }
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override
    {
        done(reply(
            Result<search::SummarizerAnswer>(search::SummarizerAnswer{false,
                                                                      "lesson " + call.value,
                                                                      std::string(500, 's'),
                                                                      "before",
                                                                      "after",
                                                                      {{"rewrite", "widen-tile"}}}),
            question.slowSource));
    }
    int callsAtOnce() const override { return m_callsAtOnce; }
    void cancelAll() override {}

private:
    template <typename Answer>
    search::RoleReply<Answer> reply(Result<Answer> answer, const std::string &source) const
    {
        search::RoleReply<Answer> result{std::move(answer),
                                         {1, 3000, 0, 900, 0.001, 0},
                                         "instant",
                                         "Improve this kernel.\n" + source,
                                         "An answer of a model, with its reasons."};
        return result;
    }

    int m_callsAtOnce;
    std::uint64_t m_written = 0;
};

/// Finds nine of ten kernels right and gives them profiles of the usual length.
class InstantProfiler : public search::Profiler
{
public:
    explicit InstantProfiler(int kernelsAtOnce) : m_kernelsAtOnce(kernelsAtOnce) {}

    void judge(search::JudgeQuestion question,
               std::function<void(Result<search::JudgeAnswer>)> done) override
    {
        const std::uint64_t dice = search::mixSeed(1, question.kernel.value);
        search::JudgeAnswer answer;
        if (dice % 10 == 0 && m_any) {
            answer.verdict.status = VerdictStatus::Wrong;
            answer.verdict.reasons = {{"numbers", "tolerance", "row 3 differs", "", {}}};
        } else {
            answer.verdict.status = VerdictStatus::Correct;
            answer.profile = profile(m_any ? 5 + 0.0001 * static_cast<double>(dice % 60'000) : 10);
        }
        m_any = true;
        done(std::move(answer));
    }
    int kernelsAtOnce() const override { return m_kernelsAtOnce; }
    void cancelAll() override {}

private:
    static Profile profile(double latencyMs)
    {
        Profile profile;
        profile.device = "trn1";
        profile.modelVersion = "1";
        profile.tableHash = std::string(64, 'a');
        profile.tieMargin = 0.02;
        profile.latencyMs = latencyMs;
        profile.bound = "memory";
        profile.percentOfPeak = 50;
        for (int i = 0; i < 40; ++i)
            profile.counters[fmt::format("counter_number_{}", i)] = latencyMs * i;
        for (int line = 0; line < 60; ++line)
            profile.lines.push_back({line, 128, 65536.0 * line, 1e6, latencyMs * line});
        profile.findings.assign(
            3, {"spill", "more than a tenth of the traffic is spilled: 0.31", "why", "what", {}});
        return profile;
    }

    int m_kernelsAtOnce;
    bool m_any = false;
};

/// The run file as the window and the terminal use it: through a thread of its own.
class FileJournal : public search::Journal
{
public:
    explicit FileJournal(store::RunFile file) : m_writer(std::move(file)) {}
    Result<void> append(std::span<Event> events, std::span<const Text> texts) override
    {
        return m_writer.appendAndWait(events, texts);
    }
    Result<std::string> text(const TextId &id) override { return m_writer.text(id); }
    Result<void> close() { return m_writer.close(); }

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

Options readOptions(int argc, char **argv)
{
    Options options;
    for (int n = 1; n < argc; ++n) {
        const std::string argument = argv[n];
        const auto number = [&](int usual) {
            return n + 1 < argc ? std::max(std::atoi(argv[++n]), 1) : usual;
        };
        if (argument == "--kernels")
            options.kernels = number(options.kernels);
        else if (argument == "--callers")
            options.callers = number(options.callers);
        else
            options.folder = argument;
    }
    return options;
}

void searchOnce(const Options &options, const std::filesystem::path &path)
{
    RunConfig config = orExit(preset("paper"));
    config.budgetKernels = options.kernels;
    config.iterations = options.kernels; // the budget ends the run
    FileJournal journal(orExit(store::RunFile::create(path)));
    InstantAgent agent(options.callers);
    InstantProfiler profiler(options.callers);
    runner::SearchRunner runner(search::State{}, &journal,
                                runner::Players{&agent, &agent, &agent, &profiler});
    QEventLoop loop;
    QObject::connect(&runner, &runner::SearchRunner::finishedRun, &loop, &QEventLoop::quit);
    QObject::connect(&runner, &runner::SearchRunner::blocked, &loop, [](const QString &message) {
        fmt::print(stderr, "{}\n", message.toStdString());
        std::exit(3);
    });
    const double before = residentMb();
    const auto start = Clock::now();
    auto lap = start;
    double lapProcessor = processorSeconds();
    int lapKernels = 0;
    int mark = 1000;
    const auto print = [&] {
        const int kernels = runner.state().counts.distinct;
        if (kernels == lapKernels)
            return;
        fmt::print("engine: {:>6} kernels, {:>7.0f} per minute since the last line, {:.2f} ms of "
                   "processor time each, {:>6.1f} MB ({:.1f} kB per kernel)\n",
                   kernels, 60 * (kernels - lapKernels) / secondsSince(lap),
                   1e3 * (processorSeconds() - lapProcessor) / (kernels - lapKernels), residentMb(),
                   1e3 * (residentMb() - before) / kernels);
        std::fflush(stdout);
        lap = Clock::now();
        lapProcessor = processorSeconds();
        lapKernels = kernels;
    };
    QObject::connect(&runner, &runner::SearchRunner::appended, &loop, [&] {
        if (runner.state().counts.distinct < mark)
            return;
        print();
        mark *= 2;
    });
    RunOpened opened;
    opened.config = config;
    opened.task = "bench";
    opened.modelVersion = "1";
    std::vector<Text> texts{makeText(kernelText(0))};
    opened.baseline = nki::kernelIdentity(texts.front().bytes);
    opened.baselineText = texts.front().id;
    orExit(runner.record({opened}, std::move(texts), "engine"));
    runner.advance(runner::Advance::Run);
    loop.exec();
    print();
    const double seconds = secondsSince(start);
    fmt::print("engine: {} kernels in {} iterations, {:.1f} s: {:.0f} per minute\n",
               runner.state().counts.distinct, runner.state().iterations.size(), seconds,
               60 * runner.state().counts.distinct / seconds);
    orExit(journal.close());
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const Options options = readOptions(argc, argv);
    const std::filesystem::path path =
        options.folder / fmt::format("bench_engine-{}.accelopt", getpid());
    searchOnce(options, path);
    fmt::print("engine: run file of {:.1f} MB\n",
               static_cast<double>(std::filesystem::file_size(path)) / 1e6);
    const auto start = Clock::now();
    store::RunFile file = orExit(store::RunFile::openForWriting(path));
    const std::vector<Event> events = orExit(file.eventsAfter(0));
    const double read = secondsSince(start);
    const search::State state = search::fold(events);
    fmt::print("engine: {} events read in {:.1f} s and folded to {} kernels in {:.1f} s for a "
               "resume\n",
               events.size(), read, state.kernels.size(), secondsSince(start) - read);
    orExit(file.close());
    std::filesystem::remove(path);
    return 0;
}
