// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/TaskCatalogue.h"
#include "core/domain/Result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accelopt::bench {

/// What became of an import.
struct ImportReport
{
    struct Skipped
    {
        std::string problem;
        std::string reason; ///< for people
    };
    std::vector<std::string> tasks; ///< names of the new tasks
    std::vector<Skipped> skipped;
};

/// Makes the problems of an AccelOpt NKIBench checkout (a folder with summary.json, or one that
/// holds such a folder as "NKIBench") tasks "PREFIX/<problem>" below `parent`. Nothing of the
/// checkout is run: inputs are read from the text of get_inputs(), reshapes from
/// transform_to_nki_inputs(). The result's shape, the least work and the tolerance come from the
/// task of the same name in `known`; a problem without one is skipped. The references are the
/// checkout's own and have to be confirmed before they are run. Fails when there is no readable
/// summary.json or the prefix cannot be a folder's name.
Result<ImportReport> importNkiBench(const std::filesystem::path &checkout,
                                    const std::string &prefix, const TaskCatalogue &known,
                                    const std::filesystem::path &parent);

} // namespace accelopt::bench
