// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Executor.h"

#include "core/nki/execute/Interpreter.h"
#include "core/nki/execute/Slice.h"
#include "core/nki/execute/TileStore.h"
#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace accelopt::nki {

namespace {

constexpr std::size_t kMaximumOperands = 8;

/// The same box with its elements one after the other; axes that repeat keep doing so.
AccessPattern compact(const AccessPattern &pattern)
{
    AccessPattern result = pattern;
    std::int64_t stride = 1;
    for (int axis = pattern.rank - 1; axis >= 0; --axis) {
        const auto a = std::size_t(axis);
        if (pattern.stride[a] == 0 && pattern.size[a] > 1)
            continue;
        result.stride[a] = stride;
        stride *= pattern.size[a];
    }
    return result;
}

std::int64_t distinctElements(const AccessPattern &pattern)
{
    std::int64_t count = 1;
    for (int axis = 0; axis < pattern.rank; ++axis)
        if (pattern.stride[std::size_t(axis)] != 0 || pattern.size[std::size_t(axis)] == 0)
            count *= pattern.size[std::size_t(axis)];
    return count;
}

/// Whether the source lies in memory exactly as the destination's values are to be handed over.
bool isPlain(const View &destination, const View &source)
{
    return source.dtype == destination.dtype && !source.exactInteger() &&
           source.count() == destination.elements && destination.count() == destination.elements &&
           source.pattern.contiguousRun(false) == source.count() && source.inside();
}

/// One run of a slice.
class Run
{
public:
    Run(const Program &program, const Dependences &dependences,
        std::span<const InstructionId> stores, std::span<const InputData> inputs)
        : m_program(program),
          m_slice(Slice::of(program, dependences, stores)),
          m_tiles(program, inputs),
          m_interpreter(program)
    {}

    Result<ExecutionStatistics> carryOut(const std::function<bool(const StoredRegion &)> &visit);

    /// Shows the operands of this instruction when it is carried out.
    void watch(InstructionId instruction, const Executor::ShowOperand &show)
    {
        m_watched = instruction;
        m_show = &show;
    }

private:
    /// Shows the views of the watched instruction, the first of which is its operand `first`.
    void show(std::span<const View> views, std::size_t first);
    Result<View> view(const Operand &operand, TileStore::Contents contents);
    Result<View> destination(InstructionId id, const Operand &operand);
    /// Whether an instruction writes every element of the operand's storage.
    bool covers(const Instruction &instruction, const Operand &operand) const;
    /// Position among the returned tensors of what an operand writes, -1 for anything else.
    std::int32_t outputOf(const Operand &operand) const;
    void handOver(InstructionId id, const Operand &operand, const View &view, bool captured,
                  StoredRegion &region);

