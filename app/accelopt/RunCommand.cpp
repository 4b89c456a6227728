// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/RunSummary.h"
#include "app/accelopt/Terminal.h"
#include "core/bench/Roofline.h"
#include "core/runner/SearchSession.h"
#include "core/search/State.h"
#include "core/store/RunReader.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSocketNotifier>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::cli {

namespace {

struct Options
{
    std::string task = "silu";
    std::string presetName = "quick";
    std::optional<int> beamWidth, plans, attempts, iterations, topK, memoryCapacity, patience,
        repairs;
    std::optional<int> budgetKernels;
    std::optional<double> positive, negative, target, budgetUsd, budgetMinutes;
    std::optional<std::string> beamPolicy, memoryPolicy, agents, planner, executor, summarizer;
    std::string place = "sim";
    std::string device = "trn1";
    std::string shape = "published";
    std::uint64_t seed = 0;
    std::string kernel;
    std::string out;
    int workers = 0;
    bool resume = false;
    bool asJson = false;
};

Result<RunConfig> configOf(const Options &options)
{
    ACCELOPT_TRY(RunConfig config, preset(options.presetName));
    const auto take = [](auto &field, const auto &given) {
        if (given)
            field = *given;
    };
    take(config.beamWidth, options.beamWidth);
    take(config.plansPerCandidate, options.plans);
    take(config.attemptsPerPlan, options.attempts);
    take(config.iterations, options.iterations);
    take(config.topK, options.topK);
    take(config.memoryCapacity, options.memoryCapacity);
    take(config.patience, options.patience);
    take(config.repairs, options.repairs);
    take(config.positiveThreshold, options.positive);
    take(config.negativeThreshold, options.negative);
    if (options.target)
        config.targetPercentOfPeak = options.target;
    if (options.budgetUsd)
        config.budgetUsd = options.budgetUsd;
    if (options.budgetKernels)
        config.budgetKernels = options.budgetKernels;
    if (options.budgetMinutes)
        config.budgetMinutes = options.budgetMinutes;
    if (options.beamPolicy) {
        ACCELOPT_TRY(config.beamPolicy, accelopt::beamPolicy(*options.beamPolicy));
    }
    if (options.memoryPolicy) {
        ACCELOPT_TRY(config.memoryPolicy, accelopt::memoryPolicy(*options.memoryPolicy));
    }
    if (options.agents)
        config.planner = config.executor = config.summarizer = *options.agents;
    take(config.planner, options.planner);
    take(config.executor, options.executor);
    take(config.summarizer, options.summarizer);
    config.place = options.place;
    config.device = options.device;
    config.shape = options.shape;
    config.seed = options.seed;
    ACCELOPT_CHECK(validate(config));
    return config;
}

/// Turns the first Ctrl+C into a stop that keeps what is paid for; the second one ends at once.
class Interrupt
{
public:
    explicit Interrupt(std::function<void()> stop)
    {
        if (pipe(s_pipe) != 0)
            return;
        m_notifier = std::make_unique<QSocketNotifier>(s_pipe[0], QSocketNotifier::Read);
        QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(),
                         [stop = std::move(stop)] {
                             char byte = 0;
                             if (read(s_pipe[0], &byte, 1) == 1)
                                 stop();
                         });
        std::signal(SIGINT, &Interrupt::onSignal);
        std::signal(SIGTERM, &Interrupt::onSignal);
    }
    ~Interrupt()
    {
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        m_notifier.reset();
        close(s_pipe[0]);
        close(s_pipe[1]);
    }

private:
    static void onSignal(int)
    {
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        const char byte = 1;
        [[maybe_unused]] const auto written = write(s_pipe[1], &byte, 1);
    }
    static inline int s_pipe[2] = {-1, -1};
    std::unique_ptr<QSocketNotifier> m_notifier;
};

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

int mostKernels(const RunConfig &config)
{
    const int perCandidate = config.plansPerCandidate * config.attemptsPerPlan;
    return perCandidate + (config.iterations - 1) * perCandidate * config.beamWidth;
}

void showProgress(const runner::SearchRunner &runner)
{
    const search::State &state = runner.state();
    std::string text = Terminal::bar(state.counts.written, mostKernels(state.config));
    if (!state.iterations.empty())
        text +=
            fmt::format("  iteration {} of {}", state.iterations.size(), state.config.iterations);
    if (const auto *best = search::kernel(state, state.best); best != nullptr && best->judged)
        text += fmt::format("  best {:.4g} ms, {:.3f}x (simulated)", best->profile.latencyMs,
                            search::speedupOverBaseline(state, state.best));
    Terminal::progress(text);
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
    const Interrupt interrupt([&] {
        Terminal::message(
            "stopping: what is paid for is finished and kept (Ctrl+C again ends at once)");
        PersonDecided stop;
        stop.decision = Decision::Stop;
        stop.reason = "interrupted at the terminal";
        runner.decide(stop);
    });
    if (!runner.finished()) {
        runner.advance(runner::Advance::Run);
        loop.exec();
    }
    Terminal::clearProgress();
    outcome.seconds = double(clock.elapsed()) / 1000;
    return outcome;
}

/// What `run --json` prints.
nlohmann::json document(const std::vector<nlohmann::json> &runs, const std::optional<double> &mean)
{
    return {{"runs", runs},
            {"geometric_mean_speedup", mean ? nlohmann::json(*mean) : nlohmann::json()}};
}

