// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <algorithm>
#include <fmt/format.h>

// Reductions over free axes, scans, loop_reduce.

namespace accelopt::nki {

namespace {

/// Axes of axis=, as a bit set; refuses the partition axis.
std::uint8_t axesOf(Evaluator &evaluator, const Value &axis, const TensorObject &data)
{
    std::vector<Value> items;
    if (axis.is(ValueKind::Tuple) || axis.is(ValueKind::List))
        items = axis.as<SequenceObject>().items;
    else
        items = {axis};
    std::uint8_t bits = 0;
    for (const Value &item : items) {
        if (!item.isInteger())
            evaluator.notCompiling("type_error", "axis must be an integer or a list of integers");
        std::int64_t k = item.asInteger();
        if (k < 0)
            k += data.rank;
        if (k <= 0 || k >= data.rank)
            evaluator.notCompiling(
                "err_reduce_axis",
                fmt::format("axis {} of a tile of shape {} cannot be reduced", item.asInteger(),
                            data.shapeText()),
                "only free axes can: the partition axis needs a product with ones, or a "
                "transpose");
        bits = std::uint8_t(bits | (1 << k));
    }
    return bits;
}

Value reduce(Call &call, AluOp op, TensorObject &data, const Value &axis, const Value &mask,
             const Value &dtype, const Value &keepDims, bool negate)
{
    Evaluator &evaluator = call.evaluator;
    checkOperand(evaluator, data, "data");
    if (data.rank > AccessPattern::kMaximumRank)
        evaluator.unsupported("a reduction over this many axes");
    Draft draft;
    draft.opcode = Opcode::Reduce;
    draft.parameters.op0 = op;
    draft.parameters.negate = negate;
    draft.parameters.reducedAxes = axesOf(evaluator, axis, data);
    const bool keep = !keepDims.is(ValueKind::Unbound) && !keepDims.is(ValueKind::None) &&
                      evaluator.truth(keepDims, call.node);
    // Pattern axes of size 1 are dropped when a view becomes an operand: the bits must follow.
    std::vector<std::int64_t> shape;
    std::uint8_t bits = 0;
    int operandAxis = 0;
    for (int k = 0; k < data.rank; ++k) {
        const bool reduced = (draft.parameters.reducedAxes >> k & 1) != 0;
        const std::int64_t size = data.axes[std::size_t(k)].size;
        if (!reduced)
            shape.push_back(size);
        else if (keep)
            shape.push_back(1);
        if (k >= 2 && size == 1)
            continue;
        if (reduced)
            bits = std::uint8_t(bits | (1 << operandAxis));
        ++operandAxis;
    }
    draft.parameters.reducedAxes = bits;
    if (shape.size() < 2)
        shape.push_back(1);
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, dtype).value_or(data.dtype), shape);
    const Value hold = Value::object(ValueKind::Tensor, tile);
    draft.outputs = {tile};
    draft.inputs = {&data};
    draft.mask = maskArgument(evaluator, mask);
    if (draft.mask != nullptr) {
        std::array<int, AccessPattern::kMaximumRank> input{0, 1, 2, 3, 4};
        std::array<int, AccessPattern::kMaximumRank> output{};
        int next = 0;
        for (int k = 0; k < AccessPattern::kMaximumRank; ++k) {
            const bool reduced = k < data.rank && !keep &&
                                 std::find(shape.begin(), shape.end(), 0) == shape.end() &&
                                 (axesOf(evaluator, axis, data) >> k & 1) != 0;
            output[std::size_t(k)] = reduced ? -1 : next++;
        }
        draft.maskAxes = {output, input};
    }
    return evaluator.freshValue(tile, evaluator.emit(draft), mask);
}

// x, axis, mask, dtype, keepdims
Value reduceNl(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    return reduce(call, call.spec.alu, tileOf(evaluator, call[0], "x"), call[1], call[2], call[3],
                  call[4], false);
}

