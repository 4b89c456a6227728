// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <fmt/format.h>

// Loops and index expressions.

namespace accelopt::nki {

namespace {

Value rangeValue(Call &call, LoopKind kind)
{
    Evaluator &evaluator = call.evaluator;
    auto *range = new RangeObject;
    Value result = Value::object(ValueKind::Range, range);
    range->loop = kind;
    std::int64_t numbers[3] = {0, 0, 1};
    const std::size_t count = call.given(2) ? 3 : call.given(1) ? 2 : 1;
    for (std::size_t i = 0; i < count; ++i) {
        if (!call[i].isInteger())
            evaluator.notCompiling(
                "type_error",
                fmt::format("a range needs integers, not a {}", pythonTypeName(call[i].kind())),
                "the number of iterations must be known when the kernel is compiled");
        numbers[i] = call[i].asInteger();
    }
    range->start = count == 1 ? 0 : numbers[0];
    range->stop = count == 1 ? numbers[0] : numbers[1];
    range->step = numbers[2];
    if (range->step == 0)
        evaluator.notCompiling("value_error", "a range cannot have step 0");
    return result;
}

Value affineRange(Call &call)
{
    return rangeValue(call, LoopKind::Affine);
}

// Python's range in a kernel is rewritten to sequential_range.
Value sequentialRange(Call &call)
{
    return rangeValue(call, LoopKind::Sequential);
}

Value staticRange(Call &call)
{
    return rangeValue(call, LoopKind::Static);
}

// start, stop
Value arange(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    std::int64_t low = 0;
    if (!call[0].isInteger() || (call.given(1) && !call[1].isInteger()))
        evaluator.notCompiling("type_error", "nl.arange takes integers",
                               "its length must be known when the kernel is compiled");
    std::int64_t high = call[0].asInteger();
    if (call.given(1)) {
        low = high;
        high = call[1].asInteger();
    }
    if (high <= low)
        evaluator.notCompiling("value_error",
                               fmt::format("nl.arange from {} to {} is empty", low, high));
    constexpr std::int64_t kMost = std::int64_t(1) << 40;
    if (low < -kMost || high > kMost)
        evaluator.notCompiling("value_error", "nl.arange reaches beyond any memory");
    auto *index = new IndexObject;
    index->rank = 1;
    index->constant = low;
    index->coefficient[0] = 1;
    index->extent[0] = high - low;
    return Value::object(ValueKind::Index, index);
}

// start, size
Value dynamicSlice(Call &call)
{
    if (!call[0].isInteger() || !call[1].isInteger())
        call.evaluator.notCompiling("type_error", "nl.ds takes a start and a constant size");
    std::int64_t upper = 0;
    if (call[0].asInteger() < 0 || call[1].asInteger() < 0 ||
        __builtin_add_overflow(call[0].asInteger(), call[1].asInteger(), &upper))
        call.evaluator.notCompiling("err_tensor_access_out_of_bound",
                                    fmt::format("nl.ds({}, {}) is no part of a dimension",
                                                call[0].asInteger(), call[1].asInteger()),
                                    "start at 0 or later");
    auto *slice = new SliceObject;
    slice->lower = call[0];
    slice->upper = Value::integer(upper);
    slice->step = Value::none();
    return Value::object(ValueKind::DynamicSlice, slice);
}

Value parDim(Call &call)
{
    if (!call[0].isInteger())
        call.evaluator.notCompiling("type_error",
                                    "shape element must be integers: nl.par_dim takes an integer");
    return Value::integerOf(ValueKind::PartitionDimension, call[0].asInteger());
}

/// Numbers of the axes of the launch grid that `axes` names.
std::vector<std::size_t> gridAxes(Call &call, const Value &axes)
{
    const std::size_t rank = call.evaluator.launch() ? call.evaluator.launch()->grid.size() : 0;
    std::vector<Value> given{axes};
    if (axes.is(ValueKind::Tuple) || axes.is(ValueKind::List))
        given = axes.as<SequenceObject>().items;
    std::vector<std::size_t> result;
    for (const Value &axis : given) {
        // Without a grid there is one program on every axis.
        if (!axis.isInteger() || axis.asInteger() < 0 ||
            (rank > 0 && axis.asInteger() >= std::int64_t(rank)))
            call.evaluator.notCompiling("value_error",
                                        fmt::format("the launch grid has {} axes", rank),
                                        "count its axes from 0");
        result.push_back(std::size_t(axis.asInteger()));
    }
    return result;
}

Value programId(Call &call)
{
    const std::size_t axis = gridAxes(call, call[0]).at(0);
    const Launch *launch = call.evaluator.launch();
    return launch ? Value::integer(launch->program[axis]).withLoop(true) : Value::integer(0);
}

Value numPrograms(Call &call)
{
    const Launch *launch = call.evaluator.launch();
    std::int64_t count = 1;
    if (call.given(0)) {
        for (const std::size_t axis : gridAxes(call, call[0]))
            count *= launch ? launch->grid[axis] : 1;
    } else if (launch) {
        for (const std::int64_t size : launch->grid)
            count *= size;
    }
    return Value::integer(count);
}

Value programNdim(Call &call)
{
    const Launch *launch = call.evaluator.launch();
    return Value::integer(launch ? std::int64_t(launch->grid.size()) : 0);
}

// dtype
Value finfo(Call &call)
{
    const DType type = dtypeArgument(call.evaluator, call[0]).value_or(DType::Float32);
    struct Limits
    {
        DType type;
        double largest, epsilon, smallest;
        int bits;
    };
    static constexpr Limits kLimits[] = {
        {DType::Float32, 3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38, 32},
        {DType::BFloat16, 3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38, 16},
        {DType::Float16, 65504, 0.0009765625, 6.103515625e-05, 16},
    };
    for (const Limits &limits : kLimits)
        if (limits.type == type)
            return call.evaluator.group({{"min", Value::number(-limits.largest)},
                                         {"max", Value::number(limits.largest)},
                                         {"eps", Value::number(limits.epsilon)},
                                         {"tiny", Value::number(limits.smallest)},
                                         {"bits", Value::integer(limits.bits)}});
    call.evaluator.unsupported(fmt::format("{} of {}", call.spec.path, name(type)));
}

// expr, dtype, mask
Value iota(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (!call[0].is(ValueKind::Index))
        evaluator.notCompiling("type_error", "nisa.iota takes an index expression");
    const auto &index = call[0].as<IndexObject>();
    std::vector<std::int64_t> shape(index.extent.begin(), index.extent.begin() + index.rank);
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[1]).value_or(DType::Int32), shape);
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Iota;
    draft.engine = Engine::GpSimd;
    draft.parameters.iota[0] = index.constant;
    int axis = 0;
    for (int k = 0; k < index.rank; ++k) {
        if (k >= 2 && index.extent[std::size_t(k)] == 1)
            continue; // operands drop free axes of size 1
        draft.parameters.iota[1 + axis++] = index.coefficient[std::size_t(k)];
    }
    draft.outputs = {tile};
    return evaluator.freshValue(tile, evaluator.emit(draft), Value::none());
}

