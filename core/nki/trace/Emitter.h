// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Objects.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace accelopt::nki {

struct TraceLimits;

/// The operands of a draft: few, and made for every instruction, so without memory of their own.
class OperandViews
{
public:
    static constexpr std::size_t kMost = 6;

    OperandViews() = default;
    OperandViews(std::initializer_list<TensorObject *> views)
    {
        for (TensorObject *view : views)
            push_back(view);
    }
    void push_back(TensorObject *view)
    {
        if (m_size == kMost)
            throw std::length_error("operands of an instruction");
        m_views[m_size++] = view;
    }
    void pushFront(TensorObject *view)
    {
        push_back(view);
        std::rotate(m_views.begin(), m_views.begin() + m_size - 1, m_views.begin() + m_size);
    }
    bool empty() const { return m_size == 0; }
    std::size_t size() const { return m_size; }
    TensorObject *const *begin() const { return m_views.data(); }
    TensorObject *const *end() const { return m_views.data() + m_size; }

private:
    std::array<TensorObject *, kMost> m_views{};
    std::uint8_t m_size = 0;
};

/// An instruction about to be issued, in terms of views.
struct Draft
{
    Opcode opcode = Opcode::Copy;
    Engine engine = Engine::Vector;
    Parameters parameters;
    OperandViews outputs;
    OperandViews inputs;
    const MaskObject *mask = nullptr;
    /// For each axis of the mask's index grid, the axis of each operand (outputs first) it
    /// restricts, or -1. Empty: axis k restricts axis k of every operand that has this extent
    /// there.
    std::vector<std::array<int, AccessPattern::kMaximumRank>> maskAxes;
};

/// Puts the Program together: tensors, tiles, instructions. Knows no Python.
class Emitter
{
public:
    explicit Emitter(const TraceLimits &limits);

    Program &program() { return m_program; }

    /// A tensor of storages; `shape` may start with block dimensions, `partitionAxis` tells which
    /// axis is the partition one (-1 for HBM).
    TensorObject *newTensor(Memory memory, StorageRole role, DType dtype,
                            std::vector<std::int64_t> shape, int partitionAxis,
                            const SourcePlace &place);
    /// A tile for the result of an instruction, in C order.
    TensorObject *newTile(Memory memory, DType dtype, std::vector<std::int64_t> shape,
                          const SourcePlace &place);

    /// Issues the instruction and gives its number; kNoInstruction when the mask leaves nothing to
    /// do.
    InstructionId emit(const Draft &draft, const SourcePlace &place);

    /// Sends the result of a fresh value to `destination` instead. False when that instruction
    /// cannot write there (a product into SBUF): the caller then copies.
    bool retarget(TensorObject &fresh, const TensorObject &destination, bool accumulate);

    /// Iterations.
    std::int32_t iteration() const { return m_iteration; }
    std::int32_t newLoop() { return m_loops++; }
    void enter(std::int32_t loop, LoopKind kind, std::int32_t index);
    void leave();

    Operand operandOf(const TensorObject &view);

private:
    /// What the last instruction of a place of the kernel text had: the next one nearly always has
    /// the same.
    struct Site
    {
        const SourcePlace *place = nullptr;
        std::int32_t placeIndex = -1;
        std::int32_t parameters = 0;
    };
    Site &siteOf(const SourcePlace &place);
    std::int32_t internPlace(const SourcePlace &place);
    std::int32_t internParameters(const Parameters &parameters);
    std::int32_t internParameters(const Parameters &parameters, Site &site);
    /// An instruction with everything but its operands and mask; refuses one too many.
    Instruction begin(const Draft &draft, const SourcePlace &place);
    /// False when there is nothing to write; stops when there is nothing to read.
    static bool hasElements(const Draft &draft, const SourcePlace &place);
    InstructionId emitMasked(const Draft &draft, const SourcePlace &place);
    /// Restricts the views of the draft to the mask's box; false when the box is empty.
    bool applyMask(const Draft &draft, std::vector<TensorObject> &views, Mask &remaining) const;
    /// Rewrites conditions on the axes of the mask's grid as conditions on the axes of the operand
    /// that the mask is about: operands leave axes of one element out.
    static void moveToOperandAxes(const Draft &draft, const std::vector<TensorObject> &views,
                                  Mask &conditions);
    void checkBounds(const TensorObject &view, const MaskObject *mask) const;

    const TraceLimits &m_limits;
    Program m_program;
    std::int32_t m_iteration = 0;
    std::int32_t m_loops = 0;
    static constexpr std::size_t kSites = 1024; ///< a power of two
    std::vector<Site> m_sites;                  ///< by the address of the place
    std::map<std::array<int, 4>, std::int32_t> m_places;
    std::unordered_multimap<std::size_t, std::int32_t> m_parameterIndex;
    const SourcePlace *m_currentPlace = nullptr;
};

/// Restricts one axis of a view to [low, high).
void clip(TensorObject &view, int axis, std::int64_t low, std::int64_t high);

} // namespace accelopt::nki
