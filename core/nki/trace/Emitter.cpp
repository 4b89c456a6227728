// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Emitter.h"

#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace accelopt::nki {

namespace {

[[noreturn]] void stopAt(const SourcePlace &place, VerdictStatus status, std::string rule,
                         std::string message, std::string hint)
{
    throw TraceStop{
        {status, Reason{"structure", std::move(rule), std::move(message), std::move(hint), place}}};
}

std::size_t hashOf(const Parameters &p)
{
    std::size_t hash = 1469598103934665603ull;
    const auto mix = [&](std::size_t value) { hash = (hash ^ value) * 1099511628211ull; };
    mix(std::size_t(p.op0) | std::size_t(p.op1) << 8 | std::size_t(p.reduceOp) << 16 |
        std::size_t(p.function) << 24 | std::size_t(p.reducedAxes) << 32);
    mix(std::size_t(p.reverse0) | std::size_t(p.reverse1) << 1 | std::size_t(p.accumulate) << 2 |
        std::size_t(p.implicitTranspose) << 3 | std::size_t(p.firstPass) << 4 |
        std::size_t(p.negate) << 5 | std::size_t(p.operand0IsConstant) << 6 |
        std::size_t(p.operand1IsConstant) << 7);
    mix(std::hash<double>{}(p.constant0));
    mix(std::hash<double>{}(p.constant1));
    for (const std::int64_t value : p.iota)
        mix(std::size_t(value));
    return hash;
}

/// The half-open range of an axis on which constant + coefficient * axis >= 0 holds.
void restrict(std::int64_t constant, std::int64_t coefficient, std::int64_t &low,
              std::int64_t &high)
{
    if (coefficient > 0) {
        // axis >= ceil(-constant / coefficient)
        const std::int64_t bound = constant >= 0 ? 0 : (-constant + coefficient - 1) / coefficient;
        low = std::max(low, bound);
    } else {
        // axis <= floor(constant / -coefficient)
        const std::int64_t bound = constant < 0 ? -1 : constant / -coefficient;
        high = std::min(high, bound + 1);
    }
}

/// True for an axis of one element that operands leave out; `before` axes were kept so far.
bool isDropped(const TensorObject &view, int axis, int before)
{
    const Axis &a = view.axes[std::size_t(axis)];
    return a.kind == AxisKind::Free && a.size == 1 && before >= (view.onChip() ? 2 : 1);
}

} // namespace

void clip(TensorObject &view, int axis, std::int64_t low, std::int64_t high)
{
    Axis &a = view.axes[std::size_t(axis)];
    if (a.kind == AxisKind::Block)
        view.storage += StorageId(low * a.stride);
    else
        view.offset += low * a.stride;
    a.size = std::max<std::int64_t>(0, high - low);
    if (axis < AccessPattern::kMaximumRank)
        for (PendingBound &bound : view.bounds)
            bound.constant += bound.coefficient[std::size_t(axis)] * low;
}

Emitter::Emitter(const TraceLimits &limits) : m_limits(limits), m_sites(kSites)
{
    m_program.iterations.push_back({});
    m_program.parameters.push_back({});
    m_parameterIndex.emplace(hashOf({}), 0);
}

TensorObject *Emitter::newTensor(Memory memory, StorageRole role, DType dtype,
                                 std::vector<std::int64_t> shape, int partitionAxis,
                                 const SourcePlace &place)
{
    Tensor tensor;
    tensor.place = place;
    tensor.firstStorage = StorageId(m_program.storages.size());
    tensor.iteration = m_iteration;

    auto *view = new TensorObject;
    view->tensor = std::int32_t(m_program.tensors.size());
    view->memory = memory;
    view->dtype = dtype;
    view->rank = int(shape.size());
    view->storage = tensor.firstStorage;

    Storage storage;
    storage.memory = memory;
    storage.role = role;
    storage.dtype = dtype;
    storage.tensor = view->tensor;

    const int blockAxes = std::max(0, partitionAxis);
    std::int64_t stride = 1;
    for (int axis = view->rank - 1; axis >= blockAxes; --axis) {
        Axis &a = view->axes[std::size_t(axis)];
        a.size = shape[std::size_t(axis)];
        a.stride = stride;
        a.kind = axis == partitionAxis ? AxisKind::Partition : AxisKind::Free;
        if (axis == partitionAxis) {
            storage.partitions = std::int32_t(a.size);
            storage.freeElements = stride;
        }
        stride *= a.size;
    }
    if (partitionAxis < 0)
        storage.freeElements = stride;
    std::int64_t blocks = 1;
    for (int axis = blockAxes - 1; axis >= 0; --axis) {
        Axis &a = view->axes[std::size_t(axis)];
        a = {shape[std::size_t(axis)], blocks, AxisKind::Block};
        blocks *= a.size;
    }
    if (std::int64_t(m_program.storages.size()) + blocks > m_limits.storages) {
        delete view;
        stopAt(place, VerdictStatus::RunFailed, "too_many_tiles",
               fmt::format("the kernel declares more than {} tiles", m_limits.storages),
               "use fewer block dimensions");
    }
    tensor.blocks = std::int32_t(blocks);
    tensor.shape = std::move(shape);
    if (blocks == 1)
        m_program.storages.push_back(storage);
    else
        m_program.storages.insert(m_program.storages.end(), std::size_t(blocks), storage);
    m_program.tensors.push_back(std::move(tensor));
    return view;
}

