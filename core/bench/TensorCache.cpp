// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TensorCache.h"

#include "core/bench/JsonPlace.h"
#include "core/bench/ReferenceDriver.h"
#include "core/domain/Hash.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace accelopt::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kMaking = ".making-";
constexpr std::string_view kRemoving = ".removing-";
constexpr std::string_view kEntry = "t-";
/// Grows when the driver begins to write something else.
constexpr int kEntryFormat = 2;
constexpr auto kLeftoverAge = std::chrono::hours(24);
/// A fingerprint samples this many blocks of a file: enough to notice damage, quick on gigabytes.
constexpr std::size_t kSampledBlocks = 64;
constexpr std::size_t kBlockBytes = 4096;

/// An open file that carries a lock shared by readers; the lock ends with the last copy's process
/// or close.
class LockedFile
{
public:
    enum class Mode { Shared, Exclusive };

    /// Nothing when the file does not exist or the lock is taken. File systems without locks are
    /// treated as if nobody else were there.
    static std::optional<LockedFile> open(const fs::path &path, Mode mode)
    {
        LockedFile file;
        file.m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file.m_descriptor < 0)
            return std::nullopt;
        const int operation = (mode == Mode::Shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
        if (::flock(file.m_descriptor, operation) != 0 && errno == EWOULDBLOCK)
            return std::nullopt;
        return file;
    }
    LockedFile(LockedFile &&other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    LockedFile &operator=(LockedFile &&) = delete;
    ~LockedFile()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }

    /// False when the path now leads to another file (the entry was evicted between opening and
    /// locking).
    bool stillAt(const fs::path &path) const
    {
        struct stat own = {};
        struct stat there = {};
        return ::fstat(m_descriptor, &own) == 0 && ::stat(path.c_str(), &there) == 0 &&
               own.st_ino == there.st_ino && own.st_dev == there.st_dev;
    }

private:
    LockedFile() = default;
    int m_descriptor = -1;
};

std::string freshName(std::string_view prefix)
{
    static std::atomic<unsigned> s_count{0};
    std::random_device random;
    return fmt::format("{}{}-{}-{:08x}{:08x}", prefix, ::getpid(), s_count++, random(), random());
}

std::string fingerprint(const NpyFile &file)
{
    const auto bytes = file.bytes();
    const std::string_view data(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (data.size() <= kSampledBlocks * kBlockBytes)
        return sha256(data);
    std::string samples;
    for (std::size_t i = 0; i < kSampledBlocks; ++i)
        samples += data.substr((data.size() - kBlockBytes) / (kSampledBlocks - 1) * i, kBlockBytes);
    return sha256(samples);
}

std::int64_t entryBytes(const fs::path &folder)
{
    std::int64_t bytes = 0;
    std::error_code status;
    for (fs::directory_iterator it(folder, status), end; !status && it != end; it.increment(status))
        if (const auto size = it->file_size(status); !status)
            bytes += std::int64_t(size);
    return bytes;
}

/// Takes a folder out of sight in one step, then deletes it.
void removeFolder(const fs::path &folder)
{
    std::error_code status;
    const fs::path hidden = folder.parent_path() / freshName(kRemoving);
    fs::rename(folder, hidden, status);
    fs::remove_all(status ? folder : hidden, status);
}

struct Tensors
{
    std::vector<std::optional<NpyFile>> arguments;
    std::vector<NpyFile> results;
    std::vector<double> noise; ///< per result; empty when not known
};

/// Element type in which a tensor of this type is kept (see reference_driver.py).
bool keptAs(const DTypeName &dtype, const DTypeName &kept)
{
    const bool integer = dtype.starts_with("int") || dtype.starts_with("uint");
    return kept == (integer ? "int32" : "float32");
}

Result<NpyFile> openTensor(const fs::path &path, const Shape &shape, const DTypeName &dtype)
{
    ACCELOPT_TRY(NpyFile file, NpyFile::open(path));
    if (file.shape() != shape || !keptAs(dtype, file.dtype()))
        return fail(ErrorCode::Format,
                    fmt::format("{} is not of the task's shape and type", path.string()));
    return file;
}

Result<Tensors> openTensors(const fs::path &folder, const Task &task)
{
    Tensors tensors;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        const TaskArgument &argument = task.arguments[i];
        if (argument.scalar) {
            tensors.arguments.emplace_back();
            continue;
        }
        ACCELOPT_TRY(NpyFile file,
                     openTensor(folder / argumentFile(i), argument.shape, argument.dtype));
        tensors.arguments.emplace_back(std::move(file));
    }
    for (std::size_t i = 0; i < task.results.size(); ++i) {
        ACCELOPT_TRY(NpyFile file, openTensor(folder / resultFile(i), task.results[i].shape,
                                              task.results[i].dtype));
        tensors.results.push_back(std::move(file));
    }
    if (const auto noise = NpyFile::open(folder / noiseFile())) {
        const auto values = noise->values<float>();
        if (values.size() == task.results.size())
            for (const float value : values) // as good as not known when it is not a number
                tensors.noise.push_back(std::isfinite(value) ? double(value) : 1.0);
    }
    return tensors;
}

