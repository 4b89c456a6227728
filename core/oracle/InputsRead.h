// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"

#include <vector>

namespace accelopt::oracle {

/// For each argument of the kernel (by position), whether some output depends on it: whether an
/// instruction that reads it stands in the backward slice of the stores of the returned tensors. A
/// load whose value goes nowhere does not count. `arguments` is how many the kernel has.
std::vector<bool> argumentsBehindOutputs(const nki::Program &program,
                                         const nki::Dependences &dependences,
                                         std::size_t arguments);

} // namespace accelopt::oracle