TensorObject *Emitter::newTile(Memory memory, DType dtype, std::vector<std::int64_t> shape,
                               const SourcePlace &place)
{
    return newTensor(memory, StorageRole::Tile, dtype, std::move(shape), 0, place);
}

void Emitter::enter(std::int32_t loop, LoopKind kind, std::int32_t index)
{
    Iteration iteration;
    iteration.parent = m_iteration;
    iteration.loop = loop;
    iteration.index = index;
    iteration.depth = std::int16_t(m_program.iterations[std::size_t(m_iteration)].depth + 1);
    iteration.kind = kind;
    m_iteration = std::int32_t(m_program.iterations.size());
    m_program.iterations.push_back(iteration);
}

void Emitter::leave()
{
    m_iteration = m_program.iterations[std::size_t(m_iteration)].parent;
}

std::int32_t Emitter::internPlace(const SourcePlace &place)
{
    const std::array<int, 4> key{place.line, place.column, place.endLine, place.endColumn};
    const auto [it, added] = m_places.try_emplace(key, std::int32_t(m_program.places.size()));
    if (added)
        m_program.places.push_back(place);
    return it->second;
}

Emitter::Site &Emitter::siteOf(const SourcePlace &place)
{
    Site &site = m_sites[reinterpret_cast<std::uintptr_t>(&place) / 16 % kSites];
    if (site.place != &place || m_program.places[std::size_t(site.placeIndex)] != place)
        site = {&place, internPlace(place), 0};
    return site;
}

std::int32_t Emitter::internParameters(const Parameters &parameters, Site &site)
{
    if (m_program.parameters[std::size_t(site.parameters)] != parameters)
        site.parameters = internParameters(parameters);
    return site.parameters;
}

std::int32_t Emitter::internParameters(const Parameters &parameters)
{
    const std::size_t hash = hashOf(parameters);
    const auto [begin, end] = m_parameterIndex.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (m_program.parameters[std::size_t(it->second)] == parameters)
            return it->second;
    const auto index = std::int32_t(m_program.parameters.size());
    m_program.parameters.push_back(parameters);
    m_parameterIndex.emplace(hash, index);
    return index;
}

Operand Emitter::operandOf(const TensorObject &view)
{
    AccessPattern pattern;
    const auto add = [&](const Axis &axis) {
        // Neighbouring free axes that continue each other are one axis: fewer patterns, and room
        // for views with more axes than a pattern has.
        if (isDropped(view, int(&axis - view.axes.data()), pattern.rank))
            return;
        if (pattern.rank == AccessPattern::kMaximumRank) {
            stopAt(*m_currentPlace, VerdictStatus::NotCompiling,
                   "err_exceed_max_supported_dimension",
                   fmt::format("an operand of shape {} has more than {} axes", view.shapeText(),
                               AccessPattern::kMaximumRank),
                   "reshape it, or index fewer axes at once");
        }
        pattern.size[std::size_t(pattern.rank)] = axis.size;
        pattern.stride[std::size_t(pattern.rank)] = axis.size == 1 ? 0 : axis.stride;
        ++pattern.rank;
    };
    for (int axis = 0; axis < view.rank; ++axis)
        add(view.axes[std::size_t(axis)]);
    return {view.storage, m_program.patterns.intern(pattern), view.offset};
}

