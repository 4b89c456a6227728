// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/domain/Verdict.h"
#include "core/nki/program/Program.h"
#include "core/nki/trace/Tracer.h"

#include <string>
#include <tl/expected.hpp>

namespace accelopt::oracle {

/// A kernel traced with one of the task's layouts.
struct TracedKernel
{
    TaskLayout layout;
    nki::Program program;
};

/// Traces the kernel with the task's layouts in turn (see Judge for the choice among failures). The
/// outer Result fails when the task itself cannot be expressed (an unknown dtype).
Result<tl::expected<TracedKernel, nki::TraceFailure>>
traceWithLayouts(const nki::SyntaxTree &tree, const Task &task, const std::string &device,
                 const nki::TraceLimits &limits);

/// "[128, 32, 7168]"
std::string describe(const Shape &shape);

} // namespace accelopt::oracle
