// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::nki {

std::vector<std::int64_t> shapeOf(Evaluator &evaluator, const std::vector<Value> &values)
{
    std::vector<std::int64_t> shape;
    for (const Value &value : values) {
        if (value.is(ValueKind::PartitionDimension) || value.isInteger()) {
            if (value.asInteger() < 0)
                evaluator.notCompiling("value_error",
                                       fmt::format("a dimension cannot be {}", value.asInteger()));
            shape.push_back(value.asInteger());
        } else {
            evaluator.notCompiling(
                "type_error",
                fmt::format("shape element must be integers, not a {}",
                            pythonTypeName(value.kind())),
                "a loop index or index expression cannot be the size of a dimension");
        }
    }
    return shape;
}

TensorObject &tileOf(Evaluator &evaluator, const Value &value, std::string_view role)
{
    if (!value.is(ValueKind::Tensor))
        evaluator.notCompiling("type_error", fmt::format("{} must be a tile, not a {}", role,
                                                         pythonTypeName(value.kind())));
    auto &view = value.as<TensorObject>();
    if (view.memory == Memory::Hbm)
        evaluator.notCompiling(
            "err_unsupported_memory",
            fmt::format("{} is in HBM, but engines read SBUF and PSUM only", role),
            "load it first with nl.load");
    if (view.hasBlocks())
        evaluator.notCompiling(
            "err_failed_to_infer_tile_from_local_tensor",
            fmt::format("{} of shape {} still has block dimensions", role, view.shapeText()),
            "index the block dimensions, so that one tile is left");
    return view;
}

void checkOperand(Evaluator &evaluator, const TensorObject &view, std::string_view role)
{
    const Storage &storage = evaluator.program().storages[std::size_t(view.storage)];
    const std::int64_t partitions = view.axes[0].size;
    const std::int64_t start = storage.freeElements > 0 ? view.offset / storage.freeElements : 0;
    // Engines address partitions in quadrants of 32 (architecture guide, "partition start").
    const std::int64_t alignment = partitions > 64 ? 128 : partitions > 32 ? 64 : 32;
    if (start % alignment != 0)
        evaluator.notCompiling(
            "err_partition_start",
            fmt::format("{} starts at partition {}, but a tile of {} partitions may only start at "
                        "a multiple of {}",
                        role, start, partitions, alignment),
            "place the tile at a legal partition, or copy it there with DMA (nl.load)");
}

std::vector<std::int64_t> sizes(const TensorObject &view)
{
    std::vector<std::int64_t> result;
    for (int axis = 0; axis < view.rank; ++axis)
        result.push_back(view.axes[std::size_t(axis)].size);
    return result;
}

namespace {

/// True when the axes from `first` on are in C order without gaps.
bool isContiguous(const TensorObject &view, int first)
{
    std::int64_t stride = 1;
    for (int axis = view.rank - 1; axis >= first; --axis) {
        const Axis &a = view.axes[std::size_t(axis)];
        if (a.size != 1 && a.stride != stride)
            return false;
        stride *= a.size;
    }
    return true;
}

Value viewValue(const TensorObject &view)
{
    auto *object = new TensorObject(view);
    object->references = 0;
    object->freshProducer = kNoInstruction;
    object->freshMask = {};
    return Value::object(ValueKind::Tensor, object);
}

} // namespace

