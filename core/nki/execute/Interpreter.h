// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/execute/RowKernels.h"
#include "core/nki/execute/View.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace accelopt::nki {

/// Carries single instructions out on memory. The engines compute in float32 and round when they
/// write; where a 32-bit integer takes part, everything is computed in double, which holds such
/// integers exactly.
class Interpreter
{
public:
    explicit Interpreter(const Program &program) : m_program(program) {}

    /// `outputs` and `inputs` as in the program, in its order.
    void carryOut(const Instruction &instruction, std::span<View> outputs,
                  std::span<const View> inputs);

private:
    using Values = std::vector<float>;

    // Elementwise.cpp
    void elementwise(const Instruction &instruction, std::span<View> outputs,
                     std::span<const View> inputs);
    template <typename Function>
    void byRows(View &out, std::span<const View> inputs, const View *reduction, AluOp reduceOp,
                Function &&function);
    template <typename Real>
    void byElements(const Instruction &instruction, std::span<View> outputs,
                    std::span<const View> inputs);
    void affine(const Instruction &instruction, View &out, std::span<const View> inputs);

    // MatrixOps.cpp
    void matmul(const Instruction &instruction, View &out, const View &stationary,
                const View &moving);
    void transpose(const Instruction &instruction, View &out, const View &in);
    void shuffle(const Instruction &instruction, View &out, const View &in);
    void writeResult(const Instruction &instruction, View &out, const Values &values);

    // Reductions.cpp
    template <typename Real>
    void reduceExactly(const Instruction &instruction, View &out, const View &in);
    void reduce(const Instruction &instruction, View &out, const View &in);
    void partitionReduce(const Instruction &instruction, View &out, const View &in);
    void scan(const Instruction &instruction, View &out, std::span<const View> inputs);
    void batchNormStats(const Instruction &instruction, View &out, const View &in);
    void batchNormAggregate(const Instruction &instruction, View &out, const View &in);
    void max8(const Instruction &instruction, View &out, const View &in);

    const Program &m_program;
    // Kept between instructions so that their memory is.
    std::vector<Values> m_staged; ///< one per operand that had to be gathered
    Values m_scratch;
    Values m_packedA;
    Values m_packedB;
    Values m_result;
    Values m_reduced;
};

} // namespace accelopt::nki
