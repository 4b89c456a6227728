// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <cmath>
#include <fmt/format.h>

// Elementwise arithmetic: tensor_tensor, tensor_scalar, activation and the nl functions that lower
// to them.

namespace accelopt::nki {

namespace {

DType resultType(const Value &left, const Value &right)
{
    const auto typeOf = [](const Value &value) {
        if (value.is(ValueKind::Tensor))
            return value.as<TensorObject>().dtype;
        return value.is(ValueKind::Float) ? DType::Float32 : DType::Int32;
    };
    return promote(typeOf(left), typeOf(right));
}

double scalarResult(AluOp op, double a, double b)
{
    switch (op) {
    case AluOp::Add: return a + b;
    case AluOp::Subtract: return a - b;
    case AluOp::Multiply: return a * b;
    case AluOp::Divide: return a / b;
    case AluOp::Maximum: return std::max(a, b);
    case AluOp::Minimum: return std::min(a, b);
    case AluOp::Power: return std::pow(a, b);
    default: return std::nan("");
    }
}

/// The value as a tile of its own: 1/x through the vector engine.
Value reciprocalOf(Evaluator &evaluator, const Value &value, const Value &mask)
{
    auto &view = tileOf(evaluator, value, "the divisor");
    TensorObject *tile = evaluator.newTile(Memory::Sbuf, DType::Float32, sizes(view));
    const Value result = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Reciprocal;
    draft.outputs = {tile};
    draft.inputs = {&view};
    draft.mask = maskArgument(evaluator, mask);
    evaluator.emit(draft);
    return result;
}

struct Broadcast
{
    std::vector<std::int64_t> shape;
    TensorObject left;
    TensorObject right;
};

/// Makes both views the same shape: repeated free axes are stride 0.
Broadcast broadcastTogether(Evaluator &evaluator, const TensorObject &left,
                            const TensorObject &right)
{
    Broadcast out{{}, left, right};
    out.left.references = out.right.references = 0;
    if (left.axes[0].size == right.axes[0].size && left.freeElements() == right.freeElements()) {
        out.shape = sizes(left.rank >= right.rank ? left : right);
        return out;
    }
    const auto refuse = [&] {
        evaluator.notCompiling("err_shape_mismatch",
                               fmt::format("tiles of shapes {} and {} do not fit together",
                                           left.shapeText(), right.shapeText()),
                               "give both the same shape; only dimensions of size 1 are repeated");
    };
    if (left.rank != right.rank)
        refuse();
    for (int axis = 0; axis < left.rank; ++axis) {
        Axis &a = out.left.axes[std::size_t(axis)];
        Axis &b = out.right.axes[std::size_t(axis)];
        if (a.size != b.size) {
            if (axis == 0 || (a.size != 1 && b.size != 1))
                refuse();
            Axis &narrow = a.size == 1 ? a : b;
            narrow.size = std::max(a.size, b.size);
            narrow.stride = 0;
        }
        out.shape.push_back(a.size);
    }
    return out;
}

Value finishTile(Evaluator &evaluator, Draft draft, TensorObject *tile, const Value &mask)
{
    const Value keep = Value::object(ValueKind::Tensor, tile);
    draft.outputs.pushFront(tile);
    draft.mask = maskArgument(evaluator, mask);
    return evaluator.freshValue(tile, evaluator.emit(draft), mask);
}

} // namespace

Value Evaluator::elementwise(AluOp op, const Value &left, const Value &right, const Value &mask,
                             std::optional<DType> dtype, const TensorObject *destination)
{
    if (left.isNumber() && right.isNumber())
        return Value::number(scalarResult(op, left.asNumber(), right.asNumber()));
    const auto finish = [&](Draft draft, const std::vector<std::int64_t> &shape) {
        if (destination != nullptr) {
            TensorObject out = *destination;
            out.references = 0;
            draft.outputs = {&out};
            draft.mask = maskArgument(*this, mask);
            emit(draft);
            return Value::none();
        }
        // Comparisons give 0 or 1 in the type of their operands.
        return finishTile(*this, std::move(draft),
                          newTile(Memory::Sbuf, dtype.value_or(resultType(left, right)), shape),
                          mask);
    };
    const auto operand = [&](const Value &value) -> TensorObject & {
        if (!value.is(ValueKind::Tensor) && !value.isNumber())
            notCompiling("type_error",
                         fmt::format("an operand must be a tile or a number, not a {}",
                                     pythonTypeName(value.kind())));
        return tileOf(*this, value, "an operand");
    };

    // There is no divide in the vector engine: x / y is x * (1 / y).
    if (op == AluOp::Divide) {
        if (right.isNumber()) {
            if (right.asNumber() == 0)
                notCompiling("zero_division", "division by zero");
            return elementwise(AluOp::Multiply, left, Value::number(1.0 / right.asNumber()), mask,
                               dtype, destination);
        }
        const Value inverse = reciprocalOf(*this, right, mask);
        if (left.isNumber() && left.asNumber() == 1 && destination == nullptr && !dtype) {
            auto &tile = inverse.as<TensorObject>();
            return freshValue(&tile, InstructionId(program().instructions.size()) - 1, mask);
        }
        return elementwise(AluOp::Multiply, left, inverse, mask, dtype, destination);
    }

    if (left.isNumber() || right.isNumber()) {
        const bool reverse = left.isNumber();
        auto &view = operand(reverse ? right : left);
        checkOperand(*this, view, "an operand");
        Draft draft;
        draft.opcode = Opcode::TensorScalar;
        draft.engine = op == AluOp::Power ? Engine::GpSimd : Engine::Vector;
        draft.parameters.op0 = op;
        draft.parameters.constant0 = (reverse ? left : right).asNumber();
        draft.parameters.reverse0 = reverse;
        draft.inputs = {&view};
        return finish(std::move(draft), sizes(view));
    }

    auto &a = operand(left);
    auto &b = operand(right);
    const std::int64_t partitionsA = a.axes[0].size;
    const std::int64_t partitionsB = b.axes[0].size;
    if (partitionsA != partitionsB) {
        if (partitionsA != 1 && partitionsB != 1)
            notCompiling(
                "err_num_partition_mismatch",
                fmt::format("tiles of shapes {} and {} have different numbers of partitions",
                            a.shapeText(), b.shapeText()));
        // A row against a tile: the row is first repeated over the partitions.
        auto &row = partitionsA == 1 ? a : b;
        std::vector<std::int64_t> shape = sizes(row);
        shape[0] = std::max(partitionsA, partitionsB);
        const Value wide = broadcastTo(*this, partitionsA == 1 ? left : right, shape);
        wide.as<TensorObject>().freshProducer = kNoInstruction;
        return partitionsA == 1 ? elementwise(op, wide, right, mask, dtype, destination)
                                : elementwise(op, left, wide, mask, dtype, destination);
    }
    checkOperand(*this, a, "the first operand");
    checkOperand(*this, b, "the second operand");
    const bool columnA = a.freeElements() == 1 && b.freeElements() > 1;
    const bool columnB = b.freeElements() == 1 && a.freeElements() > 1;
    if (columnA || columnB) {
        Draft draft;
        draft.opcode = Opcode::TensorScalar;
        draft.engine = op == AluOp::Power ? Engine::GpSimd : Engine::Vector;
        draft.parameters.op0 = op;
        draft.parameters.reverse0 = columnA;
        draft.parameters.operand0IsConstant = false;
        draft.inputs = {columnA ? &b : &a, columnA ? &a : &b};
        return finish(std::move(draft), sizes(columnA ? b : a));
    }
    Broadcast both = broadcastTogether(*this, a, b);
    if (both.left.memory == Memory::Psum && both.right.memory == Memory::Psum) {
        // Two operands cannot both come from PSUM: the compiler moves one.
        const Value moved = copyTile(*this, right, mask, both.right.dtype);
        moved.as<TensorObject>().freshProducer = kNoInstruction;
        return elementwise(op, left, moved, mask, dtype, destination);
    }
    Draft draft;
    draft.opcode = Opcode::TensorTensor;
    draft.engine = op == AluOp::Power ? Engine::GpSimd : Engine::Vector;
    draft.parameters.op0 = op;
    draft.inputs = {&both.left, &both.right};
    return finish(std::move(draft), both.shape);
}

namespace {

// x, y, mask, dtype
Value binary(Call &call)
{
    return call.evaluator.elementwise(call.spec.alu, call[0], call[1], call[2],
                                      dtypeArgument(call.evaluator, call[3]));
}

Value activate(Evaluator &evaluator, ActivationFunction function, TensorObject &data,
               std::optional<DType> dtype, const Value &mask)
{
    checkOperand(evaluator, data, "the operand");
    Draft draft;
    draft.opcode = Opcode::Activation;
    draft.engine = Engine::Scalar;
    draft.parameters.function = function;
    draft.parameters.constant0 = 1; // scale
    draft.parameters.constant1 = 0; // bias
    draft.inputs = {&data};
    return finishTile(evaluator, std::move(draft),
                      evaluator.newTile(Memory::Sbuf, dtype.value_or(data.dtype), sizes(data)),
                      mask);
}

// x, mask, dtype
Value unary(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (call[0].isNumber()) {
        const double x = call[0].asNumber();
        switch (*call.spec.activation) {
        case ActivationFunction::Exp: return Value::number(std::exp(x));
        case ActivationFunction::Sqrt: return Value::number(std::sqrt(x));
        case ActivationFunction::Rsqrt: return Value::number(1 / std::sqrt(x));
        case ActivationFunction::Square: return Value::number(x * x);
        case ActivationFunction::Log: return Value::number(std::log(x));
        case ActivationFunction::Abs: return Value::number(std::abs(x));
        default: evaluator.unsupported(fmt::format("{} of a number", call.spec.path));
        }
    }
    return activate(evaluator, *call.spec.activation, tileOf(evaluator, call[0], "the operand"),
                    dtypeArgument(evaluator, call[2]), call[1]);
}

// x, mask, dtype
Value reciprocal(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "the operand");
    checkOperand(evaluator, data, "the operand");
    Draft draft;
    draft.opcode = Opcode::Reciprocal;
    draft.inputs = {&data};
    return finishTile(evaluator, std::move(draft),
                      evaluator.newTile(Memory::Sbuf,
                                        dtypeArgument(evaluator, call[2]).value_or(data.dtype),
                                        sizes(data)),
                      call[1]);
}

// x, mask, dtype
Value negative(Call &call)
{
    return call.evaluator.elementwise(AluOp::Multiply, call[0], Value::number(-1), call[1],
                                      dtypeArgument(call.evaluator, call[2]));
}

// data1, data2, op, mask, dtype, engine
Value tensorTensor(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &a = tileOf(evaluator, call[0], "data1");
    auto &b = tileOf(evaluator, call[1], "data2");
    checkOperand(evaluator, a, "data1");
    checkOperand(evaluator, b, "data2");
    if (a.axes[0].size != b.axes[0].size)
        evaluator.notCompiling(
            "err_num_partition_mismatch",
            fmt::format("data1 has {} partitions and data2 {}", a.axes[0].size, b.axes[0].size),
            "both operands need the same number of partitions");
    if (a.freeElements() != b.freeElements())
        evaluator.notCompiling(
            "err_shape_mismatch",
            fmt::format("data1 has shape {} and data2 {}", a.shapeText(), b.shapeText()),
            "both operands need the same number of elements in each partition");
    if (a.memory == Memory::Psum && b.memory == Memory::Psum)
        evaluator.notCompiling("err_unsupported_memory", "data1 and data2 cannot both be in PSUM",
                               "copy one of them to SBUF");
    Draft draft;
    draft.opcode = Opcode::TensorTensor;
    draft.parameters.op0 = aluArgument(evaluator, call[2], "op");
    draft.engine = engineArgument(call[5], draft.parameters.op0 == AluOp::Power ? Engine::GpSimd
                                                                                : Engine::Vector);
    draft.inputs = {&a, &b};
    return finishTile(
        evaluator, std::move(draft),
        evaluator.newTile(Memory::Sbuf,
                          dtypeArgument(evaluator, call[4]).value_or(promote(a.dtype, b.dtype)),
                          sizes(a)),
        call[3]);
}

// data, op0, operand0, reverse0, op1, operand1, reverse1, mask, dtype, engine
Value tensorScalar(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "data");
    checkOperand(evaluator, data, "data");
    Draft draft;
    draft.opcode = Opcode::TensorScalar;
    draft.engine = engineArgument(call[9], Engine::Vector);
    draft.inputs = {&data};
    Parameters &p = draft.parameters;
    p.op0 = aluArgument(evaluator, call[1], "op0");
    const std::int64_t partitions = data.axes[0].size;
    vectorOrConstant(evaluator, call[2], "operand0", partitions, draft, p.constant0,
                     p.operand0IsConstant);
    p.reverse0 = call.given(3) && evaluator.truth(call[3], call.node);
    if (call.given(4)) {
        p.op1 = aluArgument(evaluator, call[4], "op1");
        if (!call.given(5))
            evaluator.notCompiling("type_error", "op1 needs operand1");
        vectorOrConstant(evaluator, call[5], "operand1", partitions, draft, p.constant1,
                         p.operand1IsConstant);
        p.reverse1 = call.given(6) && evaluator.truth(call[6], call.node);
    }
    return finishTile(evaluator, std::move(draft),
                      evaluator.newTile(Memory::Sbuf,
                                        dtypeArgument(evaluator, call[8]).value_or(data.dtype),
                                        sizes(data)),
                      call[7]);
}