// pred, on_true_tile, on_false_value, mask, dtype
Value affineSelect(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[1], "on_true_tile");
    if (!call[0].is(ValueKind::MaskExpression) || call[0].as<MaskObject>().conditions.size() != 1)
        evaluator.notCompiling("type_error", "pred must be one comparison of index expressions");
    if (!call[2].isNumber())
        evaluator.notCompiling("type_error", "on_false_value must be a number");
    const auto &mask = call[0].as<MaskObject>();
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[4]).value_or(data.dtype), sizes(data));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::AffineSelect;
    draft.engine = Engine::GpSimd;
    draft.parameters.constant0 = call[2].asNumber();
    draft.parameters.iota[0] = mask.conditions[0].constant;
    int axis = 0;
    for (int k = 0; k < mask.rank; ++k) {
        if (k >= 2 && k < data.rank && data.axes[std::size_t(k)].size == 1)
            continue;
        draft.parameters.iota[1 + axis++] = mask.conditions[0].coefficient[k];
    }
    draft.outputs = {tile};
    draft.inputs = {&data};
    return evaluator.freshValue(tile, evaluator.emit(draft), Value::none());
}

Value ncVersion(Call &call)
{
    const std::string &device = call.evaluator.request().device;
    return makeSymbol(device == "trn1" ? "nisa.nc_version.gen2" : "nisa.nc_version.gen3");
}

/// Checks that a choice has the elements of what it is chosen into.
void checkChoice(Evaluator &evaluator, const TensorObject &choice, const TensorObject &into,
                 std::string_view role)
{
    if (choice.axes[0].size != into.axes[0].size)
        evaluator.notCompiling("err_num_partition_mismatch",
                               fmt::format("{} has {} partitions and dst {}", role,
                                           choice.axes[0].size, into.axes[0].size),
                               "give all operands the same partitions");
    if (choice.freeElements() != into.freeElements())
        evaluator.notCompiling(
            "err_shape_mismatch",
            fmt::format("{} has shape {} and dst {}", role, choice.shapeText(), into.shapeText()),
            "give all operands the same free size");
}

void checkPredicate(Evaluator &evaluator, const TensorObject &predicate)
{
    if (isFloat(predicate.dtype))
        evaluator.notCompiling("type_error",
                               fmt::format("the predicate is {}", name(predicate.dtype)),
                               "load it as an unsigned integer type, for example nl.uint8");
}

// src, dst, predicate, mask, dtype, reverse_pred
Value copyPredicated(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &destination = tileOf(evaluator, call[1], "dst");
    auto &predicate = tileOf(evaluator, call[2], "predicate");
    checkOperand(evaluator, destination, "dst");
    checkPredicate(evaluator, predicate);
    checkChoice(evaluator, predicate, destination, "predicate");
    const bool reversed = call.given(5) && evaluator.truth(call[5], call.node);
    Draft draft;
    draft.opcode = Opcode::Select;
    draft.inputs = {&predicate};
    draft.parameters.operand0IsConstant = false;
    draft.parameters.operand1IsConstant = false;
    if (reversed)
        draft.inputs.push_back(&destination);
    if (call[0].isNumber()) {
        (reversed ? draft.parameters.operand1IsConstant : draft.parameters.operand0IsConstant) =
            true;
        (reversed ? draft.parameters.constant1 : draft.parameters.constant0) = call[0].asNumber();
    } else {
        auto &source = tileOf(evaluator, call[0], "src");
        checkChoice(evaluator, source, destination, "src");
        draft.inputs.push_back(&source);
    }
    if (!reversed)
        draft.inputs.push_back(&destination);
    draft.outputs = {&destination};
    draft.mask = maskArgument(evaluator, call[3]);
    evaluator.emit(draft);
    return Value::none();
}

