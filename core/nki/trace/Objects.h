// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Program.h"
#include "core/nki/syntax/SyntaxTree.h"
#include "core/nki/trace/Value.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::nki {

struct StringObject : Object
{
    std::string text;
};
struct SequenceObject : Object
{
    ~SequenceObject() override;
    std::vector<Value> items;
    std::int32_t madeIn =
        0;             ///< the pass of a loop that NKI traces once; 0 where it does not matter
    bool grid = false; ///< made by nl.mgrid: has .p .x .y .z .w
};
struct DictObject : Object
{
    std::vector<std::pair<Value, Value>> items;
    std::int32_t madeIn = 0; ///< as of a list

    /// The value of a key, or null. Keys are the same where Python's == says so.
    const Value *find(const Value &key) const;
    /// Gives the key this value, whether it is there already or not.
    void set(const Value &key, Value value);
};
struct SliceObject : Object
{
    Value lower, upper, step;
};
/// What a `for` runs over when it is one of the range functions.
struct RangeObject : Object
{
    LoopKind loop = LoopKind::Sequential;
    std::int64_t start = 0, stop = 0, step = 1;

    /// How many numbers it has; does not overflow whatever the bounds are.
    std::uint64_t count() const;
};

/// An affine index expression over the axes of an index grid: constant + sum coefficient[k] *
/// axis[k], where axis k runs over 0 .. extent[k]-1.
struct IndexObject : Object
{
    int rank = 0;
    std::int64_t constant = 0;
    std::array<std::int64_t, AccessPattern::kMaximumRank> coefficient{};
    std::array<std::int64_t, AccessPattern::kMaximumRank> extent{};
    bool fromLoop = false;

    std::int64_t minimum() const;
    std::int64_t maximum() const;
};

struct MaskObject : Object
{
    int rank = 0;
    std::array<std::int64_t, AccessPattern::kMaximumRank> extent{};
    Mask conditions; ///< all must hold
};

/// What an axis of a view is.
enum class AxisKind : std::uint8_t { Block, Partition, Free };
struct Axis
{
    std::int64_t size = 1;
    std::int64_t stride = 0; ///< elements; storages for a Block axis
    AxisKind kind = AxisKind::Free;
};

/// An index range that leaves its tensor unless a mask keeps it in.
struct PendingBound
{
    int dimension = 0;
    std::int64_t limit = 0;
    std::int64_t constant = 0;
    std::array<std::int64_t, AccessPattern::kMaximumRank> coefficient{};
    SourcePlace place;
};

/// A tensor, a tile, or a region of one.
struct TensorObject : Object
{
    static constexpr int kMaximumRank = 12;
    std::int32_t tensor = -1;
    Memory memory = Memory::Sbuf;
    DType dtype = DType::Float32;
    int rank = 0;
    std::array<Axis, kMaximumRank> axes{};
    StorageId storage = 0;
    std::int64_t offset = 0;
    std::vector<PendingBound> bounds;
    /// The instruction that made this value as its own new tile, while nothing else has seen it: an
    /// assignment may then send the result to its destination instead of copying it.
    InstructionId freshProducer = kNoInstruction;
    Value freshMask;
    /// `freshProducer` of a result whose mask left nothing to compute.
    static constexpr InstructionId kNothingIssued = -2;

    bool hasBlocks() const { return rank > 0 && axes[0].kind == AxisKind::Block; }
    bool onChip() const { return memory != Memory::Hbm; }
    std::int64_t elements() const;
    std::int64_t freeElements() const; ///< all axes but the first
    std::string shapeText() const;     ///< "(128, 512)"
};

struct ArrayObject : Object
{
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    DType dtype = DType::Float32;
};
struct ModuleObject : Object
{
    std::string path; ///< canonical: "nl", "nisa", "nki", "np", "nl.tile_size", ...
};
struct FunctionSpec;
struct FunctionObject : Object
{
    const FunctionSpec *spec = nullptr;
};
struct Frame;
struct UserFunctionObject : Object
{
    NodeId node = -1; ///< FunctionDef or Lambda
    std::vector<Value> defaults;
    Frame *closure = nullptr; ///< frame the function was defined in; kept alive by the tracer
};
/// A method of a value, or a function with its first argument already given.
struct BoundMethodObject : Object
{
    Value self;
    std::string name;
};

/// A class of the kernel file.
struct ClassObject : Object
{
    std::string name;
    std::vector<std::pair<std::string, Value>> attributes; ///< methods and constants, bases' first
    std::vector<std::string> fields; ///< annotated names, in order: arguments of a data class
    bool enumeration = false;

    const Value *find(const std::string &attribute) const;
    void set(const std::string &attribute, Value value);
};
/// An object of such a class. Its values are a list, so that letting a long chain of objects go
/// does not need a deep stack.
struct InstanceObject : Object
{
    InstanceObject();
    Value type; ///< the class; None for a group of named values
    std::vector<std::string> names;
    Value values;

    const Value *find(const std::string &attribute) const;
    void set(const std::string &attribute, Value value);
};
/// A kernel with a grid of programs, not yet called.
struct LaunchObject : Object
{
    Value function;
    std::vector<std::int64_t> grid;
};

} // namespace accelopt::nki
