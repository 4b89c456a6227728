// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Placement.h"

#include "core/nki/machine/LoopTree.h"

#include <algorithm>
#include <map>
#include <vector>

namespace accelopt::nki {

namespace {

constexpr std::int64_t kSmallestForScalarEngine =
    64; // below, the vector engine's small operations were seen

bool linear(AluOp op)
{
    return op == AluOp::None || op == AluOp::Multiply || op == AluOp::Add || op == AluOp::Subtract;
}

/// Readers and writers of each storage: how many, and one of each.
struct Uses
{
    std::int32_t writers = 0;
    std::int32_t readers = 0;
    std::int32_t writer = -1;
    std::int32_t reader = -1;
};

std::vector<Uses> usesOf(const Lowered &lowered)
{
    std::vector<Uses> uses(lowered.storages.size());
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        for (const Operand &input : lowered.inputsOf(i)) {
            Uses &use = uses[std::size_t(input.storage)];
            ++use.readers;
            use.reader = std::int32_t(n);
        }
        for (const Operand &output : lowered.outputsOf(i)) {
            Uses &use = uses[std::size_t(output.storage)];
            ++use.writers;
            use.writer = std::int32_t(n);
        }
    }
    return uses;
}

} // namespace

void placeOnEngines(Lowered &lowered)
{
    for (LoweredInstruction &i : lowered.instructions) {
        if (i.engine != Engine::Vector)
            continue;
        const auto inputs = lowered.inputsOf(i);
        if (i.opcode == Opcode::Copy) {
            if (lowered.storage(inputs[0]).memory == Memory::Psum)
                i.engine = Engine::Scalar;
            continue;
        }
        if (i.opcode != Opcode::TensorScalar)
            continue;
        const Parameters &p = lowered.parametersOf(i);
        if (linear(p.op0) && linear(p.op1) && p.reduceOp == AluOp::None &&
            lowered.pattern(inputs[0]).freeCount() >= kSmallestForScalarEngine)
            i.engine = Engine::Scalar;
    }
}

void placeInPsum(Lowered &lowered, const MachineTable &table)
{
    if (table.psumBanks <= 0)
        return;
    const bool products =
        std::ranges::any_of(lowered.instructions,
                            [](const LoweredInstruction &i) { return i.engine == Engine::Tensor; });
    if (products)
        return;
    const std::int64_t bank = table.psumBytesPerPartition / table.psumBanks;
    const int most = table.psumBanks / 2;
    const std::vector<Uses> uses = usesOf(lowered);
    std::vector<bool> served(lowered.instructions.size(), false);
    std::int32_t iteration = -1;
    int placed = 0;
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        if (i.iteration != iteration) {
            iteration = i.iteration;
            placed = 0;
        }
        if (placed >= most || i.outputs != 1 || i.iteration == 0 ||
            (i.engine != Engine::Scalar && i.opcode != Opcode::TensorTensor))
            continue;
        const StorageId id = lowered.outputsOf(i)[0].storage;
        Storage &storage = lowered.storages[std::size_t(id)];
        const Uses &use = uses[std::size_t(id)];
        if (storage.memory != Memory::Sbuf || storage.bytesPerPartition() > bank ||
            use.writers != 1 || use.readers != 1 || served[std::size_t(use.reader)] ||
            !onlyAffine(*lowered.program, i.iteration))
            continue;
        const LoweredInstruction &reader = lowered.instructions[std::size_t(use.reader)];
        if (reader.opcode != Opcode::TensorTensor || reader.engine != Engine::Vector ||
            reader.iteration != i.iteration)
            continue;
        storage.memory = Memory::Psum;
        served[std::size_t(use.reader)] = true;
        ++placed;
    }
}

void limitPsum(Lowered &lowered, const MachineTable &table)
{
    if (table.psumBanks <= 0)
        return;
    const std::int64_t bank = table.psumBytesPerPartition / table.psumBanks;
    const std::int64_t capacity = bank * (table.psumBanks / 2);
    const auto count = lowered.storages.size();
    std::vector<std::int32_t> lastAccess(count, -1);
    std::vector<bool> byTensorEngine(count, false);
    std::vector<bool> byGpSimd(count, false);
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        const auto touch = [&](const Operand &operand) {
            lastAccess[std::size_t(operand.storage)] = std::int32_t(n);
            if (i.engine == Engine::GpSimd)
                byGpSimd[std::size_t(operand.storage)] = true;
        };
        std::ranges::for_each(lowered.inputsOf(i), touch);
        for (const Operand &output : lowered.outputsOf(i)) {
            touch(output);
            if (i.engine == Engine::Tensor)
                byTensorEngine[std::size_t(output.storage)] = true;
        }
    }
    std::vector<bool> seen(count, false);
    std::multimap<std::int32_t, std::int64_t>
        live; // bytes by the position after which they are free
    std::int64_t used = 0;
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        while (!live.empty() && live.begin()->first < std::int32_t(n)) {
            used -= live.begin()->second;
            live.erase(live.begin());
        }
        for (const Operand &output : lowered.outputsOf(lowered.instructions[n])) {
            const auto s = std::size_t(output.storage);
            Storage &storage = lowered.storages[s];
            if (storage.memory != Memory::Psum || byTensorEngine[s] || seen[s])
                continue;
            seen[s] = true;
            if (byGpSimd[s]) {
                storage.memory = Memory::Sbuf;
                continue;
            }
            // Single elements share a bank (placePartialResults).
            const std::int64_t bytes = storage.freeElements == 1
                                           ? storage.bytesPerPartition()
                                           : (storage.bytesPerPartition() + bank - 1) / bank * bank;
            if (used + bytes > capacity) {
                storage.memory = Memory::Sbuf;
                continue;
            }
            used += bytes;
            live.emplace(lastAccess[s], bytes);
        }
    }
}

void placePartialResults(Lowered &lowered)
{
    const std::vector<Uses> uses = usesOf(lowered);
    for (const LoweredInstruction &i : lowered.instructions) {
        if (i.opcode != Opcode::Reduce || i.outputs != 1)
            continue;
        const StorageId id = lowered.outputsOf(i)[0].storage;
        Storage &storage = lowered.storages[std::size_t(id)];
        const Uses &use = uses[std::size_t(id)];
        if (storage.memory == Memory::Sbuf && storage.freeElements == 1 && use.readers == 1 &&
            lowered.instructions[std::size_t(use.reader)].opcode == Opcode::LoopReduce)
            storage.memory = Memory::Psum;
    }
}

} // namespace accelopt::nki
