// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the performance model against measured profiles: traces every kernel file of a folder whose
// name begins with a task's, simulates it at the task's published shape and prints predicted and
// measured figures.
//
//     bench_machine FOLDER CSV [DEVICE] [--brief] [--calibrate] [PATH=VALUE ...]
//
// PATH=VALUE replaces a number of the device's table ("dma/engines=8"); --brief prints one line per
// kernel; --calibrate refits the fitted numbers and leaves each kernel out once.
//
// The CSV has one row per task with neuron-profile's column names (latency or latency_ms, both in
// ms).
#include "core/bench/TaskLoader.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/machine/Calibrate.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/machine/Timeline.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/nki/trace/Tracer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

using namespace accelopt;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> splitCsv(const std::string &line)
{
    std::vector<std::string> fields{""};
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else if (c != '\r')
            fields.back() += c;
    }
    return fields;
}

/// Rows of a CSV by their column "task".
std::map<std::string, Row> readCsv(const std::filesystem::path &path)
{
    std::map<std::string, Row> rows;
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line))
        return rows;
    const std::vector<std::string> header = splitCsv(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = splitCsv(line);
        Row row;
        for (std::size_t n = 0; n < header.size() && n < fields.size(); ++n)
            row[header[n]] = fields[n];
        rows[row["task"]] = row;
    }
    return rows;
}

double number(const Row &row, const std::string &column)
{
    const auto found = row.find(column);
    return found == row.end() || found->second.empty() ? 0 : std::stod(found->second);
}

