// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

namespace accelopt::profiling {

/// Multiplies two matrices on the simulator's own path (program form, executor, BLAS) and with
/// plain loops in double precision, and compares. Fails with Environment when they differ: a broken
/// or miscompiled BLAS must not judge kernels. Takes a few milliseconds.
Result<void> testArithmetic();

} // namespace accelopt::profiling
