// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/FileLock.h"

#include "core/store/StoreErrors.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace accelopt::store {

namespace {

// flock() and not fcntl(): it belongs to the open file and not to the process, so that it also
// keeps two writers of one process apart and is not lost when some other descriptor of the file is
// closed.

std::filesystem::path lockPath(const std::filesystem::path &runFile)
{
    std::filesystem::path path = runFile;
    path += "-lock";
    return path;
}

std::string hostName()
{
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0)
        return {};
    return name.data();
}

/// Reads what describeSelf() wrote.
LockHolder readHolder(int descriptor)
{
    std::array<char, 320> buffer{};
    const ssize_t count = pread(descriptor, buffer.data(), buffer.size(), 0);
    LockHolder holder;
    if (count <= 0)
        return holder;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
    const std::size_t space = text.find(' ');
    const std::size_t end = text.find('\n');
    if (space == std::string_view::npos || end == std::string_view::npos || end < space)
        return holder;
    std::from_chars(text.data(), text.data() + space, holder.pid);
    holder.host = text.substr(space + 1, end - space - 1);
    return holder;
}

/// The pid is a help for people only, so a disk too full to write it is no failure.
void describeSelf(int descriptor)
{
    const std::string text = fmt::format("{} {}\n", getpid(), hostName());
    if (ftruncate(descriptor, 0) == 0) {
        const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
        static_cast<void>(written);
    }
}

Failure busy(const std::filesystem::path &runFile, const LockHolder &holder)
{
    std::string who = holder.pid > 0 ? fmt::format("process {}", holder.pid) : "another process";
    if (!holder.host.empty() && holder.host != hostName())
        who += fmt::format(" on {}", holder.host);
    return fail(ErrorCode::Busy,
                fmt::format("The run file {} is being written by {}", runFile.string(), who),
                "Follow it while that process goes on, or end that process first.");
}

/// True when the path still names the opened file: a holder removes the lock file when it gives it
/// back.
bool stillThere(int descriptor, const std::filesystem::path &path)
{
    struct stat opened = {};
    struct stat named = {};
    return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

} // namespace

FileLock::FileLock(int descriptor, std::filesystem::path path)
    : m_descriptor(descriptor),
      m_path(std::move(path))
{}

FileLock::FileLock(FileLock &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_path(std::move(other.m_path))
{}

FileLock &FileLock::operator=(FileLock &&other) noexcept
{
    if (this != &other) {
        release();
        m_descriptor = std::exchange(other.m_descriptor, -1);
        m_path = std::move(other.m_path);
    }
    return *this;
}

FileLock::~FileLock()
{
    release();
}

void FileLock::release()
{
    if (m_descriptor < 0)
        return;
    // Removed while still locked: a file that another process locks is never removed under it.
    unlink(m_path.c_str());
    close(m_descriptor);
    m_descriptor = -1;
}

Result<FileLock> FileLock::acquire(const std::filesystem::path &runFile)
{
    // holder() takes the lock for a moment to learn whether it is free; a few tries get past that.
    constexpr int kTries = 10;
    constexpr std::chrono::milliseconds kPause(10);

    const std::filesystem::path path = lockPath(runFile);
    LockHolder other;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor < 0) {
            const int number = errno;
            // A folder that is there may say the same of files that it does not take (/proc).
            std::error_code ignored;
            if (number == ENOENT && !std::filesystem::is_directory(runFile.parent_path(), ignored))
                return missingFolder(runFile);
            if (number == ENOSPC || number == EDQUOT)
                return diskFull(runFile);
            return folderNotWritable(runFile, std::generic_category().message(number));
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            if (stillThere(descriptor, path)) {
                describeSelf(descriptor);
                return FileLock(descriptor, path);
            }
            close(descriptor);
            continue;
        }
        const int number = errno;
        other = readHolder(descriptor);
        close(descriptor);
        if (number != EWOULDBLOCK && number != EINTR)
            return fail(ErrorCode::Environment,
                        fmt::format("The run file {} cannot be locked ({})", runFile.string(),
                                    std::generic_category().message(number)),
                        "Keep run files on a local disk.");
        std::this_thread::sleep_for(kPause);
    }
    return busy(runFile, other);
}

std::optional<LockHolder> FileLock::holder(const std::filesystem::path &runFile)
{
    const int descriptor = open(lockPath(runFile).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return std::nullopt;
    std::optional<LockHolder> holder;
    if (flock(descriptor, LOCK_SH | LOCK_NB) != 0)
        holder = readHolder(descriptor);
    close(descriptor);
    return holder;
}

} // namespace accelopt::store
