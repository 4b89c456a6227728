// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Tracer.h"

namespace accelopt::nki {

/// Ends a trace from anywhere inside it. The evaluator is a deep recursion over the syntax tree;
/// this is the one place where an exception replaces a Result, and it never leaves nki::trace().
struct TraceStop
{
    TraceFailure failure;
};

} // namespace accelopt::nki
