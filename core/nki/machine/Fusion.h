// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"

namespace accelopt::nki {

/// Two tensor_scalar instructions with one operation each become one with two, where the second is
/// the only reader of the first.
///
/// Evidence: add_rmsnorm_matmul and matmul_add_rmsnorm scale a mean and add epsilon in two
/// instructions; their sbuf_read_bytes and sbuf_write_bytes show 4 bytes read and written for the
/// pair in each row tile, exactly.
///
/// Not merged, although it looks as if it were: tensor_scalar into tensor_tensor, add into
/// reciprocal. The byte counters of adamw and silu that suggest it are explained by tensor_tensor
/// not being counted at all (countsBytes), and their scalar engine is busy with those tensor_scalar
/// instructions (placeOnEngines).
void fuse(Lowered &lowered);

/// Instructions of the same loop pass that read a plain copy of a PSUM tile read the PSUM tile
/// itself; a copy without readers disappears.
///
/// Evidence: psum_read_bytes and sbuf_read_bytes of bmm_softmax (the row maximum reads the product,
/// 8,388,608 bytes, although the kernel reads its copy) and of matmul_add_rmsnorm (one of two
/// copies in a row is left).
void bypassCopies(Lowered &lowered);

} // namespace accelopt::nki
