// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Findings.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

constexpr double kSpillShare = 0.25;
constexpr double kReloadShare = 0.25;
constexpr double kTransposeShare = 0.10;
constexpr double kSmallRunShare = 0.25;
constexpr double kBusyShare = 0.60;
constexpr double kFixedShare = 0.40;
constexpr double kNoticeableShare =
    0.20; ///< of the latency, below which an engine's habits do not matter
constexpr double kIdleShare = 0.10;

const char *engineTitle(Engine engine)
{
    switch (engine) {
    case Engine::Tensor: return "tensor engine";
    case Engine::Vector: return "vector engine";
    case Engine::Scalar: return "scalar engine";
    case Engine::GpSimd: return "GpSimd engine";
    case Engine::Dma: return "DMA";
    }
    return "engine";
}

const char *busyAdvice(Engine engine)
{
    switch (engine) {
    case Engine::Tensor:
        return "avoid transposes, use wide moving tiles (512 columns), or a 2-byte type if the "
               "tolerance allows";
    case Engine::Vector:
        return "combine elementwise instructions, move scales, shifts and functions to the scalar "
               "engine, or "
               "keep one operand of each tensor_tensor in PSUM";
    case Engine::Scalar:
        return "fold scale and bias into activations, and move copies to the vector engine";
    case Engine::GpSimd: return "move its instructions to the vector or scalar engine";
    case Engine::Dma:
        return "read each input once, keep tiles in SBUF between loops, and use runs of 2 KiB and "
               "more";
    }
    return "";
}

class Rules
{
public:
    Rules(const Totals &totals, const Timing &timing, const MachineTable &table,
          const std::vector<PlaceCosts> &byPlace, const std::vector<SourcePlace> &places)
        : m_totals(totals),
          m_timing(timing),
          m_table(table),
          m_byPlace(byPlace),
          m_places(places)
    {}

    std::vector<Finding> run()
    {
        traffic();
        transposes();
        engines();
        outsideFit();
        std::ranges::stable_sort(
            m_found, [](const Weighted &a, const Weighted &b) { return a.weight > b.weight; });
        std::vector<Finding> result;
        for (Weighted &weighted : m_found)
            result.push_back(std::move(weighted.finding));
        return result;
    }

private:
    struct Weighted
    {
        double weight; ///< nanoseconds at stake, roughly
        Finding finding;
    };

    template <typename Amount> SourcePlace worst(Amount &&amount) const
    {
        double most = 0;
        SourcePlace place;
        for (std::size_t p = 0; p < m_byPlace.size(); ++p)
            if (amount(m_byPlace[p]) > most) {
                most = amount(m_byPlace[p]);
                place = m_places[p];
            }
        return place;
    }

    double dmaNs(double bytes) const
    {
        const double all = m_totals.work.dmaBytes();
        return all > 0 ? m_totals.busyNs[std::size_t(Engine::Dma)] * bytes / all : 0;
    }

    void traffic()
    {
        const Work &work = m_totals.work;
        const double reads = work.hbmReadBytes;
        if (reads > 0 && work.spillReloadBytes > kSpillShare * reads) {
            m_found.push_back(
                {dmaNs(work.spillReloadBytes + work.spillSaveBytes),
                 {"spill",
                  fmt::format("spill reloads are {:.0f} % of HBM reads (threshold {:.0f} %)",
                              100 * work.spillReloadBytes / reads, 100 * kSpillShare),
                  fmt::format("the live tiles exceed the {} KiB per partition that SBUF holds",
                              m_table.spillCapacityBytesPerPartition / 1024),
                  "use results in the loop that makes them, make tiles smaller, or change the loop "
                  "order so "
                  "that less is alive at once",
                  worst([](const PlaceCosts &c) { return c.spillBytes; })}});
        }
        if (reads > 0 && m_totals.inputReloadBytes > kReloadShare * reads) {
            m_found.push_back(
                {dmaNs(m_totals.inputReloadBytes),
                 {"input_reload",
                  fmt::format("inputs loaded again are {:.0f} % of HBM reads (threshold {:.0f} %)",
                              100 * m_totals.inputReloadBytes / reads, 100 * kReloadShare),
                  "input tiles do not stay in SBUF until their next use",
                  "block the loops so that a tile is used completely while it is there",
                  worst([](const PlaceCosts &c) { return c.dmaBytes; })}});
        }
        const double bytes = work.dmaBytes();
        if (bytes > 0 && work.smallRunBytes > kSmallRunShare * bytes) {
            m_found.push_back(
                {dmaNs(work.smallRunBytes),
                 {"small_transfers",
                  fmt::format(
                      "{:.0f} % of the bytes move in runs below {:.0f} bytes (threshold {:.0f} %)",
                      100 * work.smallRunBytes / bytes, m_table.dmaSmallRunBytes,
                      100 * kSmallRunShare),
                  "each partition's row of a tile is one descriptor, and short ones waste the DMA "
                  "engines",
                  "load more neighbouring elements at once: at least 512, better 2048 bytes per "
                  "partition",
                  worst([](const PlaceCosts &c) { return c.smallRunBytes; })}});
        }
    }