Value reshape(Evaluator &evaluator, const Value &tensor, const std::vector<std::int64_t> &shape)
{
    const auto &view = tensor.as<TensorObject>();
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count))
            evaluator.notCompiling("value_error", "the shape is larger than any memory");
    if (count != view.elements())
        evaluator.notCompiling(
            "value_error", fmt::format("a tensor of shape {} cannot be reshaped into {} elements",
                                       view.shapeText(), count));
    if (int(shape.size()) > TensorObject::kMaximumRank)
        evaluator.unsupported("tensors of this many dimensions");
    TensorObject out = view;
    out.references = 0;
    out.rank = int(shape.size());
    const bool onChip = view.onChip();
    const int firstFree = onChip ? 1 : 0;
    if (view.hasBlocks())
        evaluator.unsupported("reshaping a tensor with block dimensions");
    if (!isContiguous(view, firstFree))
        evaluator.unsupported("reshaping a view with gaps");
    if (onChip && (shape.empty() || shape[0] != view.axes[0].size))
        evaluator.notCompiling("err_reshape",
                               "an on-chip reshape must keep the partition dimension",
                               "reshape the free dimensions only");
    std::int64_t stride = 1;
    for (int axis = out.rank - 1; axis >= firstFree; --axis) {
        out.axes[std::size_t(axis)] = {shape[std::size_t(axis)], stride, AxisKind::Free};
        stride *= shape[std::size_t(axis)];
    }
    if (onChip && out.rank == 1) {
        out.axes[1] = {1, 0, AxisKind::Free};
        out.rank = 2;
    }
    return viewValue(out);
}

Value expandDims(Evaluator &evaluator, const Value &tensor, const Value &axisValue)
{
    const auto &view = tensor.as<TensorObject>();
    if (!axisValue.isInteger())
        evaluator.notCompiling("type_error", "expand_dims takes an integer axis");
    std::int64_t axis = axisValue.asInteger();
    if (axis < 0)
        axis += view.rank + 1;
    if (axis < 0 || axis > view.rank || view.rank >= TensorObject::kMaximumRank)
        evaluator.notCompiling("index_error", "expand_dims: the axis is out of range");
    if (view.onChip() && axis == 0)
        evaluator.notCompiling("err_leading_dimension_of_tensor_must_be_partition",
                               "the partition dimension must stay the first one",
                               "expand a free dimension");
    TensorObject out = view;
    for (int k = out.rank; k > int(axis); --k)
        out.axes[std::size_t(k)] = out.axes[std::size_t(k - 1)];
    out.axes[std::size_t(axis)] = {1, 0, AxisKind::Free};
    ++out.rank;
    return viewValue(out);
}

Value broadcastTo(Evaluator &evaluator, const Value &tensor, const std::vector<std::int64_t> &shape)
{
    const auto &view = tensor.as<TensorObject>();
    const int rank = int(shape.size());
    const int lead = rank - view.rank;
    const auto refuse = [&] {
        std::string target;
        for (const std::int64_t size : shape)
            target += fmt::format("{}{}", target.empty() ? "" : ", ", size);
        evaluator.notCompiling("value_error",
                               fmt::format("a tensor of shape {} cannot be broadcast to ({})",
                                           view.shapeText(), target),
                               "only dimensions of size 1 are repeated");
    };
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count) || count > (std::int64_t(1) << 44))
            evaluator.notCompiling("value_error", "the shape is larger than any memory");
    if (lead < 0 || rank > TensorObject::kMaximumRank || (view.onChip() && lead > 0))
        refuse();
    TensorObject out = view;
    out.rank = rank;
    bool partitions = false;
    for (int axis = rank - 1; axis >= 0; --axis) {
        Axis from = axis >= lead ? view.axes[std::size_t(axis - lead)] : Axis{1, 0, AxisKind::Free};
        const std::int64_t wanted = shape[std::size_t(axis)];
        if (from.size != wanted) {
            if (from.size != 1)
                refuse();
            partitions = partitions || (view.onChip() && axis == 0);
            from.size = axis == 0 && view.onChip() ? 1 : wanted;
            from.stride = 0;
        }
        out.axes[std::size_t(axis)] = from;
    }
    if (!partitions)
        return viewValue(out);
    // Moving a row to many partitions needs real data movement: ones^T * row on the tensor engine.
    TensorObject *tile = evaluator.newTile(Memory::Sbuf, view.dtype, shape);
    const Value result = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::PartitionBroadcast;
    draft.engine = Engine::Tensor;
    draft.outputs = {tile};
    draft.inputs = {&out};
    const InstructionId id = evaluator.emit(draft);
    return evaluator.freshValue(tile, id, Value::none());
}

