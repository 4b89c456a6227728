// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/MachineTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::nki {

namespace {

constexpr std::array<std::string_view, kCostClassCount> kCostClassNames = {"activation",
                                                                           "tensor_scalar",
                                                                           "tensor_tensor",
                                                                           "tensor_tensor_psum",
                                                                           "scalar_tensor_tensor",
                                                                           "reduce",
                                                                           "scan",
                                                                           "reciprocal",
                                                                           "copy",
                                                                           "memset",
                                                                           "select",
                                                                           "select_psum",
                                                                           "iota",
                                                                           "affine_select",
                                                                           "partition_reduce",
                                                                           "bn_stats",
                                                                           "bn_aggr",
                                                                           "max8",
                                                                           "shuffle",
                                                                           "matmul"};

Result<void> collect(const nlohmann::json &node, const std::string &path,
                     const std::string &fileName, std::map<std::string, TableNumber> &numbers)
{
    const auto refuse = [&](std::string_view what) {
        return fail(ErrorCode::Format, fmt::format("{}: machine/{} {}", fileName, path, what),
                    "each number is an object with \"value\", \"source\" and \"fitted\"");
    };
    if (!node.is_object())
        return refuse("is not an object");
    if (!node.contains("value")) {
        for (const auto &[key, child] : node.items())
            ACCELOPT_CHECK(
                collect(child, path.empty() ? key : path + "/" + key, fileName, numbers));
        return {};
    }
    const auto value = node.find("value");
    const auto source = node.find("source");
    const auto fitted = node.find("fitted");
    if (!value->is_number())
        return refuse("has a value that is no number");
    if (source == node.end() || !source->is_string() ||
        source->get_ref<const std::string &>().empty())
        return refuse("has no source");
    if (fitted == node.end() || !fitted->is_boolean())
        return refuse("does not say whether it is fitted");
    TableNumber number{
        value->get<double>(), source->get<std::string>(), fitted->get<bool>(), {}, 0};
    if (const auto only = node.find("only_evidence"); only != node.end()) {
        const auto without = node.find("without");
        if (!only->is_string() || without == node.end() || !without->is_number())
            return refuse("names its only evidence, but not the number \"without\" it");
        number.onlyEvidence = only->get<std::string>();
        number.without = without->get<double>();
    }
    numbers[path] = std::move(number);
    return {};
}

/// Looks numbers up and remembers the first one that is missing.
class Lookup
{
public:
    explicit Lookup(const std::map<std::string, TableNumber> &numbers) : m_numbers(numbers) {}

    double positive(const std::string &path)
    {
        const auto found = m_numbers.find(path);
        if (found == m_numbers.end() || !(found->second.value >= 0)) {
            if (m_wrong.empty())
                m_wrong = path;
            return 0;
        }
        return found->second.value;
    }
    double optional(const std::string &path, double otherwise) const
    {
        const auto found = m_numbers.find(path);
        return found == m_numbers.end() ? otherwise : found->second.value;
    }
    const std::string &wrong() const { return m_wrong; }

private:
    const std::map<std::string, TableNumber> &m_numbers;
    std::string m_wrong;
};

EngineCosts readEngine(Lookup &lookup, const std::string &engine)
{
    const std::string base = "engines/" + engine + "/";
    EngineCosts costs;
    costs.clockHz = lookup.positive(base + "clock_hz");
    costs.minimumCycles = lookup.positive(base + "minimum_cycles");
    costs.fixedCycles = lookup.positive(base + "fixed_cycles");
    costs.reductionCycles = lookup.optional(base + "reduction_cycles", 0);
    const double usual = lookup.positive(base + "cycles_per_element/default");
    for (std::size_t c = 0; c < std::size_t(kCostClassCount); ++c) {
        const std::string key = base + "cycles_per_element/" + std::string(kCostClassNames[c]);
        costs.cyclesPerElement[c] = lookup.optional(key, usual);
        costs.narrowCyclesPerElement[c] =
            lookup.optional(key + "_narrow", costs.cyclesPerElement[c]);
    }
    return costs;
}

} // namespace

std::string_view name(CostClass costClass)
{
    return kCostClassNames[std::size_t(costClass)];
}

Result<MachineTable> MachineTable::parse(std::string_view text, const std::string &fileName)
{
    const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
    if (root.is_discarded() || !root.is_object())
        return fail(ErrorCode::Format, fileName + ": not a JSON object", "restore the file");
    const auto section = root.find("machine");
    if (section == root.end()) {
        return fail(ErrorCode::Format, fileName + ": has no section \"machine\"",
                    "the device can be used for its roofline only");
    }

    std::map<std::string, TableNumber> numbers;
    ACCELOPT_CHECK(collect(*section, "", fileName, numbers));
    return build(std::move(numbers), fileName);
}

