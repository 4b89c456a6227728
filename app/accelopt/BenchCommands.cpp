// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/bench/BenchTable.h"
#include "core/bench/NkiBenchImport.h"
#include "core/bench/Roofline.h"
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskLoader.h"
#include "core/bench/TaskNotes.h"
#include "core/bench/TaskWriter.h"
#include "core/runner/KernelFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::cli {

namespace {

using nlohmann::json;

int tasks(Output output)
{
    const auto catalogue = bench::TaskCatalogue::standard(programFolder());
    json document = json::array();
    std::vector<std::vector<std::string>> rows{{"task", "arguments", "what it computes"}};
    for (const auto &entry : catalogue.entries()) {
        const auto task = catalogue.load(entry.name, {});
        if (!task) {
            Terminal::message("accelopt: " + describe(task.error()));
            continue;
        }
        std::string arguments;
        json argumentList = json::array();
        for (const TaskArgument &argument : task->arguments) {
            arguments += (arguments.empty() ? "" : ", ") + argument.name;
            argumentList.push_back({{"name", argument.name},
                                    {"shape", argument.shape},
                                    {"dtype", argument.dtype},
                                    {"scalar", argument.scalar}});
        }
        const auto notes = bench::taskNotes(entry.folder);
        if (!notes) {
            Terminal::message("accelopt: " + describe(notes.error()));
            continue;
        }
        json variants = json::array();
        for (const bench::TaskVariant &variant : notes->variants)
            variants.push_back(
                {{"name", variant.name},
                 {"title", variant.title},
                 {"kernel", variant.path},
                 {"source", variant.source},
                 {"published_percent_of_peak", variant.publishedPercentOfPeak
                                                   ? json(*variant.publishedPercentOfPeak)
                                                   : json()}});
        rows.push_back(
            {task->name, arguments, task->title + (notes->calibrated ? "" : " (uncalibrated)")});
        document.push_back({{"task", task->name},
                            {"title", task->title},
                            {"shape", task->shapeName},
                            {"dimensions", task->dimensions},
                            {"arguments", argumentList},
                            {"tolerance", task->tolerance},
                            {"calibrated", notes->calibrated},
                            {"variants", variants},
                            {"folder", task->folder},
                            {"trusted", task->trusted}});
    }
    if (output == Output::Json)
        Terminal::result(json{{"tasks", document}}.dump(2));
    else
        Terminal::result(table(rows));
    return 0;
}

int benchTable(const std::string &device, Output output)
{
    const auto roof = bench::deviceRoof(device);
    if (!roof)
        return tell(roof.error());
    const auto catalogue = bench::TaskCatalogue::standard(programFolder());
    std::vector<Task> tasks;
    for (const auto &entry : catalogue.entries()) {
        auto task = catalogue.load(entry.name, {});
        if (!task)
            return tell(task.error());
        tasks.push_back(std::move(*task));
    }
    const bench::BenchTable made = bench::makeBenchTable(tasks, *roof);
    if (output == Output::Json) {
        Terminal::result(bench::toJson(made).dump(2));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"task", "bound", "theory ms", "published baseline ms", "% of peak"}};
    const auto number = [](const std::optional<double> &value, int digits) {
        return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
    };
    for (const bench::BenchRow &row : made.rows)
        rows.push_back({row.task, row.roof ? row.roof->bound : "-",
                        row.roof ? fmt::format("{:.3f}", row.roof->peakMs) : "-",
                        number(row.publishedBaselineMs, 3), number(row.publishedPercentOfPeak, 2)});
    rows.push_back({"geometric mean", "", "", "", number(made.geometricMeanPercentOfPeak, 2)});
    Terminal::result(table(rows));
    return 0;
}

struct ImportOptions
{
    std::string folder;
    std::string prefix;
    bool trust = false;
    bool asJson = false;
};

struct NewOptions
{
    std::string name;
    std::string kernel;
    std::string reference;
    std::string title;
    std::string dimensions;
    std::vector<std::string> arguments;
    std::vector<std::string> results;
    double tolerance = 2e-5;
    std::string traffic, matmulFlops, vectorFlops;
    bool trust = false;
};

/// A reference is a Python program that will be run: a person says once that it may, for its very
/// content.
Result<bool> confirm(const Task &task, bool trusted)
{
    if (!trusted) {
        if (isatty(STDIN_FILENO) == 0)
            return false;
        Terminal::message(fmt::format(
            "{} is a Python program that the workbench runs to make the reference results.",
            task.referencePath));
        fmt::print(stderr, "Have you read it, and may it be run? [y/N] ");
        std::string answer;
        if (!std::getline(std::cin, answer) || (answer != "y" && answer != "yes"))
            return false;
    }
    ACCELOPT_CHECK(bench::confirmTask(task));
    return true;
}

int importBench(const ImportOptions &options)
{
    const auto catalogue = bench::TaskCatalogue::standard(programFolder());
    const auto made = bench::importNkiBench(options.folder, options.prefix, catalogue,
                                            bench::userDataFolder() / "tasks");
    if (!made)
        return tell(made.error());
    const auto now = bench::TaskCatalogue::standard(programFolder());
    json list = json::array();
    for (const std::string &name : made->tasks) {
        const auto task = now.load(name, {});
        if (!task)
            return tell(task.error());
        const auto confirmed = confirm(*task, options.trust);
        if (!confirmed)
            return tell(confirmed.error());
        list.push_back({{"task", name}, {"folder", task->folder}, {"trusted", *confirmed}});
        if (!options.asJson)
            Terminal::result(
                fmt::format("{}  in {}{}", name, task->folder,
                            *confirmed ? "" : "  (not confirmed: its reference is not run)"));
    }
    json skipped = json::array();
    for (const auto &problem : made->skipped) {
        skipped.push_back({{"problem", problem.problem}, {"reason", problem.reason}});
        if (!options.asJson)
            Terminal::message(fmt::format("skipped {}: {}", problem.problem, problem.reason));
    }
    if (options.asJson)
        Terminal::result(json{{"tasks", list}, {"skipped", skipped}}.dump(2));
    return made->tasks.empty() ? 1 : 0;
}

