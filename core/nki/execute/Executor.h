// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace accelopt::nki {

/// Memory of one input tensor: float32 elements in C order (dtype rounding is applied on loading),
/// or null for an input that is not read.
struct InputData
{
    const float *elements = nullptr;
    std::int64_t count = 0;
};

/// What an output instruction stored: its region of the returned tensor with the values in the
/// order of the region's runs (forEachRun).
struct StoredRegion
{
    InstructionId instruction = kNoInstruction;
    std::int32_t output = 0; ///< position among the returned tensors
    std::int64_t offset = 0;
    PatternId pattern = -1;
    std::span<const float> values; ///< valid during the callback only
};

struct ExecutionStatistics
{
    std::int64_t instructions = 0;
    double flops = 0; ///< matmul and elementwise
    std::int64_t peakBytes = 0;
};

/// Computes values on demand: only the instructions that the asked-for stores depend on are carried
/// out, in program order; a tile's memory lives from its first write to its last read in the slice.
class Executor
{
public:
    Executor(const Program &program, const Dependences &dependences);

    /// Cost of the slice behind these output-writing instructions, in FLOPs (matmul and
    /// elementwise).
    double sliceCost(std::span<const InstructionId> stores) const;

    /// Carries the slice out and hands each asked-for store's values to `visit` as soon as they are
    /// there; `visit` returns false to stop. Fails with Environment when memory for the tiles
    /// cannot be had.
    Result<ExecutionStatistics> run(std::span<const InstructionId> stores,
                                    std::span<const InputData> inputs,
                                    const std::function<bool(const StoredRegion &)> &visit) const;

    /// The values of one operand of an instruction, in the order of its region's axes, repeats
    /// kept. Operands count as in the program: destinations first.
    using ShowOperand = std::function<void(std::size_t operand, std::span<const float> values)>;
    /// Carries out one instruction with all that stands behind it and shows its operands: inputs as
    /// they were before, destinations as they are after. What a mask leaves out of a returned
    /// tensor, and what nothing has written, is NaN.
    Result<void> observe(InstructionId instruction, std::span<const InputData> inputs,
                         const ShowOperand &show) const;

private:
    Result<void> runnable() const;

    const Program &m_program;
    const Dependences &m_dependences;
};

} // namespace accelopt::nki
