// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunFile.h"

#include "core/domain/Hash.h"
#include "core/domain/Resources.h"
#include "core/store/FileLock.h"
#include "core/store/NetworkFilesystem.h"
#include "core/store/RunDatabase.h"
#include "core/store/StoreErrors.h"
#include "core/store/TextCodec.h"
#include "core/store/ViewTables.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sqlite3.h>
#include <system_error>
#include <unistd.h>

namespace accelopt::store {

namespace {

/// How long a writer waits for somebody else's short lock on the file.
constexpr int kBusyTimeoutMs = 5000;
/// A checkpoint at the end waits this long for a follower in the middle of a read.
constexpr int kClosingTimeoutMs = 500;
constexpr std::size_t kRebuildBatch = 1000;

double systemSeconds()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

/// Without links: the lock and SQLite's own files must stand beside the file itself whatever name
/// is used.
std::filesystem::path beside(const std::filesystem::path &file, const char *suffix)
{
    std::filesystem::path result = file;
    result += suffix;
    return result;
}

/// Waits until a file or folder is on the disk. Gives the system's error number, 0 when all went
/// well.
int syncToDisk(const std::filesystem::path &path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    const int number = fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    return number;
}

Result<void> checkWritable(const std::filesystem::path &file)
{
    const auto reason = [] { return std::generic_category().message(errno); };
    if (access(file.parent_path().c_str(), W_OK | X_OK) != 0)
        return folderNotWritable(file, reason());
    if (access(file.c_str(), W_OK) != 0)
        return notWritable(file, reason());
    return {};
}

/// Every text that an event names.
std::vector<TextId> namedTexts(const EventBody &body)
{
    std::vector<TextId> ids;
    const auto add = [&ids](const TextId &id) {
        if (!id.empty())
            ids.push_back(id);
    };
    std::visit(
        [&](const auto &event) {
            if constexpr (requires { event.baselineText; })
                add(event.baselineText);
            if constexpr (requires { event.text; })
                add(event.text);
            if constexpr (requires { event.prompt; })
                add(event.prompt);
            if constexpr (requires { event.answer; })
                add(event.answer);
        },
        body);
    return ids;
}

/// An event in the form in which it is written.
struct WrittenEvent
{
    Event event;
    std::string payload;
};

Result<WrittenEvent> prepare(const Event &event, std::int64_t sequence, double time)
{
    WrittenEvent written;
    written.event = event;
    written.event.sequence = sequence;
    written.event.unixSeconds = time;
    written.payload =
        payload(event.body).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // Read back at once: an event that could not be read again would make the whole file useless.
    auto body =
        eventBody(kind(event.body), kPayloadVersion, nlohmann::json::parse(written.payload));
    if (!body)
        return fail(ErrorCode::Internal,
                    fmt::format("An event of the run (\"{}\") could not be written because it "
                                "holds a value that cannot be read again",
                                kind(event.body)),
                    "Please report this; nothing was changed.", body.error().detail);
    written.event.body = std::move(*body);
    return written;
}

/// BEGIN IMMEDIATE ... COMMIT. Rolls back unless committed.
class WriteTransaction
{
public:
    explicit WriteTransaction(SQLite::Database &database) : m_database(database)
    {
        m_database.exec("BEGIN IMMEDIATE");
    }
    WriteTransaction(const WriteTransaction &) = delete;
    WriteTransaction &operator=(const WriteTransaction &) = delete;
    ~WriteTransaction()
    {
        const int systemError = errno; // of the failure that is being reported
        // Some failures have rolled back already, and rolling back twice is an error.
        if (sqlite3_get_autocommit(m_database.getHandle()) == 0)
            m_database.tryExec("ROLLBACK");
        errno = systemError;
    }
    void commit() { m_database.exec("COMMIT"); }

private:
    SQLite::Database &m_database;
};

void insertText(RunDatabase &database, const Text &text)
{
    SQLite::Statement &known = database.statement("SELECT 1 FROM text WHERE id = ?");
    known.bind(1, text.id.value);
    const bool have = known.executeStep();
    known.reset();
    if (have)
        return;
    const StoredText stored = encodeText(text.bytes);
    SQLite::Statement &insert =
        database.statement("INSERT INTO text (id, codec, size, bytes) VALUES (?, ?, ?, ?)");
    insert.bind(1, text.id.value);
    insert.bind(2, stored.codec);
    insert.bind(3, static_cast<std::int64_t>(text.bytes.size()));
    insert.bind(4, stored.bytes.data(), static_cast<int>(stored.bytes.size()));
    insert.exec();
    insert.reset();
}

void insertEvent(RunDatabase &database, const WrittenEvent &written)
{
    const Event &event = written.event;
    SQLite::Statement &insert =
        database.statement("INSERT INTO event (seq, time, actor, kind, subject, version, payload) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, event.sequence);
    insert.bind(2, event.unixSeconds);
    insert.bind(3, event.actor);
    insert.bind(4, std::string(kind(event.body)));
    insert.bind(5, subject(event.body));
    insert.bind(6, kPayloadVersion);
    insert.bind(7, written.payload);
    insert.exec();
    insert.reset();
}

} // namespace

/// Members in the order in which they are needed; the lock is given back last.
struct RunFile::Parts
{
    std::filesystem::path file;
    RunFileOptions options;
    std::string notice;
    bool network = false;
    std::optional<FileLock> lock;
    std::unique_ptr<RunDatabase> database;
    std::optional<ViewTables> views;
    std::int64_t latest = 0;

