// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <algorithm>
#include <fmt/format.h>

// nl.ndarray and its relatives, constants, memset.

namespace accelopt::nki {

namespace {

struct Declared
{
    std::vector<std::int64_t> shape;
    int partitionAxis = 0;
    bool explicitPartition = false;
};

Declared declaredShape(Evaluator &evaluator, const Value &value)
{
    std::vector<Value> items;
    if (value.is(ValueKind::Tuple) || value.is(ValueKind::List))
        items = value.as<SequenceObject>().items;
    else
        items = {value};
    Declared declared;
    declared.shape = shapeOf(evaluator, items);
    for (std::size_t axis = 0; axis < items.size(); ++axis)
        if (items[axis].is(ValueKind::PartitionDimension)) {
            declared.partitionAxis = int(axis);
            declared.explicitPartition = true;
        }
    if (declared.shape.empty() || int(declared.shape.size()) > TensorObject::kMaximumRank)
        evaluator.notCompiling("value_error",
                               fmt::format("a tensor has 1 to {} dimensions, not {}",
                                           TensorObject::kMaximumRank, declared.shape.size()));
    std::int64_t elements = 1;
    for (const std::int64_t size : declared.shape)
        if (size < 0 ||
            __builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements))
            evaluator.notCompiling("value_error", "the tensor is larger than any memory");
    if (elements > (std::int64_t(1) << 44))
        evaluator.notCompiling("value_error", "the tensor is larger than any memory");
    return declared;
}

Value create(Evaluator &evaluator, const Value &shapeValue, const Value &dtypeValue,
             const Value &buffer, const Value &nameValue, std::optional<double> fill)
{
    evaluator.checkInsideKernel();
    Declared declared = declaredShape(evaluator, shapeValue);
    const DType type = dtypeArgument(evaluator, dtypeValue).value_or(DType::Float32);
    const int code = buffer.is(ValueKind::MemoryName) ? int(buffer.asInteger()) : 0;
    if (!buffer.is(ValueKind::MemoryName) && !buffer.is(ValueKind::None) &&
        !buffer.is(ValueKind::Unbound))
        evaluator.unsupported("this buffer (direct allocation)");
    const Memory memory = code == 0 ? Memory::Sbuf : code == 1 ? Memory::Psum : Memory::Hbm;
    if (memory == Memory::Hbm) {
        if (fill)
            evaluator.notCompiling("err_hbm_tensor_with_init_value_not_supported",
                                   "an HBM tensor cannot be created with an initial value",
                                   "create it with nl.ndarray and store into it");
        const Launch *launch = evaluator.launch();
        if (code == 3 &&
            evaluator.emitter().iteration() != (launch != nullptr ? launch->iteration : 0))
            evaluator.notCompiling(
                "err_shared_hbm_must_in_kernel_level",
                "a shared_hbm tensor must be created at the top level of the kernel",
                "create it before the loop");
    } else {
        if (declared.shape.size() < 2)
            evaluator.notCompiling(
                "err_insufficient_rank",
                "Insufficient rank: a tensor in SBUF or PSUM needs at least two dimensions",
                "give it a shape such as (128, 1)");
        const std::int64_t partitions = declared.shape[std::size_t(declared.partitionAxis)];
        if (partitions > 128)
            evaluator.notCompiling(
                "err_num_partition_exceed_arch_limit",
                fmt::format("number of partitions {} exceed architecture limitation of 128",
                            partitions),
                declared.explicitPartition
                    ? "tile the partition dimension"
                    : "make the first dimension at most 128, or mark the partition "
                      "dimension with nl.par_dim");
    }
    Launch *const launch = code == 3 ? evaluator.launch() : nullptr;
    if (launch != nullptr && launch->met < launch->shared.size()) {
        // All programs of a grid write to the same results.
        const Value &known = launch->shared[launch->met++];
        const auto &view = known.as<TensorObject>();
        if (sizes(view) != declared.shape || view.dtype != type)
            evaluator.unsupported("results whose shape differs from program to program");
        return known;
    }
    std::int64_t blocks = 1;
    for (int axis = 0; memory != Memory::Hbm && axis < declared.partitionAxis; ++axis)
        blocks *= declared.shape[std::size_t(axis)];
    if (blocks <= evaluator.request().limits.storages) // otherwise refused below
        evaluator.charge(40 + 4 * std::size_t(blocks));
    TensorObject *view = evaluator.emitter().newTensor(
        memory, memory == Memory::Hbm ? StorageRole::Scratch : StorageRole::Tile, type,
        declared.shape, memory == Memory::Hbm ? -1 : declared.partitionAxis, evaluator.place());
    const Value result = Value::object(ValueKind::Tensor, view);
    evaluator.setDeclared(*view);
    Tensor &tensor = evaluator.program().tensors[std::size_t(view->tensor)];
    if (launch != nullptr) {
        tensor.iteration = launch->outside;
        launch->shared.push_back(result);
        ++launch->met;
    }
    if (nameValue.is(ValueKind::String))
        tensor.name = toText(nameValue);
    if (!fill)
        return result;
    tensor.initialised = true;
    tensor.initialValue = *fill;
    if (memory == Memory::Psum)
        return result; // the first product of an accumulation overwrites: nothing is issued
    // One memset per tile.
    TensorObject tile = *view;
    tile.references = 0;
    tile.rank = 0;
    for (int axis = declared.partitionAxis; axis < view->rank; ++axis)
        tile.axes[std::size_t(tile.rank++)] = view->axes[std::size_t(axis)];
    for (std::int32_t block = 0; block < tensor.blocks; ++block) {
        tile.storage = view->storage + block;
        Draft draft;
        draft.opcode = Opcode::Memset;
        draft.parameters.constant0 = *fill;
        draft.outputs = {&tile};
        evaluator.emit(draft);
    }
    return result;
}

// shape, dtype, buffer, name
Value ndarray(Call &call)
{
    return create(call.evaluator, call[0], call[1], call[2], call[3], std::nullopt);
}

Value zeros(Call &call)
{
    return create(call.evaluator, call[0], call[1], call[2], call[3], 0.0);
}

Value ones(Call &call)
{
    return create(call.evaluator, call[0], call[1], call[2], call[3], 1.0);
}

// shape, fill_value, dtype, buffer, name
Value full(Call &call)
{
    if (!call[1].isNumber())
        call.evaluator.notCompiling("type_error", "fill_value must be a number");
    return create(call.evaluator, call[0], call[2], call[3], call[4], call[1].asNumber());
}

// x, dtype, buffer, name
Value like(Call &call, std::optional<double> fill)
{
    if (!call[0].is(ValueKind::Tensor))
        call.evaluator.notCompiling("type_error", "the first argument must be a tensor");
    const auto &view = call[0].as<TensorObject>();
    std::vector<Value> shape;
    for (int axis = 0; axis < view.rank; ++axis) {
        const Axis &a = view.axes[std::size_t(axis)];
        shape.push_back(a.kind == AxisKind::Partition
                            ? Value::integerOf(ValueKind::PartitionDimension, a.size)
                            : Value::integer(a.size));
    }
    return create(call.evaluator, makeTuple(std::move(shape)),
                  call.given(1) ? call[1] : Value::dtype(view.dtype), call[2], call[3], fill);
}

Value zerosLike(Call &call)
{
    return like(call, 0.0);
}

Value emptyLike(Call &call)
{
    return like(call, std::nullopt);
}

// value, dtype
Value sharedConstant(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (!call[0].is(ValueKind::Array))
        evaluator.notCompiling("type_error", "nl.shared_constant takes a numpy array",
                               "for example np.identity(128, dtype=np.float32)");
    const auto &array = call[0].as<ArrayObject>();
    evaluator.charge(array.values.size() / 8);
    const DType type = dtypeArgument(evaluator, call[1]).value_or(array.dtype);
    TensorObject *view = evaluator.emitter().newTensor(Memory::Hbm, StorageRole::Constant, type,
                                                       array.shape, -1, evaluator.place());
    Program &program = evaluator.program();
    program.tensors[std::size_t(view->tensor)].parameter = std::int32_t(program.constants.size());
    program.constants.push_back(array.values);
    return Value::object(ValueKind::Tensor, view);
}

Value arrayValue(std::vector<std::int64_t> shape, DType type, std::vector<float> values)
{
    auto *array = new ArrayObject;
    array->shape = std::move(shape);
    array->dtype = type;
    array->values = std::move(values);
    return Value::object(ValueKind::Array, array);
}

// n, M, k, dtype (np.eye) or n, dtype (np.identity)
Value identity(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (!call[0].isInteger() || call[0].asInteger() < 1 || call[0].asInteger() > 4096)
        evaluator.notCompiling("value_error", "an identity matrix has 1 to 4096 rows");
    const std::int64_t n = call[0].asInteger();
    evaluator.charge(std::size_t(n * n) / 8);
    std::vector<float> values(std::size_t(n * n), 0.0f);
    for (std::int64_t i = 0; i < n; ++i)
        values[std::size_t(i * n + i)] = 1.0f;
    return arrayValue({n, n}, dtypeArgument(evaluator, call[1]).value_or(DType::Float32),
                      std::move(values));
}

// shape, dtype / shape, fill_value, dtype
Value filledArray(Call &call, double fill, const Value &dtypeValue)
{
    Evaluator &evaluator = call.evaluator;
    const Declared declared = declaredShape(evaluator, call[0]);
    std::int64_t count = 1;
    for (const std::int64_t size : declared.shape)
        count *= size;
    if (count > (std::int64_t(1) << 24))
        evaluator.unsupported("numpy constants of more than 16 million elements");
    evaluator.charge(std::size_t(count) / 8);
    return arrayValue(declared.shape, dtypeArgument(evaluator, dtypeValue).value_or(DType::Float32),
                      std::vector<float>(std::size_t(count), float(fill)));
}

Value zerosArray(Call &call)
{
    return filledArray(call, 0, call[1]);
}

Value onesArray(Call &call)
{
    return filledArray(call, 1, call[1]);
}

Value fullArray(Call &call)
{
    return filledArray(call, call[1].isNumber() ? call[1].asNumber() : 0, call[2]);
}

// shape, value, dtype, mask, engine
Value memset(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    const Declared declared = declaredShape(evaluator, call[0]);
    if (declared.shape.size() < 2)
        evaluator.notCompiling("err_insufficient_rank",
                               "nisa.memset needs a shape of at least two dimensions");
    if (!call[1].isNumber())
        evaluator.notCompiling("type_error", "value must be a number");
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[2]).value_or(DType::Float32), declared.shape);
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Memset;
    draft.engine = engineArgument(call[4], Engine::Vector);
    draft.parameters.constant0 = call[1].asNumber();
    draft.outputs = {tile};
    draft.mask = maskArgument(evaluator, call[3]);
    return evaluator.freshValue(tile, evaluator.emit(draft), call[3]);
}

