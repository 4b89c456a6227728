// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"

namespace accelopt::nki {

/// A mask on the columns of a product saves the tensor engine nothing: the whole width runs. The
/// program has the mask folded into the operands, so it is told from a product that is narrow on
/// purpose by this: every product into the PSUM tile leaves the same tail of it unwritten, nothing
/// else writes there, and the moving tile goes on far enough.
///
/// Evidence: hardware_flops of transpose_matmul counts 11,264 columns for the 10,944 wanted,
/// exactly, while its masked transfers count 10,944.
void widenMaskedProducts(Lowered &lowered);

} // namespace accelopt::nki
