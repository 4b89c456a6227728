// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/Roofline.h"

#include "core/bench/JsonPlace.h"
#include "core/domain/Resources.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace accelopt::bench {

namespace {

constexpr std::string_view kFolder = "resources/devices/";
constexpr std::string_view kSuffix = ".json";

Result<PeakFigure> peakFigure(const JsonPlace &place)
{
    PeakFigure figure;
    ACCELOPT_TRY(const auto value, place.member("value"));
    ACCELOPT_TRY(figure.value, value.number());
    if (!(figure.value > 0))
        return value.problem("a peak is positive");
    ACCELOPT_TRY(const auto source, place.member("source"));
    ACCELOPT_TRY(figure.source, source.text());
    return figure;
}

} // namespace

std::vector<std::string> deviceNames()
{
    std::vector<std::string> names;
    for (const auto &[path, text] : embeddedFiles())
        if (path.starts_with(kFolder) && path.ends_with(kSuffix))
            names.emplace_back(
                path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size()));
    std::sort(names.begin(), names.end());
    return names;
}

Result<DeviceRoof> deviceRoof(std::string_view device)
{
    const std::string path = fmt::format("{}{}{}", kFolder, device, kSuffix);
    const std::string_view text = resource(path);
    if (text.empty())
        return fail(ErrorCode::WrongUse, fmt::format("there is no device \"{}\"", device),
                    fmt::format("devices: {}", fmt::join(deviceNames(), ", ")));
    ACCELOPT_TRY(const nlohmann::json document, parseJson(text, path));
    const JsonPlace root(document, path);
    DeviceRoof roof;
    ACCELOPT_TRY(const auto name, root.member("name"));
    ACCELOPT_TRY(roof.name, name.text());
    ACCELOPT_TRY(const auto title, root.member("title"));
    ACCELOPT_TRY(roof.title, title.text());
    ACCELOPT_TRY(const auto peaks, root.member("roofline"));
    ACCELOPT_TRY(const auto hbm, peaks.member("hbm_gb_per_s"));
    ACCELOPT_TRY(roof.hbmGBPerSecond, peakFigure(hbm));
    ACCELOPT_TRY(const auto vector, peaks.member("vector_gflops"));
    ACCELOPT_TRY(roof.vectorGflops, peakFigure(vector));
    ACCELOPT_TRY(const auto tensor, peaks.member("tensor_tflops"));
    ACCELOPT_TRY(const auto types, tensor.members());
    for (const auto &[dtype, place] : types) {
        ACCELOPT_TRY(roof.tensorTflops[dtype], peakFigure(place));
    }
    return roof;
}

std::optional<Roof> roofline(const Task &task, const DeviceRoof &device, const DTypeName &dtype)
{
    if (!task.minimumWork)
        return std::nullopt;
    const MinimumWork &work = *task.minimumWork;
    Roof roof;
    roof.memoryMs = work.trafficBytes / (device.hbmGBPerSecond.value * 1e6);
    roof.vectorMs = work.vectorFlops / (device.vectorGflops.value * 1e6);
    if (work.matmulFlops > 0) {
        const auto peak = device.tensorTflops.find(dtype);
        if (peak == device.tensorTflops.end())
            return std::nullopt;
        roof.tensorMs = work.matmulFlops / (peak->second.value * 1e9);
    }
    roof.peakMs = std::max({roof.memoryMs, roof.tensorMs, roof.vectorMs});
    roof.bound = roof.peakMs == roof.memoryMs   ? "memory"
                 : roof.peakMs == roof.tensorMs ? "tensor"
                                                : "vector";
    return roof;
}

std::optional<Roof> roofline(const Task &task, const DeviceRoof &device)
{
    return roofline(task, device, task.matmulDtype);
}

double percentOfPeak(const Roof &roof, double latencyMs)
{
    return 100 * roof.peakMs / latencyMs;
}

std::optional<double> geometricMean(std::span<const double> values)
{
    if (values.empty())
        return std::nullopt;
    double sum = 0;
    for (const double value : values) {
        if (!(value > 0))
            return std::nullopt;
        sum += std::log(value);
    }
    return std::exp(sum / double(values.size()));
}

} // namespace accelopt::bench
