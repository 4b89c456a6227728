// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Program.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::tests {

/// Makes small programs by hand, without a kernel's source: tensors first, then instructions in
/// order.
///
///     ProgramBuilder b;
///     const auto x = b.input("x", {128, 512});
///     const auto t = b.tile("t", 128, 512);
///     b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.boxed(x, 0, {{128, 512}, {512, 1}})});
///     const Program program = b.take();
class ProgramBuilder
{
public:
    using DType = nki::DType;
    using Memory = nki::Memory;
    using Operand = nki::Operand;
    using TensorId = std::int32_t;
    /// {size, stride} of each axis, outermost first.
    using Axes = std::vector<std::pair<std::int64_t, std::int64_t>>;

    ProgramBuilder()
    {
        m_program.iterations.push_back({});
        m_program.parameters.push_back({});
    }

    TensorId input(std::string name, std::vector<std::int64_t> shape, DType dtype = DType::Float32)
    {
        const TensorId id = hbm(std::move(name), std::move(shape), dtype, nki::StorageRole::Input);
        m_program.tensors[std::size_t(id)].parameter = m_inputs++;
        return id;
    }
    TensorId output(std::string name, std::vector<std::int64_t> shape, DType dtype = DType::Float32)
    {
        const TensorId id = hbm(std::move(name), std::move(shape), dtype, nki::StorageRole::Output);
        m_program.tensors[std::size_t(id)].output = std::int32_t(m_program.outputs.size());
        m_program.outputs.push_back(id);
        return id;
    }
    TensorId scratch(std::string name, std::vector<std::int64_t> shape,
                     DType dtype = DType::Float32)
    {
        return hbm(std::move(name), std::move(shape), dtype, nki::StorageRole::Scratch);
    }
    TensorId constant(std::string name, std::vector<std::int64_t> shape, std::vector<float> values)
    {
        const TensorId id =
            hbm(std::move(name), std::move(shape), DType::Float32, nki::StorageRole::Constant);
        m_program.tensors[std::size_t(id)].parameter = std::int32_t(m_program.constants.size());
        m_program.constants.push_back(std::move(values));
        return id;
    }
    /// `blocks` on-chip tiles of partitions x freeElements.
    TensorId tile(std::string name, std::int32_t partitions, std::int64_t freeElements,
                  DType dtype = DType::Float32, Memory memory = Memory::Sbuf,
                  std::int32_t blocks = 1)
    {
        nki::Tensor tensor;
        tensor.name = std::move(name);
        if (blocks != 1)
            tensor.shape.push_back(blocks);
        tensor.shape.push_back(partitions);
        tensor.shape.push_back(freeElements);
        tensor.firstStorage = nki::StorageId(m_program.storages.size());
        tensor.blocks = blocks;
        tensor.iteration = m_iteration;
        const auto id = TensorId(m_program.tensors.size());
        for (std::int32_t block = 0; block < blocks; ++block)
            m_program.storages.push_back(
                {memory, nki::StorageRole::Tile, dtype, partitions, freeElements, id});
        m_program.tensors.push_back(std::move(tensor));
        return id;
    }
    /// As nl.full would make it.
    TensorId filled(std::string name, std::int32_t partitions, std::int64_t freeElements,
                    double value, DType dtype = DType::Float32, Memory memory = Memory::Sbuf)
    {
        const TensorId id = tile(std::move(name), partitions, freeElements, dtype, memory);
        m_program.tensors[std::size_t(id)].initialised = true;
        m_program.tensors[std::size_t(id)].initialValue = value;
        return id;
    }