Value copyTile(Evaluator &evaluator, const Value &source, const Value &mask,
               std::optional<DType> dtype)
{
    auto &view = tileOf(evaluator, source, "the source");
    TensorObject *tile = evaluator.newTile(Memory::Sbuf, dtype.value_or(view.dtype), sizes(view));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Copy;
    draft.engine = Engine::Scalar;
    draft.outputs = {tile};
    draft.inputs = {&view};
    draft.mask = maskArgument(evaluator, mask);
    return evaluator.freshValue(tile, evaluator.emit(draft), mask);
}

std::optional<DType> dtypeArgument(Evaluator &evaluator, const Value &value)
{
    if (value.is(ValueKind::Unbound) || value.is(ValueKind::None))
        return std::nullopt;
    if (value.is(ValueKind::DTypeName))
        return value.asDType();
    if (value.is(ValueKind::String))
        if (const auto type = accelopt::nki::dtype(toText(value)))
            return type;
    evaluator.notCompiling("type_error",
                           fmt::format("dtype must be a type such as nl.float32, not a {}",
                                       pythonTypeName(value.kind())));
}

const MaskObject *maskArgument(Evaluator &evaluator, const Value &mask)
{
    if (mask.is(ValueKind::Unbound) || mask.is(ValueKind::None))
        return nullptr;
    if (mask.is(ValueKind::MaskExpression))
        return &mask.as<MaskObject>();
    // A condition on loop indices alone: a number by now. It holds for every element or for none.
    if (mask.isInteger()) {
        static const Value s_never = [] {
            auto *object = new MaskObject;
            AffineCondition condition;
            condition.constant = -1;
            object->conditions.push_back(condition);
            return Value::object(ValueKind::MaskExpression, object);
        }();
        return mask.asInteger() != 0 ? nullptr : &s_never.as<MaskObject>();
    }
    evaluator.notCompiling(
        "err_unsupported_expression_in_mask",
        fmt::format("a mask must be a comparison of index expressions, not a {}",
                    pythonTypeName(mask.kind())),
        "compare nl.arange expressions and loop indices; use nl.where for values");
}

Engine engineArgument(const Value &engine, Engine otherwise)
{
    if (engine.is(ValueKind::EngineName) && engine.asInteger() >= 0)
        return Engine(engine.asInteger());
    return otherwise;
}

AluOp aluArgument(Evaluator &evaluator, const Value &op, std::string_view role)
{
    if (op.is(ValueKind::Function)) {
        const FunctionSpec &spec = *op.as<FunctionObject>().spec;
        if (spec.alu != AluOp::None)
            return spec.alu;
        if (spec.activation == ActivationFunction::Rsqrt)
            return AluOp::Rsqrt;
        if (spec.activation == ActivationFunction::Abs)
            return AluOp::Abs;
        if (spec.path == "py.max")
            return AluOp::Maximum;
        if (spec.path == "py.min")
            return AluOp::Minimum;
        evaluator.notCompiling("type_error", fmt::format("{} cannot be {}", role, spec.path),
                               "use an operator such as nl.add, nl.multiply or nl.maximum");
    }
    evaluator.notCompiling("type_error",
                           fmt::format("{} must be an operator such as nl.add, not a {}", role,
                                       pythonTypeName(op.kind())));
}

void vectorOrConstant(Evaluator &evaluator, const Value &value, std::string_view role,
                      std::int64_t partitions, Draft &draft, double &constant, bool &isConstant)
{
    isConstant = !value.is(ValueKind::Tensor);
    if (isConstant) {
        if (!value.isNumber())
            evaluator.notCompiling(
                "type_error", fmt::format("{} must be a number or a tile of one column, not a {}",
                                          role, pythonTypeName(value.kind())));
        constant = value.asNumber();
        return;
    }
    auto &view = tileOf(evaluator, value, role);
    if (view.freeElements() != 1 || view.axes[0].size != partitions)
        evaluator.notCompiling(
            "err_vector_operand",
            fmt::format("{} has shape {}, but must have one element in each of {} partitions", role,
                        view.shapeText(), partitions),
            fmt::format("use a tile of shape ({}, 1)", partitions));
    checkOperand(evaluator, view, role);
    draft.inputs.push_back(&view);
}

} // namespace accelopt::nki