    void transposes()
    {
        const Work &work = m_totals.work;
        if (work.flops <= 0 || work.transposeFlops <= kTransposeShare * work.flops)
            return;
        m_found.push_back(
            {m_totals.busyNs[std::size_t(Engine::Tensor)] * work.transposeFlops / work.flops,
             {"transposes",
              fmt::format("transposes are {:.0f} % of hardware flops (threshold {:.0f} %)",
                          100 * work.transposeFlops / work.flops, 100 * kTransposeShare),
              "operands are turned on the tensor engine before they can be multiplied",
              "load the operand in the layout the product needs, transpose it once outside the "
              "loop, or swap "
              "the operands of the product",
              worst([](const PlaceCosts &c) { return c.transposeFlops; })}});
    }

    void engines()
    {
        auto busiest = Engine::Tensor;
        for (int e = 0; e < kEngineCount; ++e)
            if (m_timing.busyNs[std::size_t(e)] > m_timing.busyNs[std::size_t(busiest)])
                busiest = Engine(e);
        const auto share = [this](Engine engine) {
            return m_timing.latencyNs > 0
                       ? m_timing.busyNs[std::size_t(engine)] / m_timing.latencyNs
                       : 0;
        };
        for (int e = 0; e < kEngineCount; ++e) {
            const auto engine = Engine(e);
            const auto index = std::size_t(e);
            const auto ownTime = [index](const PlaceCosts &c) { return c.busyNs[index]; };
            if (share(engine) > kBusyShare) {
                m_found.push_back(
                    {m_timing.busyNs[index],
                     {"busy_engine",
                      fmt::format("{} busy {:.0f} % of the latency (threshold {:.0f} %)",
                                  engineTitle(engine), 100 * share(engine), 100 * kBusyShare),
                      fmt::format("the {} has more to do than the others", engineTitle(engine)),
                      busyAdvice(engine), worst(ownTime)}});
            }
            const double fixed = m_totals.fixedNs[index];
            const double busy = m_totals.busyNs[index];
            if (engine != Engine::Dma && share(engine) > kNoticeableShare &&
                fixed > kFixedShare * busy) {
                m_found.push_back(
                    {fixed,
                     {"fixed_overhead",
                      fmt::format(
                          "{:.0f} % of the {}'s busy time is fixed cost of its instructions "
                          "(threshold {:.0f} %)",
                          100 * fixed / busy, engineTitle(engine), 100 * kFixedShare),
                      fmt::format("{:.0f} instructions, {:.0f} ns each on average",
                                  m_totals.instructions[index],
                                  busy / m_totals.instructions[index]),
                      "work on more elements per instruction: wider tiles, fewer and larger slices",
                      worst(ownTime)}});
            }
        }
        const bool vectorLike = busiest == Engine::Vector || busiest == Engine::Scalar;
        const Engine other = busiest == Engine::Vector ? Engine::Scalar : Engine::Vector;
        if (vectorLike && share(busiest) > kBusyShare && share(other) < kIdleShare) {
            m_found.push_back(
                {m_timing.busyNs[std::size_t(busiest)] / 2,
                 {"idle_engine",
                  fmt::format("{} busy {:.0f} % while the {} is busy {:.0f} % (threshold {:.0f} %)",
                              engineTitle(busiest), 100 * share(busiest), engineTitle(other),
                              100 * share(other), 100 * kIdleShare),
                  "elementwise work is on one engine only",
                  fmt::format("give the {} a part of it", engineTitle(other)),
                  worst(
                      [busiest](const PlaceCosts &c) { return c.busyNs[std::size_t(busiest)]; })}});
        }
    }

    void outsideFit()
    {
        const double latencyMs = m_timing.latencyNs / 1e6;
        if (latencyMs >= m_table.fittedFromMs)
            return;
        m_found.push_back(
            {0,
             {"outside_fit",
              fmt::format("latency {:.3f} ms is below {:.1f} ms", latencyMs, m_table.fittedFromMs),
              "the model was fitted on longer kernels; the launch alone is taken as "
              "a fixed cost here",
              "trust the order of two such kernels less than usual",
              {}}});
    }

    const Totals &m_totals;
    const Timing &m_timing;
    const MachineTable &m_table;
    const std::vector<PlaceCosts> &m_byPlace;
    const std::vector<SourcePlace> &m_places;
    std::vector<Weighted> m_found;
};

} // namespace

std::vector<Finding> findings(const Totals &totals, const Timing &timing, const MachineTable &table,
                              const std::vector<PlaceCosts> &byPlace,
                              const std::vector<SourcePlace> &places)
{
    return Rules(totals, timing, table, byPlace, places).run();
}

std::vector<Finding> uncalibratedTypes(const Lowered &lowered)
{
    for (const Storage &storage : lowered.storages) {
        if (storage.memory == Memory::Hbm || !isFloat(storage.dtype) ||
            byteSize(storage.dtype) != 2)
            continue;
        SourcePlace place;
        if (storage.tensor >= 0)
            place = lowered.program->tensors[std::size_t(storage.tensor)].place;
        return {{"uncalibrated_types", fmt::format("tiles of {}", name(storage.dtype)),
                 "none of the measured kernels that the model was fitted on uses such tiles; "
                 "their rates are the documented ones",
                 "trust the order of two such kernels less than usual", place}};
    }
    return {};
}

} // namespace accelopt::nki
