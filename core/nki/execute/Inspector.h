// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/execute/Executor.h"
#include "core/nki/syntax/SyntaxTree.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace accelopt::nki {

/// One loop around an instruction, and the pass it belongs to.
struct InspectedLoop
{
    LoopKind kind = LoopKind::Affine;
    std::int32_t pass = 0; ///< from 0
    std::string variable;  ///< the loop's index in the kernel text; empty where it is not known
};

/// Some values of a tile: `rows` neighbouring partitions with `columns` neighbouring elements each,
/// counting the free axes as one. HBM regions have their first axis as rows.
struct Excerpt
{
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<float> values; ///< row by row
};

/// One operand of an instruction instance.
struct InspectedTile
{
    std::string tensor; ///< as the kernel names it; "sbuf", "psum" or "hbm" where it has no name
    std::int32_t block = 0; ///< which tile of a tensor with block dimensions
    Memory memory = Memory::Sbuf;
    DType dtype = DType::Float32;
    bool destination = false;
    std::int64_t partitions = 1;        ///< of the region; rows where it is in HBM
    std::vector<std::int64_t> freeAxes; ///< sizes of the region's other axes
    std::int64_t firstPartition = 0;    ///< on chip
    std::int64_t firstElement = 0;      ///< within the partition; in HBM within the tensor
    std::optional<Excerpt> values;      ///< only where values were asked for

    std::int64_t columns() const;
    /// "t[128 x 512] float32 in sbuf, partitions 0 to 127, from element 0".
    std::string describe() const;
};

/// One instruction as it is issued in one pass of the loops around it.
struct InspectedInstance
{
    InstructionId instruction = kNoInstruction;
    Opcode opcode = Opcode::Copy;
    Engine engine = Engine::Vector;
    SourcePlace place;
    std::vector<InspectedLoop> loops; ///< outermost first
    std::vector<InspectedTile> tiles; ///< destinations first

    /// "i = 2, pass 3".
    std::string loopsText() const;
};

/// Bytes of each partition that live tiles take, over the program. Tiles live from their first
/// write to their last use, in the order of the text: what the vendor's compiler places may differ.
struct Occupancy
{
    struct Point
    {
        InstructionId instruction = 0;
        std::int64_t sbufBytes = 0; ///< the most since the point before
        std::int64_t psumBytes = 0;
    };
    std::vector<Point> points; ///< at most as many as asked for, in program order
    std::int64_t mostSbufBytes = 0;
    std::int64_t mostPsumBytes = 0;
    InstructionId mostSbufAt = kNoInstruction;
    InstructionId mostPsumAt = kNoInstruction;
};

/// What a returned tensor should hold.
struct ExpectedValues
{
    const float *elements = nullptr; ///< C order
    std::int64_t count = 0;
    std::int64_t rowLength = 1; ///< elements that share a scale
};

/// An element of a returned tensor that is not what it should be, and who wrote it.
struct WrongElement
{
    std::int32_t output = 0;
    std::int64_t element = 0; ///< linear index
    float value = 0;
    float expected = 0;
    double error = 0; ///< |value - expected| / max(|expected|, RMS of the row)
    InstructionId writer = kNoInstruction;
};

/// Looks into a traced program: what stands in a tile at an instruction, how full the memories are,
/// where the first wrong value came from. For a window and for the terminal alike; const and
/// without state, so one may be used from several threads. The program, its dependences and the
/// tree must outlive it.
///
///     const Inspector inspector(program, dependences, &tree);
///     for (InstructionId id : inspector.instancesAt(12))        // every issue of line 12
///         list(inspector.describe(id));                         // shapes and loops, no values
///     auto instance = inspector.inspect(id, inputs, window);    // with values
///     auto wrong = inspector.firstWrong(inputs, expected, 5e-4);
///     if (wrong && *wrong)
///         auto writer = inspector.inspect((*wrong)->writer, inputs, window);
class Inspector
{
public:
    /// Which part of each tile to give; clipped to the tile.
    struct Window
    {
        std::int64_t firstRow = 0;
        std::int64_t firstColumn = 0;
        std::int64_t rows = 4;
        std::int64_t columns = 8;
    };

    /// With the tree, loops have the names of their indices.
    Inspector(const Program &program, const Dependences &dependences,
              const SyntaxTree *tree = nullptr);

    /// All instances of the instructions of one source line, in program order.
    std::vector<InstructionId> instancesAt(int line) const;

    /// Without values. The instruction must be one of the program's.
    InspectedInstance describe(InstructionId instruction) const;
    /// With values: carries out what stands behind the instruction. Fails where the kernel cannot
    /// be run, or memory for its tiles cannot be had.
    Result<InspectedInstance> inspect(InstructionId instruction, std::span<const InputData> inputs,
                                      const Window &window) const;

    Occupancy occupancy(std::size_t mostPoints) const;

    /// The last instruction that writes an element of a returned tensor; kNoInstruction for none.
    InstructionId writerOf(std::int32_t output, std::int64_t element) const;
    /// Row and column of an element in the region that the instruction's first destination is.
    Window positionOf(InstructionId writer, std::int64_t element) const;

    /// The element with the lowest index, of the first returned tensor that has one, that is not
    /// finite where it should be or is off by more than `limit` of max(|expected|, RMS of its row).
    /// Computes stores in the order of what they write and stops at the first that is wrong.
    Result<std::optional<WrongElement>> firstWrong(std::span<const InputData> inputs,
                                                   std::span<const ExpectedValues> expected,
                                                   double limit) const;

private:
    /// Which of the elements from `first` on are written again after a store.
    std::vector<bool> laterWrites(std::int32_t output, InstructionId store, std::int64_t first,
                                  std::int64_t count) const;
    std::vector<std::int64_t> selectedOf(const Instruction &instruction) const;
    InspectedTile tileOf(const Operand &operand) const;

    const Program &m_program;
    const Dependences &m_dependences;
    const SyntaxTree *m_tree;
};

} // namespace accelopt::nki
