// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Plausibility.h"

#include <fmt/format.h>
#include <string_view>

namespace accelopt::oracle {
namespace {

/// Sums of many terms in different orders.
constexpr double kSlack = 1.001;

constexpr const char *kLookHint =
    "a person should look at this kernel: either it does not do the task's work, or the cost model "
    "is fooled";

double counter(const Profile &profile, const std::string &name)
{
    const auto found = profile.counters.find(name);
    return found == profile.counters.end() ? 0 : found->second;
}

/// Bytes of all tensors, each once: whatever a kernel does, it reads its inputs and writes its
/// results.
double tensorBytes(const Task &task)
{
    const auto bytes = [](const Shape &shape, const DTypeName &dtype) {
        const double width = dtype.ends_with("32") ? 4 : dtype.ends_with("16") ? 2 : 1;
        return double(elementCount(shape)) * width;
    };
    double sum = 0;
    for (const TaskArgument &argument : task.arguments)
        if (!argument.scalar)
            sum += bytes(argument.shape, argument.dtype);
    for (const TaskResult &result : task.results)
        sum += bytes(result.shape, result.dtype);
    return sum;
}

Reason suspicion(const char *rule, std::string message)
{
    return {"plausibility", rule, std::move(message), kLookHint, {}};
}

} // namespace

std::vector<Reason> implausible(const Profile &profile, const Task &task,
                                const std::optional<bench::Roof> &roof)
{
    std::vector<Reason> reasons;
    if (roof && profile.latencyMs < roof->peakMs)
        reasons.push_back(suspicion(
            "above_roof",
            fmt::format("the latency of {:.4g} ms is below {:.4g} ms, the least that the task's {} "
                        "work takes on {}",
                        profile.latencyMs, roof->peakMs, roof->bound, profile.device)));
    for (const std::string_view part :
         {"tensor_engine", "vector_engine", "scalar_engine", "gpsimd_engine", "dma"}) {
        const double activeMs = counter(profile, std::string(part) + "_active_time") * 1e3;
        if (activeMs > profile.latencyMs * kSlack)
            reasons.push_back(
                suspicion("busier_than_time",
                          fmt::format("{} is active for {:.4g} ms of a latency of {:.4g} ms", part,
                                      activeMs, profile.latencyMs)));
    }
    for (const auto &[name, what] :
         {std::pair{"hfu_estimated_percent", "operations"}, {"mbu_estimated_percent", "bytes"}})
        if (counter(profile, name) > kSlack)
            reasons.push_back(suspicion(
                "above_peak", fmt::format("{:.4g} times as many {} per second as the device can do",
                                          counter(profile, name), what)));
    const double moved = counter(profile, "hbm_read_bytes") + counter(profile, "hbm_write_bytes");
    if (profile.counters.contains("hbm_read_bytes") && moved * kSlack < tensorBytes(task))
        reasons.push_back(suspicion(
            "too_little_traffic",
            fmt::format("{:.4g} MB go to and from memory, the task's inputs and results alone are "
                        "{:.4g} MB",
                        moved / 1e6, tensorBytes(task) / 1e6)));
    return reasons;
}

} // namespace accelopt::oracle
