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
    const std::string what(call.spec.path);
    auto &source = hbmOf(evaluator, call[0], "the source of " + what);
    if (source.rank != 2)
        evaluator.notCompiling("err_transpose_on_tensor_of_rank",
                               fmt::format("{} takes two axes, not {}", what, source.shapeText()),
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
    const Tensor &stored = evaluator.program().tensors[std::size_t(destination.tensor)];
    const bool isInput =
        evaluator.program().storages[std::size_t(destination.storage)].role == StorageRole::Input;
    if (isInput && evaluator.isMutable(stored.parameter))
        evaluator.unsupported("storing into a parameter of the kernel (nt.mutable_tensor)");
    if (isInput)
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
    if (call.given(3))
        evaluator.unsupported("a DMA copy that adds to its destination");
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

// src, mask, dtype, axes, dge_mode
Value dmaTranspose(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (call.given(3)) {
        const std::vector<Value> axes = evaluator.iterate(call[3], call.node);
        if (axes.size() != 2 || !axes[0].isInteger() || axes[0].asInteger() != 1 ||
            !axes[1].isInteger() || axes[1].asInteger() != 0)
            evaluator.unsupported("a DMA transpose of other axes than (1, 0)");
    }
    if (call[0].is(ValueKind::Tensor) && call[0].as<TensorObject>().memory != Memory::Hbm)
        evaluator.unsupported("a DMA transpose of a tile");
    return loadTranspose(call);
}

// src, dst, shuffle_mask, dtype, mask
Value streamShuffle(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    auto &source = tileOf(evaluator, call[0], "src");
    auto &destination = tileOf(evaluator, call[1], "dst");
    checkOperand(evaluator, source, "src");
    checkOperand(evaluator, destination, "dst");
    constexpr std::size_t kQuadrant = 32;
    constexpr std::int64_t kLeave = 255;
    const std::vector<Value> lanes = evaluator.iterate(call[2], call.node);
    if (lanes.size() != kQuadrant)
        evaluator.notCompiling("value_error",
                               fmt::format("shuffle_mask has {} entries, not 32", lanes.size()),
                               "give one partition for each of the 32 of a quadrant");
    if (source.freeElements() != destination.freeElements())
        evaluator.notCompiling("err_shape_mismatch",
                               fmt::format("src has {} elements per partition and dst {}",
                                           source.freeElements(), destination.freeElements()),
                               "give both the same free size");
    if (call.given(4))
        evaluator.unsupported("a mask on nisa.nc_stream_shuffle");
    Draft draft;
    draft.opcode = Opcode::Shuffle;
    for (std::size_t lane = 0; lane < kQuadrant; ++lane) {
        const std::int64_t from = lanes[lane].isInteger() ? lanes[lane].asInteger() : -1;
        if (from < 0 || (from >= std::int64_t(kQuadrant) && from != kLeave))
            evaluator.notCompiling(
                "value_error",
                fmt::format("entry {} of shuffle_mask is {}", lane, toText(lanes[lane])),
                "entries are partitions 0 to 31 of the quadrant, or 255");
        draft.parameters.iota[lane / 8] |= from << (8 * (lane % 8));
    }
    draft.outputs = {&destination};
    draft.inputs = {&source};
    evaluator.emit(draft);
    return Value::none();
}

constexpr FunctionSpec kDataMovementFunctions[] = {
    {"nl.load", "src, mask=, dtype=, mode=", load},
    {"nl.load_transpose2d", "src, mask=, dtype=", loadTranspose},
    {"nl.store", "dst, value, mask=, mode=", store},
    {"nl.copy", "src, dtype=, mask=", copy, AluOp::None, ActivationFunction::Copy},
    {"nisa.tensor_copy", "src, mask=, dtype=, engine=", tensorCopy},
    {"nisa.dma_transpose", "src, mask=, dtype=, axes=, dge_mode=", dmaTranspose},
    {"nisa.nc_stream_shuffle", "src, dst, shuffle_mask, dtype=, mask=", streamShuffle},
    {"nisa.dma_copy", "dst, src, mask=, dst_rmw_op=, oob_mode=, dge_mode=", dmaCopy},
};

} // namespace

std::span<const FunctionSpec> dataMovementFunctions()
{
    return kDataMovementFunctions;
}

} // namespace accelopt::nki
