// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/MaskedProducts.h"

#include <array>
#include <vector>

namespace accelopt::nki {

namespace {

/// True when the operand's pattern is rows of neighbouring elements.
bool plainRows(const AccessPattern &pattern)
{
    return pattern.rank == 2 && (pattern.stride[1] == 1 || pattern.size[1] == 1);
}

Operand widened(Lowered &lowered, const Operand &operand, std::int64_t columns)
{
    AccessPattern pattern = lowered.pattern(operand);
    pattern.size[1] = columns;
    pattern.stride[1] = 1;
    Operand result = operand;
    result.pattern = lowered.patterns.intern(pattern);
    return result;
}

} // namespace

void widenMaskedProducts(Lowered &lowered)
{
    // The one box written in each PSUM tile; -2: several, or something else than a product writes.
    std::vector<PatternId> box(lowered.storages.size(), -1);
    for (const LoweredInstruction &i : lowered.instructions)
        for (const Operand &output : lowered.outputsOf(i)) {
            PatternId &known = box[std::size_t(output.storage)];
            if (i.opcode != Opcode::Matmul || output.offset != 0 ||
                (known != -1 && known != output.pattern))
                known = -2;
            else
                known = output.pattern;
        }
    for (LoweredInstruction &i : lowered.instructions) {
        if (i.opcode != Opcode::Matmul || i.inputs < 2)
            continue;
        const Operand output = lowered.outputsOf(i)[0];
        const std::array<Operand, 2> inputs{lowered.inputsOf(i)[0], lowered.inputsOf(i)[1]};
        const Storage &target = lowered.storage(output);
        const Storage &moving = lowered.storage(inputs[1]);
        const AccessPattern &written = lowered.pattern(output);
        if (target.memory != Memory::Psum || box[std::size_t(output.storage)] < 0 ||
            !plainRows(written) || !plainRows(lowered.pattern(inputs[1])) ||
            written.freeCount() >= target.freeElements)
            continue;
        const std::int64_t width = target.freeElements;
        if (inputs[1].offset % moving.freeElements + width > moving.freeElements)
            continue;
        const Operand wideOutput = widened(lowered, output, width);
        const std::array<Operand, 2> wideInputs{inputs[0], widened(lowered, inputs[1], width)};
        lowered.setOperands(i, {&wideOutput, 1}, wideInputs);
    }
}

} // namespace accelopt::nki
