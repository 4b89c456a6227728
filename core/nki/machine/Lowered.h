// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace accelopt::nki {

/// Why an instruction is in the lowered list.
enum class Origin : std::uint8_t {
    Kernel,      ///< the kernel issues it
    Compiler,    ///< what an instruction of the kernel needs besides (evictions, the identity)
    SpillSave,   ///< SBUF -> HBM because SBUF is full
    SpillReload, ///< back again
    InputReload, ///< an input that was dropped is loaded once more
};

/// An instruction as the hardware sees it. Operands are in Lowered::operands, outputs first.
struct LoweredInstruction
{
    Opcode opcode = Opcode::Copy;
    Engine engine = Engine::Vector;
    Origin origin = Origin::Kernel;
    std::uint8_t outputs = 1;
    std::uint8_t inputs = 0;
    bool removed = false;
    /// A product of an operand that nl.matmul transposes by itself.
    bool transposedOperand = false;
    std::int32_t firstOperand = 0;
    std::int32_t parameters = 0;
    std::int32_t mask = -1;
    std::int32_t place = 0;
    std::int32_t iteration = 0;
    InstructionId source =
        kNoInstruction; ///< of the program; kNoInstruction for transfers the compiler adds
};

/// The program on its way through the compiler model: a list that the passes change. The program
/// itself stays as it is.
struct Lowered
{
    const Program *program = nullptr;
    std::vector<LoweredInstruction> instructions;
    std::vector<Operand> operands;
    std::vector<Storage> storages; ///< the program's, then those the compiler adds
    PatternTable patterns;         ///< the program's, then those the compiler adds

    std::span<Operand> outputsOf(const LoweredInstruction &i)
    {
        return {operands.data() + i.firstOperand, i.outputs};
    }
    std::span<const Operand> outputsOf(const LoweredInstruction &i) const
    {
        return {operands.data() + i.firstOperand, i.outputs};
    }
    std::span<Operand> inputsOf(const LoweredInstruction &i)
    {
        return {operands.data() + i.firstOperand + i.outputs, i.inputs};
    }
    std::span<const Operand> inputsOf(const LoweredInstruction &i) const
    {
        return {operands.data() + i.firstOperand + i.outputs, i.inputs};
    }
    const Storage &storage(const Operand &o) const { return storages[std::size_t(o.storage)]; }
    const AccessPattern &pattern(const Operand &o) const { return patterns[o.pattern]; }
    const Parameters &parametersOf(const LoweredInstruction &i) const
    {
        return program->parameters[std::size_t(i.parameters)];
    }
    const Iteration &iteration(std::int32_t index) const
    {
        return program->iterations[std::size_t(index)];
    }

    StorageId addStorage(const Storage &storage);
    /// A box over all of an on-chip storage.
    Operand whole(StorageId storage);
    /// Puts operands (not ones of the list itself) at the end of the list and makes them the
    /// instruction's.
    void setOperands(LoweredInstruction &instruction, std::span<const Operand> outputs,
                     std::span<const Operand> inputs);
    /// Drops the instructions marked as removed.
    void compact();
};

/// True when the operand's tensor was made with a value (nl.zeros, nl.full).
bool isInitialised(const Lowered &lowered, const Operand &operand);

/// True when the instruction reads its destination too: accumulating products, later passes of a
/// loop_reduce, all of its passes where the destination has a value from the start (lora:
/// psum_read_bytes counts none of them, spills show the fill travelling too).
bool readsDestination(const Lowered &lowered, const LoweredInstruction &instruction);

/// True when the output covers the whole storage, so that what was in it before is lost.
bool overwritesAll(const Lowered &lowered, const Operand &output);

/// HBM storages that nothing writes: inputs and constants.
std::vector<bool> readOnlyStorages(const Lowered &lowered);

/// True for a transfer from a read-only HBM storage into SBUF.
bool isInputLoad(const Lowered &lowered, const LoweredInstruction &instruction,
                 const std::vector<bool> &readOnly);

/// The program as a list of what the engines carry out, before any optimisation. Partition
/// broadcasts become products of at most 512 columns with their eviction by the scalar engine (NKI
/// documentation, PSUM free size; the published Mamba profile shows 896 products and 64 x 28,672
/// evicted bytes); when a product transposes implicitly, the identity it needs is loaded once
/// (65,536 bytes in the published add_rmsnorm_matmul and matmul_add_rmsnorm profiles).
Lowered lower(const Program &program);

} // namespace accelopt::nki