    Parts(std::filesystem::path path, RunFileOptions given)
        : file(withoutLinks(path)),
          options(std::move(given))
    {
        const std::string type =
            networkFilesystem(file, options.mountTable.empty() ? std::filesystem::path(kMountTable)
                                                               : options.mountTable);
        network = !type.empty();
        if (network)
            notice = networkNotice(file, type);
    }

    Result<void> makeNewFile();
    Result<void> rebuildViews();
};

/// Makes the file under another name first, so that nobody ever sees half of it.
Result<void> RunFile::Parts::makeNewFile()
{
    const std::filesystem::path draft = beside(file, "-new");
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    const auto write = [&]() -> Result<void> {
        errno = 0;
        try {
            SQLite::Database fresh(draft.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            if (options.pageLimit > 0)
                fresh.exec(fmt::format("PRAGMA max_page_count = {}", options.pageLimit));
            fresh.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
            // Nobody misses a draft that a crash damages; it is synchronised once, when it is
            // whole.
            fresh.exec("PRAGMA journal_mode = MEMORY");
            fresh.exec("PRAGMA synchronous = OFF");
            WriteTransaction transaction(fresh);
            fresh.exec(std::string(resource("resources/store/schema-1.sql")));
            ViewTables(fresh).recreate();
            fresh.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
            transaction.commit();
        } catch (const SQLite::Exception &exception) {
            return tl::unexpected(sqliteError(exception, errno, file));
        }
        return {};
    };
    Result<void> outcome = write();
    if (const int number = outcome ? syncToDisk(draft) : 0; number != 0)
        outcome = number == ENOSPC || number == EDQUOT
                      ? diskFull(file)
                      : folderNotWritable(file, std::generic_category().message(number));
    if (outcome) {
        // A link, unlike a rename, never replaces what another program has put there meanwhile.
        if (link(draft.c_str(), file.c_str()) != 0) {
            const int number = errno;
            if (number == EEXIST)
                outcome = alreadyExists(file);
            else if (rename(draft.c_str(), file.c_str()) != 0) // a file system without links
                outcome = folderNotWritable(file, std::generic_category().message(errno));
        }
    }
    std::filesystem::remove(draft, ignored);
    syncToDisk(file.parent_path());
    return outcome;
}

Result<void> RunFile::Parts::rebuildViews()
{
    return database->guarded([&]() -> Result<void> {
        WriteTransaction transaction(database->connection());
        views->recreate();
        std::int64_t done = 0;
        while (true) {
            ACCELOPT_TRY(const std::vector<Event> events,
                         database->eventsAfter(done, kRebuildBatch));
            if (events.empty())
                break;
            for (const Event &event : events)
                views->apply(event);
            done = events.back().sequence;
        }
        transaction.commit();
        return {};
    });
}

RunFile::RunFile(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}

RunFile::RunFile(RunFile &&other) noexcept = default;

RunFile &RunFile::operator=(RunFile &&other) noexcept
{
    if (this != &other) {
        static_cast<void>(close());
        m_parts = std::move(other.m_parts);
    }
    return *this;
}

RunFile::~RunFile()
{
    static_cast<void>(close());
}

Result<RunFile> RunFile::create(const std::filesystem::path &file, RunFileOptions options)
{
    auto parts = std::make_unique<Parts>(file, std::move(options));
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
        return alreadyExists(file);
    if (!std::filesystem::is_directory(parts->file.parent_path(), error))
        return missingFolder(file);
    ACCELOPT_TRY(parts->lock, FileLock::acquire(parts->file));
    ACCELOPT_CHECK(parts->makeNewFile());
    return open(std::move(parts));
}

Result<RunFile> RunFile::openForWriting(const std::filesystem::path &file, RunFileOptions options)
{
    auto parts = std::make_unique<Parts>(file, std::move(options));
    ACCELOPT_CHECK(RunDatabase::identify(parts->file));
    ACCELOPT_CHECK(checkWritable(parts->file));
    ACCELOPT_TRY(parts->lock, FileLock::acquire(parts->file));
    return open(std::move(parts));
}

Result<RunFile> RunFile::open(std::unique_ptr<Parts> parts)
{
    ACCELOPT_TRY(parts->database,
                 RunDatabase::open(parts->file, RunDatabase::Access::Write, kBusyTimeoutMs));
    RunDatabase &database = *parts->database;
    ACCELOPT_CHECK(database.verify(Scrutiny::Writing));
    ACCELOPT_CHECK(database.guarded([&]() -> Result<void> {
        SQLite::Database &connection = database.connection();
        // The write-ahead log needs memory shared between the processes, which a network has not.
        const char *mode =
            parts->network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL";
        connection.execAndGet(mode);
        connection.exec("PRAGMA synchronous = FULL");
        if (parts->options.pageLimit > 0)
            connection.exec(fmt::format("PRAGMA max_page_count = {}", parts->options.pageLimit));
        return {};
    }));
    ACCELOPT_TRY(parts->latest, database.latestSequence());
    parts->views.emplace(database.connection());
    ACCELOPT_TRY(const bool current,
                 database.guarded([&]() -> Result<bool> { return parts->views->current(); }));
    if (!current)
        ACCELOPT_CHECK(parts->rebuildViews());
    return RunFile(std::move(parts));
}

Result<void> RunFile::append(std::span<Event> events, std::span<const Text> texts)
{
    if (!m_parts || !m_parts->database)
        return closedFile(path());
    if (events.empty() && texts.empty())
        return {};
    Parts &parts = *m_parts;
    RunDatabase &database = *parts.database;
    return database.guarded([&]() -> Result<void> {
        const double time = parts.options.clock ? parts.options.clock() : systemSeconds();
        std::vector<WrittenEvent> written;
        written.reserve(events.size());
        for (const Event &event : events) {
            const auto number = parts.latest + static_cast<std::int64_t>(written.size()) + 1;
            ACCELOPT_TRY(WrittenEvent prepared, prepare(event, number, time));
            written.push_back(std::move(prepared));
        }
        for (const Text &text : texts) {
            if (text.bytes.size() > kTextLimitBytes)
                return fail(ErrorCode::Format,
                            fmt::format("A text of {} MiB is too long for a run file",
                                        text.bytes.size() >> 20),
                            "Shorten it; the limit is 64 MiB.");
            if (sha256(text.bytes) != text.id.value)
                return fail(ErrorCode::Internal,
                            fmt::format("A text does not have the bytes that its name {} says",
                                        shortId(text.id)),
                            "Please report this; nothing was changed.");
        }

        WriteTransaction transaction(database.connection());
        for (const Text &text : texts)
            insertText(database, text);
        for (const WrittenEvent &event : written) {
            for (const TextId &id : namedTexts(event.event.body)) {
                SQLite::Statement &known = database.statement("SELECT 1 FROM text WHERE id = ?");
                known.bind(1, id.value);
                const bool have = known.executeStep();
                known.reset();
                if (!have)
                    return fail(ErrorCode::Internal,
                                fmt::format("An event of the run (\"{}\") names a text that is "
                                            "not kept",
                                            kind(event.event.body)),
                                "Please report this; nothing was changed.");
            }
            insertEvent(database, event);
            parts.views->apply(event.event);
        }
        transaction.commit();

        for (std::size_t i = 0; i < written.size(); ++i)
            events[i] = std::move(written[i].event);
        parts.latest += static_cast<std::int64_t>(written.size());
        return {};
    });
}

Result<std::string> RunFile::text(const TextId &id)
{
    if (!m_parts || !m_parts->database)
        return closedFile(path());
    return m_parts->database->text(id);
}

Result<std::vector<Event>> RunFile::eventsAfter(std::int64_t sequence, std::size_t limit)
{
    if (!m_parts || !m_parts->database)
        return closedFile(path());
    return m_parts->database->eventsAfter(sequence, limit);
}

std::int64_t RunFile::latestSequence() const
{
    return m_parts ? m_parts->latest : 0;
}

Result<ViewTable> RunFile::viewTable(std::string_view name)
{
    if (!m_parts || !m_parts->database)
        return closedFile(path());
    return m_parts->database->viewTable(name);
}

Result<void> RunFile::rebuildViews()
{
    if (!m_parts || !m_parts->database)
        return closedFile(path());
    return m_parts->rebuildViews();
}

Result<void> RunFile::close()
{
    if (!m_parts || !m_parts->database)
        return {};
    Parts &parts = *m_parts;
    parts.views.reset();
    Result<void> outcome = parts.database->guarded([&]() -> Result<void> {
        SQLite::Database &connection = parts.database->connection();
        connection.setBusyTimeout(kClosingTimeoutMs);
        connection.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
        return {};
    });
    if (outcome) {
        // Refused while a follower has the file open; it is complete without this.
        static_cast<void>(parts.database->guarded([&]() -> Result<void> {
            parts.database->connection().setBusyTimeout(0);
            parts.database->connection().execAndGet("PRAGMA journal_mode = DELETE");
            return {};
        }));
    }
    parts.database.reset();
    parts.lock.reset();
    return outcome;
}

const std::filesystem::path &RunFile::path() const
{
    static const std::filesystem::path kNone;
    return m_parts ? m_parts->file : kNone;
}

const std::string &RunFile::notice() const
{
    static const std::string kNone;
    return m_parts ? m_parts->notice : kNone;
}

} // namespace accelopt::store