bool Emitter::applyMask(const Draft &draft, std::vector<TensorObject> &views, Mask &remaining) const
{
    const MaskObject &mask = *draft.mask;
    std::array<std::int64_t, AccessPattern::kMaximumRank> low{};
    std::array<std::int64_t, AccessPattern::kMaximumRank> high = mask.extent;
    for (const AffineCondition &condition : mask.conditions) {
        int axes = 0;
        int only = -1;
        for (int axis = 0; axis < mask.rank; ++axis)
            if (condition.coefficient[axis] != 0) {
                ++axes;
                only = axis;
            }
        if (axes == 0) {
            if (condition.constant < 0)
                return false;
        } else if (axes == 1) {
            restrict(condition.constant, condition.coefficient[only], low[std::size_t(only)],
                     high[std::size_t(only)]);
        } else {
            remaining.push_back(condition);
        }
    }
    for (int axis = 0; axis < mask.rank; ++axis) {
        const auto k = std::size_t(axis);
        if (mask.extent[k] > 1 && low[k] >= high[k])
            return false;
        for (AffineCondition &condition : remaining)
            condition.constant += condition.coefficient[axis] * low[k];
        if (low[k] == 0 && high[k] == mask.extent[k])
            continue;
        bool restricted = false;
        for (std::size_t v = 0; v < views.size(); ++v) {
            int target = axis;
            if (!draft.maskAxes.empty())
                target = draft.maskAxes[v][k];
            if (target >= 0 && target < views[v].rank &&
                views[v].axes[std::size_t(target)].size == mask.extent[k]) {
                clip(views[v], target, low[k], high[k]);
                restricted = true;
            }
        }
        // A draft without outputs only carries the mask to another destination.
        if (!restricted && !draft.outputs.empty())
            stopAt(*m_currentPlace, VerdictStatus::NotCompiling, "err_mask_shape_mismatch",
                   fmt::format(
                       "axis {} of the mask has {} elements, but no operand has that many there",
                       axis, mask.extent[k]),
                   "build the mask from the index expressions of the operands");
    }
    return true;
}

void Emitter::moveToOperandAxes(const Draft &draft, const std::vector<TensorObject> &views,
                                Mask &conditions)
{
    // An instruction that reduces is masked on its data, any other on its result (see maskBox).
    const bool onData = draft.opcode == Opcode::Reduce || draft.opcode == Opcode::PartitionReduce ||
                        draft.opcode == Opcode::BatchNormStats ||
                        draft.opcode == Opcode::BatchNormAggregate || draft.opcode == Opcode::Max8;
    const std::size_t box = onData ? draft.outputs.size() : 0;
    const TensorObject &view = views[box];
    // Where each axis of the view is in the operand; -1: left out, having one element.
    std::array<int, TensorObject::kMaximumRank> place;
    place.fill(-1);
    int rank = 0;
    for (int axis = 0; axis < view.rank; ++axis)
        if (!isDropped(view, axis, rank))
            place[std::size_t(axis)] = rank++;
    for (AffineCondition &condition : conditions) {
        const AffineCondition given = condition;
        std::fill(std::begin(condition.coefficient), std::end(condition.coefficient), 0);
        for (std::size_t axis = 0; axis < std::size(given.coefficient); ++axis) {
            const int target = draft.maskAxes.empty() ? int(axis) : draft.maskAxes[box][axis];
            const int to = target >= 0 && target < view.rank ? place[std::size_t(target)] : -1;
            if (to >= 0 && to < AccessPattern::kMaximumRank)
                condition.coefficient[to] += given.coefficient[axis];
        }
    }
}

void Emitter::checkBounds(const TensorObject &view, const MaskObject *mask) const
{
    for (const PendingBound &bound : view.bounds) {
        std::int64_t low = bound.constant;
        std::int64_t high = bound.constant;
        for (int axis = 0; axis < std::min(view.rank, AccessPattern::kMaximumRank); ++axis) {
            const std::int64_t reach =
                bound.coefficient[std::size_t(axis)] * (view.axes[std::size_t(axis)].size - 1);
            (reach < 0 ? low : high) += reach;
        }
        if (low >= 0 && high < bound.limit)
            continue;
        const Tensor &tensor = m_program.tensors[std::size_t(view.tensor)];
        stopAt(bound.place, VerdictStatus::NotCompiling, "err_tensor_access_out_of_bound",
               fmt::format(
                   "the index of dimension {} of '{}' runs over [{}, {}], but the dimension has {} "
                   "elements",
                   bound.dimension, tensor.name.empty() ? "tensor" : tensor.name, low, high,
                   bound.limit),
               mask != nullptr ? "let the mask exclude the elements outside"
                               : "shorten the range, or exclude the elements outside with mask=");
    }
}

InstructionId Emitter::emit(const Draft &draft, const SourcePlace &place)
{
    m_currentPlace = &place;
    if (!hasElements(draft, place))
        return kNoInstruction;
    if (draft.mask != nullptr)
        return emitMasked(draft, place);
    Instruction instruction = begin(draft, place);
    for (const OperandViews *views : {&draft.outputs, &draft.inputs})
        for (const TensorObject *view : *views) {
            if (!view->bounds.empty())
                checkBounds(*view, nullptr);
            m_program.operands.push_back(operandOf(*view));
        }
    const auto id = InstructionId(m_program.instructions.size());
    m_program.instructions.push_back(instruction);
    return id;
}