// x, axis, mask, dtype, keepdims
Value mean(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "x");
    const std::uint8_t bits = axesOf(evaluator, call[1], data);
    std::int64_t count = 1;
    for (int k = 1; k < data.rank; ++k)
        if ((bits >> k & 1) != 0)
            count *= data.axes[std::size_t(k)].size;
    const Value sum = reduce(call, AluOp::Add, data, call[1], call[2], call[3], call[4], false);
    sum.as<TensorObject>().freshProducer = kNoInstruction;
    return evaluator.elementwise(AluOp::Multiply, sum, Value::number(1.0 / double(count)),
                                 Value::none(), dtypeArgument(evaluator, call[3]));
}

// op, data, axis, mask, dtype, negate, keepdims
Value tensorReduce(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    const bool negate = call.given(5) && evaluator.truth(call[5], call.node);
    return reduce(call, aluArgument(evaluator, call[0], "op"), tileOf(evaluator, call[1], "data"),
                  call[2], call[3], call[4], call[6], negate);
}

// data0, data1, initial, op0, op1, reverse0, reverse1, mask, dtype
Value scan(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &a = tileOf(evaluator, call[0], "data0");
    auto &b = tileOf(evaluator, call[1], "data1");
    checkOperand(evaluator, a, "data0");
    checkOperand(evaluator, b, "data1");
    if (a.axes[0].size != b.axes[0].size || a.freeElements() != b.freeElements())
        evaluator.notCompiling("err_shape_mismatch", fmt::format("data0 has shape {} and data1 {}",
                                                                 a.shapeText(), b.shapeText()));
    if (a.memory == Memory::Psum && b.memory == Memory::Psum)
        evaluator.notCompiling("err_unsupported_memory", "data0 and data1 cannot both be in PSUM");
    Draft draft;
    draft.opcode = Opcode::Scan;
    draft.inputs = {&a, &b};
    Parameters &p = draft.parameters;
    vectorOrConstant(evaluator, call[2], "initial", a.axes[0].size, draft, p.constant0,
                     p.operand0IsConstant);
    p.op0 = aluArgument(evaluator, call[3], "op0");
    p.op1 = aluArgument(evaluator, call[4], "op1");
    p.reverse0 = call.given(5) && evaluator.truth(call[5], call.node);
    p.reverse1 = call.given(6) && evaluator.truth(call[6], call.node);
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[8]).value_or(promote(a.dtype, b.dtype)),
        sizes(a));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    draft.outputs = {tile};
    draft.mask = maskArgument(evaluator, call[7]);
    return evaluator.freshValue(tile, evaluator.emit(draft), call[7]);
}

// x, op, loop_indices, mask, dtype
Value loopReduce(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "x");
    Draft draft;
    draft.opcode = Opcode::LoopReduce;
    draft.parameters.op0 = aluArgument(evaluator, call[1], "op");
    draft.parameters.firstPass = true;
    for (const Value &index : evaluator.iterate(call[2], call.node)) {
        const std::int32_t iteration = index.loopIteration();
        if (iteration == 0)
            evaluator.notCompiling("type_error",
                                   "loop_indices takes the indices of enclosing loops themselves",
                                   "pass the loop variables, not expressions of them");
        if (evaluator.program().iterations[std::size_t(iteration)].index != 0)
            draft.parameters.firstPass = false;
    }
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[4]).value_or(data.dtype), sizes(data));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    draft.outputs = {tile};
    draft.inputs = {&data};
    draft.mask = maskArgument(evaluator, call[3]);
    return evaluator.freshValue(tile, evaluator.emit(draft), call[3]);
}

// op, data, mask, dtype
Value partitionReduce(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[1], "data");
    std::vector<std::int64_t> shape = sizes(data);
    shape[0] = 1;
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[3]).value_or(data.dtype), shape);
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::PartitionReduce;
    draft.engine = Engine::GpSimd;
    draft.parameters.op0 = aluArgument(evaluator, call[0], "op");
    draft.outputs = {tile};
    draft.inputs = {&data};
    return evaluator.freshValue(tile, evaluator.emit(draft), Value::none());
}

/// bn_stats, bn_aggr and max8: a fixed number of results per partition.
Value statistics(Call &call, Opcode opcode, std::int64_t results)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "data");
    checkOperand(evaluator, data, "data");
    if (opcode == Opcode::BatchNormStats && data.freeElements() > 512)
        evaluator.notCompiling(
            "err_size_of_dimension_exceed_arch_limit",
            fmt::format("bn_stats takes at most 512 elements per partition, not {}",
                        data.freeElements()));
    TensorObject *tile =
        evaluator.newTile(Memory::Sbuf, dtypeArgument(evaluator, call[2]).value_or(data.dtype),
                          {data.axes[0].size, results});
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = opcode;
    draft.outputs = {tile};
    draft.inputs = {&data};
    return evaluator.freshValue(tile, evaluator.emit(draft), Value::none());
}