int run(const Options &options)
{
    std::vector<std::string> tasks;
    for (std::size_t start = 0; start <= options.task.size();) {
        const std::size_t comma = std::min(options.task.find(',', start), options.task.size());
        tasks.push_back(options.task.substr(start, comma - start));
        start = comma + 1;
    }
    if (tasks.size() > 1 && (!options.out.empty() || !options.kernel.empty()))
        return tell({ErrorCode::WrongUse,
                     "--out and --kernel go with one task",
                     "name one task, or leave the option away",
                     {}});
    if (options.resume && options.out.empty())
        return tell(
            {ErrorCode::WrongUse, "--resume needs the run file", "name it with --out FILE", {}});

    std::vector<nlohmann::json> runs;
    std::vector<double> speedups;
    int worst = 0;
    for (const std::string &task : tasks) {
        Result<std::unique_ptr<runner::SearchSession>> session = [&] {
            if (options.resume)
                return runner::SearchSession::resume(options.out, programFolder(), options.workers);
            Result<RunConfig> config = configOf(options);
            if (!config)
                return Result<std::unique_ptr<runner::SearchSession>>(
                    tl::unexpected(config.error()));
            runner::RunRequest request;
            request.config = std::move(*config);
            request.task = task;
            request.kernel = options.kernel;
            request.out = options.out;
            request.workers = options.workers;
            return runner::SearchSession::create(request, programFolder());
        }();
        if (!session && session.error().code == ErrorCode::Busy) {
            if (const auto followed = follow(options.out); !followed)
                return tell(followed.error());
            const auto summary = summarize(options.out);
            if (!summary)
                return tell(summary.error());
            Terminal::result(options.asJson
                                 ? document({toJson(*summary)}, summary->bestSpeedup).dump(2)
                                 : toText(*summary));
            return 0;
        }
        if (!session)
            return tell(session.error());
        if (!(*session)->notice().empty())
            Terminal::message((*session)->notice());
        if (!options.asJson)
            Terminal::message(
                fmt::format("searching for a faster {} kernel (simulated), kept in {}",
                            (*session)->task().name, (*session)->file().string()));
        const Outcome outcome = drive(**session);
        const std::filesystem::path file = (*session)->file();
        const RunSummary summary = summarize((*session)->runner().state(), file, outcome.seconds);
        if (const auto closed = (*session)->close(); !closed)
            tell(closed.error());
        if (outcome.status > 1)
            return outcome.status;
        worst = std::max({worst, outcome.status, summary.foundFaster() ? 0 : 1});
        runs.push_back(toJson(summary));
        if (summary.bestSpeedup)
            speedups.push_back(*summary.bestSpeedup);
        if (!options.asJson)
            Terminal::result(toText(summary));
    }
    const auto mean = bench::geometricMean(speedups);
    if (options.asJson) {
        Terminal::result(document(runs, mean).dump(2));
    } else if (tasks.size() > 1 && mean) {
        Terminal::result(fmt::format("geometric mean over {} tasks: {:.3f}x (simulated)",
                                     speedups.size(), *mean));
    }
    return worst;
}

} // namespace

void addRunCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<Options>();
    Options &o = *options;
    CLI::App *command = program.add_subcommand("run", "search for a faster kernel");
    command->add_option("--task", o.task, "task, or several separated by commas")
        ->capture_default_str();
    command
        ->add_option("--preset", o.presetName,
                     "quick, paper, sampling, search-only, reflexion or b1")
        ->capture_default_str();
    command->add_option("-B", o.beamWidth, "candidates in the beam");
    command->add_option("-N", o.plans, "plans per candidate");
    command->add_option("-K", o.attempts, "kernels per plan");
    command->add_option("-T", o.iterations, "iterations");
    command->add_option("--topk", o.topK, "slow-fast pairs taken per iteration at most");
    command->add_option("--expn", o.memoryCapacity, "items the memory holds");
    command->add_option("--tpos", o.positive, "speedup from which a pair is a positive lesson");
    command->add_option("--tneg", o.negative, "slowdown from which a pair is a negative lesson");
    command->add_option("--beam-policy", o.beamPolicy, "elitist, paper or published-code");
    command->add_option("--memory-policy", o.memoryPolicy, "fifo, published-code or reviewed");
    command->add_option("--agents", o.agents, "who plays the three roles: offline");
    command->add_option("--planner", o.planner, "who plans");
    command->add_option("--executor", o.executor, "who writes kernels");
    command->add_option("--summarizer", o.summarizer, "who writes lessons");
    command->add_option("--on", o.place, "sim, or a pool of hosts")->capture_default_str();
    command->add_option("--device", o.device, "trn1 or trn2")->capture_default_str();
    command->add_option("--shape", o.shape, "published or lab")->capture_default_str();
    command->add_option("--seed", o.seed, "seed of everything drawn at random")
        ->capture_default_str();
    command->add_option("--patience", o.patience,
                        "iterations without gain before stopping; 0 is off");
    command->add_option("--target", o.target, "stop at this % of peak");
    command->add_option("--repair", o.repairs, "repair turns after a compile error");
    command->add_option("--budget-usd", o.budgetUsd, "most money to spend");
    command->add_option("--budget-kernels", o.budgetKernels, "most kernels to write");
    command->add_option("--budget-minutes", o.budgetMinutes, "most minutes to search");
    command->add_option("--kernel", o.kernel,
                        "start from this kernel instead of the task's baseline");
    command->add_option("--workers", o.workers, "simulator processes; 0 is one per core")
        ->capture_default_str();
    command->add_option("--out", o.out, "the run file");
    command->add_flag("--resume", o.resume, "go on with the run in --out");
    command->add_flag("--json", o.asJson, "print one JSON document");
    command->callback([&action, options] { action = [options] { return run(*options); }; });
}

} // namespace accelopt::cli
