// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Counters.h"

namespace accelopt::nki {

namespace {

constexpr double kNsPerSecond = 1e9;

constexpr std::array<std::pair<Engine, const char *>, 4> kEngineKeys = {
    {{Engine::Tensor, "tensor"},
     {Engine::Vector, "vector"},
     {Engine::Scalar, "scalar"},
     {Engine::GpSimd, "gpsimd"}}};

} // namespace

void Totals::add(const LoweredInstruction &i, const Work &w)
{
    work.busyNs += w.busyNs;
    work.fixedNs += w.fixedNs;
    work.flops += w.flops;
    work.transposeFlops += w.transposeFlops;
    work.hbmReadBytes += w.hbmReadBytes;
    work.hbmWriteBytes += w.hbmWriteBytes;
    work.spillReloadBytes += w.spillReloadBytes;
    work.spillSaveBytes += w.spillSaveBytes;
    work.sbufReadBytes += w.sbufReadBytes;
    work.sbufWriteBytes += w.sbufWriteBytes;
    work.psumReadBytes += w.psumReadBytes;
    work.psumWriteBytes += w.psumWriteBytes;
    work.smallRunBytes += w.smallRunBytes;
    const auto engine = std::size_t(i.engine);
    busyNs[engine] += w.busyNs;
    fixedNs[engine] += w.fixedNs;
    instructions[engine] += 1;
    if (i.engine == Engine::Tensor)
        matmulInstructions += 1;
    if (i.engine == Engine::Scalar)
        activateInstructions += 1;
    if (i.origin == Origin::InputReload)
        inputReloadBytes += w.hbmReadBytes;
}

std::map<std::string, double> counters(const Totals &totals, const Timing &timing,
                                       const MachineTable &table)
{
    const Work &work = totals.work;
    const double seconds = timing.latencyNs / kNsPerSecond;
    const double hbmBytes = work.hbmReadBytes + work.hbmWriteBytes;
    const double bandwidth = table.tensorPeakFlops / table.peakFlopsBandwidthRatio;

    std::map<std::string, double> c;
    c["total_time"] = seconds;
    c["hardware_flops"] = work.flops;
    c["transpose_flops"] = work.transposeFlops;
    c["hbm_read_bytes"] = work.hbmReadBytes;
    c["hbm_write_bytes"] = work.hbmWriteBytes;
    c["sbuf_read_bytes"] = work.sbufReadBytes;
    c["sbuf_write_bytes"] = work.sbufWriteBytes;
    c["psum_read_bytes"] = work.psumReadBytes;
    c["psum_write_bytes"] = work.psumWriteBytes;
    c["spill_reload_bytes"] = work.spillReloadBytes;
    c["spill_save_bytes"] = work.spillSaveBytes;
    c["peak_flops_bandwidth_ratio"] = table.peakFlopsBandwidthRatio;
    c["mm_arithmetic_intensity"] = hbmBytes > 0 ? (work.flops - work.transposeFlops) / hbmBytes : 0;
    c["hfu_estimated_percent"] = seconds > 0 ? work.flops / (table.tensorPeakFlops * seconds) : 0;
    c["mbu_estimated_percent"] = seconds > 0 ? hbmBytes / (bandwidth * seconds) : 0;
    c["matmul_instruction_count"] = totals.matmulInstructions;
    c["activate_instruction_count"] = totals.activateInstructions;
    for (const auto &[engine, key] : kEngineKeys) {
        const double active = timing.busyNs[std::size_t(engine)] / kNsPerSecond;
        const std::string prefix = std::string(key) + "_engine_";
        c[prefix + "active_time"] = active;
        c[prefix + "active_time_percent"] = seconds > 0 ? active / seconds : 0;
        c[prefix + "instruction_count"] = totals.instructions[std::size_t(engine)];
    }
    const double dma = timing.busyNs[std::size_t(Engine::Dma)] / kNsPerSecond;
    c["dma_active_time"] = dma;
    c["dma_active_time_percent"] = seconds > 0 ? dma / seconds : 0;
    c["dma_transfer_count"] = totals.instructions[std::size_t(Engine::Dma)];
    c["dma_transfer_total_bytes"] = hbmBytes;
    return c;
}

} // namespace accelopt::nki
