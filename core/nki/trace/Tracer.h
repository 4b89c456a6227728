// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Verdict.h"
#include "core/nki/program/Program.h"
#include "core/nki/syntax/SyntaxTree.h"

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace accelopt::nki {

/// One argument the kernel is called with: an HBM tensor, or a Python number.
struct TraceArgument
{
    std::string name;
    bool scalar = false;
    double value = 0;                ///< of a scalar
    std::vector<std::int64_t> shape; ///< of a tensor
    DType dtype = DType::Float32;
};

/// Bounds on what a kernel may cost us to trace. Reaching one is a verdict.
struct TraceLimits
{
    std::int64_t instructions = 4'000'000;
    std::int64_t steps = 200'000'000; ///< evaluated syntax nodes
    std::int64_t storages = 16'000'000;
    int callDepth = 64;
};

struct TraceRequest
{
    std::string entryPoint; ///< function to run; empty: the only function with @nki.jit
    std::vector<TraceArgument> arguments;
    std::string device = "trn1";
    TraceLimits limits;
};

/// Why a kernel could not be traced: not_compiling, unsupported or run_failed, with the reason and
/// its place.
struct TraceFailure
{
    VerdictStatus status = VerdictStatus::NotCompiling;
    Reason reason;
};

/// Runs the kernel's Python text with concrete loop indices, in our own evaluator (nothing of it is
/// executed by Python), and gives the unrolled program. Rules that need only one instruction are
/// checked here (shapes, dtypes, memories, limits, bounds); rules about several are nki::analyse's.
tl::expected<Program, TraceFailure> trace(const SyntaxTree &tree, const TraceRequest &request);

/// Names of the functions in the file that are decorated as kernels, in order; all top-level
/// functions when none is.
std::vector<std::string> entryPoints(const SyntaxTree &tree);

} // namespace accelopt::nki
