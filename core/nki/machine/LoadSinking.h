// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

#include <vector>

namespace accelopt::nki {

/// Where the inputs that a kernel loads before an affine loop, to use them in every pass, fill SBUF
/// by themselves, the compiler loads them in every pass instead, and shares nothing in that loop
/// nest.
///
/// Evidence: matmul holds 40 tiles of 4 KiB per partition across its row loop, all there is; its
/// hbm_read_bytes is 251.66 MB x 32 + 83.9 MB x 12 + 64 KiB, exactly, without spills, and its
/// transposes are repeated as written. The others stay below (transpose_matmul and gqa_full 128
/// KiB, swiglu 96 KiB) and behave as written.
///
/// Moves the loads and returns, for each iteration of the program, whether it lies in such a nest.
std::vector<bool> sinkLoads(Lowered &lowered, const MachineTable &table);

} // namespace accelopt::nki