Result<MachineTable> MachineTable::build(std::map<std::string, TableNumber> numbers,
                                         const std::string &fileName)
{
    MachineTable table;
    table.numbers = std::move(numbers);
    Lookup lookup(table.numbers);
    const auto bytes = [&lookup](const char *path) { return std::int64_t(lookup.positive(path)); };

    table.engines[std::size_t(Engine::Tensor)] = readEngine(lookup, "tensor");
    table.engines[std::size_t(Engine::Vector)] = readEngine(lookup, "vector");
    table.engines[std::size_t(Engine::Scalar)] = readEngine(lookup, "scalar");
    table.engines[std::size_t(Engine::GpSimd)] = readEngine(lookup, "gpsimd");

    table.sbufBytesPerPartition = bytes("sbuf/bytes_per_partition");
    table.usableSbufBytesPerPartition = bytes("sbuf/usable_bytes_per_partition");
    table.spillCapacityBytesPerPartition = bytes("sbuf/spill_capacity_bytes_per_partition");
    table.sinkBytesPerPartition = bytes("sbuf/sink_bytes_per_partition");
    table.psumBytesPerPartition = bytes("psum/bytes_per_partition");
    table.psumBanks = int(lookup.positive("psum/banks"));
    table.sharedPsumPort = lookup.positive("psum/shared_port") > 0;

    table.wideStrideBytes = lookup.positive("access/wide_stride_bytes");
    table.wideStrideFactor = lookup.positive("access/wide_stride_factor");

    table.dmaEngines = lookup.positive("dma/engines");
    table.dmaBytesPerSecond = table.dmaEngines * lookup.positive("dma/bytes_per_second_per_engine");
    table.dmaDescriptorOverheadBytes = lookup.positive("dma/descriptor_overhead_bytes");
    table.dmaLongestRunBytes = lookup.positive("dma/longest_run_bytes");
    table.dmaSmallRunBytes = lookup.positive("dma/small_run_bytes");

    table.tensorPeakFlops = lookup.positive("tensor/peak_flops");
    table.peakFlopsBandwidthRatio = lookup.positive("tensor/peak_flops_bandwidth_ratio");
    table.fp32Passes = lookup.positive("tensor/passes/float32");
    table.fp32TransposedPasses = lookup.positive("tensor/passes/float32_transposed");
    table.otherPasses = lookup.positive("tensor/passes/other");
    table.fp32ProfiledPasses = lookup.positive("tensor/profiled_passes/float32");
    table.otherProfiledPasses = lookup.positive("tensor/profiled_passes/other");

    table.window = int(lookup.positive("schedule/window"));
    table.sequentialWindow = int(lookup.positive("schedule/sequential_window"));
    table.roomBytesPerPartition = bytes("schedule/room_bytes_per_partition");
    table.buffers = int(lookup.positive("schedule/buffers"));
    table.semaphoreNs = lookup.positive("schedule/semaphore_ns");
    table.dmaLatencyNs = lookup.positive("schedule/dma_latency_ns");

    table.launchNs = lookup.positive("latency/launch_ns");
    table.scheduleShare = std::min(1.0, lookup.positive("latency/schedule_share"));
    table.overlapShare = lookup.positive("latency/overlap_share");
    table.crowdedShare = lookup.positive("latency/crowded_share");
    table.sequentialPassNs = lookup.positive("latency/sequential_pass_ns");
    table.relativeHalfWidth = lookup.positive("latency/relative_half_width");
    table.tieMargin = lookup.positive("latency/tie_margin");
    table.fittedFromMs = lookup.positive("latency/fitted_from_ms");

    if (!lookup.wrong().empty()) {
        return fail(ErrorCode::Format,
                    fmt::format("{}: machine/{} is missing or negative", fileName, lookup.wrong()),
                    "restore the file, or add the number with its source");
    }
    for (const Engine engine : {Engine::Tensor, Engine::Vector, Engine::Scalar, Engine::GpSimd}) {
        if (table.engine(engine).clockHz <= 0) {
            return fail(ErrorCode::Format,
                        fmt::format("{}: the clock of the {} engine is not positive", fileName,
                                    name(engine)),
                        "restore the file");
        }
    }
    if (table.dmaBytesPerSecond <= 0 || table.tensorPeakFlops <= 0)
        return fail(ErrorCode::Format, fileName + ": a peak rate is not positive",
                    "restore the file");
    return table;
}

} // namespace accelopt::nki
