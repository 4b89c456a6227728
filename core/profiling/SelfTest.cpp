// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SelfTest.h"

#include "core/nki/check/Dependences.h"
#include "core/nki/execute/Executor.h"
#include "core/nki/program/Program.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <random>

namespace accelopt::profiling {
namespace {

using namespace nki;

// Sizes that are no multiples of each other or of a vector register, so that kernels for edges run
// too.
constexpr std::int64_t kDepth = 96;
constexpr std::int64_t kRows = 37;
constexpr std::int64_t kColumns = 211;

/// The program form of out = a^T * b with a [depth, rows] and b [depth, columns], built by hand.
class ProductProgram
{
public:
    ProductProgram()
    {
        m_program.iterations.emplace_back();
        m_program.places.emplace_back();
        m_program.parameters.emplace_back();
        const StorageId a = hbm("a", StorageRole::Input, {kDepth, kRows}, 0, -1);
        const StorageId b = hbm("b", StorageRole::Input, {kDepth, kColumns}, 1, -1);
        const StorageId out = hbm("out", StorageRole::Output, {kRows, kColumns}, -1, 0);
        const StorageId aTile = tile(Memory::Sbuf, kDepth, kRows);
        const StorageId bTile = tile(Memory::Sbuf, kDepth, kColumns);
        const StorageId product = tile(Memory::Psum, kRows, kColumns);
        const StorageId result = tile(Memory::Sbuf, kRows, kColumns);
        add(Opcode::Load, Engine::Dma, {{aTile, kDepth, kRows}, {a, kDepth, kRows}});
        add(Opcode::Load, Engine::Dma, {{bTile, kDepth, kColumns}, {b, kDepth, kColumns}});
        add(Opcode::Matmul, Engine::Tensor,
            {{product, kRows, kColumns}, {aTile, kDepth, kRows}, {bTile, kDepth, kColumns}});
        add(Opcode::Copy, Engine::Vector, {{result, kRows, kColumns}, {product, kRows, kColumns}});
        add(Opcode::Store, Engine::Dma, {{out, kRows, kColumns}, {result, kRows, kColumns}});
    }

    const Program &program() const { return m_program; }

private:
    struct Box
    {
        StorageId storage;
        std::int64_t rows;
        std::int64_t columns;
    };

    StorageId hbm(const char *name, StorageRole role, std::vector<std::int64_t> shape,
                  std::int32_t parameter, std::int32_t output)
    {
        Storage storage;
        storage.memory = Memory::Hbm;
        storage.role = role;
        storage.freeElements = shape[0] * shape[1];
        Tensor tensor;
        tensor.name = name;
        tensor.parameter = parameter;
        tensor.output = output;
        if (output >= 0)
            m_program.outputs.push_back(std::int32_t(m_program.tensors.size()));
        return add(storage, std::move(tensor), std::move(shape));
    }

    StorageId tile(Memory memory, std::int64_t partitions, std::int64_t freeElements)
    {
        Storage storage;
        storage.memory = memory;
        storage.partitions = std::int32_t(partitions);
        storage.freeElements = freeElements;
        return add(storage, {}, {partitions, freeElements});
    }

    StorageId add(Storage storage, Tensor tensor, std::vector<std::int64_t> shape)
    {
        const auto id = StorageId(m_program.storages.size());
        storage.tensor = std::int32_t(m_program.tensors.size());
        tensor.shape = std::move(shape);
        tensor.firstStorage = id;
        m_program.storages.push_back(storage);
        m_program.tensors.push_back(std::move(tensor));
        return id;
    }

    // The first box is the destination.
    void add(Opcode opcode, Engine engine, std::initializer_list<Box> boxes)
    {
        Instruction instruction;
        instruction.opcode = opcode;
        instruction.engine = engine;
        instruction.inputs = std::uint8_t(boxes.size() - 1);
        instruction.firstOperand = std::int32_t(m_program.operands.size());
        for (const Box &box : boxes) {
            AccessPattern pattern;
            pattern.rank = 2;
            pattern.size = {box.rows, box.columns};
            pattern.stride = {box.columns, 1};
            m_program.operands.push_back({box.storage, m_program.patterns.intern(pattern), 0});
        }
        m_program.instructions.push_back(instruction);
    }

    Program m_program;
};

std::vector<float> drawn(std::size_t count, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float &value : values)
        value = float(double(random()) / 4294967296.0 - 0.5);
    return values;
}

tl::unexpected<Error> unfit(std::string detail)
{
    return fail(
        ErrorCode::Environment,
        "the simulator's self-test failed: matrix products on this machine are wrong",
        "Check the OpenBLAS library (Debian: libopenblas0); OPENBLAS_CORETYPE=Haswell selects "
        "other routines of it.",
        std::move(detail));
}

} // namespace

Result<void> testArithmetic()
{
    const ProductProgram product;
    const std::vector<float> a = drawn(std::size_t(kDepth * kRows), 1);
    const std::vector<float> b = drawn(std::size_t(kDepth * kColumns), 2);
    const std::array<InputData, 2> inputs{InputData{a.data(), std::int64_t(a.size())},
                                          InputData{b.data(), std::int64_t(b.size())}};
    const Dependences dependences = analyse(product.program());
    if (!dependences.problems().empty())
        return unfit(dependences.problems().front().message);
    const Executor executor(product.program(), dependences);
    const std::array<InstructionId, 1> stores{
        InstructionId(product.program().instructions.size() - 1)};
    std::vector<float> out;
    const auto ran = executor.run(stores, inputs, [&](const StoredRegion &region) {
        out.assign(region.values.begin(), region.values.end());
        return true;
    });
    if (!ran)
        return tl::unexpected(ran.error());
    if (out.size() != std::size_t(kRows * kColumns))
        return unfit(fmt::format("{} values instead of {}", out.size(), kRows * kColumns));
    for (std::int64_t row = 0; row < kRows; ++row) {
        for (std::int64_t column = 0; column < kColumns; ++column) {
            double expected = 0;
            for (std::int64_t k = 0; k < kDepth; ++k)
                expected += double(a[std::size_t(k * kRows + row)]) *
                            double(b[std::size_t(k * kColumns + column)]);
            const double value = out[std::size_t(row * kColumns + column)];
            // Sums of 96 products below 1/4 in float32; written so that a NaN fails.
            if (!(std::abs(value - expected) <= 1e-5))
                return unfit(fmt::format("element [{}, {}] is {} instead of {}", row, column, value,
                                         expected));
        }
    }
    return {};
}

} // namespace accelopt::profiling