// data, op0, operand0, op1, operand1, reverse0, reverse1, mask, dtype
Value scalarTensorTensor(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "data");
    checkOperand(evaluator, data, "data");
    Draft draft;
    draft.opcode = Opcode::ScalarTensorTensor;
    draft.inputs = {&data};
    Parameters &p = draft.parameters;
    p.op0 = aluArgument(evaluator, call[1], "op0");
    vectorOrConstant(evaluator, call[2], "operand0", data.axes[0].size, draft, p.constant0,
                     p.operand0IsConstant);
    p.op1 = aluArgument(evaluator, call[3], "op1");
    auto &other = tileOf(evaluator, call[4], "operand1");
    checkOperand(evaluator, other, "operand1");
    if (other.axes[0].size != data.axes[0].size || other.freeElements() != data.freeElements())
        evaluator.notCompiling(
            "err_shape_mismatch",
            fmt::format("data has shape {} and operand1 {}", data.shapeText(), other.shapeText()),
            "both need the same number of elements in each partition");
    if (data.memory == Memory::Psum && other.memory == Memory::Psum)
        evaluator.notCompiling("err_unsupported_memory", "data and operand1 cannot both be in PSUM",
                               "copy one of them to SBUF");
    p.reverse0 = call.given(5) && evaluator.truth(call[5], call.node);
    p.reverse1 = call.given(6) && evaluator.truth(call[6], call.node);
    draft.inputs.push_back(&other);
    return finishTile(
        evaluator, std::move(draft),
        evaluator.newTile(
            Memory::Sbuf,
            dtypeArgument(evaluator, call[8]).value_or(promote(data.dtype, other.dtype)),
            sizes(data)),
        call[7]);
}

