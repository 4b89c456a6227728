// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

/// True for an index that takes part in an index grid.
bool isGrid(const Value &value)
{
    return value.is(ValueKind::Index);
}

bool isBasic(const Value &value)
{
    return value.is(ValueKind::Slice) || value.is(ValueKind::DynamicSlice) ||
           value.is(ValueKind::None);
}

} // namespace

void Evaluator::refuseIndirect(const TensorObject &view, bool isFree, NodeId node)
{
    if (view.memory == Memory::Hbm && isFree)
        notCompiling("err_indirect_indices_free_dim",
                     "an index computed on the device may only stand in the partition or a block "
                     "dimension",
                     "index the other dimensions with nl.arange", node);
    unsupported("indexing by values computed on the device (indirect access)", node);
}

Value Evaluator::subscriptTensor(const TensorObject &view, const std::vector<Value> &given,
                                 NodeId node)
{
    // Spell the ellipsis out and append the axes that were left away.
    std::vector<const Value *> indices;
    indices.reserve(given.size() + 4);
    int taken = 0;
    for (const Value &value : given)
        taken += value.is(ValueKind::Ellipsis) || value.is(ValueKind::None) ? 0 : 1;
    if (taken > view.rank)
        notCompiling("index_error",
                     fmt::format("{} indices for '{}', which has {} dimensions", taken,
                                 program().tensors[std::size_t(view.tensor)].name, view.rank),
                     {}, node);
    static const Value s_everything = [] {
        auto *slice = new SliceObject;
        slice->lower = slice->upper = slice->step = Value::none();
        return Value::object(ValueKind::Slice, slice);
    }();
    bool grids = false;
    bool basics = false;
    bool ellipsis = false;
    for (const Value &value : given) {
        if (value.is(ValueKind::Ellipsis)) {
            if (ellipsis)
                notCompiling("index_error", "an index can have a single ellipsis ('...')", {},
                             node);
            ellipsis = true;
            for (int i = taken; i < view.rank; ++i)
                indices.push_back(&s_everything);
            continue;
        }
        grids = grids || isGrid(value);
        basics = basics || isBasic(value);
        indices.push_back(&value);
    }
    while (!ellipsis && int(indices.size()) < view.rank + int(given.size()) - taken) {
        indices.push_back(&s_everything);
        basics = true;
    }
    if (grids && basics)
        notCompiling("err_unsupported_mixing_basic_advanced_tensor_indexing",
                     "slices and index expressions cannot be mixed in one subscript",
                     "write every index with nl.arange, or none", node);

    const auto &tensorName = program().tensors[std::size_t(view.tensor)].name;
    auto *out = new TensorObject;
    out->tensor = view.tensor;
    out->memory = view.memory;
    out->dtype = view.dtype;
    out->storage = view.storage;
    out->offset = view.offset;
    out->bounds = view.bounds;
    const Value keep = Value::object(ValueKind::Tensor, out);

    const auto shift = [&](const Axis &axis, std::int64_t by) {
        if (axis.kind == AxisKind::Block)
            out->storage += StorageId(by * axis.stride);
        else
            out->offset += by * axis.stride;
    };
    const auto outOfBound = [&](int dimension, std::int64_t low, std::int64_t high,
                                std::int64_t size) {
        notCompiling(
            "err_tensor_access_out_of_bound",
            fmt::format(
                "the index of dimension {} of '{}' runs over [{}, {}], but the dimension has "
                "{} elements",
                dimension, tensorName.empty() ? "tensor" : tensorName, low, high, size),
            "stay within the dimension, or exclude the rest with mask= on an index expression",
            node);
    };

    if (!grids) {
        int dimension = 0;
        if (int(indices.size()) >= TensorObject::kMaximumRank)
            unsupported("this many axes", node);
        for (const Value *value : indices) {
            if (value->is(ValueKind::None)) {
                if (out->onChip() && (out->rank == 0 || view.axes[0].kind == AxisKind::Block))
                    notCompiling("err_leading_dimension_of_tensor_must_be_partition",
                                 fmt::format("a new axis stands in front of the partition "
                                             "dimension of '{}'",
                                             tensorName),
                                 "write None behind the partition dimension", node);
                out->axes[std::size_t(out->rank++)] = {1, 0, AxisKind::Free};
                continue;
            }
            const Axis &axis = view.axes[std::size_t(dimension)];
            if (value->isInteger()) {
                std::int64_t index = value->asInteger();
                if (index < 0)
                    index += axis.size;
                if (index < 0 || index >= axis.size)
                    outOfBound(dimension, value->asInteger(), value->asInteger(), axis.size);
                shift(axis, index);
                // On chip the partition axis stays, with one partition.
                if (axis.kind == AxisKind::Partition)
                    out->axes[std::size_t(out->rank++)] = {1, axis.stride, AxisKind::Partition};
            } else if (value->is(ValueKind::Slice) || value->is(ValueKind::DynamicSlice)) {
                const auto &slice = value->as<SliceObject>();
                std::int64_t step = 1;
                if (!slice.step.is(ValueKind::None)) {
                    if (!slice.step.isInteger() || slice.step.asInteger() < 1)
                        unsupported("this slice step", node);
                    step = slice.step.asInteger();
                }
                const auto bound = [&](const Value &v, std::int64_t otherwise) {
                    if (v.is(ValueKind::None))
                        return otherwise;
                    if (!v.isInteger())
                        notCompiling("type_error",
                                     fmt::format("a slice bound must be an integer, not a {}",
                                                 pythonTypeName(v.kind())),
                                     {}, node);
                    return v.asInteger() < 0 ? v.asInteger() + axis.size : v.asInteger();
                };
                const std::int64_t low = bound(slice.lower, 0);
                const std::int64_t high = bound(slice.upper, axis.size);
                const bool mayBeMasked = axis.kind != AxisKind::Block && low >= 0 && high > low &&
                                         out->rank < AccessPattern::kMaximumRank;
                if (low < 0 || high < low || (high > axis.size && !mayBeMasked))
                    outOfBound(dimension, low, high - 1, axis.size);
                if (high > axis.size) { // legal where the instruction's mask leaves the rest out
                    PendingBound pending;
                    pending.dimension = dimension;
                    pending.limit = axis.size;
                    pending.constant = low;
                    pending.coefficient[std::size_t(out->rank)] = step;
                    pending.place = m_tree[node].place;
                    out->bounds.push_back(pending);
                }
                shift(axis, low);
                Axis kept = axis;
                kept.size = (high - low + step - 1) / step;
                kept.stride = axis.stride * step;
                out->axes[std::size_t(out->rank++)] = kept;
            } else if (value->is(ValueKind::Tensor)) {
                refuseIndirect(view, out->rank > 0, node);
            } else {
                notCompiling("type_error",
                             fmt::format("a tensor cannot be indexed by a {}",
                                         pythonTypeName(value->kind())),
                             {}, node);
            }
            ++dimension;
        }
        if (out->onChip() && out->rank > 0 &&
            out->axes[std::size_t(out->rank - 1)].kind == AxisKind::Partition)
            out->axes[std::size_t(out->rank++)] = {1, 0, AxisKind::Free};
        return keep;
    }

    // An index grid: the result's axes are the grid's.
    int rank = 0;
    std::array<std::int64_t, AccessPattern::kMaximumRank> extent;
    extent.fill(1);
    for (const Value *value : indices)
        if (isGrid(*value))
            rank = std::max(rank, value->as<IndexObject>().rank);
    if (rank == 1)
        notCompiling("err_1d_arange_not_supported", "an index expression needs at least two axes",
                     "write nl.arange(n)[:, None] or nl.arange(n)[None, :]", node);
    std::array<std::int64_t, AccessPattern::kMaximumRank> stride{};
    int dimension = 0;
    for (const Value *value : indices) {
        const Axis &axis = view.axes[std::size_t(dimension)];
        if (value->isInteger()) {
            std::int64_t index = value->asInteger();
            if (index < 0)
                index += axis.size;
            if (index < 0 || index >= axis.size)
                outOfBound(dimension, value->asInteger(), value->asInteger(), axis.size);
            shift(axis, index);
        } else if (isGrid(*value)) {
            const auto &index = value->as<IndexObject>();
            const int lead = rank - index.rank;
            PendingBound bound;
            bound.dimension = dimension;
            bound.limit = axis.size;
            bound.constant = index.constant;
            bound.place = m_tree[node].place;
            bool any = false;
            for (int k = 0; k < index.rank; ++k) {
                const auto to = std::size_t(k + lead);
                const std::int64_t n = index.extent[std::size_t(k)];
                if (n != 1) {
                    if (extent[to] != 1 && extent[to] != n)
                        notCompiling(
                            "value_error",
                            fmt::format("index grids of extents {} and {} do not fit on axis {}",
                                        extent[to], n, to),
                            {}, node);
                    extent[to] = n;
                }
                const std::int64_t coefficient = index.coefficient[std::size_t(k)];
                if (coefficient == 0)
                    continue;
                any = true;
                bound.coefficient[to] = coefficient;
                if (axis.kind == AxisKind::Block && n > 1)
                    notCompiling(
                        "err_failed_to_infer_tile_from_local_tensor",
                        fmt::format(
                            "dimension {} of '{}' is a block dimension: it takes one block at "
                            "a time",
                            dimension, tensorName),
                        "index block dimensions with a loop index or an integer", node);
                if (view.onChip() && axis.kind == AxisKind::Partition) {
                    if (to != 0 && n > 1)
                        notCompiling(
                            "err_leading_dimension_of_tensor_must_be_partition",
                            fmt::format(
                                "the partition dimension of '{}' must be indexed by the first "
                                "axis of the grid",
                                tensorName),
                            "write nl.arange(n)[:, None] for the partition dimension", node);
                }
                stride[to] += coefficient * axis.stride;
            }
            shift(axis, index.constant);
            if (index.minimum() < 0 || index.maximum() >= axis.size) {
                if (!any)
                    outOfBound(dimension, index.minimum(), index.maximum(), axis.size);
                out->bounds.push_back(bound);
            }
        } else if (value->is(ValueKind::Tensor)) {
            refuseIndirect(view,
                           std::any_of(indices.begin(), indices.begin() + dimension,
                                       [](const Value *before) { return isGrid(*before); }),
                           node);
        } else {
            notCompiling(
                "type_error",
                fmt::format("a tensor cannot be indexed by a {}", pythonTypeName(value->kind())),
                {}, node);
        }
        ++dimension;
    }
    out->rank = rank;
    for (int k = 0; k < rank; ++k) {
        Axis &axis = out->axes[std::size_t(k)];
        axis.size = extent[std::size_t(k)];
        axis.stride = stride[std::size_t(k)];
        axis.kind = view.onChip() && k == 0 ? AxisKind::Partition : AxisKind::Free;
    }
    return keep;
}

