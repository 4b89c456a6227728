// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// Removes tiles that are made twice: tiles whose writers do the same to the same values. The first
/// one stays and is read instead, so it lives longer.
///
/// Shared are loads of HBM tensors that nothing writes, constants, explicit transposes, copies and
/// every other instruction without side effects on such values. Not shared:
///  - the transpose inside nl.matmul (add_rmsnorm_matmul, matmul_add_rmsnorm: transpose_flops is 4
///  times the
///    shared figure, exactly) and what follows from it; products;
///  - a partition broadcast inside a loop (mamba issues 896, once per channel tile), unless its row
///  was made
///    outside all loops (add_rmsnorm_matmul: 262,144 flops for one broadcast);
///  - a plain load, where the tiles that would have to stay do not fit into SBUF together
///  (transpose_matmul
///    reads exactly what is written; mamba reads delta once per state; lora reads b twice);
///  - `asWritten` iterations (see sinkLoads).
///
/// Evidence that sharing happens: hbm_read_bytes of add_rmsnorm_matmul (weights once instead of 32
/// times, exact), transpose_flops of bmm, swiglu and lora (exact), delta * u of mamba, which is
/// computed once although written inside the state loop (its vector engine time and the 34 input
/// tiles read).
void shareValues(Lowered &lowered, const MachineTable &table, const std::vector<bool> &asWritten);

} // namespace accelopt::nki