ActivationFunction activationArgument(Evaluator &evaluator, const Value &op)
{
    if (op.is(ValueKind::Function)) {
        const FunctionSpec &spec = *op.as<FunctionObject>().spec;
        if (spec.activation)
            return *spec.activation;
        evaluator.notCompiling("err_activation_function",
                               fmt::format("{} is not a function of the scalar engine", spec.path),
                               "use one such as nl.exp, nl.square or nl.copy");
    }
    evaluator.notCompiling("type_error",
                           fmt::format("op must be an activation function such as nl.exp, not a {}",
                                       pythonTypeName(op.kind())));
}

/// Common to activation and activation_reduce.
Value activationWith(Call &call, const Value &bias, const Value &scale, const Value &reduceOp,
                     const Value &reduceResult, const Value &mask, const Value &dtype)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[1], "data");
    checkOperand(evaluator, data, "data");
    Draft draft;
    draft.opcode = Opcode::Activation;
    draft.engine = Engine::Scalar;
    draft.inputs = {&data};
    Parameters &p = draft.parameters;
    p.function = activationArgument(evaluator, call[0]);
    p.constant0 = 1;
    p.constant1 = 0;
    const std::int64_t partitions = data.axes[0].size;
    if (!scale.is(ValueKind::Unbound) && !scale.is(ValueKind::None)) {
        if (scale.is(ValueKind::Tensor) && scale.as<TensorObject>().freeElements() != 1)
            evaluator.notCompiling(
                "err_activation_scale_scalar_or_vector",
                fmt::format("scale has shape {}, but must be a number or a tile of one column",
                            scale.as<TensorObject>().shapeText()),
                fmt::format("use a tile of shape ({}, 1)", partitions));
        vectorOrConstant(evaluator, scale, "scale", partitions, draft, p.constant0,
                         p.operand0IsConstant);
        if (scale.is(ValueKind::Tensor) && scale.as<TensorObject>().dtype != DType::Float32)
            evaluator.notCompiling("err_activation_scale_invalid_type",
                                   "scale must be a float32 tile",
                                   "convert it with nl.copy(scale, dtype=nl.float32)");
    }
    if (!bias.is(ValueKind::Unbound) && !bias.is(ValueKind::None)) {
        if (!bias.is(ValueKind::Tensor))
            evaluator.notCompiling(
                "err_activation_bias_invalid_type",
                "bias must be a tile of one column of float32, float16 or bfloat16",
                "make it with nisa.memset((128, 1), value=..., dtype=nl.float32)");
        vectorOrConstant(evaluator, bias, "bias", partitions, draft, p.constant1,
                         p.operand1IsConstant);
        const DType type = bias.as<TensorObject>().dtype;
        if (type != DType::Float32 && type != DType::Float16 && type != DType::BFloat16)
            evaluator.notCompiling("err_activation_bias_invalid_type",
                                   "bias must be float32, float16 or bfloat16");
    }
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, dtype).value_or(data.dtype), sizes(data));
    TensorObject reduced;
    const Value keep = Value::object(ValueKind::Tensor, tile);
    if (reduceResult.is(ValueKind::Tensor)) {
        p.reduceOp = aluArgument(evaluator, reduceOp, "reduce_op");
        if (p.reduceOp != AluOp::Add)
            evaluator.notCompiling("err_reduce_op", "the scalar engine only reduces with nl.add");
        reduced = tileOf(evaluator, reduceResult, "reduce_res");
        reduced.references = 0;
        if (reduced.axes[0].size != partitions || reduced.freeElements() != 1)
            evaluator.notCompiling(
                "err_shape_mismatch",
                fmt::format("reduce_res has shape {}, but must have one element in each of "
                            "{} partitions",
                            reduced.shapeText(), partitions));
        draft.outputs.push_back(&reduced);
    }
    draft.outputs.pushFront(tile);
    draft.mask = maskArgument(evaluator, mask);
    return evaluator.freshValue(tile, evaluator.emit(draft), mask);
}

