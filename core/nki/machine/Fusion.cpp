// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Fusion.h"

#include <array>
#include <vector>

namespace accelopt::nki {

namespace {

/// Accesses of a storage, as far as fusion needs to know them.
struct Uses
{
    std::int32_t writers = 0;
    std::int32_t readers = 0;
    std::int32_t writer = -1;
};

bool oneOperation(const Lowered &lowered, const LoweredInstruction &i)
{
    const Parameters &p = lowered.parametersOf(i);
    return i.opcode == Opcode::TensorScalar && i.outputs == 1 && i.mask < 0 &&
           p.op1 == AluOp::None && p.reduceOp == AluOp::None;
}

/// True when the reader can take the value from PSUM instead of the copy.
bool canReadPsum(const Lowered &lowered, const LoweredInstruction &reader, StorageId copied)
{
    if (reader.engine != Engine::Vector && reader.engine != Engine::Scalar)
        return false;
    for (const Operand &input : lowered.inputsOf(reader))
        if (input.storage != copied && lowered.storage(input).memory == Memory::Psum)
            return false;
    return lowered.inputsOf(reader)[0].storage == copied;
}

} // namespace

void bypassCopies(Lowered &lowered)
{
    constexpr std::int32_t kSeveral = -2;
    const auto count = lowered.storages.size();
    std::vector<std::int32_t> writer(count, -1); // the one that writes the storage
    std::vector<std::int32_t> lastWrite(count, -1);
    std::vector<std::int32_t> readers(count, 0);
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        for (const Operand &output : lowered.outputsOf(i)) {
            std::int32_t &known = writer[std::size_t(output.storage)];
            known = known == -1 ? std::int32_t(n) : kSeveral;
            lastWrite[std::size_t(output.storage)] = std::int32_t(n);
        }
        for (const Operand &input : lowered.inputsOf(i))
            ++readers[std::size_t(input.storage)];
    }
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        LoweredInstruction &reader = lowered.instructions[n];
        if (reader.inputs == 0 || reader.engine == Engine::Dma)
            continue;
        Operand &input = lowered.inputsOf(reader)[0];
        const std::int32_t from = writer[std::size_t(input.storage)];
        if (from < 0 || from >= std::int32_t(n))
            continue;
        LoweredInstruction &copy = lowered.instructions[std::size_t(from)];
        if (copy.opcode != Opcode::Copy || copy.removed || copy.mask >= 0 || copy.inputs != 1 ||
            copy.iteration != reader.iteration || !canReadPsum(lowered, reader, input.storage))
            continue;
        const Operand source = lowered.inputsOf(copy)[0];
        const Operand copied = lowered.outputsOf(copy)[0];
        if (lowered.storage(source).memory != Memory::Psum ||
            lowered.storage(source).dtype != lowered.storage(copied).dtype ||
            copied.pattern != input.pattern || copied.offset != input.offset ||
            lastWrite[std::size_t(source.storage)] > from)
            continue;
        if (--readers[std::size_t(input.storage)] == 0)
            copy.removed = true;
        ++readers[std::size_t(source.storage)];
        input = source;
    }
    lowered.compact();
}

void fuse(Lowered &lowered)
{
    std::vector<Uses> uses(lowered.storages.size());
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        const LoweredInstruction &i = lowered.instructions[n];
        for (const Operand &input : lowered.inputsOf(i))
            ++uses[std::size_t(input.storage)].readers;
        for (const Operand &output : lowered.outputsOf(i)) {
            Uses &use = uses[std::size_t(output.storage)];
            ++use.writers;
            use.writer = std::int32_t(n);
        }
    }
    std::vector<bool> taken(lowered.instructions.size(), false); // carries two operations already
    for (std::size_t n = 0; n < lowered.instructions.size(); ++n) {
        LoweredInstruction &second = lowered.instructions[n];
        if (!oneOperation(lowered, second))
            continue;
        const auto inputs = lowered.inputsOf(second);
        const Operand data = inputs[0];
        const Uses &use = uses[std::size_t(data.storage)];
        if (use.writers != 1 || use.readers != 1 || use.writer >= std::int32_t(n) ||
            taken[std::size_t(use.writer)])
            continue;
        LoweredInstruction &first = lowered.instructions[std::size_t(use.writer)];
        if (!oneOperation(lowered, first) || first.engine != second.engine ||
            first.iteration != second.iteration ||
            !(lowered.pattern(lowered.outputsOf(first)[0]) == lowered.pattern(data)) ||
            lowered.outputsOf(first)[0].offset != data.offset)
            continue;
        std::vector<Operand> merged(lowered.inputsOf(first).begin(), lowered.inputsOf(first).end());
        merged.insert(merged.end(), inputs.begin() + 1, inputs.end());
        const std::array<Operand, 1> output{lowered.outputsOf(second)[0]};
        lowered.setOperands(second, output, merged);
        first.removed = true;
        taken[n] = true;
    }
    lowered.compact();
}

} // namespace accelopt::nki
