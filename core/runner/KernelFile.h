// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <filesystem>
#include <string>

namespace accelopt::runner {

/// A kernel file's text. Fails with WrongUse when it cannot be read or is too large to be a kernel;
/// never reads more than a kernel may have.
Result<std::string> readKernel(const std::filesystem::path &file);

} // namespace accelopt::runner