json manifestOf(const TensorKey &key, const Tensors &tensors)
{
    json prints = json::array();
    for (const auto &argument : tensors.arguments)
        prints.push_back(argument ? json(fingerprint(*argument)) : json());
    for (const NpyFile &result : tensors.results)
        prints.push_back(fingerprint(result));
    return {{"format", kEntryFormat},
            {"key", key.text()},
            {"noise", tensors.noise},
            {"fingerprints", std::move(prints)}};
}

} // namespace

std::string TensorKey::text() const
{
    return fmt::format("format {}\ntask {}\nshape {}\nseed {}\nsuite {}\nnumpy {}\n", kEntryFormat,
                       taskHash, shapeName, seed, suite, numpyVersion);
}

std::string TensorKey::folderName() const
{
    return std::string(kEntry) + sha256(text()).substr(0, 40);
}

TensorKey tensorKey(const Task &task, std::uint64_t seed, const InputSuite *suite,
                    const std::string &numpyVersion)
{
    TensorKey key;
    key.taskHash = task.hash;
    key.shapeName = task.shapeName;
    key.seed = seed;
    if (suite)
        key.suite = suite->name;
    key.numpyVersion = numpyVersion;
    return key;
}

struct TensorEntry::Content
{
    fs::path folder;
    LockedFile lock;
    Tensors tensors;
    std::int64_t bytes = 0;
};

const fs::path &TensorEntry::folder() const
{
    return m_content->folder;
}

const NpyFile *TensorEntry::argument(std::size_t index) const
{
    const auto &file = m_content->tensors.arguments.at(index);
    return file ? &*file : nullptr;
}

const NpyFile &TensorEntry::result(std::size_t index) const
{
    return m_content->tensors.results.at(index);
}

fs::path TensorEntry::argumentPath(std::size_t index) const
{
    return m_content->folder / argumentFile(index);
}

fs::path TensorEntry::resultPath(std::size_t index) const
{
    return m_content->folder / resultFile(index);
}

std::vector<double> TensorEntry::noise() const
{
    return m_content->tensors.noise;
}

std::int64_t TensorEntry::bytes() const
{
    return m_content->bytes;
}