Value batchNormStats(Call &call)
{
    return statistics(call, Opcode::BatchNormStats, 6);
}

Value batchNormAggregate(Call &call)
{
    return statistics(call, Opcode::BatchNormAggregate, 2);
}

Value max8(Call &call)
{
    return statistics(call, Opcode::Max8, 8);
}

constexpr std::string_view kReduce = "x, axis, mask=, dtype=, keepdims=";

// data, op0, operand0, reduce_op, reduce_res, mask, dtype
Value tensorScalarReduce(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "data");
    checkOperand(evaluator, data, "data");
    const std::int64_t partitions = data.axes[0].size;
    Draft draft;
    draft.opcode = Opcode::TensorScalar;
    draft.inputs = {&data};
    Parameters &p = draft.parameters;
    p.op0 = aluArgument(evaluator, call[1], "op0");
    vectorOrConstant(evaluator, call[2], "operand0", partitions, draft, p.constant0,
                     p.operand0IsConstant);
    p.reduceOp = aluArgument(evaluator, call[3], "reduce_op");
    if (p.reduceOp != AluOp::Add && p.reduceOp != AluOp::Subtract &&
        p.reduceOp != AluOp::Multiply && p.reduceOp != AluOp::Maximum &&
        p.reduceOp != AluOp::Minimum)
        evaluator.notCompiling("err_reduce_op",
                               fmt::format("{} is no operator to reduce with", name(p.reduceOp)),
                               "reduce with nl.add, nl.subtract, nl.multiply, nl.max or nl.min");
    TensorObject reduced = tileOf(evaluator, call[4], "reduce_res");
    reduced.references = 0;
    if (reduced.axes[0].size != partitions || reduced.freeElements() != 1)
        evaluator.notCompiling(
            "err_shape_mismatch",
            fmt::format("reduce_res has shape {}, but must have one element in each of {} "
                        "partitions",
                        reduced.shapeText(), partitions));
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[6]).value_or(data.dtype), sizes(data));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    draft.outputs = {tile, &reduced};
    draft.mask = maskArgument(evaluator, call[5]);
    return evaluator.freshValue(tile, evaluator.emit(draft), call[5]);
}

constexpr FunctionSpec kReductionFunctions[] = {
    {"nisa.tensor_scalar_reduce",
     "data, op0, operand0, reduce_op, reduce_res, mask=, dtype=", tensorScalarReduce},
    {"nl.sum", kReduce, reduceNl, AluOp::Add},
    {"nl.max", kReduce, reduceNl, AluOp::Maximum},
    {"nl.min", kReduce, reduceNl, AluOp::Minimum},
    {"nl.prod", kReduce, reduceNl, AluOp::Multiply},
    {"nl.all", kReduce, reduceNl, AluOp::LogicalAnd},
    {"nl.mean", kReduce, mean},
    {"nisa.tensor_reduce", "op, data, axis, mask=, dtype=, negate=, keepdims=", tensorReduce},
    {"nisa.tensor_tensor_scan",
     "data0, data1, initial, op0, op1, reverse0=, reverse1=, mask=, dtype=", scan},
    {"nl.loop_reduce", "x, op, loop_indices, mask=, dtype=", loopReduce},
    {"nisa.tensor_partition_reduce", "op, data, mask=, dtype=", partitionReduce},
    {"nisa.bn_stats", "data, mask=, dtype=", batchNormStats},
    {"nisa.bn_aggr", "data, mask=, dtype=", batchNormAggregate},
    {"nisa.max8", "src, mask=, dtype=", max8},
    // numpy's names for the same operators.
    {"np.amax", kReduce, reduceNl, AluOp::Maximum},
    {"np.amin", kReduce, reduceNl, AluOp::Minimum},
};

} // namespace

std::span<const FunctionSpec> reductionFunctions()
{
    return kReductionFunctions;
}

} // namespace accelopt::nki