// op, data, bias, scale, reduce_op, reduce_res, reduce_cmd, mask, dtype
Value activation(Call &call)
{
    if (call.given(6) && call.given(5)) {
        const std::string command = toText(call[6]);
        if (command != "nisa.reduce_cmd.reset_reduce")
            call.evaluator.unsupported("the reduction command " + command);
    } else if (call.given(6) && toText(call[6]) != "nisa.reduce_cmd.idle") {
        call.evaluator.unsupported(
            "accumulating in the scalar engine's registers across instructions");
    }
    return activationWith(call, call[2], call[3], call[4], call[5], call[7], call[8]);
}

// op, data, reduce_op, reduce_res, bias, scale, mask, dtype
Value activationReduce(Call &call)
{
    return activationWith(call, call[4], call[5], call[2], call[3], call[6], call[7]);
}

// condition, x, y, mask, dtype
Value where(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &predicate = tileOf(evaluator, call[0], "condition");
    Draft draft;
    draft.opcode = Opcode::Select;
    draft.inputs = {&predicate};
    std::vector<TensorObject> wide;
    wide.reserve(2);
    DType type = DType::Float32;
    for (const std::size_t i : {1u, 2u}) {
        bool &isConstant =
            i == 1 ? draft.parameters.operand0IsConstant : draft.parameters.operand1IsConstant;
        if (call[i].isNumber()) {
            isConstant = true;
            (i == 1 ? draft.parameters.constant0 : draft.parameters.constant1) = call[i].asNumber();
            continue;
        }
        isConstant = false;
        wide.push_back(
            broadcastTogether(evaluator, predicate, tileOf(evaluator, call[i], "a choice")).right);
        draft.inputs.push_back(&wide.back());
        type = wide.back().dtype;
    }
    return finishTile(evaluator, std::move(draft),
                      evaluator.newTile(Memory::Sbuf,
                                        dtypeArgument(evaluator, call[4]).value_or(type),
                                        sizes(predicate)),
                      call[3]);
}

