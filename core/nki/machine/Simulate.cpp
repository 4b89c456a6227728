// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/CompilerModel.h"
#include "core/nki/machine/Counters.h"
#include "core/nki/machine/Findings.h"
#include "core/nki/machine/Fusion.h"
#include "core/nki/machine/Latency.h"
#include "core/nki/machine/LoadSinking.h"
#include "core/nki/machine/LoopFusion.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/machine/MaskedProducts.h"
#include "core/nki/machine/Placement.h"
#include "core/nki/machine/Sharing.h"
#include "core/nki/machine/Simulation.h"
#include "core/nki/machine/Spill.h"
#include "core/nki/machine/Work.h"

#include <map>
#include <utility>

namespace accelopt::nki {

namespace {

std::vector<LineCost> costsByLine(const std::vector<PlaceCosts> &byPlace,
                                  const std::vector<SourcePlace> &places)
{
    std::map<int, LineCost> lines;
    for (std::size_t p = 0; p < byPlace.size(); ++p) {
        const PlaceCosts &costs = byPlace[p];
        if (costs.instructions == 0)
            continue;
        LineCost &line = lines[places[p].line];
        line.line = places[p].line;
        line.instructions += costs.instructions;
        line.dmaBytes += costs.dmaBytes;
        line.flops += costs.flops;
        for (const double busy : costs.busyNs)
            line.busyNs += busy;
    }
    std::vector<LineCost> result;
    result.reserve(lines.size());
    for (const auto &[number, line] : lines)
        result.push_back(line);
    return result;
}

} // namespace

Lowered compile(const Program &program, const MachineTable &table)
{
    Lowered lowered = lower(program);
    widenMaskedProducts(lowered);
    if (!program.skipsMiddleEnd) {
        const std::vector<bool> asWritten = sinkLoads(lowered, table);
        fuseLoops(lowered, table);
        shareValues(lowered, table, asWritten);
        bypassCopies(lowered);
        fuse(lowered);
        placeOnEngines(lowered);
        placePartialResults(lowered);
        placeInPsum(lowered, table);
    }
    limitPsum(lowered, table);
    spill(lowered, table);
    return lowered;
}

void reprice(Simulation &simulation, const MachineTable &table)
{
    const Lowered &lowered = simulation.lowered;
    simulation.work.clear();
    simulation.work.reserve(lowered.instructions.size());
    simulation.totals = {};
    Exposure exposure(*lowered.program, crowdedPasses(lowered, table));
    for (const LoweredInstruction &i : lowered.instructions) {
        const Work work = workOf(lowered, i, table);
        simulation.totals.add(i, work);
        exposure.add(i.iteration, i.engine, work.busyNs);
        simulation.work.push_back(work);
    }
    simulation.schedule = schedule(lowered, simulation.work, table);
    simulation.timing = closedFormTiming(simulation.totals, exposure.ns(table), table);
    const double scheduledNs = table.launchNs + simulation.schedule.spanNs;
    simulation.timing.latencyNs +=
        table.scheduleShare * (scheduledNs - simulation.timing.latencyNs);
}

Simulation runSimulation(const Program &program, const MachineTable &table)
{
    Simulation simulation;
    simulation.lowered = compile(program, table);
    reprice(simulation, table);
    return simulation;
}

Profile simulate(const Program &program, const Dependences &, const Machine &machine)
{
    const MachineTable &table = machine.table();
    const Simulation simulation = runSimulation(program, table);
    const Timing &timing = simulation.timing;

    std::vector<PlaceCosts> byPlace(program.places.size());
    for (std::size_t n = 0; n < simulation.work.size(); ++n) {
        const LoweredInstruction &i = simulation.lowered.instructions[n];
        const Work &work = simulation.work[n];
        if (std::size_t(i.place) >= byPlace.size())
            continue;
        PlaceCosts &costs = byPlace[std::size_t(i.place)];
        costs.instructions += 1;
        costs.dmaBytes += work.dmaBytes();
        costs.flops += work.flops;
        costs.transposeFlops += work.transposeFlops;
        costs.spillBytes += work.spillReloadBytes + work.spillSaveBytes;
        costs.smallRunBytes += work.smallRunBytes;
        costs.busyNs[std::size_t(i.engine)] += work.busyNs;
    }

    Profile profile;
    profile.device = machine.device();
    profile.simulated = true;
    profile.modelVersion = Machine::modelVersion();
    profile.tableHash = machine.tableHash();
    profile.latencyMs = timing.latencyNs / 1e6;
    profile.intervalMs = latencyInterval(profile.latencyMs, table);
    profile.tieMargin = table.tieMargin;
    profile.counters = counters(simulation.totals, timing, table);
    profile.lines = costsByLine(byPlace, program.places);
    profile.findings = findings(simulation.totals, timing, table, byPlace, program.places);
    for (Finding &finding : uncalibratedTypes(simulation.lowered))
        profile.findings.push_back(std::move(finding));
    return profile;
}

} // namespace accelopt::nki
