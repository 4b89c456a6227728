// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/DType.h"
#include "core/nki/program/Operations.h"

#include <cstdint>

namespace accelopt::nki::rows {

/// A row of values: `step` 1 reads value[0], value[1], ...; 0 repeats value[0].
struct Source
{
    const float *value = nullptr;
    std::int64_t step = 1;
};

// Loops over contiguous rows of float32, written so that the compiler makes vector code of them; on
// x86-64 each exists for AVX2 and for any processor, chosen when the program starts. Results do not
// depend on which. The destination may be one of the sources, element for element.

/// out = a op b
void binary(AluOp op, float *out, Source a, Source b, std::int64_t n);
/// out = f(in). exp, log, tanh, sigmoid and silu are within 3 units in the last place, the rest as
/// libm.
void activation(ActivationFunction function, float *out, const float *in, std::int64_t n);
/// out = in * scale + bias, in two roundings as numpy does.
void scaleAndShift(float *out, const float *in, float scale, float bias, std::int64_t n);
/// Rounds to what the type can hold, see rounded(). Not for Int32 and UInt32, which rows do not
/// hold exactly.
void round(float *values, std::int64_t n, DType type);
/// All values joined by an associative operator; sums are pairwise over blocks, so that rounding
/// errors grow as slowly as numpy's.
float reduce(AluOp op, const float *values, std::int64_t n);
void fill(float *out, float value, std::int64_t n);
void copy(float *out, const float *in, std::int64_t n);

} // namespace accelopt::nki::rows
