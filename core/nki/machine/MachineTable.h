// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/nki/program/Operations.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace accelopt::nki {

/// One figure of a device file with where it comes from. `fitted` figures were adjusted to measured
/// profiles (or assumed) and are weaker than documented or measured ones.
struct TableNumber
{
    double value = 0;
    std::string source;
    bool fitted = false;
    /// The measured kernel that alone speaks for the rule behind the number; empty: several do, or
    /// documentation does.
    std::string onlyEvidence;
    double without = 0; ///< the value at which that rule has no effect
};

/// What an engine is asked to do, as far as its price differs.
enum class CostClass : std::uint8_t {
    Activation,
    TensorScalar,
    TensorTensor,
    TensorTensorPsum,
    ScalarTensorTensor,
    Reduce,
    Scan,
    Reciprocal,
    Copy,
    Memset,
    Select,
    SelectPsum,
    Iota,
    AffineSelect,
    PartitionReduce,
    BatchNormStats,
    BatchNormAggregate,
    Max8,
    Shuffle,
    Matmul,
};
inline constexpr int kCostClassCount = 20;
/// Its key in the device files: "tensor_tensor_psum", ...
std::string_view name(CostClass costClass);

/// Price of an instruction on one compute engine, in cycles of that engine:
/// fixed + max(minimum, perElement * elements in each partition) (+ reduction).
struct EngineCosts
{
    double clockHz = 1;
    double minimumCycles = 0;
    double fixedCycles = 0;
    double reductionCycles = 0; ///< reading a free-axis accumulator out
    std::array<double, kCostClassCount> cyclesPerElement{};
    /// The same when all operands are 2-byte floats in SBUF ("narrow").
    std::array<double, kCostClassCount> narrowCyclesPerElement{};
};

/// The numbers of one device, from the section "machine" of resources/devices/<name>.json.
struct MachineTable
{
    /// Every number of the section by its path ("dma/engines"), for display and calibration.
    std::map<std::string, TableNumber> numbers;

    std::array<EngineCosts, kEngineCount> engines; ///< by Engine; Dma unused

    std::int64_t sbufBytesPerPartition = 0;
    std::int64_t usableSbufBytesPerPartition = 0;
    /// Live bytes per partition at which the compiler starts to spill.
    std::int64_t spillCapacityBytesPerPartition = 0;
    /// Inputs that would be held across a loop beyond this are loaded inside it instead.
    std::int64_t sinkBytesPerPartition = 0;
    std::int64_t psumBytesPerPartition = 0;
    int psumBanks = 0;
    bool sharedPsumPort = false; ///< vector and scalar engine wait for each other at PSUM

    double wideStrideBytes = 0; ///< innermost strides above this are slow on chip
    double wideStrideFactor = 1;

    double dmaEngines = 0;
    double dmaBytesPerSecond = 0; ///< all engines of the core together
    double dmaDescriptorOverheadBytes = 0;
    double dmaLongestRunBytes = 0; ///< longer runs are no faster
    double dmaSmallRunBytes = 0;   ///< shorter runs are reported as small

    double tensorPeakFlops = 0; ///< per second, 2-byte types
    double peakFlopsBandwidthRatio = 0;
    double fp32Passes = 1; ///< passes of the array for an fp32 product
    /// The same where nl.matmul transposes an operand by itself.
    double fp32TransposedPasses = 1;
    double otherPasses = 1;
    double fp32ProfiledPasses = 1; ///< how often the profiler counts an fp32 product
    double otherProfiledPasses = 1;

    int window = 1;           ///< instructions an engine may look ahead in the schedule
    int sequentialWindow = 1; ///< the same beyond the end of a sequential loop's pass
    int buffers = 1;          ///< physical tiles behind a tile that each pass makes anew
    /// SBUF that tiles take turns in; what the schedule may hold at once.
    std::int64_t roomBytesPerPartition = 0;
    double dmaLatencyNs = 0; ///< from the start of a transfer's turn to its first byte
    double semaphoreNs = 0;  ///< until another engine sees that an instruction has ended

    double launchNs = 0;
    double scheduleShare = 0;     ///< of the schedule in the latency; the rest: the closed form
    double overlapShare = 0;      ///< part of the less busy engines' time that is not hidden
    double crowdedShare = 0;      ///< the same in passes that fill SBUF alone
    double sequentialPassNs = 0;  ///< waiting at the turn of a loop whose passes stay in order
    double relativeHalfWidth = 0; ///< of the latency's interval
    double tieMargin = 0;
    double fittedFromMs = 0; ///< shortest latency the model was fitted on

    const EngineCosts &engine(Engine e) const { return engines[std::size_t(e)]; }

    /// Reads the section out of a device file's text. Fails with Format, naming the missing or
    /// malformed number by its path.
    static Result<MachineTable> parse(std::string_view text, const std::string &fileName);

    /// The table of these numbers. Fails as parse() does; `fileName` is for the message only.
    static Result<MachineTable> build(std::map<std::string, TableNumber> numbers,
                                      const std::string &fileName);
};

} // namespace accelopt::nki
