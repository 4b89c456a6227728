// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/ReferenceDriver.h"
#include "core/bench/TaskLoader.h"
#include "core/bench/TensorCache.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <chrono>
#include <thread>

using namespace accelopt;
using namespace accelopt::tests;
using bench::TensorCache;
using bench::TensorEntry;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kNoCap = INT64_MAX;

/// The small task in a folder of its own, a cache beside it, and what is needed to fill it.
class CacheFixture
{
public:
    explicit CacheFixture(std::int64_t capBytes = kNoCap)
        : task(bench::loadTask(writeSmallTask(pathOf(m_folder)), "lab").value()),
          cache(TensorCache::open(pathOf(m_folder) / "cache", capBytes).value())
    {}

    bench::TensorKey key(std::uint64_t seed) const
    {
        return bench::tensorKey(task, seed, nullptr, "1.24.2");
    }

    /// A finished folder whose result is filled with the seed.
    fs::path make(std::uint64_t seed) const
    {
        const fs::path made = cache.beginEntry().value();
        const std::vector<float> matrix(32, float(seed));
        const std::vector<float> row(4, 1.0f);
        (void)bench::writeNpy(made / "arg0.npy", "float32", {8, 4},
                              std::as_bytes(std::span(matrix)));
        (void)bench::writeNpy(made / "arg2.npy", "float32", {4}, std::as_bytes(std::span(row)));
        (void)bench::writeNpy(made / "result0.npy", "float32", {8, 4},
                              std::as_bytes(std::span(matrix)));
        return made;
    }

    Result<TensorEntry> put(std::uint64_t seed) const
    {
        return cache.commitEntry(key(seed), task, make(seed));
    }

    /// Pretends that an entry was last used some hours ago.
    void age(std::uint64_t seed, int hours) const
    {
        fs::last_write_time(cache.folder() / key(seed).folderName() / "manifest.json",
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
    }

    bool has(std::uint64_t seed) const
    {
        return fs::exists(cache.folder() / key(seed).folderName());
    }

    std::size_t foldersInCache() const
    {
        return std::size_t(
            std::distance(fs::directory_iterator(cache.folder()), fs::directory_iterator()));
    }

private:
    QTemporaryDir m_folder;

public:
    Task task;
    TensorCache cache;
};

} // namespace

class tst_TensorCache : public QObject
{
    Q_OBJECT

private slots:
    void aMadeEntryIsFoundAgain()
    {
        const CacheFixture f;
        QVERIFY(!f.cache.find(f.key(1), f.task));
        const auto put = f.put(1);
        ACCELOPT_VERIFY_OK(put);
        const auto found = f.cache.find(f.key(1), f.task);
        QVERIFY(found.has_value());
        QCOMPARE(found->result(0).values<float>()[31], 1.0f);
        QVERIFY((found->argument(0)->shape() == Shape{8, 4}));
        QVERIFY(found->argument(1) == nullptr);
        QCOMPARE(found->argumentPath(2), found->folder() / "arg2.npy");
        QCOMPARE(f.foldersInCache(), std::size_t(1));
        QCOMPARE(f.cache.usedBytes(), found->bytes());
    }

    void eachPartOfTheKeyCounts_data()
    {
        QTest::addColumn<int>("part");
        QTest::newRow("the task's text or reference") << 0;
        QTest::newRow("the shape") << 1;
        QTest::newRow("the seed") << 2;
        QTest::newRow("the suite") << 3;
        QTest::newRow("the version of numpy") << 4;
    }
    void eachPartOfTheKeyCounts()
    {
        QFETCH(int, part);
        const CacheFixture f;
        ACCELOPT_VERIFY_OK(f.put(1));
        bench::TensorKey key = f.key(1);
        (part == 0   ? key.taskHash
         : part == 1 ? key.shapeName
         : part == 3 ? key.suite
                     : key.numpyVersion) += "x";
        if (part == 2)
            key = f.key(2);
        QVERIFY(!f.cache.find(key, f.task));
        QVERIFY(f.cache.find(f.key(1), f.task).has_value());
    }

