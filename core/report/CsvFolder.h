// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/report/CsvTable.h"

#include <filesystem>
#include <vector>

namespace accelopt::report {

/// Name of the file in which an export's folder says which files are its own, and with what
/// content.
inline constexpr const char *kExportManifest = "accelopt-export.json";

/// Writes one file per table into the folder, which is made when it does not exist (its parent must
/// exist). Files of an earlier export are replaced when they are as that export left them; any
/// other file of a name that is needed is somebody's own, and then nothing at all is written
/// (WrongUse). Every file is written beside and renamed, so that none is ever half there. Fails
/// with Environment when the disk refuses.
Result<void> writeCsvFolder(const std::filesystem::path &folder,
                            const std::vector<CsvTable> &tables);

} // namespace accelopt::report
