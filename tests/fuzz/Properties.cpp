// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/Properties.h"

#include "core/nki/execute/Executor.h"
#include "core/nki/program/MaskWalk.h"
#include "core/nki/trace/Tracer.h"
#include "tests/fuzz/KernelGenerator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <random>

namespace accelopt::tests {

namespace {

/// Large enough for every kernel that the generator writes, small enough for many of them.
constexpr nki::TraceLimits kFuzzLimits{
    .instructions = 20'000, .steps = 1'000'000, .storages = 20'000, .callDepth = 32};
/// Values and work up to which a program is carried out.
constexpr std::int64_t kMostElements = 1'000'000;
constexpr double kMostFlops = 2e7;

std::string brokenReason(const Reason &reason, std::string_view of)
{
    constexpr std::size_t kLongest = 4000;
    if (reason.rule.empty())
        return fmt::format("{}: no rule: {}", of, reason.message);
    if (reason.message.empty())
        return fmt::format("{}: {} has no words", of, reason.rule);
    if (reason.message.size() + reason.hint.size() > kLongest)
        return fmt::format("{}: the message of {} has {} letters", of, reason.rule,
                           reason.message.size());
    if (reason.place.line < 1)
        return fmt::format("{}: {} has no line: {}", of, reason.rule, reason.message);
    return {};
}

bool sameOperands(const nki::Program &a, const nki::Program &b)
{
    if (a.operands.size() != b.operands.size())
        return false;
    for (std::size_t i = 0; i < a.operands.size(); ++i)
        if (a.operands[i].storage != b.operands[i].storage ||
            a.operands[i].offset != b.operands[i].offset ||
            !(a.pattern(a.operands[i]) == b.pattern(b.operands[i])))
            return false;
    return true;
}

bool sameProgram(const nki::Program &a, const nki::Program &b)
{
    if (a.instructions.size() != b.instructions.size() || a.masks != b.masks ||
        a.outputs != b.outputs || a.printed != b.printed ||
        a.storages.size() != b.storages.size() || a.iterations.size() != b.iterations.size())
        return false;
    for (std::size_t i = 0; i < a.instructions.size(); ++i) {
        const nki::Instruction &x = a.instructions[i];
        const nki::Instruction &y = b.instructions[i];
        // Constants may be NaN, which equals nothing: compared by their bits elsewhere.
        if (x.opcode != y.opcode || x.engine != y.engine || x.mask != y.mask ||
            x.iteration != y.iteration || x.firstOperand != y.firstOperand ||
            a.placeOf(x) != b.placeOf(y))
            return false;
    }
    return sameOperands(a, b);
}

using Stored = std::map<nki::InstructionId, std::vector<float>>;

Result<Stored> carryOut(const nki::Program &program, const nki::Dependences &dependences,
                        const std::vector<nki::InstructionId> &stores,
                        const std::vector<nki::InputData> &inputs)
{
    Stored stored;
    ACCELOPT_CHECK(nki::Executor(program, dependences)
                       .run(stores, inputs, [&](const nki::StoredRegion &region) {
                           stored[region.instruction].assign(region.values.begin(),
                                                             region.values.end());
                           return true;
                       }));
    return stored;
}

bool sameBits(float a, float b)
{
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

} // namespace

Properties::Properties() : m_machine(nki::Machine::load("trn1")) {}

void Properties::note(std::uint64_t kind, std::uint64_t first, std::uint64_t second)
{
    m_behaviour.insert((kind * 1099511628211ull ^ first) * 1099511628211ull ^ second);
}

std::string Properties::brokenOnDemand(const nki::Program &program,
                                       const nki::Dependences &dependences, std::uint64_t seed)
{
    std::int64_t elements = 0;
    for (const nki::Storage &storage : program.storages)
        elements += storage.elements();
    std::vector<nki::InstructionId> all;
    for (const auto &writers : dependences.outputWriters())
        all.insert(all.end(), writers.begin(), writers.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const nki::Executor executor(program, dependences);
    if (elements > kMostElements || all.empty() || executor.sliceCost(all) > kMostFlops)
        return {};

    std::mt19937_64 random(seed);
    std::vector<std::vector<float>> values;
    std::vector<nki::InputData> inputs;
    for (const nki::TraceArgument &argument : KernelGenerator::arguments()) {
        std::int64_t count = 1;
        for (const std::int64_t size : argument.shape)
            count *= size;
        auto &input = values.emplace_back(std::size_t(count));
        for (float &value : input)
            value = float(random() % 4001) / 1000.0F - 2.0F;
        inputs.push_back({input.data(), count});
    }
    const Result<Stored> full = carryOut(program, dependences, all, inputs);
    if (!full) // named by the check, too
        return dependences.problems().empty() ? "cannot be carried out: " + describe(full.error())
                                              : std::string();
    ++m_executed;
    std::vector<nki::InstructionId> some;
    for (const nki::InstructionId id : all)
        if (random() % 3 == 0)
            some.push_back(id);
    if (some.empty())
        some.push_back(all[random() % all.size()]);
    if (executor.sliceCost(some) > executor.sliceCost(all) * (1 + 1e-9))
        return "a part costs more than the whole";
    const Result<Stored> part = carryOut(program, dependences, some, inputs);
    if (!part)
        return "a part cannot be carried out: " + describe(part.error());
    for (const nki::InstructionId id : some) {
        const auto whole = full->find(id);
        const auto again = part->find(id);
        if (whole == full->end() || again == part->end())
            return fmt::format("instruction {} stored nothing", id);
        if (whole->second.size() != again->second.size())
            return fmt::format("instruction {} stored {} and {} values", id, whole->second.size(),
                               again->second.size());
        const nki::Instruction &instruction = program.instructions[std::size_t(id)];
        std::string difference;
        const auto compare = [&](std::int64_t n) {
            const auto at = std::size_t(n);
            if (difference.empty() && at < whole->second.size() &&
                !sameBits(whole->second[at], again->second[at]))
                difference = fmt::format(
                    "value {} of instruction {} (line {}) is {} in full and {} on demand", n, id,
                    program.placeOf(instruction).line, whole->second[at], again->second[at]);
        };
        if (instruction.mask >= 0)
            nki::forEachSelected(program.masks[std::size_t(instruction.mask)],
                                 program.pattern(program.outputsOf(instruction).front()), compare);
        else
            for (std::size_t n = 0; n < whole->second.size(); ++n)
                compare(std::int64_t(n));
        if (!difference.empty())
            return difference;
    }
    return {};
}

std::string Properties::broken(const nki::SyntaxTree &tree, std::uint64_t seed)
{
    m_behaviour.clear();
    if (!m_machine)
        return describe(m_machine.error());
    nki::TraceRequest request;
    request.arguments = KernelGenerator::arguments();
    request.limits = kFuzzLimits;
    const auto program = nki::trace(tree, request);
    const auto again = nki::trace(tree, request);
    if (program.has_value() != again.has_value())
        return "tracing twice gives a program once";
    if (!program) {
        const nki::TraceFailure &failure = program.error();
        note(1, std::hash<std::string>{}(failure.reason.rule), std::uint64_t(failure.status));
        // The first words of a message tell its kind; the rest are values.
        note(2, std::hash<std::string>{}(failure.reason.message.substr(0, 16)));
        if (failure.status == VerdictStatus::Correct)
            return "a failure is called correct";
        if (failure.reason.message != again.error().reason.message ||
            failure.reason.place != again.error().reason.place)
            return "tracing twice gives two messages: " + failure.reason.message;
        return brokenReason(failure.reason, "trace");
    }
    ++m_traced;
    if (!sameProgram(*program, *again))
        return "tracing twice gives two programs";
    std::uint64_t before = 99;
    for (const nki::Instruction &instruction : program->instructions) {
        const std::uint64_t is = std::uint64_t(instruction.opcode) * 8 +
                                 std::uint64_t(instruction.engine) +
                                 (instruction.mask >= 0 ? 4096u : 0u);
        note(3, before, is);
        before = is;
        const nki::Parameters &parameters = program->parametersOf(instruction);
        note(4, is,
             std::uint64_t(parameters.op0) * 64 + std::uint64_t(parameters.op1) +
                 std::uint64_t(parameters.function) * 4096);
        note(5, is, std::uint64_t(program->storage(program->outputsOf(instruction)[0]).dtype));
    }
    for (const Reason &warning : program->warnings)
        if (std::string words = brokenReason(warning, "warning"); !words.empty())
            return words;

    const nki::Dependences dependences = nki::analyse(*program);
    const nki::Dependences twice = nki::analyse(*program);
    for (nki::InstructionId id = 0; id < nki::InstructionId(program->instructions.size()); ++id) {
        const auto producers = dependences.producers(id);
        const auto same = twice.producers(id);
        if (!std::equal(producers.begin(), producers.end(), same.begin(), same.end()))
            return "checking twice gives two answers";
        for (const nki::InstructionId producer : producers)
            if (producer >= id || producer < 0)
                return fmt::format("instruction {} reads what {} makes later", id, producer);
    }
    for (const Reason &problem : dependences.problems()) {
        note(6, std::hash<std::string>{}(problem.rule));
        if (std::string words = brokenReason(problem, "check"); !words.empty())
            return words;
    }
    if (std::string words = brokenOnDemand(*program, dependences, seed); !words.empty())
        return words;
    const Profile profile = nki::simulate(*program, dependences, *m_machine);
    if (!std::isfinite(profile.latencyMs) || profile.latencyMs < 0)
        return fmt::format("the machine gives a latency of {} ms", profile.latencyMs);
    for (const auto &[counter, value] : profile.counters)
        if (!std::isfinite(value))
            return fmt::format("the machine gives {} = {}", counter, value);
    return {};
}

} // namespace accelopt::tests
