// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Lowered.h"
#include "core/nki/machine/MachineTable.h"

namespace accelopt::nki {

/// Moves work from the vector to the scalar engine as the compiler does: copies out of PSUM, and
/// tensor_scalar instructions that are a scale or a shift (f(x) = x * a + b on the scalar engine)
/// of 64 elements or more.
///
/// Evidence: vector_engine_active_time_percent is 0 in bmm, matmul and transpose_matmul, whose only
/// vector-like work is PSUM copies. adamw's scalar engine is busy 5,015 cycles per block of 512,
/// which is its square root and all seven tensor_scalar (8 x 627); silu, swiglu, rmsnorm_matmul,
/// gqa_full, bmm_softmax and both rmsnorm-with-add kernels agree (their vector engine time is
/// accounted for without them).
void placeOnEngines(Lowered &lowered);

/// Puts intermediate values of vector-bound kernels into PSUM, which halves the price of the
/// tensor_tensor that reads them: single-use tiles of at most one bank, made by the scalar engine
/// or another tensor_tensor in an affine loop without products, at most half the banks (two turns
/// each) and one per reader, in program order.
///
/// Evidence: adamw writes three scalar-engine results per block to PSUM (psum_write_bytes 344 x 512
/// x 4 x 3); its vector engine time fits four cheap tensor_tensor of six. rope (sequential loop)
/// and silu (the value comes from a reciprocal) show no PSUM use, kernels with products need their
/// banks.
void placeInPsum(Lowered &lowered, const MachineTable &table);

/// Moves elementwise results that the kernel puts into PSUM to SBUF where more than half of PSUM
/// would be taken by such tiles at once (the other half is for the next turn, and for products).
/// Without this, a kernel could make every tensor_tensor cheap. Documented capacity; no published
/// kernel comes near. Results that the GpSimd engine touches move in any case: it has no access to
/// PSUM (NKI documentation, Trainium architecture guides).
void limitPsum(Lowered &lowered, const MachineTable &table);

/// Partial results of a loop_reduce stay in PSUM until they are combined: tensor_reduce outputs of
/// one element that only a loop_reduce reads.
///
/// Evidence: psum_write_bytes of rmsnorm_matmul (256 bytes), bmm_softmax and gqa_full (32,768
/// bytes), exact.
void placePartialResults(Lowered &lowered);

} // namespace accelopt::nki
