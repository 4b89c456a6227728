// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/StoreErrors.h"

#include <SQLiteCpp/Exception.h>
#include <cerrno>
#include <fmt/format.h>
#include <sqlite3.h>
#include <system_error>

namespace accelopt::store {

namespace {

std::string folderOf(const std::filesystem::path &file)
{
    const std::filesystem::path folder = file.parent_path();
    return folder.empty() ? std::string(".") : folder.string();
}

} // namespace

Failure missingFile(const std::filesystem::path &file)
{
    return fail(ErrorCode::WrongUse, fmt::format("There is no run file {}", file.string()),
                "Check the path, or start a new run there.");
}

Failure missingFolder(const std::filesystem::path &file)
{
    return fail(ErrorCode::WrongUse,
                fmt::format("{} cannot be made because the folder {} does not exist", file.string(),
                            folderOf(file)),
                "Create the folder first, or choose another place.");
}

Failure notAFile(const std::filesystem::path &file)
{
    return fail(ErrorCode::WrongUse, fmt::format("{} is not an ordinary file", file.string()),
                "Give the path of a run file.");
}

Failure alreadyExists(const std::filesystem::path &file)
{
    return fail(ErrorCode::WrongUse,
                fmt::format("{} exists already and is not overwritten", file.string()),
                "Choose another name, or resume the run that it holds.");
}

Failure emptyFile(const std::filesystem::path &file)
{
    return fail(ErrorCode::Format,
                fmt::format("{} is empty, so it is not a run file", file.string()),
                "If it was copied here, copy it again; otherwise choose another file.");
}

Failure notARunFile(const std::filesystem::path &file, const std::string &what)
{
    return fail(ErrorCode::Format, fmt::format("{} is not a run file: {}", file.string(), what),
                "Choose a file that the workbench has written.");
}

Failure damaged(const std::filesystem::path &file, const std::string &what, std::string detail)
{
    return fail(ErrorCode::Format,
                fmt::format("The run file {} is damaged: {}", file.string(), what),
                "Use a copy of it if there is one; sqlite3's .recover command may save the rest.",
                std::move(detail));
}

Failure newerFile(const std::filesystem::path &file, const std::string &what)
{
    return fail(
        ErrorCode::Newer,
        fmt::format("{} was written by a newer version of the workbench ({})", file.string(), what),
        "Update the workbench to open it; the file was not touched.");
}

Failure notReadable(const std::filesystem::path &file, const std::string &reason)
{
    return fail(ErrorCode::Environment,
                fmt::format("{} cannot be read ({})", file.string(), reason),
                "Change its permissions, or copy it to a place of your own.");
}

Failure notWritable(const std::filesystem::path &file, const std::string &reason)
{
    return fail(
        ErrorCode::Environment,
        fmt::format("The run file {} cannot be written ({})", file.string(), reason),
        "It can still be looked at; to go on with the run, change the file's permissions or "
        "copy it to a place of your own.");
}

Failure folderNotWritable(const std::filesystem::path &file, const std::string &reason)
{
    return fail(ErrorCode::Environment,
                fmt::format("The run file {} cannot be written because nothing can be made in the "
                            "folder {} ({})",
                            file.string(), folderOf(file), reason),
                "Choose a folder of your own, or change the folder's permissions.");
}

Failure diskFull(const std::filesystem::path &file, std::string detail)
{
    return fail(ErrorCode::Environment,
                fmt::format("There is no space left to write the run file {}", file.string()),
                "Free some space, then resume the run: everything written before is still in it.",
                std::move(detail));
}

Failure closedFile(const std::filesystem::path &file)
{
    return fail(ErrorCode::Internal,
                fmt::format("The run file {} was closed already", file.string()), "Open it again.");
}

Error sqliteError(const SQLite::Exception &exception, int systemError,
                  const std::filesystem::path &file)
{
    const std::string systemWord =
        systemError ? std::generic_category().message(systemError) : exception.what();
    std::string detail =
        fmt::format("SQLite {} (extended {}, errno {}): {}", exception.getErrorCode(),
                    exception.getExtendedErrorCode(), systemError, exception.what());
    Error error;
    const auto say = [&error](ErrorCode code, std::string message, std::string hint) {
        error.code = code;
        error.message = std::move(message);
        error.hint = std::move(hint);
    };
    switch (exception.getErrorCode() & 0xff) {
    case SQLITE_FULL: return diskFull(file, std::move(detail)).value();
    case SQLITE_IOERR:
        if (systemError == ENOSPC || systemError == EFBIG || systemError == EDQUOT)
            return diskFull(file, std::move(detail)).value();
        say(ErrorCode::Environment,
            fmt::format("The disk failed while the run file {} was used ({})", file.string(),
                        systemWord),
            "Check the disk, then open the file again.");
        break;
    case SQLITE_NOTADB: error = notARunFile(file, "it is not a database").value(); break;
    case SQLITE_CORRUPT: error = damaged(file, "its pages do not fit together").value(); break;
    case SQLITE_TOOBIG:
        error = damaged(file, "a value in it is larger than any run writes").value();
        break;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH: error = notReadable(file, systemWord).value(); break;
    case SQLITE_READONLY: error = notWritable(file, systemWord).value(); break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        say(ErrorCode::Busy,
            fmt::format("Another program keeps the run file {} locked", file.string()),
            "Close that program, then try again.");
        break;
    case SQLITE_NOMEM:
        say(ErrorCode::Environment,
            fmt::format("There is not enough memory to use the run file {}", file.string()),
            "Close other programs, then try again.");
        break;
    default:
        say(ErrorCode::Internal,
            fmt::format("The run file {} refused an operation ({})", file.string(),
                        exception.what()),
            "Please report this; nothing was changed.");
    }
    error.detail = std::move(detail);
    return error;
}

} // namespace accelopt::store
