// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <filesystem>
#include <string>

namespace SQLite {
class Exception;
}

namespace accelopt::store {

// What can go wrong with a run file, in words for people. Internal to the room.

/// An Error on its way into a Result.
using Failure = tl::unexpected<Error>;

/// WrongUse: there is no such file.
Failure missingFile(const std::filesystem::path &file);
/// WrongUse: the folder in which a file shall be made does not exist.
Failure missingFolder(const std::filesystem::path &file);
/// WrongUse: the name belongs to a folder or a device.
Failure notAFile(const std::filesystem::path &file);
/// WrongUse: a new run would overwrite something.
Failure alreadyExists(const std::filesystem::path &file);
/// Format: the file has no bytes.
Failure emptyFile(const std::filesystem::path &file);
/// Format: the file is something else. `what` continues "..., ".
Failure notARunFile(const std::filesystem::path &file, const std::string &what);
/// Format: the file was a run file once. `detail` is for logs.
Failure damaged(const std::filesystem::path &file, const std::string &what,
                std::string detail = {});
/// Newer: the file's form is not known to this version.
Failure newerFile(const std::filesystem::path &file, const std::string &what);
/// Environment: no permission, or a disk that is mounted read-only. `reason` is the system's word.
Failure notReadable(const std::filesystem::path &file, const std::string &reason);
Failure notWritable(const std::filesystem::path &file, const std::string &reason);
Failure folderNotWritable(const std::filesystem::path &file, const std::string &reason);
/// Environment: no space left.
Failure diskFull(const std::filesystem::path &file, std::string detail = {});
/// Internal: an operation on a file that was closed.
Failure closedFile(const std::filesystem::path &file);

/// The Error that stands for a failure of SQLite. `systemError` is errno as it was left by the
/// failure, 0 when that is not known.
Error sqliteError(const SQLite::Exception &exception, int systemError,
                  const std::filesystem::path &file);

} // namespace accelopt::store
