// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/KernelAudit.h"

#include "core/nki/program/Operations.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace accelopt::profiling {
namespace {

double counterOf(const Profile &profile, const char *name)
{
    const auto found = profile.counters.find(name);
    return found == profile.counters.end() ? 0 : found->second;
}

std::vector<LineShare> largest(std::vector<LineShare> lines, double whole, int top)
{
    std::erase_if(lines, [](const LineShare &line) { return line.amount <= 0; });
    for (LineShare &line : lines)
        line.share = whole > 0 ? line.amount / whole : 0;
    std::ranges::stable_sort(
        lines, [](const LineShare &a, const LineShare &b) { return a.amount > b.amount; });
    lines.resize(std::min(lines.size(), std::size_t(std::max(top, 0))));
    return lines;
}

Headroom headroomOf(const Task &task, const Profile &profile, const bench::DeviceRoof &device)
{
    Headroom headroom;
    headroom.theory = bench::roofline(task, device);
    if (headroom.theory && headroom.theory->peakMs > 0)
        headroom.speedupAtTheory = profile.latencyMs / headroom.theory->peakMs;
    const double bytes =
        counterOf(profile, "hbm_read_bytes") + counterOf(profile, "hbm_write_bytes");
    headroom.ownWorkMs["memory"] = bytes / (device.hbmGBPerSecond.value * 1e6);
    if (const auto peak = device.tensorTflops.find(task.matmulDtype);
        peak != device.tensorTflops.end()) {
        // The counter has a product of float32 twice: it runs in two passes.
        const double passes = task.matmulDtype == "float32" ? 2 : 1;
        headroom.ownWorkMs["tensor"] =
            counterOf(profile, "hardware_flops") / passes / (peak->second.value * 1e9);
    }
    double busiest = 0;
    for (const char *engine :
         {"vector_engine_active_time_percent", "scalar_engine_active_time_percent",
          "gpsimd_engine_active_time_percent"})
        busiest = std::max(busiest, counterOf(profile, engine));
    headroom.ownWorkMs["vector"] = busiest * profile.latencyMs;
    const auto most = std::ranges::max_element(headroom.ownWorkMs, {},
                                               [](const auto &one) { return one.second; });
    headroom.bound = most->first;
    headroom.speedupAtBound = most->second > 0 ? profile.latencyMs / most->second : 0;
    return headroom;
}

/// What a kernel has that the check or the model treat in a way of their own.
struct KernelFeatures
{
    std::set<std::string> functions; ///< of the scalar engine's tables
    std::set<std::string> types;     ///< narrower than float32
    bool products = false;
    bool sums = false;
    bool masks = false;
    bool sequential = false;
    bool spills = false;
    bool programs = false;
    bool gpSimd = false;
    bool skipsMiddleEnd = false;
};

bool isTabulated(nki::ActivationFunction function)
{
    using enum nki::ActivationFunction;
    switch (function) {
    case Copy:
    case Square:
    case Relu:
    case Sign:
    case Abs:
    case Floor:
    case Ceil:
    case LogicalNot:
    case Negative: return false;
    default: return true;
    }
}

KernelFeatures featuresOf(const nki::Program &program, const Profile &profile)
{
    KernelFeatures features;
    features.skipsMiddleEnd = program.skipsMiddleEnd;
    features.spills = counterOf(profile, "spill_reload_bytes") > 0;
    for (const nki::Storage &storage : program.storages)
        if (nki::isFloat(storage.dtype) && storage.dtype != nki::DType::Float32)
            features.types.emplace(nki::name(storage.dtype));
    for (const nki::Iteration &iteration : program.iterations) {
        features.sequential = features.sequential || iteration.kind == nki::LoopKind::Sequential;
        features.programs =
            features.programs || (iteration.kind == nki::LoopKind::Program && iteration.index > 0);
    }
    for (const nki::Instruction &instruction : program.instructions) {
        features.masks = features.masks || instruction.mask >= 0;
        features.gpSimd = features.gpSimd || instruction.engine == nki::Engine::GpSimd;
        features.products = features.products || instruction.opcode == nki::Opcode::Matmul;
        features.sums = features.sums || instruction.opcode == nki::Opcode::Reduce ||
                        instruction.opcode == nki::Opcode::LoopReduce ||
                        instruction.opcode == nki::Opcode::PartitionReduce;
        if (instruction.opcode == nki::Opcode::Activation) {
            const nki::ActivationFunction function = program.parametersOf(instruction).function;
            if (isTabulated(function))
                features.functions.emplace(nki::name(function));
        }
    }
    return features;
}

std::string joined(const std::set<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// What holds for every kernel: how the layers of the check and the model work.
void addLimitsOfTheCheck(const Verdict &verdict, std::vector<BlindSpot> &spots)
{
    const auto share = verdict.figures.find("checked_share");
    if (share == verdict.figures.end())
        spots.push_back({"the numbers were not compared at all", "the check was left away",
                         "run `accelopt check`", false});
    else if (share->second < 1)
        spots.push_back(
            {fmt::format("{:.3g} % of the result was not computed", 100 * (1 - share->second)),
             "the quick check computes stores that are drawn anew each time",
             "`accelopt check "
             "--full` compares every element",
             false});
    spots.push_back(
        {"inputs other than the task's",
         "numbers are compared on drawn inputs and the task's designed ones; infinities, "
         "NaN and values of other sizes are not tried",
         "add an input suite to the task for what your model really feeds in", false});
    spots.push_back({"shapes other than this one",
                     "a kernel is traced for the shape of the task and no other",
                     "check it at `--shape lab` or in a task of your own, too", false});
    spots.push_back(
        {"whether the Neuron compiler takes it",
         "the rules that NKI documents are checked; the compiler has more, and limits of "
         "its own",
         "`--on HOST` with a Neuron SDK", false});
    spots.push_back({"the latency that hardware shows",
                     "it is computed by a cost model: see the interval; clocks, temperature and "
                     "neighbours on the chip are not in it",
                     "measure the kernel before and after", false});
}

/// What this kernel does that is seen less exactly.
void addLimitsOfTheKernel(const KernelFeatures &features, std::vector<BlindSpot> &spots)
{
    const auto add = [&](bool has, std::string what, std::string why, std::string then) {
        if (has)
            spots.push_back({std::move(what), std::move(why), std::move(then), true});
    };
    add(!features.functions.empty(),
        fmt::format("the last digits of {}", joined(features.functions)),
        "the scalar engine interpolates in tables; the simulator computes these functions in full "
        "single precision",
        "leave room in the tolerance, or measure");
    add(features.products || features.sums, "the order in which sums are added up",
        "the engines add in an order of their own, and float32 products run in two passes; the "
        "simulator adds in another order",
        "differences of some 1e-6 of a row's size say nothing");
    add(!features.types.empty(), fmt::format("arithmetic in {}", joined(features.types)),
        "values are rounded when they are written; what an engine keeps between two steps is not "
        "modelled, and no measured kernel of these types stands behind the latency",
        "trust latency and tolerance less");
    add(features.masks, "what masked instructions leave behind",
        "elements outside a mask keep what was there; hardware may leave other contents in tiles "
        "that nobody has written",
        "do not rely on them: the check follows them only into the result");
    add(features.sequential, "how far passes of sequential loops overlap",
        "the model lets the engines run ahead over a turn of the loop by a fitted amount",
        "compare kernels with the same kind of loop");
    add(features.spills, "which tiles the compiler spills",
        "the model drops the tile used latest; the compiler has a rule of its own",
        "what the findings say about spills matters more than the number of bytes");
    add(features.programs, "programs of a launch grid running at the same time",
        "they are run one after the other, so that two programs that write the same place are not "
        "noticed by their timing",
        "let each program write places of its own");
    add(features.gpSimd, "the GpSimd engine's shared port",
        "it shares memory ports with the vector engine on hardware; in the model both run freely",
        "measure before relying on a gain by moving work there");
    add(features.skipsMiddleEnd, "what the compiler would do",
        "the kernel switches the compiler's own optimisations off, and so does the model",
        "nothing");
}

} // namespace

KernelAudit auditKernel(const Task &task, const Verdict &verdict, const Profile &profile,
                        const KernelStudy &study, const bench::DeviceRoof &device, int top)
{
    KernelAudit audit;
    audit.headroom = headroomOf(task, profile, device);
    std::vector<LineShare> bytes;
    double allBytes = 0;
    for (const LineCost &line : profile.lines) {
        bytes.push_back({line.line, line.dmaBytes, 0});
        allBytes += line.dmaBytes;
    }
    audit.byBytes = largest(std::move(bytes), allBytes, top);
    std::vector<LineShare> times;
    for (const nki::LineTime &line : study.timeline.lines)
        times.push_back({line.line, line.criticalNs, 0});
    audit.byTime =
        largest(std::move(times), study.timeline.latencyNs - study.timeline.launchNs, top);
    addLimitsOfTheCheck(verdict, audit.blindSpots);
    addLimitsOfTheKernel(featuresOf(study.program, profile), audit.blindSpots);
    return audit;
}

} // namespace accelopt::profiling