    void damagedEntriesAreRemoved_data()
    {
        QTest::addColumn<int>("damage");
        QTest::newRow("a file is missing") << 0;
        QTest::newRow("a file is cut short") << 1;
        QTest::newRow("a value was changed") << 2;
        QTest::newRow("the manifest is missing") << 3;
        QTest::newRow("the manifest is half written") << 4;
        QTest::newRow("a file has another shape") << 5;
        QTest::newRow("the entry belongs to another key") << 6;
    }
    void damagedEntriesAreRemoved()
    {
        QFETCH(int, damage);
        const CacheFixture f;
        ACCELOPT_VERIFY_OK(f.put(1));
        const fs::path folder = f.cache.folder() / f.key(1).folderName();
        const std::string result = readFile(folder / "result0.npy");
        const std::string manifest = readFile(folder / "manifest.json");
        switch (damage) {
        case 0: fs::remove(folder / "arg0.npy"); break;
        case 1: writeFile(folder / "result0.npy", result.substr(0, result.size() - 1)); break;
        case 2: writeFile(folder / "result0.npy", result.substr(0, result.size() - 1) + 'x'); break;
        case 3: fs::remove(folder / "manifest.json"); break;
        case 4: writeFile(folder / "manifest.json", manifest.substr(0, manifest.size() / 2)); break;
        case 5:
            fs::copy_file(folder / "arg2.npy", folder / "result0.npy",
                          fs::copy_options::overwrite_existing);
            break;
        default:
            ACCELOPT_VERIFY_OK(f.put(2));
            fs::remove_all(folder);
            fs::rename(f.cache.folder() / f.key(2).folderName(), folder);
        }
        QVERIFY(!f.cache.find(f.key(1), f.task));
        QVERIFY2(!fs::exists(folder), "what cannot be used is not kept");
        const auto again = f.put(1);
        ACCELOPT_VERIFY_OK(again);
        QCOMPARE(again->result(0).values<float>()[0], 1.0f);
    }

    void anUnfinishedFolderIsRefused()
    {
        const CacheFixture f;
        const fs::path made = f.make(1);
        fs::remove(made / "result0.npy");
        const auto entry = f.cache.commitEntry(f.key(1), f.task, made);
        QVERIFY(!entry);
        QVERIFY(entry.error().message.find("result0.npy") != std::string::npos);
        QCOMPARE(f.foldersInCache(), std::size_t(0));
    }

    void theSlowerOfTwoMakersTakesTheFastersEntry()
    {
        const CacheFixture f;
        const fs::path slow = f.make(1);
        const auto fast = f.put(1);
        ACCELOPT_VERIFY_OK(fast);
        const auto entry = f.cache.commitEntry(f.key(1), f.task, slow);
        ACCELOPT_VERIFY_OK(entry);
        QCOMPARE(entry->folder(), fast->folder());
        QVERIFY(!fs::exists(slow));
        QCOMPARE(f.foldersInCache(), std::size_t(1));
    }

    void manyMakersAtOnceAllEndWell()
    {
        const CacheFixture f;
        std::vector<std::thread> makers;
        std::atomic<int> good{0};
        for (int maker = 0; maker < 8; ++maker)
            makers.emplace_back([&] {
                for (std::uint64_t seed = 0; seed < 20; ++seed) {
                    const auto entry = f.put(seed);
                    if (entry && entry->result(0).values<float>()[5] == float(seed))
                        ++good;
                }
            });
        for (std::thread &maker : makers)
            maker.join();
        QCOMPARE(good.load(), 160);
        QCOMPARE(f.foldersInCache(), std::size_t(20));
    }

    void aDamagedEntryInTheWayIsReplaced()
    {
        const CacheFixture f;
        const fs::path made = f.make(1);
        writeFile(f.cache.folder() / f.key(1).folderName() / "arg0.npy", "half");
        const auto entry = f.cache.commitEntry(f.key(1), f.task, made);
        ACCELOPT_VERIFY_OK(entry);
        QCOMPARE(entry->result(0).values<float>()[0], 1.0f);
        QCOMPARE(f.foldersInCache(), std::size_t(1));
    }

