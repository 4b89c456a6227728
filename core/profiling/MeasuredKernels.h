// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/TaskCatalogue.h"
#include "core/domain/Result.h"
#include "core/nki/machine/Calibrate.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accelopt::profiling {

/// Kernels with measured latencies, and what of the folder could not be used.
struct MeasuredKernels
{
    std::vector<nki::MeasuredProgram> kernels; ///< by file name
    std::vector<std::string> passedOver;       ///< "file: why"
};

/// Reads every "<task>_....py" of the folder whose task has a row in the CSV, and traces it at the
/// task's published shape. The CSV has a header with the columns "task" and "latency" or
/// "latency_ms", both in milliseconds; neuron-profile's names may stand beside them. Kernels are
/// traced, not run, in this process. Fails with Environment when folder or CSV cannot be read,
/// with Format when the CSV lacks the columns.
Result<MeasuredKernels> readMeasuredKernels(const std::filesystem::path &folder,
                                            const std::filesystem::path &csv,
                                            const std::string &device,
                                            const bench::TaskCatalogue &tasks);

} // namespace accelopt::profiling
