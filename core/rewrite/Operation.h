// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/syntax/SyntaxTree.h"
#include "core/rewrite/Symbolic.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::rewrite {

/// One axis of an index: offset + sum over lanes of stride * (0 .. size-1). A number has no lanes.
struct Lane
{
    int axis = 0; ///< axis of the result it runs along
    std::int64_t stride = 1;
    Symbolic size;
    bool operator==(const Lane &) const = default;
};

struct AxisIndex
{
    bool known = false; ///< false: only `text` tells what it is
    Symbolic offset;
    std::vector<Lane> lanes;
    std::string text; ///< normalised
    nki::NodeId node = -1;
};
/// True when both certainly select the same elements in the same order.
bool sameIndex(const AxisIndex &a, const AxisIndex &b);

/// A read or write of a tensor or tile: the whole of it or a region.
struct Access
{
    std::string base; ///< name; empty when the expression has another form
    bool whole = false;
    std::vector<AxisIndex> indices;
    nki::NodeId node = -1;
};
bool sameRegion(const Access &a, const Access &b);

/// Extents of a tile: partitions, and elements per partition. Nothing where it could not be worked
/// out.
struct TileShape
{
    std::optional<Symbolic> partitions;
    std::optional<Symbolic> elements;

    bool column() const { return elements && elements->constant() == 1; }
    /// Elements per partition, or a usual width when unknown.
    double width() const;
    bool operator==(const TileShape &) const = default;
};

enum class OperandKind { Absent, Number, Tile, Hbm, Other };

struct Operand
{
    OperandKind kind = OperandKind::Absent;
    nki::NodeId node = -1;
    std::optional<double> number; ///< of a Number whose value is known
    Access access;
    TileShape shape;
    bool inPsum = false;

    bool tile() const { return kind == OperandKind::Tile; }
    bool scalar() const { return kind == OperandKind::Number; }
    /// A tile with more than one element per partition, as far as is known.
    bool wide() const { return tile() && !shape.column(); }
    bool column() const { return tile() && shape.column(); }
};

/// What a statement computes, whatever its spelling: `nl.exp(x)` and `nisa.activation(op=nl.exp,
/// data=x)` are both Activation with function "exp"; `x * 2`, `nl.multiply(x, 2)` and
/// `nisa.tensor_scalar` are Scalars.
enum class OperationKind {
    Declare,      ///< nl.ndarray, nl.zeros, nl.full, ...
    Load,         ///< data[0] in HBM
    Store,        ///< data[0]; the statement's destination is the region of HBM
    Copy,         ///< data[0]
    Activation,   ///< function(data[0] * scale + bias)
    Scalars,      ///< data[0] through one or two steps with a number or a column each
    Tensors,      ///< data[0] function data[1], elementwise
    ScalarTensor, ///< (data[0] through one step) function data[1]
    Reduce,       ///< over the free axes of data[0] with function
    Reciprocal,   ///< data[0]
    Matmul,       ///< data[0] x data[1]; transposeX: data[0] is given transposed
    Transpose,    ///< data[0]
    Memset,
    Broadcast, ///< data[0] to more partitions
    LoopReduce,
    Other,
};

/// data op operand, or operand op data when reversed. `op` by NKI's name ("multiply").
struct ScalarStep
{
    std::string op;
    Operand operand;
    bool reverse = false;
};

struct Operation
{
    OperationKind kind = OperationKind::Other;
    nki::NodeId node = -1; ///< the expression
    std::string callee;    ///< canonical ("nl.exp"), empty for operators
    std::string function;  ///< of an Activation, Tensors, ScalarTensor or Reduce, by NKI's name
    std::vector<Operand> data;
    std::vector<ScalarStep> steps;
    bool reverseTensor = false; ///< ScalarTensor: data[1] function (...) instead
    Operand scale;              ///< of an Activation
    Operand bias;
    std::string reduceOp; ///< of an Activation with a reduction: "add"
    Operand reduceResult;
    bool transposeX = false;
    bool negate = false;      ///< of a Reduce
    bool allFreeAxes = false; ///< a Reduce over every free axis, giving a column
    std::string dtype;        ///< "" when not given, "float32", or the text
    nki::NodeId mask = -1;    ///< -1: none
    /// False when the call has keywords whose effect is not known here; such statements are left
    /// alone.
    bool plain = true;
    std::map<std::string, nki::NodeId> keywords; ///< value nodes
};

/// True when a result of type `first` may be left out before one of type `second` without a loss:
/// both are float32 or equal.
bool compatibleTypes(const std::string &first, const std::string &second);

/// Canonical names of the calls whose result is a tile and that stay what they are wherever in an
/// expression they stand; not products, whose place decides how they are added up.
const std::vector<std::string> &computingCalls();

} // namespace accelopt::rewrite
