// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <array>
#include <fmt/format.h>
#include <utility>

// Loads, stores and copies.

namespace accelopt::nki {

namespace {

TensorObject &hbmOf(Evaluator &evaluator, const Value &value, std::string_view role)
{
    if (!value.is(ValueKind::Tensor))
        evaluator.notCompiling("type_error", fmt::format("{} must be an HBM tensor, not a {}", role,
                                                         pythonTypeName(value.kind())));
    auto &view = value.as<TensorObject>();
    if (view.memory != Memory::Hbm)
        evaluator.notCompiling(
            "err_unsupported_memory", fmt::format("{} is on chip, but must be in HBM", role),
            "nl.load reads HBM and nl.store writes HBM; use nl.copy between tiles");
    return view;
}

// src, mask, dtype, mode
Value load(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &source = hbmOf(evaluator, call[0], "the source of nl.load");
    std::vector<std::int64_t> shape = sizes(source);
    TensorObject from = source;
    from.references = 0;
    if (from.rank == 0) {
        from.axes[0] = {1, 0, AxisKind::Free};
        from.rank = 1;
        shape = {1};
    }
    if (from.rank == 1) {
        // A single axis becomes the partition axis; the tile keeps one free element.
        from.axes[1] = {1, 0, AxisKind::Free};
        from.rank = 2;
        shape.push_back(1);
    }
    if (shape[0] > 128)
        evaluator.notCompiling(
            "err_num_partition_exceed_arch_limit",
            fmt::format("number of partitions {} exceed architecture limitation of 128", shape[0]),
            "load at most 128 rows at a time");
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[2]).value_or(source.dtype), shape);
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Load;
    draft.engine = Engine::Dma;
    draft.outputs = {tile};
    draft.inputs = {&from};
    draft.mask = maskArgument(evaluator, call[1]);
    return evaluator.freshValue(tile, evaluator.emit(draft), call[1]);
}

// src, mask, dtype
Value loadTranspose(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &source = hbmOf(evaluator, call[0], "the source of nl.load_transpose2d");
    if (source.rank != 2)
        evaluator.notCompiling(
            "err_transpose_on_tensor_of_rank",
            fmt::format("nl.load_transpose2d takes two axes, not {}", source.shapeText()),
            "index the other dimensions with integers");
    // The rows of the region become the columns of the tile: DMA reads in any order.
    TensorObject from = source;
    from.references = 0;
    std::swap(from.axes[0], from.axes[1]);
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[2]).value_or(source.dtype), sizes(from));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Load;
    draft.engine = Engine::Dma;
    draft.outputs = {tile};
    draft.inputs = {&from};
    draft.mask = maskArgument(evaluator, call[1]);
    if (draft.mask != nullptr) {
        // The mask's grid is that of the source.
        const std::array<int, AccessPattern::kMaximumRank> swapped{1, 0, -1, -1, -1};
        draft.maskAxes = {swapped, swapped};
    }
    return evaluator.freshValue(tile, evaluator.emit(draft), call[1]);
}

