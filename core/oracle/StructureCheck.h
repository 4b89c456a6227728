// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/domain/Verdict.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"
#include "core/nki/syntax/SyntaxTree.h"
#include "core/nki/trace/Tracer.h"

#include <optional>
#include <string>
#include <vector>

namespace accelopt::oracle {

/// Tensor arguments on which no result depends: a load whose value goes nowhere does not count.
std::vector<Reason> unreadInputs(const Task &task, const nki::Program &program,
                                 const nki::Dependences &dependences);

/// Scalar arguments whose value changes nothing in what leads to the results. The kernel is traced
/// once more for each scalar, with another value. The outer Result fails as traceWithLayouts().
Result<std::vector<Reason>> unreadScalars(const nki::SyntaxTree &tree, const Task &task,
                                          const std::string &device, const nki::TraceLimits &limits,
                                          const nki::Program &program,
                                          const nki::Dependences &dependences);

/// The first value on the way from an input to a result that is kept in fewer bits than the task's
/// types have, when all of these are float32: however little the numbers show it, it is another
/// task then. Comparisons (0 or 1 in any type) may be kept as small as one likes.
std::optional<Reason> narrowedValue(const Task &task, const nki::Program &program,
                                    const nki::Dependences &dependences);

} // namespace accelopt::oracle
