// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/store/RunReader.h"
#include "widgets/run/RunIndex.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace accelopt::widgets {

/// Reads what stands in a run file now and folds it, on the calling thread; a long run is decoded
/// by a second reader of the same file at the same time. `go` is asked between parts with the share
/// that is done (0 to 1); when it says no, nullptr comes back.
Result<std::shared_ptr<RunIndex>> loadRun(store::RunReader &reader,
                                          const std::function<bool(double)> &go);

} // namespace accelopt::widgets