fs::path TensorCache::standardFolder()
{
    if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
        return fs::path(cache) / "accelopt/tensors";
    if (const char *home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".cache/accelopt/tensors";
    return fs::temp_directory_path() / "accelopt-tensors";
}

TensorCache::TensorCache(fs::path folder, std::int64_t capBytes)
    : m_folder(std::move(folder)),
      m_capBytes(capBytes)
{}

Result<TensorCache> TensorCache::open(fs::path folder, std::int64_t capBytes)
{
    std::error_code status;
    fs::create_directories(folder, status);
    if (!fs::is_directory(folder, status))
        return fail(ErrorCode::Environment,
                    fmt::format("the tensor cache {} cannot be made", folder.string()),
                    "set XDG_CACHE_HOME to a folder that may be written");
    const auto old = fs::file_time_type::clock::now() - kLeftoverAge;
    std::vector<fs::path> leftovers;
    for (fs::directory_iterator it(folder, status), end; !status && it != end;
         it.increment(status)) {
        const std::string name = it->path().filename().string();
        std::error_code timeStatus;
        if ((name.starts_with(kMaking) || name.starts_with(kRemoving)) &&
            fs::last_write_time(it->path(), timeStatus) < old && !timeStatus)
            leftovers.push_back(it->path());
    }
    for (const fs::path &leftover : leftovers)
        fs::remove_all(leftover, status);
    return TensorCache(std::move(folder), capBytes);
}

std::optional<TensorEntry> TensorCache::find(const TensorKey &key, const Task &task) const
{
    const fs::path folder = m_folder / key.folderName();
    const fs::path manifestPath = folder / kManifest;
    std::error_code status;
    if (!fs::exists(folder, status))
        return std::nullopt;
    auto lock = LockedFile::open(manifestPath, LockedFile::Mode::Shared);
    if (!lock) {
        // Without a manifest nobody can be using it; with one, somebody is just evicting it.
        if (!fs::exists(manifestPath, status))
            removeFolder(folder);
        return std::nullopt;
    }
    if (!lock->stillAt(manifestPath))
        return std::nullopt;
    const auto manifest = readJsonFile(manifestPath.string());
    auto tensors = openTensors(folder, task);
    if (!manifest || !tensors || *manifest != manifestOf(key, *tensors)) {
        removeFolder(folder);
        return std::nullopt;
    }
    // The manifest's time is when the entry was last used.
    fs::last_write_time(manifestPath, fs::file_time_type::clock::now(), status);
    const std::int64_t bytes = entryBytes(folder);
    return TensorEntry(std::make_shared<const TensorEntry::Content>(
        TensorEntry::Content{folder, std::move(*lock), std::move(*tensors), bytes}));
}

Result<fs::path> TensorCache::beginEntry() const
{
    fs::path made = m_folder / freshName(kMaking);
    std::error_code status;
    if (!fs::create_directory(made, status) || status)
        return fail(ErrorCode::Environment,
                    fmt::format("cannot write into {}: {}", m_folder.string(), status.message()),
                    "free some space, or set XDG_CACHE_HOME to another folder");
    return made;
}

Result<TensorEntry> TensorCache::commitEntry(const TensorKey &key, const Task &task,
                                             const fs::path &made) const
{
    auto tensors = openTensors(made, task);
    if (!tensors) {
        abandonEntry(made);
        return tl::unexpected(std::move(tensors.error()));
    }
    std::ofstream manifest(made / kManifest, std::ios::binary);
    manifest << manifestOf(key, *tensors).dump(1) << '\n';
    manifest.close();
    if (!manifest) {
        abandonEntry(made);
        return fail(ErrorCode::Environment, fmt::format("cannot write into {}", m_folder.string()),
                    "free some space, or set XDG_CACHE_HOME to another folder");
    }
    // Locked before it is in sight, so that nobody evicts it between the two.
    auto lock = LockedFile::open(made / kManifest, LockedFile::Mode::Shared);
    // Another process may have made the same entry, and that one may be damaged or just being
    // evicted; each round settles one of these.
    constexpr int kRounds = 3;
    for (int round = 0; lock && round < kRounds; ++round) {
        const fs::path folder = m_folder / key.folderName();
        std::error_code status;
        fs::rename(made, folder, status);
        if (!status) {
            const std::int64_t bytes = entryBytes(folder);
            TensorEntry entry(std::make_shared<const TensorEntry::Content>(
                TensorEntry::Content{folder, std::move(*lock), std::move(*tensors), bytes}));
            shrinkTo(m_capBytes);
            return entry;
        }
        if (auto theirs = find(key, task)) {
            abandonEntry(made);
            return std::move(*theirs);
        }
    }
    abandonEntry(made);
    return fail(ErrorCode::Environment,
                fmt::format("an entry of the tensor cache {} cannot be kept", m_folder.string()),
                "check the folder's permissions and the free space");
}

void TensorCache::abandonEntry(const fs::path &made) const
{
    std::error_code status;
    // Only what beginEntry() made is ever deleted.
    if (made.parent_path() == m_folder && made.filename().string().starts_with(kMaking))
        fs::remove_all(made, status);
}

std::int64_t TensorCache::usedBytes() const
{
    std::int64_t bytes = 0;
    std::error_code status;
    for (fs::directory_iterator it(m_folder, status), end; !status && it != end;
         it.increment(status))
        if (it->path().filename().string().starts_with(kEntry))
            bytes += entryBytes(it->path());
    return bytes;
}

void TensorCache::shrinkTo(std::int64_t wantedBytes) const
{
    struct Old
    {
        fs::file_time_type used;
        fs::path folder;
        std::int64_t bytes;
    };
    std::vector<Old> entries;
    std::int64_t total = 0;
    std::error_code status;
    for (fs::directory_iterator it(m_folder, status), end; !status && it != end;
         it.increment(status)) {
        if (!it->path().filename().string().starts_with(kEntry))
            continue;
        std::error_code timeStatus;
        const auto used = fs::last_write_time(it->path() / kManifest, timeStatus);
        entries.push_back(
            {timeStatus ? fs::file_time_type::min() : used, it->path(), entryBytes(it->path())});
        total += entries.back().bytes;
    }
    std::sort(entries.begin(), entries.end(),
              [](const Old &a, const Old &b) { return a.used < b.used; });
    for (const Old &entry : entries) {
        if (total <= wantedBytes)
            return;
        // The lock is held while the folder goes away, so that nobody begins to use it meanwhile.
        const auto lock = LockedFile::open(entry.folder / kManifest, LockedFile::Mode::Exclusive);
        if (!lock && fs::exists(entry.folder / kManifest, status))
            continue;
        removeFolder(entry.folder);
        total -= entry.bytes;
    }
}

} // namespace accelopt::bench
