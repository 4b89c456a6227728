// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Lowered.h"

#include <algorithm>

namespace accelopt::nki {

namespace {

constexpr std::int64_t kPsumTileElements = 512; // fp32 elements of a bank
constexpr std::int32_t kPartitions = 128;

AccessPattern box(std::int64_t partitions, std::int64_t rowStride, std::int64_t free)
{
    AccessPattern pattern;
    pattern.rank = 2;
    pattern.size = {partitions, free};
    pattern.stride = {rowStride, 1};
    return pattern;
}

/// The columns [first, first + count) of a pattern with one free axis.
Operand columns(Lowered &lowered, const Operand &operand, std::int64_t first, std::int64_t count)
{
    AccessPattern pattern = lowered.pattern(operand);
    Operand part = operand;
    const auto last = std::size_t(pattern.rank - 1);
    part.offset += first * pattern.stride[last];
    pattern.size[last] = count;
    part.pattern = lowered.patterns.intern(pattern);
    return part;
}

void lowerBroadcast(Lowered &lowered, const LoweredInstruction &broadcast)
{
    const Operand output = lowered.outputsOf(broadcast)[0];
    const Operand input = lowered.inputsOf(broadcast)[0];
    const std::int64_t free = lowered.pattern(output).freeCount();
    if (free <= kPsumTileElements || lowered.storage(output).memory == Memory::Psum) {
        // Read by its user straight from PSUM.
        if (lowered.storage(output).bytesPerPartition() <= kPsumTileElements * 4)
            lowered.storages[std::size_t(output.storage)].memory = Memory::Psum;
        lowered.instructions.push_back(broadcast);
        return;
    }
    const bool oneAxis = lowered.pattern(output).rank == 2 && lowered.pattern(input).rank == 2;
    for (std::int64_t first = 0; first < free; first += kPsumTileElements) {
        const std::int64_t count = std::min(kPsumTileElements, free - first);
        Storage bank;
        bank.memory = Memory::Psum;
        bank.partitions = std::int32_t(lowered.pattern(output).partitions());
        bank.freeElements = count;
        const Operand product = lowered.whole(lowered.addStorage(bank));
        const Operand source = oneAxis ? columns(lowered, input, first, count) : input;
        const Operand target = oneAxis ? columns(lowered, output, first, count) : output;

        LoweredInstruction piece = broadcast;
        lowered.setOperands(piece, {&product, 1}, {&source, 1});
        lowered.instructions.push_back(piece);

        LoweredInstruction eviction = broadcast;
        eviction.opcode = Opcode::Copy;
        eviction.engine = Engine::Scalar;
        eviction.origin = Origin::Compiler;
        lowered.setOperands(eviction, {&target, 1}, {&product, 1});
        lowered.instructions.push_back(eviction);
    }
}

/// First partition of an on-chip operand.
std::int64_t firstPartition(const Lowered &lowered, const Operand &operand)
{
    const std::int64_t row = lowered.storage(operand).freeElements;
    return row > 0 ? operand.offset / row : 0;
}

/// An elementwise instruction works within partitions; a result that belongs into other partitions
/// than its operands is copied there by the scalar engine.
void lowerShifted(Lowered &lowered, const LoweredInstruction &shifted)
{
    const Operand target = lowered.outputsOf(shifted)[0];
    const std::vector<Operand> inputs(lowered.inputsOf(shifted).begin(),
                                      lowered.inputsOf(shifted).end());
    Storage tile = lowered.storage(target);
    tile.partitions = std::int32_t(lowered.pattern(target).partitions());
    tile.freeElements = lowered.pattern(target).freeCount();
    tile.tensor = -1;
    const Operand result = lowered.whole(lowered.addStorage(tile));
    LoweredInstruction instruction = shifted;
    lowered.setOperands(instruction, {&result, 1}, inputs);
    lowered.instructions.push_back(instruction);

    LoweredInstruction copy = shifted;
    copy.opcode = Opcode::Copy;
    copy.engine = Engine::Scalar;
    copy.origin = Origin::Compiler;
    copy.parameters = 0;
    lowered.setOperands(copy, {&target, 1}, {&result, 1});
    lowered.instructions.push_back(copy);
}

bool isShifted(const Lowered &lowered, const LoweredInstruction &i)
{
    if (i.outputs != 1 || i.inputs == 0 ||
        (i.opcode != Opcode::TensorTensor && i.opcode != Opcode::ScalarTensorTensor &&
         i.opcode != Opcode::TensorScalar && i.opcode != Opcode::Scan))
        return false;
    const Operand &output = lowered.outputsOf(i)[0];
    const Operand &input = lowered.inputsOf(i)[0];
    return lowered.storage(output).memory == Memory::Sbuf &&
           lowered.storage(input).memory == Memory::Sbuf &&
           firstPartition(lowered, output) != firstPartition(lowered, input);
}

void loadIdentity(Lowered &lowered, const LoweredInstruction &user)
{
    Storage constant;
    constant.memory = Memory::Hbm;
    constant.role = StorageRole::Constant;
    constant.freeElements = std::int64_t(kPartitions) * kPartitions;
    const StorageId source = lowered.addStorage(constant);
    Storage tile;
    tile.partitions = kPartitions;
    tile.freeElements = kPartitions;
    const Operand target = lowered.whole(lowered.addStorage(tile));
    const Operand from{source, target.pattern, 0};

    LoweredInstruction load;
    load.opcode = Opcode::Load;
    load.engine = Engine::Dma;
    load.origin = Origin::Compiler;
    load.place = user.place;
    lowered.setOperands(load, {&target, 1}, {&from, 1});
    lowered.instructions.push_back(load);
}

} // namespace

StorageId Lowered::addStorage(const Storage &storage)
{
    storages.push_back(storage);
    return StorageId(storages.size()) - 1;
}

Operand Lowered::whole(StorageId id)
{
    const Storage &s = storages[std::size_t(id)];
    return {id, patterns.intern(box(s.partitions, s.freeElements, s.freeElements)), 0};
}

void Lowered::setOperands(LoweredInstruction &instruction, std::span<const Operand> outputs,
                          std::span<const Operand> inputs)
{
    instruction.firstOperand = std::int32_t(operands.size());
    instruction.outputs = std::uint8_t(outputs.size());
    instruction.inputs = std::uint8_t(inputs.size());
    operands.insert(operands.end(), outputs.begin(), outputs.end());
    operands.insert(operands.end(), inputs.begin(), inputs.end());
}

void Lowered::compact()
{
    std::erase_if(instructions, [](const LoweredInstruction &i) { return i.removed; });
}

bool isInitialised(const Lowered &lowered, const Operand &operand)
{
    const std::int32_t tensor = lowered.storage(operand).tensor;
    return tensor >= 0 && lowered.program->tensors[std::size_t(tensor)].initialised;
}

bool readsDestination(const Lowered &lowered, const LoweredInstruction &instruction)
{
    const Parameters &p = lowered.parametersOf(instruction);
    if (instruction.opcode == Opcode::LoopReduce)
        return !p.firstPass || isInitialised(lowered, lowered.outputsOf(instruction)[0]);
    return instruction.opcode == Opcode::Matmul && p.accumulate;
}

bool overwritesAll(const Lowered &lowered, const Operand &output)
{
    const AccessPattern &pattern = lowered.pattern(output);
    if (pattern.count() < lowered.storage(output).elements())
        return false;
    for (int axis = 0; axis < pattern.rank; ++axis)
        if (pattern.stride[std::size_t(axis)] == 0 && pattern.size[std::size_t(axis)] > 1)
            return false;
    return true;
}

std::vector<bool> readOnlyStorages(const Lowered &lowered)
{
    std::vector<bool> readOnly(lowered.storages.size(), false);
    for (std::size_t s = 0; s < readOnly.size(); ++s) {
        const Storage &storage = lowered.storages[s];
        readOnly[s] = storage.memory == Memory::Hbm &&
                      (storage.role == StorageRole::Input || storage.role == StorageRole::Constant);
    }
    for (const LoweredInstruction &i : lowered.instructions)
        for (const Operand &output : lowered.outputsOf(i))
            readOnly[std::size_t(output.storage)] = false;
    return readOnly;
}

bool isInputLoad(const Lowered &lowered, const LoweredInstruction &i,
                 const std::vector<bool> &readOnly)
{
    if ((i.opcode != Opcode::Load && i.opcode != Opcode::DmaCopy) || i.outputs != 1 ||
        i.inputs != 1)
        return false;
    return readOnly[std::size_t(lowered.inputsOf(i)[0].storage)] &&
           lowered.storage(lowered.outputsOf(i)[0]).memory == Memory::Sbuf;
}

namespace {

/// Follows what nl.matmul transposes by itself to the products that take it: through the eviction.
class ImplicitTransposes
{
public:
    explicit ImplicitTransposes(const Program &program)
        : m_program(program),
          m_made(program.storages.size(), false)
    {}

