// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/store/ViewTable.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace accelopt::store {

/// What tests replace.
struct RunFileOptions
{
    /// Unix seconds written to events; the system's clock when empty.
    std::function<double()> clock;
    /// Most pages of 4096 bytes that the file may have, so that a full disk can be tried; 0: no
    /// limit.
    std::int64_t pageLimit = 0;
    /// Where to read what is mounted, to notice a network file system; the system's list when
    /// empty.
    std::filesystem::path mountTable;
};

/// The one writer of a run file: an append-only log of events with the texts they name, in one
/// SQLite file.
///
/// What append() has reported as written survives the end of the process and of the machine's
/// power. While it is open, the lock file "<file>-lock" and SQLite's "<file>-wal" and "<file>-shm"
/// stand beside the file; after close() it is one file again that can be copied or mailed, unless a
/// follower still reads it: then its content is complete all the same, and the next writer tidies
/// up.
///
/// Used by one thread at a time; RunWriter gives it a thread of its own. It cannot fail half: an
/// operation that fails leaves the file as it was, and may be tried again.
class RunFile
{
public:
    /// Makes a new run file and opens it. Fails with WrongUse when something has that name already
    /// or the folder does not exist, and with Environment when the folder or disk takes no file.
    static Result<RunFile> create(const std::filesystem::path &file, RunFileOptions options = {});

    /// Opens an existing run file to go on with it. Fails without changing a byte: with WrongUse
    /// when there is none, Format for anything but a sound run file, Newer for one of a newer
    /// version, Environment when it or its folder is read-only, and Busy (naming the process) when
    /// another writer has it: such a file can be followed with RunReader.
    static Result<RunFile> openForWriting(const std::filesystem::path &file,
                                          RunFileOptions options = {});

    RunFile(RunFile &&other) noexcept;
    RunFile &operator=(RunFile &&other) noexcept;
    /// Closes the file; what close() could not do is left to the next writer.
    ~RunFile();

    /// Writes the events with the texts they name, all or nothing, and durably. Each event gets its
    /// sequence number, its time and the body as it will be read again (invalid UTF-8 replaced), so
    /// that a state folded from `events` equals the one folded from the file. A text that the file
    /// has is not written again. Fails with Environment on a full or failing disk, and with
    /// Internal when an event names a text that is neither given nor kept; `events` are then
    /// unchanged.
    Result<void> append(std::span<Event> events, std::span<const Text> texts);

    /// A text named by an event written earlier.
    Result<std::string> text(const TextId &id);
    /// The events after the one of this number (0: from the first), at most `limit`.
    Result<std::vector<Event>> eventsAfter(std::int64_t sequence, std::size_t limit = kAllEvents);
    /// Number of the last event, 0 when there is none.
    std::int64_t latestSequence() const;

    /// One of the tables made of the events, for exports and tests.
    Result<ViewTable> viewTable(std::string_view name);
    /// Drops the view tables and makes them again from the events.
    Result<void> rebuildViews();

    /// Ends writing, cleans up and gives the file back. Harmless when closed already.
    Result<void> close();

    const std::filesystem::path &path() const;
    /// A sentence for people about how the file lies, e.g. on a network file system; empty when all
    /// is well.
    const std::string &notice() const;

private:
    struct Parts;
    explicit RunFile(std::unique_ptr<Parts> parts);
    static Result<RunFile> open(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> m_parts;
};

} // namespace accelopt::store