// x, axis, mask, dtype
Value softmax(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "x");
    const std::int64_t partitions = data.axes[0].size;
    TensorObject *maximum = evaluator.newTile(Memory::Sbuf, DType::Float32, {partitions, 1});
    const Value keepMaximum = Value::object(ValueKind::Tensor, maximum);
    Draft reduce;
    reduce.opcode = Opcode::Reduce;
    reduce.parameters.op0 = AluOp::Maximum;
    reduce.parameters.negate = true;
    for (int axis = 1; axis < data.rank; ++axis)
        reduce.parameters.reducedAxes = std::uint8_t(reduce.parameters.reducedAxes | (1 << axis));
    reduce.outputs = {maximum};
    reduce.inputs = {&data};
    evaluator.emit(std::move(reduce));
    TensorObject *powers = evaluator.newTile(Memory::Sbuf, DType::Float32, sizes(data));
    const Value keepPowers = Value::object(ValueKind::Tensor, powers);
    TensorObject *total = evaluator.newTile(Memory::Sbuf, DType::Float32, {partitions, 1});
    const Value keepTotal = Value::object(ValueKind::Tensor, total);
    Draft exponent;
    exponent.opcode = Opcode::Activation;
    exponent.engine = Engine::Scalar;
    exponent.parameters.function = ActivationFunction::Exp;
    exponent.parameters.constant0 = 1;
    exponent.parameters.operand1IsConstant = false;
    exponent.parameters.reduceOp = AluOp::Add;
    exponent.outputs = {powers, total};
    exponent.inputs = {&data, maximum};
    evaluator.emit(std::move(exponent));
    const Value inverse = reciprocalOf(evaluator, keepTotal, Value::none());
    return evaluator.elementwise(AluOp::Multiply, keepPowers, inverse, call[2],
                                 dtypeArgument(evaluator, call[3]).value_or(data.dtype));
}

