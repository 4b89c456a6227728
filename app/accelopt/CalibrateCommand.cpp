// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/CalibrateCommand.h"

#include "core/bench/TaskCatalogue.h"
#include "core/profiling/MeasuredKernels.h"

#include <CLI/CLI.hpp>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace accelopt::cli {

namespace {

struct CalibrateOptions
{
    std::string folder;
    std::string csv;
    std::string device = "trn1";
    bool json = false;
};

double percent(double predicted, double measured)
{
    return 100 * (predicted / measured - 1);
}

std::array<std::pair<const char *, const nki::CalibrationError *>, 3>
errorsOf(const nki::Calibration &calibration)
{
    return {{{"shipped", &calibration.shippedError},
             {"refitted", &calibration.refitError},
             {"left_out", &calibration.leftOutError}}};
}

void printText(const nki::Calibration &calibration)
{
    fmt::print("{:<28} {:>12} {:>10} {:>10} {:>10}\n", "kernel", "measured ms", "as it is",
               "refitted", "left out");
    for (const nki::CalibrationRow &row : calibration.rows) {
        fmt::print("{:<28} {:>12.4f} {:>+8.1f} % {:>+8.1f} % {:>+8.1f} %\n", row.name,
                   row.measuredMs, percent(row.shippedMs, row.measuredMs),
                   percent(row.refitMs, row.measuredMs), percent(row.leftOutMs, row.measuredMs));
    }
    fmt::print("\n");
    for (const auto &[label, error] : errorsOf(calibration))
        fmt::print("{:<10} mean |error| {:.1f} %, worst {:.1f} %\n", label, 100 * error->mean,
                   100 * error->worst);
    fmt::print("\nfitted numbers (device file, section \"machine\"):\n");
    for (const auto &[path, value] : calibration.refitted)
        fmt::print("  {:<44} {:>18.6g} -> {:.6g}\n", path, calibration.shipped.at(path), value);
}

void printJson(const nki::Calibration &calibration, const nki::Machine &machine)
{
    nlohmann::json report;
    report["device"] = machine.device();
    report["model_version"] = nki::Machine::modelVersion();
    report["table_hash"] = machine.tableHash();
    for (const nki::CalibrationRow &row : calibration.rows) {
        report["kernels"].push_back({{"task", row.name},
                                     {"measured_ms", row.measuredMs},
                                     {"shipped_ms", row.shippedMs},
                                     {"refitted_ms", row.refitMs},
                                     {"left_out_ms", row.leftOutMs}});
    }
    for (const auto &[label, error] : errorsOf(calibration))
        report["errors"][label] = {{"mean", error->mean}, {"worst", error->worst}};
    for (const auto &[path, value] : calibration.refitted)
        report["numbers"][path] = {{"shipped", calibration.shipped.at(path)}, {"refitted", value}};
    fmt::print("{}\n", report.dump(2));
}

int runCalibrate(const CalibrateOptions &options)
{
    const Result<nki::Machine> machine = nki::Machine::load(options.device);
    if (!machine)
        return tell(machine.error());
    const bench::TaskCatalogue tasks = bench::TaskCatalogue::standard(programFolder());
    const auto measured =
        profiling::readMeasuredKernels(options.folder, options.csv, options.device, tasks);
    if (!measured)
        return tell(measured.error());
    for (const std::string &line : measured->passedOver)
        fmt::print(stderr, "passed over: {}\n", line);
    const auto calibration = nki::calibrate(*machine, measured->kernels);
    if (!calibration)
        return tell(calibration.error());
    if (options.json)
        printJson(*calibration, *machine);
    else
        printText(*calibration);
    return 0;
}

} // namespace

void addCalibrateCommand(CLI::App &program, Action &action)
{
    const auto options = std::make_shared<CalibrateOptions>();
    CLI::App *command = program.add_subcommand(
        "calibrate", "Put the cost model against measured kernels and refit its fitted numbers");
    command->add_option("FOLDER", options->folder, "Kernels, named <task>_....py")->required();
    command->add_option("CSV", options->csv, "Their latencies: columns task and latency_ms")
        ->required();
    command->add_option("--device", options->device, "Device they were measured on")
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print JSON");
    command->callback(
        [options, &action] { action = [options] { return runCalibrate(*options); }; });
}

} // namespace accelopt::cli
