// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/nki/machine/Timeline.h"
#include "core/nki/program/Program.h"

#include <string>

namespace accelopt::profiling {

/// A kernel taken apart in this process: its program and its run laid out in time by the cost
/// model. Nothing is computed and nothing compared.
struct KernelStudy
{
    std::string layout; ///< of the task, that the kernel was called with
    nki::Program program;
    nki::Timeline timeline; ///< of the simulated machine, wherever the kernel was judged
};

/// Fails with NotGood and the place when the kernel does not trace, with WrongUse for an unknown
/// device. A kernel that a worker has judged can be studied: it kept the worker's limits.
Result<KernelStudy> studyKernel(const std::string &source, const Task &task,
                                const std::string &device);

} // namespace accelopt::profiling