using enum ActivationFunction;

constexpr std::string_view kBinary = "x, y, mask=, dtype=, max_free_vec_size=";
constexpr std::string_view kUnary = "x, mask=, dtype=";

constexpr FunctionSpec kElementwiseFunctions[] = {
    {"nl.add", kBinary, binary, AluOp::Add},
    {"nl.subtract", kBinary, binary, AluOp::Subtract},
    {"nl.multiply", kBinary, binary, AluOp::Multiply},
    {"nl.divide", kBinary, binary, AluOp::Divide},
    {"nl.maximum", kBinary, binary, AluOp::Maximum},
    {"nl.minimum", kBinary, binary, AluOp::Minimum},
    {"nl.power", kBinary, binary, AluOp::Power},
    {"nl.mod", kBinary, binary, AluOp::Mod},
    {"nl.equal", kBinary, binary, AluOp::Equal},
    {"nl.not_equal", kBinary, binary, AluOp::NotEqual},
    {"nl.greater", kBinary, binary, AluOp::Greater},
    {"nl.greater_equal", kBinary, binary, AluOp::GreaterEqual},
    {"nl.less", kBinary, binary, AluOp::Less},
    {"nl.less_equal", kBinary, binary, AluOp::LessEqual},
    {"nl.logical_and", kBinary, binary, AluOp::LogicalAnd},
    {"nl.logical_or", kBinary, binary, AluOp::LogicalOr},
    {"nl.logical_xor", kBinary, binary, AluOp::LogicalXor},
    {"nl.bitwise_and", kBinary, binary, AluOp::BitwiseAnd},
    {"nl.bitwise_or", kBinary, binary, AluOp::BitwiseOr},
    {"nl.bitwise_xor", kBinary, binary, AluOp::BitwiseXor},
    {"nl.left_shift", kBinary, binary, AluOp::LeftShift},
    {"nl.right_shift", kBinary, binary, AluOp::RightShift},
    {"nl.exp", kUnary, unary, AluOp::None, Exp},
    {"nl.square", kUnary, unary, AluOp::None, Square},
    {"nl.sqrt", kUnary, unary, AluOp::None, Sqrt},
    {"nl.rsqrt", kUnary, unary, AluOp::None, Rsqrt},
    {"nl.sigmoid", kUnary, unary, AluOp::None, Sigmoid},
    {"nl.relu", kUnary, unary, AluOp::None, Relu},
    {"nl.gelu", kUnary, unary, AluOp::None, Gelu},
    {"nl.gelu_dx", kUnary, unary, AluOp::None, GeluDx},
    {"nl.gelu_apprx_tanh", kUnary, unary, AluOp::None, GeluApproxTanh},
    {"nl.silu", kUnary, unary, AluOp::None, Silu},
    {"nl.silu_dx", kUnary, unary, AluOp::None, SiluDx},
    {"nl.tanh", kUnary, unary, AluOp::None, Tanh},
    {"nl.softplus", kUnary, unary, AluOp::None, Softplus},
    {"nl.mish", kUnary, unary, AluOp::None, Mish},
    {"nl.erf", kUnary, unary, AluOp::None, Erf},
    {"nl.erf_dx", kUnary, unary, AluOp::None, ErfDx},
    {"nl.log", kUnary, unary, AluOp::None, Log},
    {"nl.sign", kUnary, unary, AluOp::None, Sign},
    {"nl.abs", kUnary, unary, AluOp::None, Abs},
    {"nl.sin", kUnary, unary, AluOp::None, Sin},
    {"nl.cos", kUnary, unary, AluOp::None, Cos},
    {"nl.arctan", kUnary, unary, AluOp::None, Arctan},
    {"nl.floor", kUnary, unary, AluOp::None, Floor},
    {"nl.ceil", kUnary, unary, AluOp::None, Ceil},
    {"nl.logical_not", kUnary, unary, AluOp::None, LogicalNot},
    {"nl.reciprocal", kUnary, reciprocal, AluOp::None, Reciprocal},
    {"nl.negative", kUnary, negative, AluOp::None, Negative},
    {"nl.where", "condition, x, y, mask=, dtype=", where},
    {"nl.softmax", "x, axis=, mask=, dtype=", softmax},
    {"nisa.reciprocal", "data, mask=, dtype=", reciprocal},
    {"nisa.tensor_tensor", "data1, data2, op, mask=, dtype=, engine=", tensorTensor},
    {"nisa.tensor_scalar",
     "data, op0, operand0, reverse0=, op1=, operand1=, reverse1=, mask=, dtype=, engine=",
     tensorScalar},
    {"nisa.scalar_tensor_tensor",
     "data, op0, operand0, op1, operand1, reverse0=, reverse1=, mask=, dtype=", scalarTensorTensor},
    {"nisa.activation",
     "op, data, bias=, scale=, reduce_op=, reduce_res=, reduce_cmd=, mask=, dtype=, buffer=",
     activation},
    {"nisa.activation_reduce",
     "op, data, reduce_op, reduce_res, bias=, scale=, mask=, dtype=", activationReduce},
};

} // namespace

std::span<const FunctionSpec> elementwiseFunctions()
{
    return kElementwiseFunctions;
}

} // namespace accelopt::nki
