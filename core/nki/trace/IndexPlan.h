// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Objects.h"

#include <array>
#include <cstdint>
#include <vector>

namespace accelopt::nki {

struct Names;

/// How one subscript of the kernel text turns local variables into a region, worked out at an
/// earlier evaluation of the same syntax node. A statement in a loop differs from pass to pass only
/// in the integers that its index expressions add: axes and strides of the region stay, so a pass
/// needs a handful of multiplications in place of an evaluation name by name. Whatever is not as it
/// was when the plan was made (other axes, another kind of value, an index out of range) is left to
/// the ordinary evaluation, which also words the errors.
struct IndexPlan
{
    /// An addend of an index: the integer (or the constant of the index expression) in a local
    /// variable, or the value of a syntax node, times a factor.
    struct Term
    {
        enum class Source : std::uint8_t { Integer, Index, Expression };
        Source source = Source::Integer;
        std::int32_t where = 0;  ///< slot of the frame, or syntax node
        std::int32_t shape = -1; ///< Index: which of `shapes` its grid must have
        std::int64_t factor = 1;
    };
    /// constant + sum of the terms [firstTerm, lastTerm).
    struct Form
    {
        std::int64_t constant = 0;
        std::int32_t firstTerm = 0;
        std::int32_t lastTerm = 0;
    };
    /// What one index does to the region.
    struct Step
    {
        enum class Kind : std::uint8_t { Integer, Grid, Slice };
        Kind kind = Kind::Integer;
        std::int32_t axis = 0; ///< of the indexed view
        Form form;             ///< the integer; the grid's constant; the slice's lower bound
        Form upper;            ///< of a slice
        std::int64_t low = 0;  ///< of a grid: its smallest value over the constant
        std::int64_t high = 0; ///< of a grid: its largest; of a slice: its length
    };
    /// A number that a factor was made of: it must be what it was.
    struct Guard
    {
        std::int32_t slot = 0;
        NodeId node = -1; ///< a name of an outer function or the module, in place of the slot
        std::int64_t value = 0;
    };

    const Names *names = nullptr; ///< of the function whose slots are meant
    int attempt = 0;              ///< which plan for the node this is
    int inputRank = 0;
    int outputRank = 0;
    Memory memory = Memory::Sbuf;
    std::array<Axis, TensorObject::kMaximumRank> input{};
    std::array<Axis, TensorObject::kMaximumRank> output{};
    std::vector<Step> steps;
    std::vector<Term> terms;
    std::vector<Guard> guards;
    std::vector<Value> shapes; ///< index expressions whose grid the Index terms must have

    /// Numbers and factors up to these bounds cannot overflow the sum of a form.
    static constexpr std::int64_t kLargestFactor = std::int64_t(1) << 36;
    static constexpr std::int64_t kLargestNumber = std::int64_t(1) << 22;
    static constexpr std::size_t kMostTerms = 8;

    /// Whether the view has the axes that the plan was made for.
    bool fits(const TensorObject &view) const
    {
        if (view.rank != inputRank || view.memory != memory || !view.bounds.empty())
            return false;
        for (std::size_t axis = 0; axis < std::size_t(inputRank); ++axis) {
            const Axis &is = view.axes[axis];
            const Axis &was = input[axis];
            if (is.size != was.size || is.stride != was.stride || is.kind != was.kind)
                return false;
        }
        return true;
    }
};

/// What is known about a Subscript node.
struct IndexPlanState
{
    static constexpr int kMostPlans = 12; ///< then the node is too changeable to plan
    int evaluations = 0;
    int plans = 0;
    IndexPlan plan;
};

/// Where the arguments of a call go, worked out at its first evaluation.
struct CallPlan
{
    const FunctionSpec *spec = nullptr;
    struct Argument
    {
        NodeId node = -1;
        std::int32_t parameter = -1; ///< -1: evaluated and let go (name=)
    };
    std::vector<Argument> arguments;
    std::size_t parameters = 0;
};

} // namespace accelopt::nki