    /// True when the instruction is such a product. Call for each in order.
    bool visit(const Instruction &i)
    {
        const auto fromOne = [&] {
            for (const Operand &input : m_program.inputsOf(i))
                if (m_made[std::size_t(input.storage)])
                    return true;
            return false;
        };
        if (i.opcode == Opcode::Matmul)
            return m_any && fromOne();
        bool made = false;
        if (i.opcode == Opcode::Transpose)
            made = m_program.parametersOf(i).implicitTranspose;
        else if (i.opcode == Opcode::Copy)
            made = m_any && fromOne();
        m_any = m_any || made;
        if (m_any)
            for (const Operand &output : m_program.outputsOf(i))
                m_made[std::size_t(output.storage)] = made;
        return false;
    }

private:
    const Program &m_program;
    std::vector<bool> m_made; ///< by storage: holds an implicit transpose
    bool m_any = false;
};

} // namespace

Lowered lower(const Program &program)
{
    Lowered lowered;
    lowered.program = &program;
    lowered.operands = program.operands;
    lowered.storages = program.storages;
    lowered.patterns = program.patterns;
    lowered.instructions.reserve(program.instructions.size());
    bool identityLoaded = false;
    ImplicitTransposes implicit(program);
    for (std::size_t n = 0; n < program.instructions.size(); ++n) {
        const Instruction &i = program.instructions[n];
        LoweredInstruction made;
        made.opcode = i.opcode;
        made.engine = i.engine;
        made.outputs = i.outputs;
        made.inputs = i.inputs;
        made.firstOperand = i.firstOperand;
        made.parameters = i.parameters;
        made.mask = i.mask;
        made.place = i.place;
        made.iteration = i.iteration;
        made.source = InstructionId(n);
        made.transposedOperand = implicit.visit(i);
        if (i.opcode == Opcode::Transpose && i.engine == Engine::Tensor && !identityLoaded &&
            program.parametersOf(i).implicitTranspose) {
            loadIdentity(lowered, made);
            identityLoaded = true;
        }
        if (i.opcode == Opcode::PartitionBroadcast && i.engine == Engine::Tensor)
            lowerBroadcast(lowered, made);
        else if (isShifted(lowered, made))
            lowerShifted(lowered, made);
        else
            lowered.instructions.push_back(made);
    }
    return lowered;
}

} // namespace accelopt::nki
