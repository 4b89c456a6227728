// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunDatabase.h"

#include "core/domain/Hash.h"
#include "core/domain/Resources.h"
#include "core/store/StoreErrors.h"
#include "core/store/TextCodec.h"
#include "core/store/ViewTables.h"

#include <SQLiteCpp/Exception.h>
#include <cerrno>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <system_error>
#include <unistd.h>

namespace accelopt::store {

namespace {

// A value longer than this is not from a run; keeps a hostile file from exhausting the memory.
constexpr int kValueLimitBytes = 256 << 20;

/// The path as SQLite's URI, so that parameters can be given and no character of a name means
/// anything.
std::string uriOf(const std::filesystem::path &file, std::string_view parameters)
{
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(file, error);
    if (error)
        absolute = file;
    std::string uri = "file://";
    for (const char c : absolute.string()) {
        if (c == '%' || c == '?' || c == '#')
            uri += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            uri += c;
    }
    uri += parameters;
    return uri;
}

std::string lastSystemError()
{
    return std::generic_category().message(errno);
}

Result<void> checkOrdinaryFile(const std::filesystem::path &file)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return missingFile(file);
    if (error)
        return notReadable(file, error.message());
    if (status.type() != std::filesystem::file_type::regular)
        return notAFile(file);
    if (access(file.c_str(), R_OK) != 0)
        return notReadable(file, lastSystemError());
    if (std::filesystem::file_size(file, error) == 0)
        return emptyFile(file);
    return {};
}

const std::map<std::string, std::string> &truthObjects()
{
    static const std::map<std::string, std::string> objects =
        schemaObjects(resource("resources/store/schema-1.sql"));
    return objects;
}

ViewTable::Value valueOf(const SQLite::Column &column)
{
    if (column.isInteger())
        return column.getInt64();
    if (column.isFloat())
        return column.getDouble();
    if (column.isNull())
        return std::monostate();
    return column.getString();
}

} // namespace

std::filesystem::path withoutLinks(const std::filesystem::path &file)
{
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(file, error);
    if (error)
        return file;
    const std::filesystem::path result = std::filesystem::weakly_canonical(absolute, error);
    return error ? absolute : result;
}

std::span<const std::string_view> viewTableNames()
{
    static constexpr std::string_view kNames[] = {
        "run", "call", "plan", "attempt", "kernel", "item", "decision", "ranking", "iteration"};
    return kNames;
}

RunDatabase::RunDatabase(std::filesystem::path file, const std::string &uri, int flags,
                         int busyTimeoutMs)
    : m_file(std::move(file)),
      m_database(uri, flags | SQLite::OPEN_URI, busyTimeoutMs)
{}

Result<std::unique_ptr<RunDatabase>> RunDatabase::open(const std::filesystem::path &file,
                                                       Access access, int busyTimeoutMs)
{
    try {
        const bool write = access == Access::Write;
        const std::string uri = uriOf(file, access == Access::Frozen ? "?immutable=1" : "");
        std::unique_ptr<RunDatabase> database(new RunDatabase(
            file, uri, write ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY, busyTimeoutMs));
        sqlite3 *handle = database->m_database.getHandle();
        if (write && sqlite3_db_readonly(handle, "main") != 0)
            return notWritable(file, "it is write-protected");
        // A file that is refused after all is left as it was found, write-ahead log included.
        sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        // What somebody else put into the file's schema runs nothing.
        sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kValueLimitBytes);
        database->m_database.exec("PRAGMA cell_size_check = ON");
        return database;
    } catch (const SQLite::Exception &exception) {
        return tl::unexpected(sqliteError(exception, 0, file));
    }
}

Result<void> RunDatabase::identify(const std::filesystem::path &file)
{
    ACCELOPT_CHECK(checkOrdinaryFile(file));
    ACCELOPT_TRY(const std::unique_ptr<RunDatabase> database, open(file, Access::Frozen, 0));
    return database->guarded([&]() -> Result<void> {
        SQLite::Database &connection = database->m_database;
        if (connection.execAndGet("PRAGMA application_id").getInt() != kApplicationId)
            return notARunFile(file, "it is a database of another program");
        const int version = connection.execAndGet("PRAGMA user_version").getInt();
        if (version > kSchemaVersion)
            return newerFile(
                file, fmt::format("form {}; this one reads up to {}", version, kSchemaVersion));
        if (version < 1)
            return damaged(file, "it does not say its form");
        return {};
    });
}

