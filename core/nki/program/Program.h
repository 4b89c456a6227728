// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Verdict.h"
#include "core/nki/program/AccessPattern.h"
#include "core/nki/program/DType.h"
#include "core/nki/program/Operations.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace accelopt::nki {

/// Where a storage lives.
enum class Memory : std::uint8_t { Hbm, Sbuf, Psum };
std::string_view name(Memory memory);

/// What an HBM storage is for.
enum class StorageRole : std::uint8_t { Input, Output, Constant, Scratch, Tile };

using StorageId = std::int32_t;
using InstructionId = std::int32_t;
inline constexpr InstructionId kNoInstruction = -1;

/// One contiguous piece of memory: a whole HBM tensor, or one on-chip tile (one block of a tensor
/// with block dimensions). Elements are addressed linearly; on chip the address is partition *
/// freeElements + free.
struct Storage
{
    Memory memory = Memory::Sbuf;
    StorageRole role = StorageRole::Tile;
    DType dtype = DType::Float32;
    std::int32_t partitions = 1;   ///< on chip; 1 for HBM
    std::int64_t freeElements = 0; ///< per partition; for HBM the whole tensor
    std::int32_t tensor = -1;      ///< index into Program::tensors
    std::int64_t elements() const { return partitions * freeElements; }
    std::int64_t bytes() const { return elements() * byteSize(dtype); }
    /// Bytes in each partition (on chip).
    std::int64_t bytesPerPartition() const { return freeElements * byteSize(dtype); }
};

/// A tensor as the kernel declared it: its blocks are the storages firstStorage .. firstStorage +
/// blocks - 1.
struct Tensor
{
    std::string name;                ///< the parameter or variable it was first bound to, or name=
    SourcePlace place;               ///< where it was made
    std::vector<std::int64_t> shape; ///< block dimensions included
    StorageId firstStorage = 0;
    std::int32_t blocks = 1;
    std::int32_t parameter = -1; ///< index of the kernel argument for inputs
    std::int32_t output = -1;    ///< position among the returned tensors for outputs
    std::int32_t iteration = 0;  ///< index into Program::iterations where it was made
    bool initialised = false;    ///< zeros / full / ones: reading it before a write is legal
    double initialValue = 0;
};

/// What an instruction reads or writes: a strided region of one storage.
struct Operand
{
    StorageId storage = -1;
    PatternId pattern = -1;
    std::int64_t offset = 0; ///< elements
};

/// Kind of loop an iteration belongs to.
enum class LoopKind : std::uint8_t { Root, Affine, Sequential, Static, Program };

/// One pass through a loop body (or, at index 0, the whole kernel). Iterations form a tree.
struct Iteration
{
    std::int32_t parent = -1;
    std::int32_t loop =
        -1; ///< which execution of which `for`: equal for the passes of one execution
    std::int32_t index = 0; ///< number of the pass, from 0
    std::int16_t depth = 0;
    LoopKind kind = LoopKind::Root;
};

/// One instruction. Operands are in Program::operands: `outputs` destinations first, then the
/// inputs.
struct Instruction
{
    Opcode opcode = Opcode::Copy;
    Engine engine = Engine::Vector;
    std::uint8_t outputs = 1;
    std::uint8_t inputs = 0;
    std::int32_t firstOperand = 0;
    std::int32_t parameters = 0; ///< index into Program::parameters
    std::int32_t mask = -1;      ///< index into Program::masks; -1: every element of the box
    std::int32_t place = 0;      ///< index into Program::places
    std::int32_t iteration = 0;  ///< index into Program::iterations
};

/// Condition on the axes of the instruction's index box: constant + sum coefficient[k] * axis[k] >=
/// 0.
struct AffineCondition
{
    std::int64_t constant = 0;
    std::int64_t coefficient[5] = {0, 0, 0, 0, 0};
    bool operator==(const AffineCondition &) const = default;
};
/// All conditions must hold. Conditions on a single axis have already been folded into the
/// operands' boxes.
using Mask = std::vector<AffineCondition>;

/// The unrolled program of a kernel: what the machine and the executor work on. Instructions stand
/// in the order in which the kernel issues them.
struct Program
{
    std::vector<Storage> storages;
    std::vector<Tensor> tensors;
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<Parameters> parameters; ///< interned
    PatternTable patterns;              ///< interned
    std::vector<Mask> masks;
    std::vector<SourcePlace> places;           ///< interned
    std::vector<Iteration> iterations;         ///< [0] is the root
    std::vector<std::vector<float>> constants; ///< values of Constant tensors, by Tensor::parameter
    std::vector<std::int32_t> outputs;         ///< tensors returned, in order
    std::string printed;                       ///< what the kernel's own print() calls said
    std::vector<Reason> warnings;
    bool skipsMiddleEnd = false; ///< decorated with skip_middle_end_transformations

    std::span<const Operand> outputsOf(const Instruction &i) const
    {
        return {operands.data() + i.firstOperand, i.outputs};
    }
    std::span<const Operand> inputsOf(const Instruction &i) const
    {
        return {operands.data() + i.firstOperand + i.outputs, i.inputs};
    }
    const AccessPattern &pattern(const Operand &o) const { return patterns[o.pattern]; }
    const Storage &storage(const Operand &o) const { return storages[std::size_t(o.storage)]; }
    const Parameters &parametersOf(const Instruction &i) const
    {
        return parameters[std::size_t(i.parameters)];
    }
    const SourcePlace &placeOf(const Instruction &i) const { return places[std::size_t(i.place)]; }
};

} // namespace accelopt::nki