// dst, value, mask, mode
Value store(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &destination = hbmOf(evaluator, call[0], "the destination of nl.store");
    if (evaluator.program().storages[std::size_t(destination.storage)].role == StorageRole::Input)
        evaluator.notCompiling(
            "err_cannot_update_immutable_parameter",
            fmt::format("'{}' is an argument of the kernel and cannot be stored to",
                        evaluator.program().tensors[std::size_t(destination.tensor)].name),
            "create an output with nl.ndarray(..., buffer=nl.shared_hbm)");
    TensorObject to = destination;
    to.references = 0;
    if (to.rank == 0) {
        to.axes[0] = {1, 0, AxisKind::Free};
        to.rank = 1;
    }
    if (to.rank == 1) {
        to.axes[1] = {1, 0, AxisKind::Free};
        to.rank = 2;
    }
    Value value = call[1];
    if (value.isNumber()) {
        if (to.axes[0].size > 128)
            evaluator.notCompiling("err_num_partition_exceed_arch_limit",
                                   "a constant is stored to at most 128 rows at a time");
        TensorObject *tile = evaluator.newTile(Memory::Sbuf, destination.dtype, sizes(to));
        value = Value::object(ValueKind::Tensor, tile);
        Draft fill;
        fill.opcode = Opcode::Memset;
        fill.parameters.constant0 = call[1].asNumber();
        fill.outputs = {tile};
        evaluator.emit(fill);
    }
    auto &source = tileOf(evaluator, value, "the value of nl.store");
    if (source.memory == Memory::Psum)
        value = copyTile(evaluator, value, Value::none(),
                         source.dtype); // the compiler inserts this copy
    TensorObject from = value.as<TensorObject>();
    from.references = 0;
    if (from.elements() != to.elements() || from.axes[0].size != to.axes[0].size) {
        if (from.rank > to.rank || (from.axes[0].size != to.axes[0].size))
            evaluator.notCompiling(
                "err_store_dst_shape_smaller_than_other_shape",
                fmt::format("a value of shape {} does not fit into a region of shape {}",
                            from.shapeText(), to.shapeText()),
                "give both the same shape");
        const Value wide = broadcastTo(evaluator, value, sizes(to));
        from = wide.as<TensorObject>();
        from.references = 0;
    }
    Draft draft;
    draft.opcode = Opcode::Store;
    draft.engine = Engine::Dma;
    draft.outputs = {&to};
    draft.inputs = {&from};
    draft.mask = maskArgument(evaluator, call[2]);
    evaluator.emit(draft);
    return Value::none();
}

// src, dtype, mask
Value copy(Call &call)
{
    return copyTile(call.evaluator, call[0], call[2], dtypeArgument(call.evaluator, call[1]));
}

// src, mask, dtype, engine
Value tensorCopy(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &source = tileOf(evaluator, call[0], "src");
    checkOperand(evaluator, source, "src");
    TensorObject *tile = evaluator.newTile(
        Memory::Sbuf, dtypeArgument(evaluator, call[2]).value_or(source.dtype), sizes(source));
    const Value keep = Value::object(ValueKind::Tensor, tile);
    Draft draft;
    draft.opcode = Opcode::Copy;
    draft.engine = engineArgument(call[3], Engine::Vector);
    if (draft.engine == Engine::GpSimd && source.memory == Memory::Psum)
        evaluator.notCompiling("err_unsupported_memory", "GpSimd cannot read PSUM",
                               "use another engine");
    draft.outputs = {tile};
    draft.inputs = {&source};
    draft.mask = maskArgument(evaluator, call[1]);
    return evaluator.freshValue(tile, evaluator.emit(draft), call[1]);
}

// dst, src, mask
Value dmaCopy(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    for (const std::size_t i : {0u, 1u})
        if (!call[i].is(ValueKind::Tensor) || call[i].as<TensorObject>().memory == Memory::Psum)
            evaluator.notCompiling("err_unsupported_memory",
                                   "DMA copies between HBM and SBUF only");
    auto &destination = call[0].as<TensorObject>();
    auto &source = call[1].as<TensorObject>();
    if (destination.elements() != source.elements())
        evaluator.notCompiling("value_error",
                               fmt::format("dst has {} elements and src {}", destination.elements(),
                                           source.elements()));
    Draft draft;
    draft.opcode = Opcode::DmaCopy;
    draft.engine = Engine::Dma;
    draft.outputs = {&destination};
    draft.inputs = {&source};
    draft.mask = maskArgument(evaluator, call[2]);
    evaluator.emit(draft);
    return Value::none();
}

constexpr FunctionSpec kDataMovementFunctions[] = {
    {"nl.load", "src, mask=, dtype=, mode=", load},
    {"nl.load_transpose2d", "src, mask=, dtype=", loadTranspose},
    {"nl.store", "dst, value, mask=, mode=", store},
    {"nl.copy", "src, dtype=, mask=", copy, AluOp::None, ActivationFunction::Copy},
    {"nisa.tensor_copy", "src, mask=, dtype=, engine=", tensorCopy},
    {"nisa.dma_copy", "dst, src, mask=, dst_rmw_op=, oob_mode=, dge_mode=", dmaCopy},
};

} // namespace

std::span<const FunctionSpec> dataMovementFunctions()
{
    return kDataMovementFunctions;
}

} // namespace accelopt::nki
