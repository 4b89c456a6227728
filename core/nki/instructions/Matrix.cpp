// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <algorithm>
#include <fmt/format.h>

// Products and transposes on the tensor engine.

namespace accelopt::nki {

namespace {

struct MatrixOperand
{
    std::int64_t rows = 0;    ///< partitions
    std::int64_t columns = 0; ///< free elements
};

MatrixOperand matrixOf(const TensorObject &view)
{
    return {view.axes[0].size, view.freeElements()};
}

/// Every product comes here: nothing is put into words before something is wrong.
void limit(Evaluator &evaluator, std::string_view what, std::string_view of, std::int64_t value,
           std::int64_t most)
{
    if (value > most)
        evaluator.notCompiling("err_size_of_dimension_exceed_arch_limit",
                               fmt::format("{} of {} is {}, but the tensor engine takes at most {}",
                                           what, of, value, most),
                               fmt::format("tile it into pieces of at most {}", most));
}

void checkMatmul(Evaluator &evaluator, const TensorObject &stationary, const TensorObject &moving,
                 std::string_view nameStationary, std::string_view nameMoving)
{
    for (const auto &[view, role] :
         {std::pair{&stationary, nameStationary}, std::pair{&moving, nameMoving}}) {
        if (view->memory != Memory::Sbuf)
            evaluator.notCompiling(
                "err_unsupported_memory",
                fmt::format("{} is in {}, but products read SBUF only", role, name(view->memory)),
                "copy it to SBUF first with nl.copy");
        checkOperand(evaluator, *view, role);
    }
    const MatrixOperand s = matrixOf(stationary);
    const MatrixOperand m = matrixOf(moving);
    if (s.rows != m.rows)
        evaluator.notCompiling(
            "err_num_partition_mismatch",
            fmt::format("the contraction dimensions differ: {} has {} partitions and {} has {}",
                        nameStationary, s.rows, nameMoving, m.rows),
            "both operands need the contraction dimension on the partitions");
    limit(evaluator, "the free size", nameStationary, s.columns, 128);
    limit(evaluator, "the free size", nameMoving, m.columns, 512);
    const auto wide = [](DType type) { return type == DType::Float32 || type == DType::TFloat32; };
    if (wide(stationary.dtype) != wide(moving.dtype))
        evaluator.notCompiling("err_matmul_dtype",
                               fmt::format("{} is {} and {} is {}", nameStationary,
                                           name(stationary.dtype), nameMoving, name(moving.dtype)),
                               "a float32 operand needs the other one to be float32 too");
}

/// Two-dimensional view: axis 0 the partitions, axis 1 everything else.
Value product(Evaluator &evaluator, TensorObject &stationary, TensorObject &moving,
              const Value &mask)
{
    const std::int64_t rows = matrixOf(stationary).columns;
    std::vector<std::int64_t> shape{rows};
    for (int axis = 1; axis < moving.rank; ++axis)
        shape.push_back(moving.axes[std::size_t(axis)].size);
    TensorObject *tile = evaluator.newTile(Memory::Psum, DType::Float32, shape);
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Matmul;
    draft.engine = Engine::Tensor;
    draft.outputs = {tile};
    draft.inputs = {&stationary, &moving};
    draft.mask = maskArgument(evaluator, mask);
    if (draft.mask != nullptr) {
        // The mask's grid is that of the result: axis 0 its rows (the stationary's free axis), the
        // others the moving's free axes.
        std::array<int, AccessPattern::kMaximumRank> result{0, 1, 2, 3, 4};
        std::array<int, AccessPattern::kMaximumRank> left{-1, -1, -1, -1, -1};
        std::array<int, AccessPattern::kMaximumRank> right{-1, 1, 2, 3, 4};
        if (stationary.rank == 2)
            left[0] = 1;
        draft.maskAxes = {result, left, right};
    }
    return evaluator.freshValue(tile, evaluator.emit(draft), mask);
}

/// PE transpose of a tile of at most 128 x 128 into PSUM.
Value transposeTile(Evaluator &evaluator, TensorObject &data, Engine engine, bool implicit,
                    const Value &mask, std::optional<DType> dtype)
{
    checkOperand(evaluator, data, "data");
    const MatrixOperand m = matrixOf(data);
    const std::int64_t most = engine == Engine::Vector ? 32 : 128;
    if (m.rows > most || m.columns > most)
        evaluator.notCompiling(
            "err_size_of_dimension_exceed_arch_limit",
            fmt::format("a tile of {} x {} cannot be transposed at once", m.rows, m.columns),
            fmt::format("transpose pieces of at most {} x {}", most, most));
    TensorObject *tile = evaluator.newTile(engine == Engine::Vector ? Memory::Sbuf : Memory::Psum,
                                           dtype.value_or(data.dtype), {m.columns, m.rows});
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Transpose;
    draft.engine = engine;
    draft.parameters.implicitTranspose = implicit;
    draft.outputs = {tile};
    draft.inputs = {&data};
    draft.mask = maskArgument(evaluator, mask);
    if (draft.mask != nullptr && data.rank == 2) {
        // The mask's grid is that of the data; the result has its axes the other way round.
        const std::array<int, AccessPattern::kMaximumRank> result{1, 0, -1, -1, -1};
        const std::array<int, AccessPattern::kMaximumRank> input{0, 1, 2, 3, 4};
        draft.maskAxes = {result, input};
    }
    return evaluator.freshValue(tile, evaluator.emit(draft), mask);
}

/// True when the tensor is a constant square matrix with ones on its diagonal and zeros elsewhere.
bool holdsIdentity(const Program &program, const Tensor &tensor)
{
    if (tensor.shape.size() != 2 || tensor.shape[0] != tensor.shape[1])
        return false;
    const auto &values = program.constants[std::size_t(tensor.parameter)];
    const std::int64_t n = tensor.shape[0];
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (values[std::size_t(i * n + j)] != (i == j ? 1.0f : 0.0f))
                return false;
    return true;
}

/// True when the tile was first written by a load of a constant identity matrix. A product with one
/// that is marked is_transpose only moves data.
bool isIdentity(Evaluator &evaluator, const TensorObject &view)
{
    if (view.axes[0].size != view.freeElements())
        return false;
    const Program &program = evaluator.program();
    const auto [known, added] = evaluator.identities().try_emplace(view.storage, false);
    if (!added)
        return known->second;
    for (const Instruction &instruction : program.instructions) {
        if (program.outputsOf(instruction)[0].storage != view.storage)
            continue;
        if (instruction.opcode == Opcode::Load) {
            const Storage &source = program.storage(program.inputsOf(instruction)[0]);
            known->second = source.role == StorageRole::Constant &&
                            holdsIdentity(program, program.tensors[std::size_t(source.tensor)]);
        }
        break;
    }
    return known->second;
}

Value outOfPsum(Evaluator &evaluator, const Value &tile)
{
    const Value copy = copyTile(evaluator, tile, Value::none(), tile.as<TensorObject>().dtype);
    copy.as<TensorObject>().freshProducer = kNoInstruction;
    return copy;
}

/// Where a product stands in the PE array changes its cost, not its value: NKI documentation,
/// "nki.isa.nc_matmul".
void checkTiling(Evaluator &evaluator, Call &call, const MatrixOperand &stationary)
{
    constexpr std::int64_t kArray = 128;
    constexpr std::int64_t kSmallest = 32;
    const auto refuse = [&](const std::string &what) {
        evaluator.notCompiling("value_error", what,
                               "give tile_position and tile_size both, as (row, column) in "
                               "multiples of 32 within 128 x 128");
    };
    if (!call.given(5) || !call.given(6))
        refuse("tile_position and tile_size belong together");
    const std::vector<Value> position = evaluator.iterate(call[5], call.node);
    const std::vector<Value> size = evaluator.iterate(call[6], call.node);
    if (position.size() != 2 || size.size() != 2)
        refuse("tile_position and tile_size have two numbers each");
    const std::int64_t used[] = {stationary.rows, stationary.columns};
    bool smallest = true;
    for (const std::size_t axis : {0u, 1u}) {
        if (!position[axis].isInteger() || !size[axis].isInteger())
            refuse("tile_position and tile_size are integers");
        const std::int64_t from = position[axis].asInteger();
        const std::int64_t of = size[axis].asInteger();
        if (from < 0 || from > kArray || of < kSmallest || of > kArray || from % kSmallest != 0 ||
            of % kSmallest != 0 || from + of > kArray || used[axis] > of)
            refuse(fmt::format("a tile of {} from {} does not hold {} of the stationary operand",
                               of, from, used[axis]));
        smallest = smallest && of == kSmallest;
    }
    if (smallest && evaluator.request().device == "trn1")
        refuse("a tile of 32 x 32 does not exist on trn1");
}

// stationary, moving, is_stationary_onezero, is_moving_onezero, is_transpose, tile_position,
// tile_size, mask
Value ncMatmul(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    // Products read SBUF only. Where the kernel did not say where an operand is to be, the compiler
    // moves it; a tile declared in PSUM is a mistake.
    const auto placed = [&](const Value &value, std::string_view role) {
        const auto &view = tileOf(evaluator, value, role);
        return view.memory == Memory::Psum && evaluator.isImplied(view)
                   ? outOfPsum(evaluator, value)
                   : value;
    };
    const Value first = placed(call[0], "stationary");
    const Value second = placed(call[1], "moving");
    auto &stationary = first.as<TensorObject>();
    auto &moving = second.as<TensorObject>();
    checkMatmul(evaluator, stationary, moving, "stationary", "moving");
    if (call.given(5) || call.given(6))
        checkTiling(evaluator, call, matrixOf(stationary));
    if (call.given(4) && evaluator.truth(call[4], call.node) && isIdentity(evaluator, moving) &&
        moving.axes[0].size == stationary.axes[0].size)
        return transposeTile(evaluator, stationary, Engine::Tensor, false, call[7], DType::Float32);
    return product(evaluator, stationary, moving, call[7]);
}

// x, y, transpose_x, mask
Value matmul(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    // The tensor engine reads SBUF only: the compiler moves what is in PSUM.
    const auto moved = [&](const Value &value, std::string_view role) {
        const auto &view = tileOf(evaluator, value, role);
        return view.memory == Memory::Psum ? outOfPsum(evaluator, value) : value;
    };
    const Value first = moved(call[0], "x");
    const Value second = moved(call[1], "y");
    auto &x = first.as<TensorObject>();
    auto &y = second.as<TensorObject>();
    if (call.given(2) && evaluator.truth(call[2], call.node)) {
        checkMatmul(evaluator, x, y, "x", "y");
        return product(evaluator, x, y, call[3]);
    }
    // x is [M, K]: the compiler transposes it for every use and copies the result out of PSUM.
    limit(evaluator, "the number of rows", "x", x.axes[0].size, 128);
    limit(evaluator, "the number of columns", "x", x.freeElements(), 128);
    const Value transposed =
        transposeTile(evaluator, x, Engine::Tensor, true, Value::none(), std::nullopt);
    const Value stationary = copyTile(evaluator, transposed, Value::none(), std::nullopt);
    auto &left = stationary.as<TensorObject>();
    left.freshProducer = kNoInstruction;
    checkMatmul(evaluator, left, y, "x", "y");
    return product(evaluator, left, y, call[3]);
}

// data, mask, dtype, engine
Value ncTranspose(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    return transposeTile(evaluator, tileOf(evaluator, call[0], "data"),
                         engineArgument(call[3], Engine::Tensor), false, call[1],
                         dtypeArgument(evaluator, call[2]));
}

// x, dtype, mask
Value transpose(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &data = tileOf(evaluator, call[0], "x");
    if (data.rank > 2)
        evaluator.notCompiling(
            "err_exceed_max_supported_dimension",
            fmt::format("nl.transpose takes a two-dimensional tile, not {}", data.shapeText()));
    return transposeTile(evaluator, data, Engine::Tensor, false, call[2],
                         dtypeArgument(evaluator, call[1]));
}

// src, shape / x, shape
Value broadcast(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (!call[0].is(ValueKind::Tensor))
        evaluator.notCompiling("type_error", "broadcast_to takes a tensor");
    return broadcastTo(evaluator, call[0],
                       shapeOf(evaluator, evaluator.iterate(call[1], call.node)));
}

Value expand(Call &call)
{
    if (!call[0].is(ValueKind::Tensor))
        call.evaluator.notCompiling("type_error", "expand_dims takes a tensor");
    return expandDims(call.evaluator, call[0], call[1]);
}

constexpr FunctionSpec kMatrixFunctions[] = {
    {"nisa.nc_matmul",
     "stationary, moving, is_stationary_onezero=, is_moving_onezero=, is_transpose=, "
     "tile_position=, tile_size=, "
     "mask=, perf_mode=",
     ncMatmul},
    {"nl.matmul", "x, y, transpose_x=, mask=", matmul},
    {"nisa.nc_transpose", "data, mask=, dtype=, engine=", ncTranspose},
    {"nl.transpose", "x, dtype=, mask=", transpose},
    {"nl.broadcast_to", "src, shape", broadcast},
    {"nl.expand_dims", "data, axis", expand},
};

} // namespace

std::span<const FunctionSpec> matrixFunctions()
{
    return kMatrixFunctions;
}

} // namespace accelopt::nki
