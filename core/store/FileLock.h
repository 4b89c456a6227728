// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace accelopt::store {

/// Who writes a run file.
struct LockHolder
{
    long pid = 0;     ///< 0 when unknown
    std::string host; ///< name of its machine; empty when unknown
};

/// The right to write one run file: a lock on the file "<run file>-lock" beside it. The system
/// takes it back when the process ends in whatever way, so it needs no cleaning up after a crash.
class FileLock
{
public:
    /// Takes the lock. Fails with Busy, naming the holder, when another process (or another
    /// FileLock of this one) has it, and with Environment when nothing can be made in the folder.
    static Result<FileLock> acquire(const std::filesystem::path &runFile);
    /// Who has the lock now; nothing when nobody has.
    static std::optional<LockHolder> holder(const std::filesystem::path &runFile);

    FileLock(FileLock &&other) noexcept;
    FileLock &operator=(FileLock &&other) noexcept;
    /// Gives the lock back and removes the lock file.
    ~FileLock();

private:
    FileLock(int descriptor, std::filesystem::path path);
    void release();

    int m_descriptor = -1;
    std::filesystem::path m_path;
};

} // namespace accelopt::store
