// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/store/FileLock.h"
#include "core/store/ViewTable.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::store {

/// A follower of a run file: reads it while another process writes it, or when it is finished, and
/// never changes it. A file that was closed can be read in a read-only folder too.
///
/// To follow a run, ask changed() ten times a second (microseconds) and read the new events when it
/// says so. Used by one thread at a time.
class RunReader
{
public:
    /// Fails with WrongUse when there is no such file, Format for anything but a sound run file,
    /// Newer for one of a newer version and Environment when it cannot be read.
    static Result<RunReader> openForReading(const std::filesystem::path &file);

    RunReader(RunReader &&other) noexcept;
    RunReader &operator=(RunReader &&other) noexcept;
    ~RunReader();

    /// True when something was written since the last call that said so; true the first time.
    Result<bool> changed();
    /// Number of the last event, 0 when there is none.
    Result<std::int64_t> latestSequence();
    /// The events after the one of this number (0: from the first), at most `limit`.
    Result<std::vector<Event>> eventsAfter(std::int64_t sequence, std::size_t limit = kAllEvents);
    /// A text named by an event.
    Result<std::string> text(const TextId &id);
    /// One of the tables made of the events; made from them now when the file holds another
    /// version's.
    Result<ViewTable> viewTable(std::string_view name);

    /// Who writes the file at this moment; nothing when nobody does. A run that is neither finished
    /// nor being written was interrupted, and can be resumed.
    std::optional<LockHolder> writer() const;

    const std::filesystem::path &path() const;
    /// A sentence for people about what this view of the file lacks, or how the file lies; empty
    /// when all is well.
    const std::string &notice() const;

private:
    struct Parts;
    explicit RunReader(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> m_parts;
};

} // namespace accelopt::store
