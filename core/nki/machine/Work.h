// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// What one instruction costs and what the profiler would count for it.
struct Work
{
    double busyNs = 0;  ///< of its engine; for transfers of all DMA engines together
    double fixedNs = 0; ///< the part of busyNs that does not grow with the size

    double flops = 0;          ///< of the tensor engine, as the profiler counts
    double transposeFlops = 0; ///< the part of them in transposes

    double hbmReadBytes = 0;
    double hbmWriteBytes = 0;
    double spillReloadBytes = 0; ///< part of hbmReadBytes
    double spillSaveBytes = 0;   ///< part of hbmWriteBytes
    double sbufReadBytes = 0;
    double sbufWriteBytes = 0;
    double psumReadBytes = 0;
    double psumWriteBytes = 0;
    double smallRunBytes = 0; ///< moved in short descriptors

    double dmaBytes() const { return hbmReadBytes + hbmWriteBytes; }
};

/// Works the instruction out.
///
/// Time: fixed + max(minimum, factor x elements per partition) cycles of its engine (NKI
/// documentation 2.26, nki.isa estimated costs); transfers take bytes / (peak x run / (run +
/// overhead)), run being the bytes of one descriptor.
///
/// Counting, exact in the published trn1 profiles (sbuf_*, psum_* of all 14): transfers count full
/// bytes; engine accesses count the bytes of one partition; an instruction counts its first operand
/// read and its result written; instructions with two tensors (tensor_tensor, scan, ...) are not
/// counted at all; a product counts stationary and moving operand and the result once for each pass
/// the profiler sees, two for fp32; a partition broadcast counts once, whatever its type.
Work workOf(const Lowered &lowered, const LoweredInstruction &instruction,
            const MachineTable &table);

/// False for the instructions the byte counters leave out. Evidence: rope shows two copies of 2,048
/// bytes per block beside six tensor_tensor, silu three of four instructions, adamw nine of
/// fifteen, mamba its activations and evictions but none of 128 tensor_tensor and 32 scans.
bool countsBytes(const Lowered &lowered, const LoweredInstruction &instruction);

/// True for an HBM tensor the kernel itself uses as a spill area: the profiler counts nl.hbm
/// tensors named
/// "_spill_..." as spill traffic (swiglu, exact).
bool isSpillArea(const Lowered &lowered, const Storage &storage);

} // namespace accelopt::nki
