// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Interrupt.h"
#include "app/accelopt/RunOptions.h"
#include "app/accelopt/RunSummary.h"
#include "app/accelopt/SeveralRuns.h"
#include "app/accelopt/Terminal.h"
#include "app/accelopt/Trust.h"
#include "core/bench/TaskCatalogue.h"
#include "core/runner/CarriedMemory.h"
#include "core/runner/ExperimentFile.h"
#include "core/runner/SearchSession.h"
#include "core/runner/Steering.h"
#include "core/search/State.h"
#include "core/store/FileLock.h"
#include "core/store/RunReader.h"

#include <CLI/CLI.hpp>
#include <QElapsedTimer>
#include <QEventLoop>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace accelopt::cli {

namespace {

using SessionResult = Result<std::unique_ptr<runner::SearchSession>>;

/// Follows a run that another process writes until it ends.
Result<void> follow(const std::filesystem::path &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    Terminal::message(fmt::format(
        "another process writes {}; following it (Ctrl+C leaves it alone)", file.string()));
    while (reader.writer()) {
        ACCELOPT_TRY(const std::int64_t latest, reader.latestSequence());
        Terminal::progress(fmt::format("{} events", latest));
        usleep(300'000);
    }
    return {};
}

void showProgress(const runner::SearchRunner &runner)
{
    const search::State &state = runner.state();
    // The figure that matters comes first, because a narrow terminal cuts the end.
    std::string rest;
    if (const auto *best = search::kernel(state, state.best); best != nullptr && best->judged)
        rest = fmt::format("  best {:.4g} ms, {:.3f}x (simulated)", best->profile.latencyMs,
                           search::speedupOverBaseline(state, state.best));
    if (!state.iterations.empty())
        rest +=
            fmt::format("  iteration {} of {}", state.iterations.size(), state.config.iterations);
    Terminal::progress(state.opened.task, state.counts.written, mostKernels(state.config), rest);
}

struct Outcome
{
    int status = 0;
    double seconds = 0;
};

Outcome drive(runner::SearchSession &session)
{
    runner::SearchRunner &runner = session.runner();
    QEventLoop loop;
    Outcome outcome;
    QElapsedTimer clock;
    clock.start();
    QObject::connect(&runner, &runner::SearchRunner::appended, &loop,
                     [&](const std::vector<Event> &) { showProgress(runner); });
    QObject::connect(&runner, &runner::SearchRunner::finishedRun, &loop,
                     [&](const QString &) { loop.quit(); });
    QObject::connect(&runner, &runner::SearchRunner::waiting, &loop, [&](const QString &reason) {
        Terminal::message("the search waits: " + reason.toStdString());
        outcome.status = 1;
        loop.quit();
    });
    QObject::connect(
        &runner, &runner::SearchRunner::blocked, &loop, [&](const QString &message, int status) {
            Terminal::message("accelopt: " + message.toStdString());
            Terminal::message(
                fmt::format("Nothing is lost: go on with  accelopt run --resume --out {}",
                            session.file().string()));
            outcome.status = status;
            loop.quit();
        });
    QObject::connect(&session, &runner::SearchSession::progress, &loop,
                     [](const QString &text) { Terminal::progress(text.toStdString()); });
    QObject::connect(&session, &runner::SearchSession::told, &loop,
                     [](const QString &text) { Terminal::message(text.toStdString()); });
    // A window of the same user may pause it, go on with it, and take a hand in it.
    const runner::SteerServer server(&runner, session.file());
    QObject::connect(&runner, &runner::SearchRunner::paused, &loop, [] {
        Terminal::message("paused from a window; it goes on when somebody says so there");
    });
    if (!runner.finished()) {
        runner.advance(runner::Advance::Run);
        loop.exec();
    }
    Terminal::clearProgress();
    outcome.seconds = double(clock.elapsed()) / 1000;
    return outcome;
}

SessionResult begin(const RunOptions &options, const std::string &task)
{
    runner::RunRequest request;
    ACCELOPT_TRY(request.config, options.config());
    request.task = task;
    request.kernel = options.kernel;
    request.out = options.out;
    request.workers = options.workers;
    if (!options.memoryFrom.empty()) {
        ACCELOPT_TRY(const Task known, loadTask(task, request.config.shape));
        ACCELOPT_TRY(std::vector<ExperienceItem> items, runner::itemsOf(options.memoryFrom));
        request.carried = runner::chooseItems(std::move(items), known, request.config.device,
                                              request.config.memoryCapacity);
    }
    return runner::SearchSession::create(request, programFolder());
}

/// True when the search ended before it began: the kernel to start from is no good.
bool nothingToStartFrom(const search::State &state)
{
    return state.stop.code == search::StopCode::BaselineNotGood && state.iterations.empty();
}

/// Says what is wrong with the kernel that a new search was to start from, instead of a table of
/// nothing, and takes the run file away: it holds no more than that, and would be in the way of
/// the next try.
void withdraw(const search::State &state, const std::string &kernel,
              const std::filesystem::path &file)
{
    const Verdict &verdict = state.kernels.at(state.opened.baseline).verdict;
    std::string source;
    if (auto reader = store::RunReader::openForReading(file))
        source = reader->text(state.opened.baselineText).value_or(std::string());
    Terminal::message(fmt::format("accelopt: nothing was searched: {} is {}. No run file is kept",
                                  kernel.empty() ? "the baseline of the task"
                                                 : "the kernel to start from, " + kernel + ",",
                                  name(verdict.status)));
    std::string text = verdict.reasons.empty() ? state.stop.text : verdictText(verdict, source);
    while (text.ends_with('\n'))
        text.pop_back();
    Terminal::message(text);
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
}

SessionResult goOn(const RunOptions &options)
{
    ACCELOPT_TRY(std::unique_ptr<runner::SearchSession> session,
                 runner::SearchSession::resume(options.out, programFolder(), options.workers));
    const search::State &state = session->runner().state();
    ACCELOPT_TRY(const RunConfig config, options.configToGoOn(state.opened.task, state.config));
    ACCELOPT_CHECK(session->takeUp(config));
    return session;
}

/// One search, in a run file of its own.
int runOne(const RunOptions &options, const std::string &task)
{
    SessionResult session = fail(ErrorCode::Internal, "not begun");
    // Before the run file is made: a Ctrl+C that comes early is kept for the event loop.
    std::optional<Interrupt> interrupt;
    interrupt.emplace([&] {
        Terminal::message(
            "stopping: what is paid for is finished and kept (Ctrl+C again ends at once)");
        PersonDecided stop;
        stop.decision = Decision::Stop;
        stop.reason = "interrupted at the terminal";
        if (session)
            (*session)->runner().decide(stop);
    });
    session = options.resume ? goOn(options) : begin(options, task);
    if (!session && session.error().code == ErrorCode::Busy && options.resume) {
        interrupt.reset();
        if (const auto followed = follow(options.out); !followed)
            return tell(followed.error());
        const auto summary = summarize(options.out);
        if (!summary)
            return tell(summary.error());
        Terminal::result(options.asJson
                             ? runsDocument({toJson(*summary)}, summary->bestSpeedup).dump(2)
                             : toText(*summary));
        return 0;
    }
    if (!session)
        return tell(session.error());
    if (!(*session)->notice().empty())
        Terminal::message((*session)->notice());
    if (!options.asJson)
        Terminal::message(fmt::format("searching for a faster {} kernel (simulated), kept in {}",
                                      (*session)->task().name, (*session)->file().string()));
    const Outcome outcome = drive(**session);
    const std::filesystem::path file = (*session)->file();
    RunSummary summary = summarize((*session)->runner().state(), file, outcome.seconds);
    if (const auto closed = (*session)->close(); !closed)
        tell(closed.error());
    if (outcome.status > 1)
        return outcome.status;
    if (!options.resume && nothingToStartFrom((*session)->runner().state())) {
        withdraw((*session)->runner().state(), options.kernel, file);
        summary.file.clear();
        if (options.asJson)
            Terminal::result(runsDocument({toJson(summary)}, summary.bestSpeedup).dump(2));
        return 1;
    }
    Terminal::result(options.asJson ? runsDocument({toJson(summary)}, summary.bestSpeedup).dump(2)
                                    : toText(summary));
    return std::max(outcome.status, summary.foundFaster() ? 0 : 1);
}

/// References are confirmed before anything begins, and before the terminal is left alone. What
/// else may be wrong with a task is said by the search that needs it.
Result<void> confirmTasks(const RunOptions &options, const std::vector<std::string> &tasks)
{
    const auto catalogue = bench::TaskCatalogue::standard(programFolder());
    for (const std::string &name : tasks)
        if (auto task = catalogue.load(name, options.shape.value_or(std::string())))
            ACCELOPT_CHECK(needTrust(*task));
    return {};
}

int run(const RunOptions &options)
{
    if (const auto good = options.check(); !good)
        return tell(good.error());
    const auto tasks = options.tasks();
    if (!tasks)
        return tell(tasks.error());
    if (const auto trusted = confirmTasks(options, *tasks); !trusted)
        return tell(trusted.error());
    const bool several = options.resume ? runner::isExperiment(options.out)
                                        : tasks->size() > 1 || options.measureTransfer;
    if (several && !options.kernel.empty())
        return tell({ErrorCode::WrongUse,
                     "--kernel goes with the search of one task",
                     "name one task, or leave the option away",
                     {}});
    if (options.detach)
        return detach(options, *tasks, several ? Searches::Several : Searches::One);
    return several ? runSeveral(options, *tasks) : runOne(options, tasks->front());
}

} // namespace

void addRunCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<RunOptions>();
    CLI::App *command = program.add_subcommand("run", "search for a faster kernel");
    options->addTo(*command);
    command->callback([&action, options] { action = [options] { return run(*options); }; });
}

} // namespace accelopt::cli
