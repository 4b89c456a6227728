// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "app/accelopt/Trust.h"
#include "core/bench/BenchTable.h"
#include "core/bench/NkiBenchImport.h"
#include "core/bench/Roofline.h"
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskLoader.h"
#include "core/bench/TaskNotes.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
        rows.push_back({task->name, arguments,
                        task->title + (notes->calibrated ? "" : " (uncalibrated)") +
                            (task->trusted ? "" : " (its reference is not confirmed)")});
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
        auto task = now.load(name, {});
        if (!task)
            return tell(task.error());
        const auto trusted = trustNewTask(*task, options.trust ? Trust::Given : Trust::Ask);
        if (!trusted)
            return tell(trusted.error());
        list.push_back({{"task", name}, {"folder", task->folder}, {"trusted", *trusted}});
        if (!options.asJson)
            Terminal::result(fmt::format("{}  in {}{}", name, task->folder,
                                         *trusted ? std::string() : notTrustedYet(*task)));
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

    addNewCommand(*benchCommand, action);
    addTrustCommand(*benchCommand, action);
}

} // namespace accelopt::cli
