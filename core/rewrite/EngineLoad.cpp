// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/EngineLoad.h"

#include <algorithm>

namespace accelopt::rewrite {
namespace {

// Trainium 1: clocks from the architecture guide, overheads fitted on the published baseline
// profiles.
constexpr double kVectorHz = 1.12e9;
constexpr double kScalarHz = 1.4e9;
constexpr double kTensorHz = 2.8e9;
constexpr double kVectorOverhead = 108;
constexpr double kScalarOverhead = 80;
constexpr double kTensorOverhead = 36;
constexpr double kFloat32Passes = 4.53;
constexpr double kDmaBytesPerSecond = 329.6e9;
constexpr double kDescriptorBytes = 300;
constexpr double kLongestRun = 4096;
constexpr double kLaunchMs = 0.1;
constexpr double kReciprocalPasses = 2.4;

double partitionsOf(const TileShape &shape)
{
    if (!shape.partitions)
        return 128;
    return std::min(static_cast<double>(shape.partitions->constant().value_or(128)), 128.0);
}

// How often a load is really done: loops whose variable it does not mention do not repeat it.
double loadsOf(const KernelModel &model, int id)
{
    const Statement &statement = model.statement(id);
    double count = 1;
    for (int loop = statement.loop; loop >= 0;) {
        const Loop &around = model.loops()[static_cast<std::size_t>(loop)];
        if (statement.reads.contains(around.variable))
            count *= static_cast<double>(model.trips(loop).value_or(8));
        loop = around.parent;
    }
    return count;
}

} // namespace

EngineLoad &EngineLoad::operator+=(const EngineLoad &other)
{
    tensor += other.tensor;
    vector += other.vector;
    scalar += other.scalar;
    dma += other.dma;
    return *this;
}

EngineLoad &EngineLoad::operator-=(const EngineLoad &other)
{
    return *this += other * -1;
}

EngineLoad EngineLoad::operator*(double factor) const
{
    return {tensor * factor, vector * factor, scalar * factor, dma * factor};
}

double latencyMs(const EngineLoad &load)
{
    const double most = std::max({load.tensor, load.vector, load.scalar, load.dma});
    const double all = load.tensor + load.vector + load.scalar + load.dma;
    return kLaunchMs + most + 0.2 * (all - most);
}

double vectorMs(double width, double passes)
{
    return (std::max(64.0, width * passes) + kVectorOverhead) / kVectorHz * 1e3;
}

double scalarMs(double width)
{
    return (std::max(64.0, width) + kScalarOverhead) / kScalarHz * 1e3;
}

double tensorMs(double columns)
{
    return (kFloat32Passes * std::max(64.0, columns) + kTensorOverhead) / kTensorHz * 1e3;
}

double dmaMs(double partitions, double width)
{
    const double run = std::min(width * 4, kLongestRun);
    const double efficiency = run / (run + kDescriptorBytes);
    return partitions * width * 4 / (kDmaBytesPerSecond * efficiency) * 1e3;
}

EngineLoad costOf(const KernelModel &, const Statement &statement)
{
    EngineLoad load;
    if (!statement.operation)
        return load;
    const Operation &operation = *statement.operation;
    const TileShape &shape = operation.data.empty() || !operation.data[0].shape.elements
                                 ? statement.shape
                                 : operation.data[0].shape;
    const double width = shape.width();
    switch (operation.kind) {
    case OperationKind::Load:
    case OperationKind::Store: load.dma = dmaMs(partitionsOf(shape), width); break;
    case OperationKind::Copy: {
        const bool fromPsum = operation.data[0].inPsum || operation.data[0].access.base.empty();
        (fromPsum ? load.scalar : load.vector) = fromPsum ? scalarMs(width) : vectorMs(width);
        break;
    }
    case OperationKind::Activation: load.scalar = scalarMs(width); break;
    case OperationKind::Scalars: {
        // The compiler gives scales and shifts of wide tiles to the scalar engine.
        const bool linear =
            std::all_of(operation.steps.begin(), operation.steps.end(), [](const ScalarStep &step) {
                return step.op == "multiply" || step.op == "add" || step.op == "subtract";
            });
        if (linear && width >= 64)
            load.scalar = scalarMs(width);
        else
            load.vector = vectorMs(width);
        break;
    }
    case OperationKind::Reciprocal: load.vector = vectorMs(width, kReciprocalPasses); break;
    case OperationKind::Reduce:
    case OperationKind::LoopReduce:
    case OperationKind::Memset: load.vector = vectorMs(width); break;
    case OperationKind::Tensors:
    case OperationKind::ScalarTensor: {
        const bool psum =
            statement.fedFromPsum || std::any_of(operation.data.begin(), operation.data.end(),
                                                 [](const Operand &data) { return data.inPsum; });
        load.vector = vectorMs(width, psum ? 1 : 2);
        break;
    }
    case OperationKind::Matmul:
        load.tensor = tensorMs(operation.data[1].shape.width());
        if (!operation.transposeX) {
            load.tensor += tensorMs(128);
            load.scalar += scalarMs(128);
        }
        break;
    case OperationKind::Transpose: load.tensor = tensorMs(partitionsOf(shape)); break;
    case OperationKind::Declare:
    case OperationKind::Broadcast:
    case OperationKind::Other: break;
    }
    return load;
}

EngineLoad estimate(const KernelModel &model)
{
    EngineLoad total;
    for (std::size_t id = 0; id < model.statements().size(); ++id) {
        const Statement &statement = model.statements()[id];
        if (!statement.operation)
            continue;
        const bool load = statement.operation->kind == OperationKind::Load;
        total += costOf(model, statement) * (load ? loadsOf(model, static_cast<int>(id))
                                                  : model.executions(static_cast<int>(id)));
    }
    return total;
}

EngineLoad estimate(const KernelModel &model, const Profile &profile)
{
    EngineLoad load = estimate(model);
    const auto take = [&profile](const char *counter, double &engine) {
        const auto found = profile.counters.find(counter);
        if (found != profile.counters.end() && profile.latencyMs > 0)
            engine = found->second * profile.latencyMs;
    };
    take("tensor_engine_active_time_percent", load.tensor);
    take("vector_engine_active_time_percent", load.vector);
    take("scalar_engine_active_time_percent", load.scalar);
    take("dma_active_time_percent", load.dma);
    return load;
}

} // namespace accelopt::rewrite
