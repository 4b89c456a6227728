// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// Two neighbouring affine loops of the kernel's top level with as many passes run pass by pass
/// together, where each pass of the second needs nothing from later passes of the first, and where
/// what the first hands to the second would not fit into SBUF. Their inner loops follow likewise as
/// deep as that goes.
///
/// Evidence: swiglu's gate and up projections are two such nests; its spill_save_bytes are the
/// kernel's own 50.3 MB and the transposed input once (16.8 MB), its spill_reload_bytes that twice,
/// without the 50 MB that the gate would travel between the nests. In gqa_full and bmm_softmax the
/// second loop needs all of the first.
void fuseLoops(Lowered &lowered, const MachineTable &table);

} // namespace accelopt::nki
