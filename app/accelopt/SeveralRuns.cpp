// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/SeveralRuns.h"

#include "app/accelopt/Interrupt.h"
#include "app/accelopt/RunSummary.h"
#include "app/accelopt/Terminal.h"
#include "core/bench/Roofline.h"
#include "core/domain/JsonFields.h"
#include "core/runner/CarriedMemory.h"
#include "core/runner/Experiment.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::cli {

namespace {

using nlohmann::json;
using runner::Experiment;
using runner::ExperimentPart;

/// One run of the experiment, and whether it only shows what a memory is worth.
struct PartSummary
{
    RunSummary run;
    ExperimentPart part;
    bool compares = false;
};

std::vector<PartSummary> summarizeParts(const std::filesystem::path &folder,
                                        const runner::ExperimentPlan &plan)
{
    std::vector<PartSummary> parts;
    for (const ExperimentPart &part : plan.parts) {
        PartSummary summary;
        summary.part = part;
        summary.compares = part.name != part.task;
        std::error_code ignored;
        const std::filesystem::path file = folder / part.file;
        Result<RunSummary> run = fail(ErrorCode::NotGood, "not begun yet");
        if (std::filesystem::exists(file, ignored))
            run = summarize(file);
        if (run) {
            summary.run = std::move(*run);
        } else {
            summary.run.task = part.task;
            summary.run.device = plan.config.device;
            summary.run.simulated = plan.config.place == "sim";
            summary.run.file = file;
            summary.run.error = describe(run.error());
        }
        parts.push_back(std::move(summary));
    }
    return parts;
}

struct Figures
{
    std::vector<json> runs;
    std::optional<double> mean;
    std::size_t counted = 0; ///< runs that the mean is over
    std::vector<runner::Transfer> transfers;
};

Figures figuresOf(const std::vector<PartSummary> &parts)
{
    Figures figures;
    std::vector<double> speedups;
    for (const PartSummary &with : parts) {
        if (with.compares)
            continue;
        figures.runs.push_back(toJson(with.run));
        if (with.run.bestSpeedup)
            speedups.push_back(*with.run.bestSpeedup);
        for (const PartSummary &without : parts) {
            if (!without.compares || without.part.task != with.part.task)
                continue;
            const auto first = [](const RunSummary &run) {
                return run.iterations.empty() ? std::nullopt : run.iterations.front().bestSpeedup;
            };
            runner::Transfer transfer;
            transfer.task = with.part.task;
            transfer.items = with.run.carried;
            transfer.firstWith = first(with.run);
            transfer.firstWithout = first(without.run);
            transfer.finalWith = with.run.bestSpeedup;
            transfer.finalWithout = without.run.bestSpeedup;
            figures.transfers.push_back(transfer);
        }
    }
    figures.counted = speedups.size();
    figures.mean = bench::geometricMean(speedups);
    return figures;
}

json documentOf(const std::filesystem::path &folder, const runner::ExperimentPlan &plan,
                const Figures &figures, double seconds)
{
    json document = runsDocument(figures.runs, figures.mean);
    document["folder"] = folder.string();
    document["seconds"] = seconds;
    json moves = json::array();
    for (const runner::PlannedMove &move : plan.moves) {
        json entry = payload(EventBody(move.event));
        entry["task"] = plan.parts[std::size_t(move.part)].name;
        moves.push_back(std::move(entry));
    }
    document["budget_moves"] = std::move(moves);
    if (!plan.memoryFrom.empty())
        document["memory_from"] = plan.memoryFrom;
    if (!figures.transfers.empty()) {
        json list = json::array();
        for (const runner::Transfer &transfer : figures.transfers)
            list.push_back({{"task", transfer.task},
                            {"items", transfer.items},
                            {"first_iteration",
                             {{"with", json_fields::orNull(transfer.firstWith)},
                              {"without", json_fields::orNull(transfer.firstWithout)}}},
                            {"final",
                             {{"with", json_fields::orNull(transfer.finalWith)},
                              {"without", json_fields::orNull(transfer.finalWithout)}}}});
        document["transfer"] = std::move(list);
    }
    return document;
}

std::string resultOf(const RunSummary &run)
{
    if (!run.error.empty())
        return "failed";
    if (!run.finished)
        return "not finished";
    if (run.isBaseline)
        return "nothing faster";
    return run.confirmed.value_or(false) ? "confirmed" : "not confirmed";
}

std::string figureText(const std::optional<double> &value, const char *form)
{
    return value ? fmt::format(fmt::runtime(form), *value) : std::string("-");
}

std::string textOf(const std::filesystem::path &folder, const runner::ExperimentPlan &plan,
                   const std::vector<PartSummary> &parts, const Figures &figures)
{
    const bool simulated = std::any_of(parts.begin(), parts.end(),
                                       [](const PartSummary &part) { return part.run.simulated; });
    const std::string kind = simulated ? " (simulated)" : "";
    std::vector<std::vector<std::string>> rows{
        {"task", "from ms", "to ms", "speedup", "% of peak", "kernels", "iterations", "result"}};
    std::string notes;
    for (const PartSummary &part : parts) {
        const RunSummary &run = part.run;
        int kernels = 0;
        for (const auto &[status, count] : run.verdicts)
            kernels += count;
        rows.push_back({part.part.name, figureText(run.baselineLatencyMs, "{:.4g}"),
                        figureText(run.bestLatencyMs, "{:.4g}"),
                        figureText(run.bestSpeedup, "{:.3f}x"),
                        figureText(run.percentOfPeak, "{:.1f}"), fmt::format("{}", kernels),
                        fmt::format("{}", run.iterations.size()), resultOf(run)});
        if (!run.error.empty())
            notes += fmt::format("{}: {}\n", part.part.name, run.error);
    }
    std::string text =
        fmt::format("{} searches on {}{}\n", parts.size(), plan.config.device, kind) + table(rows);
    if (figures.mean)
        text += fmt::format("geometric mean over {} task{}: {:.3f}x{}\n", figures.counted,
                            figures.counted == 1 ? "" : "s", *figures.mean, kind);
    for (const runner::PlannedMove &move : plan.moves)
        text += fmt::format("budget, round {}: {}: {}\n", move.event.round,
                            plan.parts[std::size_t(move.part)].name, move.event.reason);
    if (!figures.transfers.empty()) {
        rows = {{"lessons carried over", "items", "first iteration", "without", "at the end",
                 "without"}};
        for (const runner::Transfer &transfer : figures.transfers)
            rows.push_back({transfer.task, fmt::format("{}", transfer.items),
                            figureText(transfer.firstWith, "{:.3f}x"),
                            figureText(transfer.firstWithout, "{:.3f}x"),
                            figureText(transfer.finalWith, "{:.3f}x"),
                            figureText(transfer.finalWithout, "{:.3f}x")});
        text += table(rows);
    }
    return text + notes +
           fmt::format("kept in {}\nlook at it with   accelopt show '{}'\n", folder.string(),
                       folder.string());
}

void showProgress(const Experiment &experiment)
{
    const auto &parts = experiment.parts();
    const auto done = std::count_if(parts.begin(), parts.end(), [](const Experiment::Part &part) {
        return part.status == Experiment::Status::Done || part.status == Experiment::Status::Failed;
    });
    std::string text = fmt::format("{} of {} done", done, parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const search::State *state = experiment.stateOf(i);
        if (state == nullptr)
            continue;
        text +=
            fmt::format("  |  {} iteration {} of {}, {} kernels", parts[i].plan.name,
                        state->iterations.size(), state->config.iterations, state->counts.written);
        if (const double gain = search::speedupOverBaseline(*state, state->best); gain > 0)
            text += fmt::format(", {:.3f}x", gain);
    }
    Terminal::progress(text);
}

void tellEnd(const Experiment &experiment, std::size_t index)
{
    const Experiment::Part &part = experiment.parts()[index];
    if (part.error) {
        Terminal::message(fmt::format("accelopt: {}: {}", part.plan.name, describe(*part.error)));
        return;
    }
    const auto summary = summarize(experiment.fileOf(index));
    if (summary && summary->bestSpeedup)
        Terminal::message(fmt::format("{}: {:.3f}x{}, {}", part.plan.name, *summary->bestSpeedup,
                                      summary->simulated ? " (simulated)" : "",
                                      resultOf(*summary)));
}

/// Waits for the process that drives the experiment.
int followSeveral(const std::filesystem::path &folder, Output output)
{
    Terminal::message(fmt::format(
        "another process searches in {}; following it (Ctrl+C leaves it alone)", folder.string()));
    while (store::FileLock::holder(runner::experimentFile(folder)))
        usleep(300'000);
    return showSeveral(folder, output);
}

Result<std::unique_ptr<Experiment>> openExperiment(const RunOptions &options,
                                                   const std::vector<std::string> &tasks)
{
    if (options.resume) {
        ACCELOPT_TRY(const runner::ExperimentPlan plan, runner::readExperiment(options.out));
        std::string names;
        for (const ExperimentPart &part : plan.parts)
            if (part.name == part.task)
                names += (names.empty() ? "" : ",") + part.task;
        const bool same = !options.task || *options.task == "all";
        ACCELOPT_TRY(
            const RunConfig config,
            options.configToGoOn(same ? options.task.value_or(names) : names, plan.config));
        if (!(config == plan.config))
            return fail(ErrorCode::WrongUse, "what several searches share cannot change any more",
                        "leave the options away, or go on with one run file of the folder alone");
        return Experiment::resume(options.out, programFolder(), options.workers);
    }
    runner::ExperimentRequest request;
    ACCELOPT_TRY(request.config, options.config());
    request.tasks = tasks;
    request.folder = options.out;
    request.workers = options.workers;
    if (!options.memoryFrom.empty()) {
        request.memoryFrom = options.memoryFrom;
        ACCELOPT_TRY(request.carried, runner::itemsOf(options.memoryFrom));
        if (options.measureTransfer)
            request.transfer = runner::ExperimentRequest::Transfer::Measured;
    }
    return Experiment::create(request, programFolder());
}

/// Remembers on the shelf how its lessons have fared, once all searches are done.
Result<void> noteTransfers(const Experiment &experiment, const Figures &figures)
{
    if (experiment.plan().memoryFrom != runner::kShelf)
        return {};
    for (const runner::Transfer &transfer : figures.transfers) {
        if (!transfer.finalWith || !transfer.finalWithout)
            continue;
        for (const ExperimentPart &part : experiment.plan().parts) {
            if (part.name != transfer.task)
                continue;
            ACCELOPT_TRY(const std::vector<ExperienceItem> carried, experiment.carriedBy(part));
            ACCELOPT_CHECK(runner::noteTransfer(carried, transfer));
        }
    }
    return {};
}

} // namespace

json runsDocument(const std::vector<json> &runs, const std::optional<double> &mean)
{
    return {{"runs", runs}, {"geometric_mean_speedup", json_fields::orNull(mean)}};
}

int showSeveral(const std::filesystem::path &folder, Output output)
{
    const auto plan = runner::readExperiment(folder);
    if (!plan)
        return tell(plan.error());
    const std::vector<PartSummary> parts = summarizeParts(folder, *plan);
    const Figures figures = figuresOf(parts);
    double seconds = 0;
    for (const PartSummary &part : parts)
        seconds += part.run.seconds;
    Terminal::result(output == Output::Json ? documentOf(folder, *plan, figures, seconds).dump(2)
                                            : textOf(folder, *plan, parts, figures));
    return 0;
}

int runSeveral(const RunOptions &options, const std::vector<std::string> &tasks)
{
    const Output output = options.asJson ? Output::Json : Output::Text;
    Result<std::unique_ptr<Experiment>> opened = fail(ErrorCode::Internal, "not begun");
    std::optional<Interrupt> interrupt;
    interrupt.emplace([&] {
        Terminal::message(
            "stopping: what is paid for is finished and kept (Ctrl+C again ends at once)");
        if (opened)
            (*opened)->stop("interrupted at the terminal");
    });
    opened = openExperiment(options, tasks);
    if (!opened && opened.error().code == ErrorCode::Busy && options.resume) {
        interrupt.reset();
        return followSeveral(options.out, output);
    }
    if (!opened)
        return tell(opened.error());
    Experiment &experiment = **opened;
    if (!options.asJson)
        Terminal::message(fmt::format("{} searches (simulated), kept in {}",
                                      experiment.parts().size(), experiment.folder().string()));
    QElapsedTimer clock;
    clock.start();
    QEventLoop loop;
    QObject::connect(&experiment, &Experiment::progressed, &loop,
                     [&] { showProgress(experiment); });
    QObject::connect(&experiment, &Experiment::preparing, &loop,
                     [](const QString &text) { Terminal::progress(text.toStdString()); });
    QObject::connect(&experiment, &Experiment::partEnded, &loop,
                     [&](int part) { tellEnd(experiment, std::size_t(part)); });
    QObject::connect(&experiment, &Experiment::budgetMoved, &loop,
                     [](const QString &text) { Terminal::message(text.toStdString()); });
    QObject::connect(&experiment, &Experiment::finished, &loop, &QEventLoop::quit);
    experiment.start();
    loop.exec();
    Terminal::clearProgress();

    std::vector<PartSummary> parts = summarizeParts(experiment.folder(), experiment.plan());
    int status = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto &error = experiment.parts()[i].error;
        if (error)
            parts[i].run.error = describe(*error);
        status = std::max(status, error ? exitStatus(error->code) : 0);
        if (!parts[i].compares)
            status = std::max(status, parts[i].run.foundFaster() ? 0 : 1);
    }
    const Figures figures = figuresOf(parts);
    if (const auto noted = noteTransfers(experiment, figures); !noted)
        status = std::max(status, tell(noted.error()));
    const double seconds = double(clock.elapsed()) / 1000;
    Terminal::result(
        output == Output::Json
            ? documentOf(experiment.folder(), experiment.plan(), figures, seconds).dump(2)
            : textOf(experiment.folder(), experiment.plan(), parts, figures));
    return status;
}

} // namespace accelopt::cli