std::string readText(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The task whose name the file's name begins with; the longest one.
std::string taskOf(const std::string &fileName, const std::filesystem::path &tasks)
{
    std::string best;
    for (const auto &entry : std::filesystem::directory_iterator(tasks)) {
        const std::string name = entry.path().filename().string();
        if (fileName.starts_with(name + "_") && name.size() > best.size())
            best = name;
    }
    return best;
}

/// Arguments of the kernel in one of the layouts that the task allows.
std::vector<nki::TraceArgument> argumentsOf(const Task &task, const TaskLayout &layout)
{
    std::vector<nki::TraceArgument> arguments;
    for (std::size_t n = 0; n < task.arguments.size(); ++n) {
        const TaskArgument &argument = task.arguments[n];
        nki::TraceArgument made;
        made.name = argument.name;
        made.scalar = argument.scalar;
        made.value = argument.parameter;
        made.shape = n < layout.arguments.size() ? layout.arguments[n] : argument.shape;
        made.dtype = nki::dtype(argument.dtype).value_or(nki::DType::Float32);
        arguments.push_back(made);
    }
    return arguments;
}

/// The kernel traced in the first layout that it takes, or the last failure.
tl::expected<nki::Program, nki::TraceFailure>
traceInAnyLayout(const nki::SyntaxTree &tree, const Task &task, const std::string &device)
{
    tl::expected<nki::Program, nki::TraceFailure> program = tl::unexpected(nki::TraceFailure{});
    for (const TaskLayout &layout : task.layouts) {
        nki::TraceRequest request;
        request.arguments = argumentsOf(task, layout);
        request.device = device;
        program = nki::trace(tree, request);
        if (program)
            break;
    }
    return program;
}

double relative(double predicted, double measured)
{
    if (measured == 0)
        return predicted == 0 ? 0 : 1;
    return predicted / measured - 1;
}

/// Mean of absolute errors.
class Errors
{
public:
    void add(double error)
    {
        m_sum += std::abs(error);
        m_worst = std::max(m_worst, std::abs(error));
        m_within += std::abs(error) <= 0.25 ? 1 : 0;
        ++m_count;
    }
    std::string text() const
    {
        return fmt::format("mean |error| {:5.1f} %, worst {:5.1f} %, within 25 %: {} of {}",
                           m_count > 0 ? 100 * m_sum / m_count : 0, 100 * m_worst, m_within,
                           m_count);
    }

private:
    double m_sum = 0;
    double m_worst = 0;
    int m_within = 0;
    int m_count = 0;
};

int printCalibration(const Result<nki::Calibration> &calibration)
{
    if (!calibration) {
        fmt::print(stderr, "{}\n", describe(calibration.error()));
        return exitStatus(calibration.error().code);
    }
    for (const nki::CalibrationRow &row : calibration->rows)
        fmt::print("{:<24} measured {:>9.4f}  shipped {:>+7.1f} %  refit {:>+7.1f} %  left out "
                   "{:>+7.1f} %\n",
                   row.name, row.measuredMs, 100 * relative(row.shippedMs, row.measuredMs),
                   100 * relative(row.refitMs, row.measuredMs),
                   100 * relative(row.leftOutMs, row.measuredMs));
    for (const auto &[label, error] : {std::pair("shipped", calibration->shippedError),
                                       std::pair("refit", calibration->refitError),
                                       std::pair("left out", calibration->leftOutError)})
        fmt::print("{:<10} mean |error| {:5.1f} %, worst {:5.1f} %\n", label, 100 * error.mean,
                   100 * error.worst);
    for (const auto &[path, value] : calibration->refitted)
        fmt::print("{:<44} {:>16.4f} shipped {:>16.4f}\n", path, value,
                   calibration->shipped.at(path));
    return 0;
}

double milliseconds(std::chrono::steady_clock::time_point since)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
        .count();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        fmt::print(stderr, "usage: bench_machine FOLDER CSV [DEVICE]\n");
        return 2;
    }
    const std::filesystem::path tasks = std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench";
    const auto measured = readCsv(argv[2]);
    const std::string device = argc > 3 ? argv[3] : "trn1";
    bool brief = false;
    bool refit = false;
    std::vector<nki::MeasuredProgram> measuredPrograms;
    std::map<std::string, double> values;
    for (int n = 4; n < argc; ++n) {
        const std::string argument = argv[n];
        const auto equals = argument.find('=');
        if (argument == "--brief")
            brief = true;
        else if (argument == "--calibrate")
            refit = true;
        else if (equals != std::string::npos)
            values[argument.substr(0, equals)] = std::stod(argument.substr(equals + 1));
    }
    Result<nki::Machine> machine = nki::Machine::load(device);
    if (machine)
        machine = machine->with(values);
    if (!machine) {
        fmt::print(stderr, "{}\n", describe(machine.error()));
        return exitStatus(machine.error().code);
    }
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
        if (entry.path().extension() == ".py")
            files.push_back(entry.path());
    std::ranges::sort(files);

    nki::SyntaxHelper helper;
    std::map<std::string, Errors> errors;
    for (const std::filesystem::path &file : files) {
        const std::string name = file.filename().string();
        const std::string taskName = taskOf(name, tasks);
        const auto row = measured.find(taskName);
        if (taskName.empty() || row == measured.end()) {
            fmt::print("{:<26} no task or no measured row\n", name);
            continue;
        }
        const Result<Task> task = bench::loadTask(tasks / taskName, "published");
        if (!task) {
            fmt::print("{:<26} {}\n", taskName, describe(task.error()));
            continue;
        }
        const Result<nki::Parsed> parsed = helper.parse(readText(file));
        if (!parsed || !*parsed) {
            fmt::print("{:<26} cannot be parsed: {}\n", taskName,
                       parsed ? parsed->error().message : describe(parsed.error()));
            continue;
        }
        auto start = std::chrono::steady_clock::now();
        const auto program = traceInAnyLayout(**parsed, *task, device);
        const double traceMs = milliseconds(start);
        if (!program) {
            fmt::print("{:<26} line {}: {} {}\n", taskName, program.error().reason.place.line,
                       program.error().reason.rule, program.error().reason.message);
            continue;
        }
        if (refit) {
            measuredPrograms.push_back(
                {taskName, *program,
                 number(row->second, "latency") + number(row->second, "latency_ms")});
            continue;
        }
        const nki::Dependences dependences; // the model does not look at them
        start = std::chrono::steady_clock::now();
        const Profile profile = nki::simulate(*program, dependences, *machine);
        const double simulateMs = milliseconds(start);

        const auto line = [&](const std::string &counter, double scale, const char *unit,
                              bool share) {
            const double real = number(row->second, counter);
            const double ours = profile.counters.at(counter);
            const double error = share ? ours - real : relative(ours, real);
            if (real == 0 && ours == 0)
                return;
            if (row->second.contains(counter))
                errors[counter].add(error);
            fmt::print("    {:<36} {:>14.4f} {:>14.4f} {:<3} {:>+8.2f} {}\n", counter, ours / scale,
                       real / scale, unit, 100 * error, share ? "points" : "%");
        };
        const double realMs = number(row->second, "latency") + number(row->second, "latency_ms");
        errors["latency"].add(relative(profile.latencyMs, realMs));
        const nki::Timeline timeline = nki::timelineOf(*program, *machine);
        const double ownMs =
            (timeline.launchNs + (timeline.latencyNs - timeline.launchNs) / timeline.scale) / 1e6;
        errors["schedule's own length"].add(relative(ownMs, realMs));
        if (brief) {
            fmt::print("{:<24} {:>9.4f} {:>+7.1f} %  own {:>9.4f} {:>+7.1f} %  measured {:>9.4f}  ",
                       taskName, profile.latencyMs, 100 * relative(profile.latencyMs, realMs),
                       ownMs, 100 * relative(ownMs, realMs), realMs);
            for (int r = 0; r < nki::kTimelineRowCount; ++r)
                fmt::print(" {:.2f}",
                           timeline.rows[std::size_t(r)].exposedNs / timeline.scale / 1e6);
            fmt::print("\n");
            continue;
        }
        const auto count = double(program->instructions.size());
        fmt::print("{}: {} instructions, trace {:.0f} ms, simulate {:.1f} ms ({:.2f} us each)\n",
                   taskName, count, traceMs, simulateMs, 1e3 * simulateMs / count);
        fmt::print("    {:<36} {:>14.4f} {:>14.4f} ms  {:>+8.2f} %\n", "latency", profile.latencyMs,
                   realMs, 100 * relative(profile.latencyMs, realMs));
        fmt::print("    {:<36} {:>14.4f} {:>14.4f} ms  {:>+8.2f} %\n", "schedule's own length",
                   ownMs, realMs, 100 * relative(ownMs, realMs));
        if (!row->second.contains("hbm_read_bytes"))
            continue;
        errors["total HBM bytes"].add(relative(
            profile.counters.at("hbm_read_bytes") + profile.counters.at("hbm_write_bytes"),
            number(row->second, "hbm_read_bytes") + number(row->second, "hbm_write_bytes")));
        for (const char *counter :
             {"hbm_read_bytes", "hbm_write_bytes", "spill_reload_bytes", "spill_save_bytes",
              "sbuf_read_bytes", "sbuf_write_bytes", "psum_read_bytes", "psum_write_bytes"})
            line(counter, 1e6, "MB", false);
        for (const char *counter : {"hardware_flops", "transpose_flops"})
            line(counter, 1e9, "G", false);
        for (const char *counter :
             {"scalar_engine_active_time_percent", "vector_engine_active_time_percent",
              "gpsimd_engine_active_time_percent", "hfu_estimated_percent"})
            line(counter, 1, "", true);
        fmt::print(
            "    busy ms: tensor {:.3f}, vector {:.3f}, scalar {:.3f}, gpsimd {:.3f}, DMA {:.3f}\n",
            1e3 * profile.counters.at("tensor_engine_active_time"),
            1e3 * profile.counters.at("vector_engine_active_time"),
            1e3 * profile.counters.at("scalar_engine_active_time"),
            1e3 * profile.counters.at("gpsimd_engine_active_time"),
            1e3 * profile.counters.at("dma_active_time"));
    }
    if (refit)
        return printCalibration(nki::calibrate(*machine, measuredPrograms));
    fmt::print("\n");
    for (const auto &[counter, error] : errors)
        fmt::print("{:<36} {}\n", counter, error.text());
    return 0;
}
