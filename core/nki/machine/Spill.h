// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// Makes the program fit into SBUF: walks it in issue order and, where the live tiles exceed the
/// capacity, gives up the one whose next use is farthest (Belady). A tile loaded from an input is
/// loaded again (Origin::InputReload), any other is saved once per value and reloaded (SpillSave,
/// SpillReload). A loaded tile takes room from its first use on: the compiler starts loads late.
///
/// The capacity is fitted (MachineTable::spillCapacityBytesPerPartition). Evidence: spill bytes of
/// bmm_softmax
/// (+1 %), gqa_full (+2 % saved, +8 % reloaded); transpose_matmul and others spill nothing.
///
/// Accumulators that a sequential loop carries from pass to pass travel through HBM when together
/// they take more than half the capacity (lora: 64 tiles of 2 KiB, 604 MB each way, which the
/// liveness alone would not ask for).
void spill(Lowered &lowered, const MachineTable &table);

} // namespace accelopt::nki
