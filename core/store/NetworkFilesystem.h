// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace accelopt::store {

/// The list of mounted file systems, where the system has it as a file.
inline constexpr const char *kMountTable = "/proc/self/mounts";

/// Type of the network file system on which a file or folder lies ("nfs4", "cifs", ...), by a mount
/// table in the form of fstab(5). Empty for a local disk, and when the table cannot be read.
std::string networkFilesystem(const std::filesystem::path &file,
                              const std::filesystem::path &mountTable = kMountTable);

/// The same for the text of a mount table; `file` is absolute and without links.
std::string networkFilesystemIn(std::string_view mountTable, const std::filesystem::path &file);

/// One sentence about a run file on such a file system, for people.
std::string networkNotice(const std::filesystem::path &file, std::string_view filesystem);

} // namespace accelopt::store