    void theLeastRecentlyUsedGoesFirst()
    {
        const CacheFixture f;
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
            ACCELOPT_VERIFY_OK(f.put(seed));
        f.age(1, 3);
        f.age(2, 2);
        f.age(3, 1);
        QVERIFY(f.cache.find(f.key(1), f.task).has_value());
        f.cache.shrinkTo(f.cache.usedBytes() - 1);
        QVERIFY2(f.has(1), "it was just used");
        QVERIFY(!f.has(2));
        QVERIFY(f.has(3));
        f.cache.shrinkTo(0);
        QCOMPARE(f.foldersInCache(), std::size_t(0));
    }

    void entriesInUseAreNotEvicted()
    {
        const CacheFixture f;
        {
            const auto held = f.put(1);
            ACCELOPT_VERIFY_OK(held);
            ACCELOPT_VERIFY_OK(f.put(2));
            f.age(1, 5);
            const TensorCache other = TensorCache::open(f.cache.folder(), kNoCap).value();
            other.shrinkTo(0);
            QVERIFY(f.has(1));
            QVERIFY(!f.has(2));
            const TensorEntry copy = *held;
            QCOMPARE(copy.result(0).values<float>()[0], 1.0f);
        }
        f.cache.shrinkTo(0);
        QVERIFY(!f.has(1));
    }

    void anEntryBeyondTheCapPushesOutOlderOnes()
    {
        const CacheFixture measure;
        const std::int64_t one = measure.put(1)->bytes();
        const CacheFixture f(2 * one + one / 2);
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            ACCELOPT_VERIFY_OK(f.put(seed));
            f.age(seed, int(10 - seed));
        }
        ACCELOPT_VERIFY_OK(f.put(3));
        QVERIFY(!f.has(1));
        QVERIFY(f.has(2));
        QVERIFY(f.has(3));
        QVERIFY(f.cache.usedBytes() <= 2 * one + one / 2);
    }

    void anEntryLargerThanTheCapIsStillUsable()
    {
        const CacheFixture f(1);
        const auto entry = f.put(1);
        ACCELOPT_VERIFY_OK(entry);
        QCOMPARE(entry->result(0).values<float>()[0], 1.0f);
    }

    void mapsOutliveTheFiles()
    {
        const CacheFixture f;
        const auto entry = f.put(7);
        ACCELOPT_VERIFY_OK(entry);
        fs::remove_all(entry->folder());
        QCOMPARE(entry->result(0).values<float>()[31], 7.0f);
    }

    void foldersOfCrashedMakersAreClearedAfterADay()
    {
        const CacheFixture f;
        const fs::path old = f.make(1);
        const fs::path young = f.make(2);
        fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
        ACCELOPT_VERIFY_OK(TensorCache::open(f.cache.folder(), kNoCap));
        QVERIFY(!fs::exists(old));
        QVERIFY(fs::exists(young));
    }

    void onlyItsOwnFoldersAreAbandoned()
    {
        const CacheFixture f;
        const auto entry = f.put(1);
        ACCELOPT_VERIFY_OK(entry);
        f.cache.abandonEntry(entry->folder());
        QVERIFY(fs::exists(entry->folder()));
        const fs::path made = f.cache.beginEntry().value();
        f.cache.abandonEntry(made);
        QVERIFY(!fs::exists(made));
    }

    void aCacheThatCannotBeMadeSaysWhatToDo()
    {
        const auto cache = TensorCache::open("/proc/accelopt", kNoCap);
        QVERIFY(!cache);
        QCOMPARE(cache.error().code, ErrorCode::Environment);
        QVERIFY(cache.error().hint.find("XDG_CACHE_HOME") != std::string::npos);
    }

    void theStandardFolderFollowsTheEnvironment()
    {
        const ScopedVariable variable("XDG_CACHE_HOME", "/some/cache");
        QCOMPARE(TensorCache::standardFolder().string(),
                 std::string("/some/cache/accelopt/tensors"));
    }
};

ACCELOPT_TEST(tst_TensorCache)
#include "tst_TensorCache.moc"
