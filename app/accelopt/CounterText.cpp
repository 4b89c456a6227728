// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/CounterText.h"

#include "app/accelopt/Terminal.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace accelopt::cli {

namespace {

struct EngineRow
{
    const char *name;
    const char *counters; ///< how the names of its counters begin
    const char *work;     ///< the counter of what it did
    const char *unit;
};

constexpr EngineRow kEngineRows[] = {
    {"tensor", "tensor_engine_active_time", "tensor_engine_instruction_count", "instructions"},
    {"vector", "vector_engine_active_time", "vector_engine_instruction_count", "instructions"},
    {"scalar", "scalar_engine_active_time", "scalar_engine_instruction_count", "instructions"},
    {"GpSimd", "gpsimd_engine_active_time", "gpsimd_engine_instruction_count", "instructions"},
    {"DMA", "dma_active_time", "dma_transfer_count", "transfers"}};

double counterOf(const Profile &profile, const std::string &name)
{
    const auto it = profile.counters.find(name);
    return it == profile.counters.end() ? 0 : it->second;
}

/// With the largest unit in which it is at least 1, and three digits.
std::string scaled(double value, const std::vector<const char *> &units)
{
    constexpr double kStep = 1000;
    std::size_t unit = 0;
    for (; value >= kStep && unit + 1 < units.size(); ++unit)
        value /= kStep;
    return fmt::format("{:.3g} {}", value, units[unit]);
}

} // namespace

std::string shareText(double fraction)
{
    const double percent = fraction * 100;
    return percent > 0 && percent < 1 ? fmt::format("{:.1f} %", percent)
                                      : fmt::format("{:.0f} %", percent);
}

std::string durationText(double seconds)
{
    constexpr double kNsPerSecond = 1e9;
    return seconds <= 0 ? "0 us" : scaled(seconds * kNsPerSecond, {"ns", "us", "ms", "s"});
}

std::string bytesText(double bytes)
{
    return scaled(bytes, {"B", "kB", "MB", "GB", "TB"});
}

std::string engineText(const Profile &profile)
{
    std::vector<std::vector<std::string>> rows{{"engine", "busy", "time", ""}};
    for (const EngineRow &engine : kEngineRows)
        rows.push_back({engine.name,
                        shareText(counterOf(profile, std::string(engine.counters) + "_percent")),
                        durationText(counterOf(profile, engine.counters)),
                        fmt::format("{:.0f} {}", counterOf(profile, engine.work), engine.unit)});
    std::string text = table(rows, Columns::FiguresAndText);
    text +=
        fmt::format("HBM: {} read, {} written\n", bytesText(counterOf(profile, "hbm_read_bytes")),
                    bytesText(counterOf(profile, "hbm_write_bytes")));
    const double spilled =
        counterOf(profile, "spill_save_bytes") + counterOf(profile, "spill_reload_bytes");
    if (spilled > 0)
        text += fmt::format("spilled for want of SBUF: {}\n", bytesText(spilled));
    if (const double flops = counterOf(profile, "hardware_flops"); flops > 0)
        text += fmt::format("matrix products: {}, {} of the tensor engine's peak\n",
                            scaled(flops, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"}),
                            shareText(counterOf(profile, "hfu_estimated_percent")));
    return text;
}

std::string latencyText(const nki::Timeline &timeline)
{
    constexpr double kSecondsPerNs = 1e-9;
    std::vector<std::pair<double, nki::TimelineRow>> parts;
    for (int row = 0; row < nki::kTimelineRowCount; ++row)
        if (const double ns = timeline.rows[std::size_t(row)].exposedNs; ns > 0)
            parts.emplace_back(-ns, nki::TimelineRow(row));
    std::sort(parts.begin(), parts.end());
    std::string text =
        fmt::format("of the latency: {} launch", durationText(timeline.launchNs * kSecondsPerNs));
    for (const auto &[ns, row] : parts)
        text += fmt::format(", {} {}", durationText(-ns * kSecondsPerNs), name(row));
    return text + " (what nothing else hides)\n";
}

std::string countersText(const Profile &profile)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto &[counter, value] : profile.counters) {
        const std::string_view name = counter;
        rows.push_back({counter, name.ends_with("_percent") ? shareText(value)
                                 : name.ends_with("_time")  ? durationText(value)
                                 : name.ends_with("_bytes") ? bytesText(value)
                                                            : fmt::format("{:.6g}", value)});
    }
    return table(rows);
}

} // namespace accelopt::cli