constexpr FunctionSpec kCreationFunctions[] = {
    {"nl.ndarray", "shape, dtype=, buffer=, name=, lazy_initialization=", ndarray},
    {"nl.empty", "shape, dtype=, buffer=, name=, lazy_initialization=", ndarray},
    {"nl.zeros", "shape, dtype=, buffer=, name=, lazy_initialization=", zeros},
    {"nl.ones", "shape, dtype=, buffer=, name=, lazy_initialization=", ones},
    {"nl.full", "shape, fill_value, dtype=, buffer=, name=, lazy_initialization=", full},
    {"nl.zeros_like", "x, dtype=, buffer=, name=", zerosLike},
    {"nl.empty_like", "x, dtype=, buffer=, name=", emptyLike},
    {"nl.shared_constant", "constant, dtype=", sharedConstant},
    {"nisa.memset", "shape, value, dtype=, mask=, engine=", memset},
    {"np.identity", "n, dtype=", identity},
    {"np.eye", "N, dtype=", identity},
    {"np.zeros", "shape, dtype=", zerosArray},
    {"np.ones", "shape, dtype=", onesArray},
    {"np.full", "shape, fill_value, dtype=", fullArray},
};

} // namespace

std::span<const FunctionSpec> creationFunctions()
{
    return kCreationFunctions;
}

} // namespace accelopt::nki