Value Evaluator::subscript(const Value &object, const std::vector<Value> &indices, NodeId node)
{
    switch (object.kind()) {
    case ValueKind::Tensor: return subscriptTensor(object.as<TensorObject>(), indices, node);
    case ValueKind::Index: {
        // nl.arange(n)[:, None]: puts the axes of the expression into a grid of higher rank.
        const auto &index = object.as<IndexObject>();
        auto *out = new IndexObject;
        Value result = Value::object(ValueKind::Index, out);
        out->constant = index.constant;
        out->fromLoop = index.fromLoop;
        int from = 0;
        for (const Value &value : indices) {
            if (out->rank >= AccessPattern::kMaximumRank)
                unsupported(
                    fmt::format("index grids of more than {} axes", AccessPattern::kMaximumRank),
                    node);
            if (value.is(ValueKind::None)) {
                out->extent[std::size_t(out->rank++)] = 1;
            } else if (value.is(ValueKind::Slice) &&
                       value.as<SliceObject>().lower.is(ValueKind::None) &&
                       value.as<SliceObject>().upper.is(ValueKind::None) &&
                       value.as<SliceObject>().step.is(ValueKind::None)) {
                if (from >= index.rank)
                    notCompiling("index_error", "too many indices for this index expression", {},
                                 node);
                out->extent[std::size_t(out->rank)] = index.extent[std::size_t(from)];
                out->coefficient[std::size_t(out->rank++)] = index.coefficient[std::size_t(from++)];
            } else {
                unsupported("indexing an index expression with anything but ':' and None", node);
            }
        }
        for (; from < index.rank; ++from) { // axes left away are whole
            if (out->rank >= AccessPattern::kMaximumRank)
                unsupported(
                    fmt::format("index grids of more than {} axes", AccessPattern::kMaximumRank),
                    node);
            out->extent[std::size_t(out->rank)] = index.extent[std::size_t(from)];
            out->coefficient[std::size_t(out->rank++)] = index.coefficient[std::size_t(from)];
        }
        return result;
    }
    case ValueKind::Tuple:
    case ValueKind::List: {
        const auto &items = object.as<SequenceObject>().items;
        if (indices.size() != 1)
            notCompiling("type_error", "a list takes one index", {}, node);
        const Value &index = indices[0];
        if (index.is(ValueKind::Slice)) {
            const auto &slice = index.as<SliceObject>();
            const auto size = std::int64_t(items.size());
            const auto bound = [&](const Value &v, std::int64_t otherwise) {
                if (!v.isInteger())
                    return otherwise;
                const std::int64_t i = v.asInteger() < 0 ? v.asInteger() + size : v.asInteger();
                return std::clamp<std::int64_t>(i, 0, size);
            };
            const std::int64_t step = slice.step.isInteger() ? slice.step.asInteger() : 1;
            std::vector<Value> part;
            charge(items.size(), node);
            if (step > 0)
                for (std::int64_t i = bound(slice.lower, 0); i < bound(slice.upper, size);
                     i += std::min(step, size))
                    part.push_back(items[std::size_t(i)]);
            else if (step == -1 && slice.lower.is(ValueKind::None) &&
                     slice.upper.is(ValueKind::None))
                part.assign(items.rbegin(), items.rend());
            else
                unsupported("this slice of a list", node);
            return object.is(ValueKind::Tuple) ? makeTuple(std::move(part))
                                               : makeList(std::move(part));
        }
        if (!index.isInteger())
            notCompiling("type_error",
                         fmt::format("list indices must be integers, not a {}",
                                     pythonTypeName(index.kind())),
                         "a list cannot be indexed by an index expression; use a tensor with a "
                         "block dimension",
                         node);
        std::int64_t i = index.asInteger();
        if (i < 0)
            i += std::int64_t(items.size());
        if (i < 0 || i >= std::int64_t(items.size()))
            notCompiling("index_error", fmt::format("index {} is out of range", index.asInteger()),
                         {}, node);
        return items[std::size_t(i)];
    }
    case ValueKind::Dict:
        if (!indices.empty()) {
            chargeLookUp(object.as<DictObject>(), indices[0]);
            if (const Value *value = object.as<DictObject>().find(indices[0]))
                return *value;
        }
        notCompiling("key_error", "the dict has no such key", {}, node);
    case ValueKind::Module:
        if (object.as<ModuleObject>().path == "nl.mgrid") {
            std::vector<Value> grids;
            if (indices.size() > std::size_t(AccessPattern::kMaximumRank))
                unsupported(
                    fmt::format("index grids of more than {} axes", AccessPattern::kMaximumRank),
                    node);
            for (std::size_t k = 0; k < indices.size(); ++k) {
                if (!indices[k].is(ValueKind::Slice) ||
                    !indices[k].as<SliceObject>().upper.isInteger())
                    notCompiling("type_error", "nl.mgrid takes slices with constant bounds", {},
                                 node);
                const auto &slice = indices[k].as<SliceObject>();
                const std::int64_t low = slice.lower.isInteger() ? slice.lower.asInteger() : 0;
                const std::int64_t high = slice.upper.asInteger();
                constexpr std::int64_t kMost = std::int64_t(1) << 40;
                if (low >= high || low < -kMost || high > kMost)
                    notCompiling("value_error",
                                 fmt::format("nl.mgrid cannot run from {} to {}", low, high), {},
                                 node);
                if (!slice.step.is(ValueKind::None) &&
                    !(slice.step.isInteger() && slice.step.asInteger() == 1))
                    unsupported("steps in nl.mgrid", node);
                auto *index = new IndexObject;
                grids.push_back(Value::object(ValueKind::Index, index));
                index->rank = int(indices.size());
                index->extent.fill(1);
                index->constant = low;
                index->coefficient[k] = 1;
                index->extent[k] = high - low;
            }
            // The grids are dense, as numpy's mgrid: each has all the axes' extents.
            for (const Value &grid : grids)
                for (std::size_t k = 0; k < grids.size(); ++k)
                    grid.as<IndexObject>().extent[k] = grids[k].as<IndexObject>().extent[k];
            Value result = makeTuple(std::move(grids));
            result.as<SequenceObject>().grid = true;
            return result;
        }
        [[fallthrough]];
    case ValueKind::UserFunction:
        if (object.is(ValueKind::UserFunction))
            return launchOn(object, indices, node);
        [[fallthrough]];
    default:
        notCompiling("type_error",
                     fmt::format("a {} cannot be subscripted", pythonTypeName(object.kind())), {},
                     node);
    }
}

} // namespace accelopt::nki
