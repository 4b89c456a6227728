// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/MeasuredKernels.h"

#include "core/profiling/KernelStudy.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

namespace accelopt::profiling {

namespace {

std::vector<std::string> csvFields(const std::string &line)
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

/// Milliseconds by task; rows without a positive number are left out.
Result<std::map<std::string, double>> readLatencies(const std::filesystem::path &csv)
{
    std::ifstream file(csv);
    std::string line;
    if (!std::getline(file, line)) {
        return fail(ErrorCode::Environment, csv.string() + ": cannot be read or is empty",
                    "give the CSV with the measured latencies");
    }
    const std::vector<std::string> header = csvFields(line);
    const auto task = std::ranges::find(header, "task") - header.begin();
    const auto latency =
        std::ranges::find_if(header,
                             [](const std::string &column) {
                                 return column == "latency" || column == "latency_ms";
                             }) -
        header.begin();
    const auto columns = std::ssize(header);
    if (task == columns || latency == columns) {
        return fail(ErrorCode::Format,
                    csv.string() + ": line 1 lacks the columns \"task\" and \"latency_ms\"",
                    "the first line names the columns; latencies are milliseconds");
    }
    std::map<std::string, double> latencies;
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = csvFields(line);
        if (std::ssize(fields) <= std::max(task, latency))
            continue;
        const std::string &text = fields[std::size_t(latency)];
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        if (value > 0)
            latencies[fields[std::size_t(task)]] = value;
    }
    return latencies;
}

/// The task whose name the file's name begins with; the longest one.
std::string taskOf(const std::string &fileName, const bench::TaskCatalogue &tasks)
{
    std::string best;
    for (const std::string &name : tasks.names())
        if (fileName.starts_with(name + "_") && name.size() > best.size())
            best = name;
    return best;
}

} // namespace

Result<MeasuredKernels> readMeasuredKernels(const std::filesystem::path &folder,
                                            const std::filesystem::path &csv,
                                            const std::string &device,
                                            const bench::TaskCatalogue &tasks)
{
    ACCELOPT_TRY(const auto latencies, readLatencies(csv));
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".py")
            files.push_back(entry.path());
    if (error) {
        return fail(ErrorCode::Environment, fmt::format("{}: {}", folder.string(), error.message()),
                    "give the folder with the measured kernels");
    }
    std::ranges::sort(files);

    MeasuredKernels result;
    for (const std::filesystem::path &path : files) {
        const std::string name = path.filename().string();
        const std::string taskName = taskOf(name, tasks);
        const auto latency = latencies.find(taskName);
        if (taskName.empty() || latency == latencies.end()) {
            result.passedOver.push_back(name + ": no task of that name has a measured row");
            continue;
        }
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        const Result<Task> task = tasks.load(taskName, "published");
        if (!task) {
            result.passedOver.push_back(fmt::format("{}: {}", name, task.error().message));
            continue;
        }
        Result<KernelStudy> study = studyKernel(text.str(), *task, device);
        if (!study) {
            result.passedOver.push_back(fmt::format("{}: {}", name, study.error().message));
            continue;
        }
        result.kernels.push_back({taskName, std::move(study->program), latency->second});
    }
    return result;
}

} // namespace accelopt::profiling
