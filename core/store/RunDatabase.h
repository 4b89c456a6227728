// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/store/ViewTable.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

namespace accelopt::store {

/// PRAGMA application_id of run files: the letters "AcOp".
inline constexpr std::int32_t kApplicationId = 0x41634f70;
/// PRAGMA user_version: the number N of schema-N.sql.
inline constexpr std::int32_t kSchemaVersion = 1;

/// The absolute path without links. The lock and SQLite's own files stand beside the file itself,
/// whatever name somebody uses for it.
std::filesystem::path withoutLinks(const std::filesystem::path &file);

/// What an opened run file must pass before it is used.
enum class Scrutiny {
    Reading, ///< the tables of the truth are ours
    Writing, ///< also: no foreign triggers, and no event that this version does not know
};

/// A connection to a run file: opening, checking and reading, which writers and followers share.
/// Internal to the room; used by one thread at a time.
class RunDatabase
{
public:
    enum class Access {
        Read,   ///< while others may write
        Frozen, ///< the bytes of the file as they are, without locks and without its write-ahead
                ///< log
        Write,
    };

    /// Looks at the file without changing it, its neighbours or anybody's locks: is it a run file
    /// of a form that this version reads?
    static Result<void> identify(const std::filesystem::path &file);
    static Result<std::unique_ptr<RunDatabase>> open(const std::filesystem::path &file,
                                                     Access access, int busyTimeoutMs);

    Result<void> verify(Scrutiny scrutiny);
    /// Number of the last event, 0 when there is none.
    Result<std::int64_t> latestSequence();
    Result<std::vector<Event>> eventsAfter(std::int64_t sequence, std::size_t limit);
    Result<std::string> text(const TextId &id);
    Result<ViewTable> viewTable(std::string_view name);

    SQLite::Database &connection() { return m_database; }
    const std::filesystem::path &file() const { return m_file; }
    /// A prepared statement, ready to bind; `sql` is a literal, its address is the key.
    SQLite::Statement &statement(const char *sql);

    /// Runs `work` and turns what SQLite throws into an Error.
    template <typename Work> auto guarded(Work &&work) -> decltype(work())
    {
        // sqlite3_system_errno() knows nothing of a failed commit; errno does.
        errno = 0;
        try {
            return work();
        } catch (const std::exception &exception) {
            const int systemError = errno;
            return tl::unexpected(explain(exception, systemError));
        }
    }

private:
    RunDatabase(std::filesystem::path file, const std::string &uri, int flags, int busyTimeoutMs);
    Error explain(const std::exception &exception, int systemError);
    Result<Event> readEvent(SQLite::Statement &row);

    std::filesystem::path m_file;
    SQLite::Database m_database;
    std::map<const char *, SQLite::Statement> m_statements;
};

/// The rows of one of the view tables; throws what SQLite throws.
Result<ViewTable> readViewTable(SQLite::Database &database, std::string_view name);

} // namespace accelopt::store
