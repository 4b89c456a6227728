// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Work.h"

#include <algorithm>
#include <cmath>

namespace accelopt::nki {

namespace {

constexpr double kNsPerSecond = 1e9;

double itemBytes(const Lowered &lowered, const Operand &operand)
{
    return byteSize(lowered.storage(operand).dtype);
}

double partitionBytes(const Lowered &lowered, const Operand &operand)
{
    return double(lowered.pattern(operand).freeCount()) * itemBytes(lowered, operand);
}

bool onChip(const Lowered &lowered, const Operand &operand)
{
    return lowered.storage(operand).memory != Memory::Hbm;
}

/// Bytes of one descriptor on this side of a transfer.
double runBytes(const Lowered &lowered, const Operand &operand)
{
    const std::int64_t run = lowered.pattern(operand).contiguousRun(onChip(lowered, operand));
    return double(std::max<std::int64_t>(1, run)) * itemBytes(lowered, operand);
}

void transferWork(const Lowered &lowered, const LoweredInstruction &i, const MachineTable &table,
                  Work &work)
{
    const Operand &to = lowered.outputsOf(i)[0];
    double bytes = double(lowered.pattern(to).count()) * itemBytes(lowered, to);
    double run = runBytes(lowered, to);
    const Storage &target = lowered.storage(to);
    if (i.inputs > 0) {
        const Operand &from = lowered.inputsOf(i)[0];
        const Storage &source = lowered.storage(from);
        const double sourceBytes = double(lowered.pattern(from).count()) * itemBytes(lowered, from);
        run = std::min(run, runBytes(lowered, from));
        if (source.memory == Memory::Hbm) {
            work.hbmReadBytes = sourceBytes;
            if (i.origin == Origin::SpillReload || isSpillArea(lowered, source))
                work.spillReloadBytes = sourceBytes;
        } else if (source.memory == Memory::Sbuf) {
            work.sbufReadBytes = sourceBytes;
        } else {
            work.psumReadBytes = sourceBytes;
        }
        bytes = std::max(bytes, sourceBytes);
    }
    if (target.memory == Memory::Hbm) {
        const double written = double(lowered.pattern(to).count()) * itemBytes(lowered, to);
        work.hbmWriteBytes = written;
        if (i.origin == Origin::SpillSave || isSpillArea(lowered, target))
            work.spillSaveBytes = written;
    } else {
        work.sbufWriteBytes = double(lowered.pattern(to).count()) * itemBytes(lowered, to);
    }
    run = std::min(run, table.dmaLongestRunBytes);
    const double idealNs = bytes / table.dmaBytesPerSecond * kNsPerSecond;
    work.fixedNs = idealNs * table.dmaDescriptorOverheadBytes / run;
    work.busyNs = idealNs + work.fixedNs;
    if (run < table.dmaSmallRunBytes)
        work.smallRunBytes = bytes;
}

struct ProductShape
{
    double contraction = 0; ///< partitions of both operands
    double rows = 0;        ///< free size of the stationary operand
    double columns = 0;     ///< free size of the moving operand
};

void productWork(const Lowered &lowered, const LoweredInstruction &i, const MachineTable &table,
                 Work &work)
{
    const auto inputs = lowered.inputsOf(i);
    const auto outputs = lowered.outputsOf(i);
    const Operand &first = inputs[0];
    ProductShape shape;
    double passes = 1;
    double profiledPasses = 1;
    if (i.opcode == Opcode::PartitionBroadcast) {
        shape = {1, double(lowered.pattern(outputs[0]).partitions()),
                 double(lowered.pattern(outputs[0]).freeCount())};
    } else {
        const AccessPattern &stationary = lowered.pattern(first);
        bool wide = lowered.storage(first).dtype == DType::Float32;
        shape.contraction = double(stationary.partitions());
        shape.rows = double(stationary.freeCount());
        if (i.opcode == Opcode::Transpose) {
            shape.columns = shape.contraction; // the identity moves through
        } else {
            shape.columns = double(lowered.pattern(inputs[1]).freeCount());
            wide = wide || lowered.storage(inputs[1]).dtype == DType::Float32;
        }
        passes = !wide                 ? table.otherPasses
                 : i.transposedOperand ? table.fp32TransposedPasses
                                       : table.fp32Passes;
        profiledPasses = wide ? table.fp32ProfiledPasses : table.otherProfiledPasses;
    }
    const EngineCosts &engine = table.engine(Engine::Tensor);
    const double nsPerCycle = kNsPerSecond / engine.clockHz;
    const double perPass =
        std::max(std::min(engine.minimumCycles, shape.rows),
                 engine.cyclesPerElement[std::size_t(CostClass::Matmul)] * shape.columns);
    work.fixedNs = engine.fixedCycles * nsPerCycle;
    work.busyNs = work.fixedNs + passes * perPass * nsPerCycle;

    work.flops = profiledPasses * 2 * shape.contraction * shape.rows * shape.columns;
    if (i.opcode == Opcode::Transpose)
        work.transposeFlops = work.flops;
    const double bytes = itemBytes(lowered, first);
    const bool broadcast = i.opcode == Opcode::PartitionBroadcast;
    work.sbufReadBytes = profiledPasses * (shape.columns + (broadcast ? 0 : shape.rows)) * bytes;
    work.psumWriteBytes = profiledPasses * shape.columns * 4;
}

CostClass costClassOf(const Lowered &lowered, const LoweredInstruction &i)
{
    bool psum = false;
    for (const Operand &input : lowered.inputsOf(i))
        psum = psum || lowered.storage(input).memory == Memory::Psum;
    switch (i.opcode) {
    case Opcode::Activation: return CostClass::Activation;
    case Opcode::TensorScalar: return CostClass::TensorScalar;
    case Opcode::TensorTensor: return psum ? CostClass::TensorTensorPsum : CostClass::TensorTensor;
    case Opcode::ScalarTensorTensor: return CostClass::ScalarTensorTensor;
    case Opcode::Reduce: return CostClass::Reduce;
    case Opcode::Scan: return CostClass::Scan;
    case Opcode::Reciprocal: return CostClass::Reciprocal;
    case Opcode::Memset: return CostClass::Memset;
    case Opcode::LoopReduce:
        if (!readsDestination(lowered, i))
            return CostClass::Copy;
        return psum ? CostClass::TensorTensorPsum : CostClass::TensorTensor;
    case Opcode::Select: return psum ? CostClass::SelectPsum : CostClass::Select;
    case Opcode::Iota: return CostClass::Iota;
    case Opcode::AffineSelect: return CostClass::AffineSelect;
    case Opcode::PartitionReduce: return CostClass::PartitionReduce;
    case Opcode::BatchNormStats: return CostClass::BatchNormStats;
    case Opcode::BatchNormAggregate: return CostClass::BatchNormAggregate;
    case Opcode::Max8: return CostClass::Max8;
    case Opcode::Shuffle: return CostClass::Shuffle;
    default: return CostClass::Copy;
    }
}

/// Elements per partition the engine goes through, whether all operands are narrow, whether one has
/// a wide innermost stride.
struct Extent
{
    double elements = 1;
    bool narrow = true;
    bool wideStride = false;
};

Extent extentOf(const Lowered &lowered, const LoweredInstruction &i, const MachineTable &table)
{
    Extent extent;
    const auto add = [&](const Operand &operand) {
        const AccessPattern &pattern = lowered.pattern(operand);
        const double count = double(pattern.freeCount());
        extent.elements = std::max(extent.elements, count);
        const Storage &storage = lowered.storage(operand);
        extent.narrow = extent.narrow && storage.memory == Memory::Sbuf && isFloat(storage.dtype) &&
                        byteSize(storage.dtype) == 2;
        int axis = pattern.rank - 1;
        while (axis > 0 && pattern.size[std::size_t(axis)] == 1)
            --axis;
        if (axis > 0 && double(std::abs(pattern.stride[std::size_t(axis)]) *
                               byteSize(storage.dtype)) > table.wideStrideBytes)
            extent.wideStride = true;
    };
    for (const Operand &output : lowered.outputsOf(i))
        add(output);
    for (const Operand &input : lowered.inputsOf(i))
        add(input);
    return extent;
}

void engineWork(const Lowered &lowered, const LoweredInstruction &i, const MachineTable &table,
                Work &work)
{
    const EngineCosts &engine = table.engine(i.engine);
    const auto costClass = std::size_t(costClassOf(lowered, i));
    const Extent extent = extentOf(lowered, i, table);
    double perElement = extent.narrow ? engine.narrowCyclesPerElement[costClass]
                                      : engine.cyclesPerElement[costClass];
    if (extent.wideStride)
        perElement *= table.wideStrideFactor;
    const double nsPerCycle = kNsPerSecond / engine.clockHz;
    double fixed = engine.fixedCycles;
    if (lowered.parametersOf(i).reduceOp != AluOp::None || i.outputs > 1)
        fixed += engine.reductionCycles;
    work.fixedNs = fixed * nsPerCycle;
    work.busyNs =
        (fixed + std::max(engine.minimumCycles, perElement * extent.elements)) * nsPerCycle;

    if (!countsBytes(lowered, i))
        return;
    const auto count = [&](const Operand &operand, double &sbuf, double &psum) {
        const Memory memory = lowered.storage(operand).memory;
        if (memory == Memory::Sbuf)
            sbuf += partitionBytes(lowered, operand);
        else if (memory == Memory::Psum)
            psum += partitionBytes(lowered, operand);
    };
    if (i.inputs > 0)
        count(lowered.inputsOf(i)[0], work.sbufReadBytes, work.psumReadBytes);
    for (const Operand &output : lowered.outputsOf(i))
        count(output, work.sbufWriteBytes, work.psumWriteBytes);
}

} // namespace

bool countsBytes(const Lowered &lowered, const LoweredInstruction &i)
{
    switch (i.opcode) {
    case Opcode::TensorTensor:
    case Opcode::ScalarTensorTensor:
    case Opcode::Scan:
    case Opcode::Select: return false;
    case Opcode::LoopReduce: return !readsDestination(lowered, i);
    default: return true;
    }
}

bool isSpillArea(const Lowered &lowered, const Storage &storage)
{
    return storage.memory == Memory::Hbm && storage.role == StorageRole::Scratch &&
           storage.tensor >= 0 &&
           lowered.program->tensors[std::size_t(storage.tensor)].name.starts_with("_spill_");
}

Work workOf(const Lowered &lowered, const LoweredInstruction &i, const MachineTable &table)
{
    Work work;
    if (i.outputs == 0)
        return work;
    if (i.engine == Engine::Dma)
        transferWork(lowered, i, table, work);
    else if (i.engine == Engine::Tensor && i.inputs > 0)
        productWork(lowered, i, table, work);
    else
        engineWork(lowered, i, table, work);
    return work;
}

} // namespace accelopt::nki