Result<void> RunDatabase::verify(Scrutiny scrutiny)
{
    return guarded([&]() -> Result<void> {
        const std::map<std::string, std::string> found = schemaObjects(m_database);
        for (const auto &[name, sql] : truthObjects()) {
            const auto object = found.find(name);
            if (object == found.end() || object->second != sql)
                return damaged(m_file, fmt::format("its part \"{}\" is not as it must be", name));
        }
        if (scrutiny == Scrutiny::Reading)
            return {};
        SQLite::Statement triggers(m_database,
                                   "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
        while (triggers.executeStep())
            if (!truthObjects().contains(triggers.getColumn(0).getString()))
                return damaged(m_file, fmt::format("somebody added the trigger \"{}\" to it",
                                                   triggers.getColumn(0).getString()));
        SQLite::Statement kinds(m_database, "SELECT DISTINCT kind, version FROM event");
        while (kinds.executeStep()) {
            const std::string kind = kinds.getColumn(0).getString();
            const int version = kinds.getColumn(1).getInt();
            const auto body = eventBody(kind, version, nlohmann::json::object());
            if (!body && body.error().code == ErrorCode::Newer)
                return newerFile(m_file, fmt::format("event \"{}\", form {}", kind, version));
        }
        return {};
    });
}

Result<std::int64_t> RunDatabase::latestSequence()
{
    return guarded([&]() -> Result<std::int64_t> {
        SQLite::Statement &query = statement("SELECT coalesce(max(seq), 0) FROM event");
        query.executeStep();
        const std::int64_t latest = query.getColumn(0).getInt64();
        query.reset();
        return latest;
    });
}

Result<Event> RunDatabase::readEvent(SQLite::Statement &row)
{
    Event event;
    event.sequence = row.getColumn(0).getInt64();
    event.unixSeconds = row.getColumn(1).getDouble();
    event.actor = row.getColumn(2).getString();
    const std::string kind = row.getColumn(3).getString();
    const int version = row.getColumn(4).getInt();
    const nlohmann::json payload =
        nlohmann::json::parse(row.getColumn(5).getString(), nullptr, false);
    auto body = eventBody(kind, version, payload);
    if (!body) {
        Error &error = body.error();
        if (error.code == ErrorCode::Newer)
            return newerFile(m_file, fmt::format("event \"{}\", form {}", kind, version));
        return damaged(
            m_file,
            fmt::format("its event {} (\"{}\") is not of the expected form", event.sequence, kind),
            error.detail);
    }
    event.body = std::move(*body);
    return event;
}

Result<std::vector<Event>> RunDatabase::eventsAfter(std::int64_t sequence, std::size_t limit)
{
    return guarded([&]() -> Result<std::vector<Event>> {
        SQLite::Statement &query = statement("SELECT seq, time, actor, kind, version, payload "
                                             "FROM event WHERE seq > ? ORDER BY seq LIMIT ?");
        constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
        query.bind(1, sequence);
        query.bind(2, static_cast<std::int64_t>(std::min(limit, kMost)));
        std::vector<Event> events;
        Result<void> outcome;
        while (outcome && query.executeStep()) {
            Result<Event> event = readEvent(query);
            const std::int64_t expected = sequence + static_cast<std::int64_t>(events.size()) + 1;
            if (!event)
                outcome = tl::unexpected(event.error());
            else if (event->sequence != expected)
                outcome = damaged(m_file, fmt::format("its event {} is missing", expected));
            else
                events.push_back(std::move(*event));
        }
        // A finished statement holds no snapshot, which would keep the write-ahead log from
        // shrinking.
        query.reset();
        ACCELOPT_CHECK(std::move(outcome));
        return events;
    });
}

Result<std::string> RunDatabase::text(const TextId &id)
{
    return guarded([&]() -> Result<std::string> {
        SQLite::Statement &query = statement("SELECT codec, size, bytes FROM text WHERE id = ?");
        query.bind(1, id.value);
        if (!query.executeStep()) {
            query.reset();
            return fail(ErrorCode::Format,
                        fmt::format("The run file {} does not hold the text {}", m_file.string(),
                                    shortId(id)),
                        "Use a copy of the file if there is one.");
        }
        const SQLite::Column blob = query.getColumn(2);
        const std::string_view bytes(static_cast<const char *>(blob.getBlob()),
                                     static_cast<std::size_t>(blob.getBytes()));
        Result<std::string> decoded =
            decodeText(query.getColumn(0).getString(), query.getColumn(1).getInt64(), bytes);
        query.reset();
        if (!decoded)
            return tl::unexpected(
                decoded.error().code == ErrorCode::Newer
                    ? newerFile(m_file, decoded.error().message)
                    : damaged(m_file, decoded.error().message, decoded.error().detail));
        if (sha256(*decoded) != id.value)
            return damaged(
                m_file, fmt::format("its text {} has other bytes than its name says", shortId(id)));
        return decoded;
    });
}

Result<ViewTable> RunDatabase::viewTable(std::string_view name)
{
    return guarded([&] { return readViewTable(m_database, name); });
}

Result<ViewTable> readViewTable(SQLite::Database &database, std::string_view name)
{
    const auto names = viewTableNames();
    if (std::find(names.begin(), names.end(), name) == names.end())
        return fail(ErrorCode::WrongUse, fmt::format("A run file has no table \"{}\"", name),
                    fmt::format("Its tables are {}.", fmt::join(names, ", ")));
    ViewTable table;
    SQLite::Statement query(database, fmt::format("SELECT * FROM \"{}\"", name));
    for (int column = 0; column < query.getColumnCount(); ++column)
        table.columns.emplace_back(query.getColumnName(column));
    while (query.executeStep()) {
        std::vector<ViewTable::Value> row;
        for (int column = 0; column < query.getColumnCount(); ++column)
            row.push_back(valueOf(query.getColumn(column)));
        table.rows.push_back(std::move(row));
    }
    return table;
}

SQLite::Statement &RunDatabase::statement(const char *sql)
{
    auto found = m_statements.find(sql);
    if (found == m_statements.end())
        found = m_statements.emplace(sql, SQLite::Statement(m_database, sql)).first;
    // Left mid-way by an exception the last time, perhaps.
    found->second.tryReset();
    return found->second;
}

Error RunDatabase::explain(const std::exception &exception, int systemError)
{
    if (const auto *sqlite = dynamic_cast<const SQLite::Exception *>(&exception))
        return sqliteError(*sqlite, systemError, m_file);
    return {
        ErrorCode::Internal,
        fmt::format("The run file {} could not be used ({})", m_file.string(), exception.what()),
        "Please report this.", exception.what()};
}

} // namespace accelopt::store