    const Program &m_program;
    Slice m_slice;
    TileStore m_tiles;
    Interpreter m_interpreter;
    std::vector<float> m_captured; ///< what a store to an output that nobody reads back writes
    std::vector<float> m_values;
    InstructionId m_watched = kNoInstruction;
    const Executor::ShowOperand *m_show = nullptr;
};

void Run::show(std::span<const View> views, std::size_t first)
{
    for (std::size_t k = 0; k < views.size(); ++k) {
        std::vector<float> values(std::size_t(views[k].count()));
        views[k].gather(values.data());
        (*m_show)(first + k, values);
    }
}

Result<View> Run::view(const Operand &operand, TileStore::Contents contents)
{
    const Storage &storage = m_program.storage(operand);
    View result;
    result.data = m_tiles.acquire(operand.storage, contents);
    if (result.data == nullptr)
        return fail(ErrorCode::Environment,
                    fmt::format("No memory for a tensor of {} bytes", storage.elements() * 4),
                    "Close other programs, or run the check on a machine with more memory.");
    result.elements = storage.elements();
    result.offset = operand.offset;
    result.pattern = m_program.pattern(operand);
    result.dtype = storage.dtype;
    result.storage = operand.storage;
    result.id = operand.pattern;
    return result;
}

bool Run::covers(const Instruction &instruction, const Operand &operand) const
{
    return instruction.mask < 0 && operand.offset == 0 &&
           m_program.pattern(operand).contiguousRun(false) == m_program.storage(operand).elements();
}

std::int32_t Run::outputOf(const Operand &operand) const
{
    const std::int32_t tensor = m_program.storage(operand).tensor;
    return tensor < 0 ? -1 : m_program.tensors[std::size_t(tensor)].output;
}

Result<View> Run::destination(InstructionId id, const Operand &operand)
{
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    const Storage &storage = m_program.storage(operand);
    // A returned tensor that nothing reads back needs no memory of its own: the values go straight
    // on.
    const bool captured = outputOf(operand) >= 0 && storage.memory == Memory::Hbm &&
                          !m_slice.read[std::size_t(operand.storage)];
    if (!captured) {
        if (!covers(instruction, operand))
            return view(operand, TileStore::Contents::Kept);
        if (!readsDestination(m_program, instruction))
            return view(operand, TileStore::Contents::Overwritten);
        // The first product of an accumulation that starts from zeros needs no zeros.
        const Tensor &tensor = m_program.tensors[std::size_t(storage.tensor)];
        const bool zeros = instruction.opcode == Opcode::Matmul && tensor.initialised &&
                           tensor.initialValue == 0.0 && !m_tiles.alive(operand.storage);
        Result<View> result =
            view(operand, zeros ? TileStore::Contents::Overwritten : TileStore::Contents::Kept);
        if (result)
            result->unwrittenZeros = zeros;
        return result;
    }
    View result;
    result.pattern = compact(m_program.pattern(operand));
    result.elements = distinctElements(result.pattern);
    m_captured.resize(std::size_t(result.elements));
    if (instruction.mask >= 0)
        std::fill(m_captured.begin(), m_captured.end(), std::numeric_limits<float>::quiet_NaN());
    result.data = m_captured.data();
    result.dtype = storage.dtype;
    return result;
}

void Run::handOver(InstructionId id, const Operand &operand, const View &view, bool captured,
                   StoredRegion &region)
{
    region.instruction = id;
    region.output = outputOf(operand);
    region.offset = operand.offset;
    region.pattern = operand.pattern;
    if (captured && !view.exactInteger()) {
        region.values = m_captured;
        return;
    }
    // Each element once, in the order of the axes.
    View distinct = view;
    for (int axis = 0; axis < distinct.pattern.rank; ++axis)
        if (distinct.pattern.stride[std::size_t(axis)] == 0 &&
            distinct.pattern.size[std::size_t(axis)] > 1)
            distinct.pattern.size[std::size_t(axis)] = 1;
    m_values.resize(std::size_t(distinct.count()));
    distinct.gather(m_values.data());
    region.values = m_values;
}

Result<ExecutionStatistics> Run::carryOut(const std::function<bool(const StoredRegion &)> &visit)
{
    ExecutionStatistics statistics;
    std::array<View, kMaximumOperands> views;
    for (const InstructionId id : m_slice.instructions) {
        const Instruction &instruction = m_program.instructions[std::size_t(id)];
        const auto outputs = m_program.outputsOf(instruction);
        const auto inputs = m_program.inputsOf(instruction);
        if (outputs.size() + inputs.size() > kMaximumOperands || outputs.empty())
            return fail(ErrorCode::Internal, fmt::format("Instruction {} has {} operands", id,
                                                         outputs.size() + inputs.size()));
        // Inputs first: a destination that is also read must not be taken for fresh memory.
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            ACCELOPT_TRY(views[outputs.size() + k], view(inputs[k], TileStore::Contents::Kept));
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            ACCELOPT_TRY(views[k], destination(id, outputs[k]));
        }
        const bool captured = views[0].storage < 0;
        const std::span<const View> inputViews{views.data() + outputs.size(), inputs.size()};
        // A tile that goes out as it is needs no copy.
        const bool asItIs = captured && instruction.opcode == Opcode::Store &&
                            instruction.mask < 0 && inputs.size() == 1 && id != m_watched &&
                            isPlain(views[0], inputViews[0]);
        if (id == m_watched)
            show(inputViews, outputs.size());
        if (!asItIs)
            m_interpreter.carryOut(instruction, {views.data(), outputs.size()}, inputViews);
        ++statistics.instructions;
        statistics.flops += flopsOf(m_program, instruction);
        if (id == m_watched)
            show({views.data(), outputs.size()}, 0);

        bool goOn = true;
        if (m_slice.wanted[std::size_t(id)]) {
            StoredRegion region;
            handOver(id, outputs[0], views[0], captured, region);
            if (asItIs)
                region.values = {inputViews[0].data + inputViews[0].offset,
                                 std::size_t(inputViews[0].count())};
            goOn = visit(region);
        }
        if (!goOn)
            break;
        for (std::size_t k = 0; k < outputs.size() + inputs.size(); ++k) {
            const StorageId storage =
                m_program.operands[std::size_t(instruction.firstOperand) + k].storage;
            if (m_slice.lastUse[std::size_t(storage)] == id)
                m_tiles.release(storage);
        }
    }
    statistics.peakBytes = m_tiles.peakBytes();
    return statistics;
}

} // namespace

Executor::Executor(const Program &program, const Dependences &dependences)
    : m_program(program),
      m_dependences(dependences)
{}

double Executor::sliceCost(std::span<const InstructionId> stores) const
{
    double cost = 0;
    for (const InstructionId id : sliceBehind(m_program, m_dependences, stores))
        cost += flopsOf(m_program, m_program.instructions[std::size_t(id)]);
    return cost;
}

Result<void> Executor::runnable() const
{
    for (const Reason &problem : m_dependences.problems())
        if (problem.rule == "err_tensor_access_out_of_bound" || problem.rule == "tensor_too_large")
            return fail(ErrorCode::NotGood, "The kernel cannot be run: " + problem.message,
                        problem.hint);
    return {};
}

Result<void> Executor::observe(InstructionId instruction, std::span<const InputData> inputs,
                               const ShowOperand &show) const
{
    ACCELOPT_CHECK(runnable());
    Run run(m_program, m_dependences, std::span(&instruction, 1), inputs);
    run.watch(instruction, show);
    ACCELOPT_CHECK(run.carryOut([](const StoredRegion &) { return true; }));
    return {};
}

Result<ExecutionStatistics>
Executor::run(std::span<const InstructionId> stores, std::span<const InputData> inputs,
              const std::function<bool(const StoredRegion &)> &visit) const
{
    ACCELOPT_CHECK(runnable());
    return Run(m_program, m_dependences, stores, inputs).carryOut(visit);
}

} // namespace accelopt::nki
