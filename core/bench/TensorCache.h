// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/NpyFile.h"
#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::bench {

/// What an entry's tensors depend on. Two keys with equal text() have equal tensors.
struct TensorKey
{
    std::string taskHash; ///< Task::hash
    std::string shapeName;
    std::uint64_t seed = 0;
    std::string suite = "drawn"; ///< InputSuite::name, or "drawn"
    std::string numpyVersion;

    std::string text() const;
    /// Name of the entry's folder.
    std::string folderName() const;
};

TensorKey tensorKey(const Task &task, std::uint64_t seed, const InputSuite *suite,
                    const std::string &numpyVersion);

/// The tensors of one key, mapped read-only. While any copy lives, no process evicts the entry; the
/// maps stay good even when somebody deletes the files.
class TensorEntry
{
public:
    const std::filesystem::path &folder() const;
    /// Files of the argument and result; argument() gives nullptr for scalars.
    const NpyFile *argument(std::size_t index) const;
    const NpyFile &result(std::size_t index) const;
    std::filesystem::path argumentPath(std::size_t index) const;
    std::filesystem::path resultPath(std::size_t index) const;
    /// Per result, what the reference shows in single precision (see noiseFile()); empty when it is
    /// not known.
    std::vector<double> noise() const;
    std::int64_t bytes() const;

private:
    friend class TensorCache;
    struct Content;
    explicit TensorEntry(std::shared_ptr<const Content> content) : m_content(std::move(content)) {}

    std::shared_ptr<const Content> m_content;
};

/// Inputs and reference results on disk, shared by all processes of a person: a folder per key,
/// made whole by renaming, thrown away least recently used first when the whole exceeds a cap.
/// Damaged or half-written entries are noticed and removed (damage in the middle of a large tensor
/// only where the samples look). All functions may be called from any thread.
class TensorCache
{
public:
    static constexpr std::int64_t kDefaultCapBytes = std::int64_t(8) << 30;

    /// $XDG_CACHE_HOME/accelopt/tensors, by default ~/.cache/accelopt/tensors.
    static std::filesystem::path standardFolder();

    /// Creates the folder where needed and clears what crashed writers left behind a day or more
    /// ago.
    static Result<TensorCache> open(std::filesystem::path folder = standardFolder(),
                                    std::int64_t capBytes = kDefaultCapBytes);

    /// The entry, marked as just used; nothing when it has to be made (also after removing a
    /// damaged one).
    std::optional<TensorEntry> find(const TensorKey &key, const Task &task) const;

    /// An empty folder on the cache's disk in which to make an entry.
    Result<std::filesystem::path> beginEntry() const;
    /// Puts a finished folder of beginEntry() in place and evicts old entries if need be. When
    /// another process was faster its entry is taken and the folder dropped. Fails with Format when
    /// a tensor is missing or not of the task's shape; the folder is dropped then too.
    Result<TensorEntry> commitEntry(const TensorKey &key, const Task &task,
                                    const std::filesystem::path &made) const;
    /// Drops a folder of beginEntry().
    void abandonEntry(const std::filesystem::path &made) const;

    /// Bytes of all entries.
    std::int64_t usedBytes() const;
    /// Evicts least recently used entries until at most `bytes` remain or all others are in use.
    void shrinkTo(std::int64_t bytes) const;

    const std::filesystem::path &folder() const { return m_folder; }

private:
    TensorCache(std::filesystem::path folder, std::int64_t capBytes);

    std::filesystem::path m_folder;
    std::int64_t m_capBytes = kDefaultCapBytes;
};

} // namespace accelopt::bench