Result<std::string> readText(const std::string &file)
{
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad() || !in.is_open())
        return fail(ErrorCode::WrongUse, fmt::format("{} cannot be read", file), "check the path");
    return text;
}

Result<Task> makeTask(const NewOptions &options)
{
    bench::NewTask task;
    task.name = options.name;
    ACCELOPT_TRY(task.reference, readText(options.reference));
    ACCELOPT_TRY(task.baseline, runner::readKernel(options.kernel));
    json &content = task.content;
    content["title"] = options.title.empty() ? options.name : options.title;
    content["tolerance"] = options.tolerance;
    ACCELOPT_TRY(content["shapes"]["published"]["dimensions"],
                 bench::dimensionsFromText(options.dimensions));
    for (const std::string &text : options.arguments) {
        ACCELOPT_TRY(json argument, bench::argumentFromText(text));
        content["arguments"].push_back(std::move(argument));
    }
    for (const std::string &text : options.results) {
        ACCELOPT_TRY(json result, bench::resultFromText(text));
        content["results"].push_back(std::move(result));
    }
    if (!options.traffic.empty())
        content["minimum_work"] = {
            {"traffic_bytes", options.traffic},
            {"matmul_flops", options.matmulFlops.empty() ? "0" : options.matmulFlops},
            {"vector_flops", options.vectorFlops.empty() ? "0" : options.vectorFlops}};
    return bench::writeTask(bench::userDataFolder() / "tasks", task);
}

int newTask(const NewOptions &options)
{
    const auto task = makeTask(options);
    if (!task)
        return tell(task.error());
    const auto confirmed = confirm(*task, options.trust);
    if (!confirmed)
        return tell(confirmed.error());
    Terminal::result(
        fmt::format("{} is a task now, in {}{}", task->name, task->folder,
                    *confirmed ? "" : "; its reference is not run before it is confirmed"));
    return 0;
}

} // namespace

void addBenchCommands(CLI::App &program, Action &action)
{
    auto asJson = std::make_shared<bool>(false);
    CLI::App *tasksCommand =
        program.add_subcommand("tasks", "the tasks that kernels can be searched for");
    tasksCommand->add_flag("--json", *asJson, "print one JSON document");
    tasksCommand->callback([&action, asJson] {
        action = [asJson] { return tasks(*asJson ? Output::Json : Output::Text); };
    });

    CLI::App *benchCommand = program.add_subcommand("bench", "figures about the tasks");
    benchCommand->require_subcommand(1);
    auto device = std::make_shared<std::string>("trn1");
    CLI::App *tableCommand = benchCommand->add_subcommand(
        "table", "roofline of all tasks, published baselines, geometric mean");
    tableCommand->add_option("--device", *device, "trn1 or trn2")->capture_default_str();
    tableCommand->add_flag("--json", *asJson, "print one JSON document");
    tableCommand->callback([&action, asJson, device] {
        action = [asJson, device] {
            return benchTable(*device, *asJson ? Output::Json : Output::Text);
        };
    });

    auto import = std::make_shared<ImportOptions>();
    CLI::App *importCommand = benchCommand->add_subcommand(
        "import", "make the problems of an AccelOpt NKIBench checkout tasks");
    importCommand->add_option("FOLDER", import->folder, "the checkout")->required();
    importCommand->add_option("--as", import->prefix, "the tasks become PREFIX/<problem>")
        ->required();
    importCommand->add_flag("--trust", import->trust,
                            "its reference programs have been read and may be run");
    importCommand->add_flag("--json", import->asJson, "print one JSON document");
    importCommand->callback(
        [&action, import] { action = [import] { return importBench(*import); }; });

    auto made = std::make_shared<NewOptions>();
    CLI::App *newCommand = benchCommand->add_subcommand(
        "new", "make a kernel of one's own with its numpy reference a task");
    newCommand->add_option("NAME", made->name, "name of the task")->required();
    newCommand->add_option("--kernel", made->kernel, "the kernel to start from")->required();
    newCommand
        ->add_option("--reference", made->reference, "Python file with def reference(...) in numpy")
        ->required();
    newCommand->add_option("--title", made->title, "what it computes, in a few words");
    newCommand->add_option("--shape", made->dimensions, "dimensions, e.g. M=4096,N=7168")
        ->required();
    newCommand
        ->add_option("--arg", made->arguments,
                     "an argument in order: x:M,N[:float32[:normal=1]] or eps=1e-5")
        ->required();
    newCommand->add_option("--result", made->results, "a result: y:M,N[:float32]")->required();
    newCommand->add_option("--tolerance", made->tolerance, "relative L2 norm of the error")
        ->capture_default_str();
    newCommand->add_option("--traffic", made->traffic,
                           "least bytes moved, over the dimensions (2*M*N*4)");
    newCommand->add_option("--matmul-flops", made->matmulFlops, "least matmul FLOPs");
    newCommand->add_option("--vector-flops", made->vectorFlops, "least elementwise FLOPs");
    newCommand->add_flag("--trust", made->trust, "the reference has been read and may be run");
    newCommand->callback([&action, made] { action = [made] { return newTask(*made); }; });
}

} // namespace accelopt::cli