bool Emitter::hasElements(const Draft &draft, const SourcePlace &place)
{
    for (const TensorObject *view : draft.outputs)
        if (view->elements() == 0)
            return false; // a[0:0] = ... writes nothing
    for (const TensorObject *view : draft.inputs)
        if (view->elements() == 0)
            stopAt(place, VerdictStatus::NotCompiling, "value_error",
                   fmt::format("an operand of shape {} has no elements", view->shapeText()),
                   "check the bounds of its slices");
    return true;
}

InstructionId Emitter::emitMasked(const Draft &draft, const SourcePlace &place)
{
    std::vector<TensorObject> views;
    views.reserve(draft.outputs.size() + draft.inputs.size());
    for (const TensorObject *view : draft.outputs)
        views.push_back(*view);
    for (const TensorObject *view : draft.inputs)
        views.push_back(*view);

    Mask remaining;
    if (!applyMask(draft, views, remaining))
        return kNoInstruction;
    for (TensorObject &view : views)
        if (!view.bounds.empty())
            checkBounds(view, draft.mask);

    if (!remaining.empty())
        moveToOperandAxes(draft, views, remaining);
    Instruction instruction = begin(draft, place);
    if (!remaining.empty()) {
        instruction.mask = std::int32_t(m_program.masks.size());
        m_program.masks.push_back(std::move(remaining));
    }
    for (const TensorObject &view : views)
        m_program.operands.push_back(operandOf(view));
    const auto id = InstructionId(m_program.instructions.size());
    m_program.instructions.push_back(instruction);
    return id;
}

Instruction Emitter::begin(const Draft &draft, const SourcePlace &place)
{
    if (std::int64_t(m_program.instructions.size()) >= m_limits.instructions) {
        stopAt(
            place, VerdictStatus::RunFailed, "too_many_instructions",
            fmt::format("the kernel unrolls to more than {} instructions", m_limits.instructions),
            "use larger tiles or fewer iterations");
    }
    Site &site = siteOf(place);
    Instruction instruction;
    instruction.opcode = draft.opcode;
    instruction.engine = draft.engine;
    instruction.outputs = std::uint8_t(draft.outputs.size());
    instruction.inputs = std::uint8_t(draft.inputs.size());
    instruction.firstOperand = std::int32_t(m_program.operands.size());
    instruction.parameters = internParameters(draft.parameters, site);
    instruction.place = site.placeIndex;
    instruction.iteration = m_iteration;
    return instruction;
}

bool Emitter::retarget(TensorObject &fresh, const TensorObject &destination, bool accumulate)
{
    Instruction &instruction = m_program.instructions[std::size_t(fresh.freshProducer)];
    const Opcode opcode = instruction.opcode;
    const bool tensorEngine = opcode == Opcode::Matmul ||
                              (opcode == Opcode::Transpose && instruction.engine == Engine::Tensor);
    if (tensorEngine && destination.memory != Memory::Psum)
        return false;
    if (opcode == Opcode::Load && destination.memory != Memory::Sbuf)
        return false;

    const MaskObject *mask =
        fresh.freshMask.is(ValueKind::MaskExpression) ? &fresh.freshMask.as<MaskObject>() : nullptr;
    m_currentPlace = &m_program.places[std::size_t(instruction.place)];
    std::vector<TensorObject> views;
    if (mask != nullptr) {
        // The instruction was restricted by a mask: so is its destination.
        Draft draft;
        draft.mask = mask;
        views.push_back(destination);
        Mask remaining;
        if (!applyMask(draft, views, remaining))
            return true;
    }
    const TensorObject &view = mask != nullptr ? views.front() : destination;
    checkBounds(view, mask);
    const Operand operand = operandOf(view);
    if (instruction.mask >= 0) {
        // What is left of the mask is about the axes of the result.
        const AccessPattern &before =
            m_program.pattern(m_program.operands[std::size_t(instruction.firstOperand)]);
        const AccessPattern &now = m_program.pattern(operand);
        if (before.rank != now.rank || before.size != now.size)
            return false;
    }
    m_program.operands[std::size_t(instruction.firstOperand)] = operand;
    if (accumulate) {
        Parameters parameters = m_program.parameters[std::size_t(instruction.parameters)];
        parameters.accumulate = true;
        // The first product of an accumulation group overwrites: what stood there does not matter.
        m_program.tensors[std::size_t(destination.tensor)].initialised = true;
        instruction.parameters = internParameters(parameters);
    }
    // The tile made for the result is not needed; it is nearly always the last one made.
    if (fresh.tensor + 1 == std::int32_t(m_program.tensors.size())) {
        m_program.storages.resize(std::size_t(m_program.tensors.back().firstStorage));
        m_program.tensors.pop_back();
    }
    return true;
}

} // namespace accelopt::nki