    /// All of one block: partitions x freeElements on chip, the tensor's shape in HBM.
    Operand whole(TensorId tensor, std::int32_t block = 0)
    {
        const nki::Tensor &t = m_program.tensors[std::size_t(tensor)];
        const nki::Storage &s = m_program.storages[std::size_t(t.firstStorage + block)];
        Axes axes;
        if (s.memory != Memory::Hbm) {
            axes = {{s.partitions, s.freeElements}, {s.freeElements, 1}};
        } else {
            std::int64_t stride = s.freeElements;
            for (const std::int64_t size : t.shape) {
                stride /= size;
                axes.emplace_back(size, stride);
            }
        }
        return boxed(tensor, 0, axes, block);
    }
    /// A strided box of one block, `offset` in elements of the block's linear address.
    Operand boxed(TensorId tensor, std::int64_t offset, const Axes &axes, std::int32_t block = 0)
    {
        nki::AccessPattern pattern;
        for (const auto &[size, stride] : axes) {
            pattern.size[std::size_t(pattern.rank)] = size;
            pattern.stride[std::size_t(pattern.rank)] = stride;
            ++pattern.rank;
        }
        return {m_program.tensors[std::size_t(tensor)].firstStorage + block,
                m_program.patterns.intern(pattern), offset};
    }
    /// On chip: partitions [p, p + partitionCount) and free elements [f, f + freeCount) of one
    /// block.
    Operand part(TensorId tensor, std::int64_t p, std::int64_t partitionCount, std::int64_t f,
                 std::int64_t freeCount, std::int32_t block = 0)
    {
        const nki::Tensor &t = m_program.tensors[std::size_t(tensor)];
        const std::int64_t row =
            m_program.storages[std::size_t(t.firstStorage + block)].freeElements;
        return boxed(tensor, p * row + f, {{partitionCount, row}, {freeCount, 1}}, block);
    }

    /// Starts a loop; each pass() inside is one iteration; endLoop() goes back to where it began.
    void beginLoop(nki::LoopKind kind) { m_loops.push_back({kind, m_nextLoop++, m_iteration, 0}); }
    void pass()
    {
        OpenLoop &loop = m_loops.back();
        const auto depth = m_program.iterations[std::size_t(loop.parent)].depth;
        m_program.iterations.push_back(
            {loop.parent, loop.id, loop.passes++, std::int16_t(depth + 1), loop.kind});
        m_iteration = std::int32_t(m_program.iterations.size()) - 1;
    }
    void endLoop()
    {
        m_iteration = m_loops.back().parent;
        m_loops.pop_back();
    }

    std::int32_t mask(nki::Mask conditions)
    {
        m_program.masks.push_back(std::move(conditions));
        return std::int32_t(m_program.masks.size()) - 1;
    }

    /// Appends an instruction at the current iteration; its source place is line (number of it +
    /// 1).
    nki::InstructionId add(nki::Opcode opcode, nki::Engine engine,
                           const std::vector<Operand> &outputs, const std::vector<Operand> &inputs,
                           const nki::Parameters &parameters = {}, std::int32_t mask = -1)
    {
        nki::Instruction instruction;
        instruction.opcode = opcode;
        instruction.engine = engine;
        instruction.outputs = std::uint8_t(outputs.size());
        instruction.inputs = std::uint8_t(inputs.size());
        instruction.firstOperand = std::int32_t(m_program.operands.size());
        m_program.operands.insert(m_program.operands.end(), outputs.begin(), outputs.end());
        m_program.operands.insert(m_program.operands.end(), inputs.begin(), inputs.end());
        instruction.parameters = std::int32_t(m_program.parameters.size());
        m_program.parameters.push_back(parameters);
        instruction.mask = mask;
        instruction.place = std::int32_t(m_program.places.size());
        const auto id = nki::InstructionId(m_program.instructions.size());
        m_program.places.push_back({id + 1, 1, id + 1, 2});
        instruction.iteration = m_iteration;
        m_program.instructions.push_back(instruction);
        return id;
    }

    nki::Program &program() { return m_program; }
    nki::Program take() { return std::move(m_program); }

private:
    struct OpenLoop
    {
        nki::LoopKind kind;
        std::int32_t id;
        std::int32_t parent;
        std::int32_t passes;
    };

    TensorId hbm(std::string name, std::vector<std::int64_t> shape, DType dtype,
                 nki::StorageRole role)
    {
        nki::Tensor tensor;
        tensor.name = std::move(name);
        tensor.shape = std::move(shape);
        tensor.firstStorage = nki::StorageId(m_program.storages.size());
        tensor.iteration = m_iteration;
        std::int64_t elements = 1;
        for (const std::int64_t size : tensor.shape)
            elements *= size;
        const auto id = TensorId(m_program.tensors.size());
        m_program.storages.push_back({Memory::Hbm, role, dtype, 1, elements, id});
        m_program.tensors.push_back(std::move(tensor));
        return id;
    }

    nki::Program m_program;
    std::vector<OpenLoop> m_loops;
    std::int32_t m_iteration = 0;
    std::int32_t m_nextLoop = 0;
    std::int32_t m_inputs = 0;
};

} // namespace accelopt::tests