// dst, predicate, on_true, on_false, reduce_res, reduce_cmd, reduce_op, reverse_pred, mask, dtype
Value selectReduce(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &destination = tileOf(evaluator, call[0], "dst");
    auto &predicate = tileOf(evaluator, call[1], "predicate");
    auto &onTrue = tileOf(evaluator, call[2], "on_true");
    checkOperand(evaluator, destination, "dst");
    checkPredicate(evaluator, predicate);
    checkChoice(evaluator, predicate, destination, "predicate");
    checkChoice(evaluator, onTrue, destination, "on_true");
    const bool reversed = call.given(7) && evaluator.truth(call[7], call.node);
    Draft draft;
    draft.opcode = Opcode::Select;
    draft.inputs = {&predicate};
    Value wide;
    if (!call[3].isNumber()) {
        auto &onFalse = tileOf(evaluator, call[3], "on_false");
        if (onFalse.freeElements() != 1)
            evaluator.notCompiling("err_shape_mismatch",
                                   fmt::format("on_false has shape {}", onFalse.shapeText()),
                                   "give a number or one value per partition");
        wide = broadcastTo(evaluator, call[3], sizes(destination));
    }
    const bool given = wide.is(ValueKind::Tensor);
    Parameters &p = draft.parameters;
    (reversed ? p.operand1IsConstant : p.operand0IsConstant) = false;
    (reversed ? p.operand0IsConstant : p.operand1IsConstant) = !given;
    if (!given)
        (reversed ? p.constant0 : p.constant1) = call[3].asNumber();
    if (!reversed)
        draft.inputs.push_back(&onTrue);
    if (given)
        draft.inputs.push_back(&wide.as<TensorObject>());
    if (reversed)
        draft.inputs.push_back(&onTrue);
    draft.outputs = {&destination};
    draft.mask = maskArgument(evaluator, call[8]);
    evaluator.emit(draft);
    if (!call.given(4)) {
        if (call.given(5) && !toText(call[5]).ends_with("idle"))
            evaluator.unsupported("reductions that are kept from instruction to instruction");
        return Value::none();
    }
    if (!call.given(5) || !toText(call[5]).ends_with("reset_reduce") || call.given(8))
        evaluator.unsupported("reductions that are kept from instruction to instruction");
    if (call.given(6) && aluArgument(evaluator, call[6], "reduce_op") != AluOp::Maximum)
        evaluator.notCompiling("value_error", "nisa.select_reduce reduces with the maximum only",
                               "use reduce_op=nl.max");
    auto &result = tileOf(evaluator, call[4], "reduce_res");
    Draft reduction;
    reduction.opcode = Opcode::Reduce;
    reduction.parameters.op0 = AluOp::Maximum;
    for (int axis = 1; axis < destination.rank; ++axis)
        reduction.parameters.reducedAxes =
            std::uint8_t(reduction.parameters.reducedAxes | (1 << axis));
    reduction.outputs = {&result};
    reduction.inputs = {&destination};
    evaluator.emit(reduction);
    return Value::none();
}

constexpr FunctionSpec kIndexFunctions[] = {
    {"nisa.tensor_copy_predicated",
     "src, dst, predicate, mask=, dtype=, reverse_pred=", copyPredicated},
    {"nisa.select_reduce",
     "dst, predicate, on_true, on_false, reduce_res=, reduce_cmd=, reduce_op=, reverse_pred=, "
     "mask=, dtype=",
     selectReduce},
    {"nl.affine_range", "start, stop=, step=, directives=", affineRange},
    {"nl.sequential_range", "start, stop=, step=, directives=", sequentialRange},
    {"nl.static_range", "start, stop=, step=", staticRange},
    {"py.range", "start, stop=, step=", sequentialRange},
    {"nl.arange", "start, stop=", arange},
    {"nl.ds", "start, size", dynamicSlice},
    {"nl.par_dim", "size", parDim},
    {"nl.program_id", "axis", programId},
    {"nl.num_programs", "axes=", numPrograms},
    {"nl.program_ndim", "", programNdim},
    {"nl.finfo", "dtype", finfo},
    {"np.finfo", "dtype", finfo},
    {"nisa.iota", "expr, dtype=, mask=", iota},
    {"nisa.affine_select", "pred, on_true_tile, on_false_value, mask=, dtype=", affineSelect},
    {"nisa.get_nc_version", "", ncVersion},
};

} // namespace

std::span<const FunctionSpec> indexFunctions()
{
    return kIndexFunctions;
}

} // namespace accelopt::nki
