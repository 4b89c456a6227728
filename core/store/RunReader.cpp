// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunReader.h"

#include "core/store/NetworkFilesystem.h"
#include "core/store/RunDatabase.h"
#include "core/store/ViewTables.h"

#include <fmt/format.h>
#include <system_error>

namespace accelopt::store {

namespace {

/// A follower may be asked by a window: it rather fails and is asked again than waits.
constexpr int kReaderBusyTimeoutMs = 100;
constexpr std::size_t kBatch = 1000;

/// True when the file's last events may be in its write-ahead log only.
bool hasLog(const std::filesystem::path &file)
{
    std::filesystem::path log = file;
    log += "-wal";
    std::error_code error;
    const auto size = std::filesystem::file_size(log, error);
    return !error && size > 0;
}

Result<std::unique_ptr<RunDatabase>> openVerified(const std::filesystem::path &file,
                                                  RunDatabase::Access access)
{
    ACCELOPT_TRY(std::unique_ptr<RunDatabase> database,
                 RunDatabase::open(file, access, kReaderBusyTimeoutMs));
    ACCELOPT_CHECK(database->verify(Scrutiny::Reading));
    return database;
}

} // namespace

struct RunReader::Parts
{
    std::filesystem::path file;
    std::unique_ptr<RunDatabase> database;
    std::string notice;
    std::optional<std::int64_t> seenVersion;
};

RunReader::RunReader(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}

RunReader::RunReader(RunReader &&other) noexcept = default;
RunReader &RunReader::operator=(RunReader &&other) noexcept = default;
RunReader::~RunReader() = default;

Result<RunReader> RunReader::openForReading(const std::filesystem::path &file)
{
    auto parts = std::make_unique<Parts>();
    parts->file = withoutLinks(file);
    ACCELOPT_CHECK(RunDatabase::identify(parts->file));
    const std::string network = networkFilesystem(parts->file);
    if (!network.empty())
        parts->notice = networkNotice(parts->file, network);

    Result<std::unique_ptr<RunDatabase>> database =
        openVerified(parts->file, RunDatabase::Access::Read);
    if (!database && database.error().code == ErrorCode::Environment) {
        // SQLite wants to make its shared memory beside a file in write-ahead mode and cannot here.
        ACCELOPT_TRY(database, openVerified(parts->file, RunDatabase::Access::Frozen));
        if (hasLog(parts->file))
            parts->notice = fmt::format(
                "{} was not closed and its folder is read-only, so its last events are not shown; "
                "copy it together with its \"-wal\" file to a folder of your own to see them.",
                parts->file.string());
    }
    if (!database)
        return tl::unexpected(database.error());
    parts->database = std::move(*database);
    return RunReader(std::move(parts));
}

Result<bool> RunReader::changed()
{
    return m_parts->database->guarded([&]() -> Result<bool> {
        SQLite::Statement &query = m_parts->database->statement("PRAGMA data_version");
        query.executeStep();
        const std::int64_t version = query.getColumn(0).getInt64();
        query.reset();
        const bool isNew = m_parts->seenVersion != version;
        m_parts->seenVersion = version;
        return isNew;
    });
}

Result<std::int64_t> RunReader::latestSequence()
{
    return m_parts->database->latestSequence();
}

Result<std::vector<Event>> RunReader::eventsAfter(std::int64_t sequence, std::size_t limit)
{
    return m_parts->database->eventsAfter(sequence, limit);
}

Result<std::string> RunReader::text(const TextId &id)
{
    return m_parts->database->text(id);
}

Result<ViewTable> RunReader::viewTable(std::string_view name)
{
    RunDatabase &database = *m_parts->database;
    return database.guarded([&]() -> Result<ViewTable> {
        if (ViewTables(database.connection()).current())
            return readViewTable(database.connection(), name);
        SQLite::Database scratch(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        ViewTables views(scratch);
        views.recreate();
        std::int64_t done = 0;
        while (true) {
            ACCELOPT_TRY(const std::vector<Event> events, database.eventsAfter(done, kBatch));
            if (events.empty())
                break;
            for (const Event &event : events)
                views.apply(event);
            done = events.back().sequence;
        }
        return readViewTable(scratch, name);
    });
}

std::optional<LockHolder> RunReader::writer() const
{
    return FileLock::holder(m_parts->file);
}

const std::filesystem::path &RunReader::path() const
{
    return m_parts->file;
}

const std::string &RunReader::notice() const
{
    return m_parts->notice;
}

} // namespace accelopt::store
