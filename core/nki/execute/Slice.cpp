// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Slice.h"

#include "core/nki/program/MaskWalk.h"

#include <algorithm>

namespace accelopt::nki {

std::vector<InstructionId> sliceBehind(const Program &program, const Dependences &dependences,
                                       std::span<const InstructionId> stores)
{
    std::vector<bool> seen(program.instructions.size());
    std::vector<InstructionId> found;
    const auto add = [&](InstructionId id) {
        if (id < 0 || std::size_t(id) >= seen.size() || seen[std::size_t(id)])
            return;
        seen[std::size_t(id)] = true;
        found.push_back(id);
    };
    for (const InstructionId id : stores)
        add(id);
    for (std::size_t next = 0; next < found.size(); ++next)
        for (const InstructionId producer : dependences.producers(found[next]))
            add(producer);
    std::sort(found.begin(), found.end());
    return found;
}

Slice Slice::of(const Program &program, const Dependences &dependences,
                std::span<const InstructionId> stores)
{
    Slice slice;
    slice.instructions = sliceBehind(program, dependences, stores);
    slice.wanted.resize(program.instructions.size());
    for (const InstructionId id : stores)
        if (id >= 0 && std::size_t(id) < slice.wanted.size())
            slice.wanted[std::size_t(id)] = true;
    slice.lastUse.assign(program.storages.size(), kNoInstruction);
    slice.read.resize(program.storages.size());
    for (const InstructionId id : slice.instructions) {
        const Instruction &instruction = program.instructions[std::size_t(id)];
        for (const Operand &output : program.outputsOf(instruction)) {
            slice.lastUse[std::size_t(output.storage)] = id;
            if (readsDestination(program, instruction))
                slice.read[std::size_t(output.storage)] = true;
        }
        for (const Operand &input : program.inputsOf(instruction)) {
            slice.lastUse[std::size_t(input.storage)] = id;
            slice.read[std::size_t(input.storage)] = true;
        }
    }
    return slice;
}

double flopsOf(const Program &program, const Instruction &instruction)
{
    const auto outputs = program.outputsOf(instruction);
    const auto inputs = program.inputsOf(instruction);
    const double out = outputs.empty() ? 0.0 : double(program.pattern(outputs[0]).count());
    const double in = inputs.empty() ? 0.0 : double(program.pattern(inputs[0]).count());
    switch (instruction.opcode) {
    case Opcode::Load:
    case Opcode::Store:
    case Opcode::DmaCopy:
    case Opcode::Copy:
    case Opcode::Memset:
    case Opcode::Transpose:
    case Opcode::PartitionBroadcast:
    case Opcode::Shuffle:
    case Opcode::Iota: return 0.0;
    case Opcode::Matmul:
        return inputs.empty() ? 0.0 : 2.0 * out * double(program.pattern(inputs[0]).partitions());
    case Opcode::TensorScalar:
        return program.parametersOf(instruction).op1 == AluOp::None ? out : 2.0 * out;
    case Opcode::ScalarTensorTensor:
    case Opcode::Scan: return 2.0 * out;
    default: return std::max(out, in);
    }
}

} // namespace accelopt::nki
