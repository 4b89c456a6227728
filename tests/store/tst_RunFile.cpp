// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunFile.h"

#include "core/domain/Hash.h"
#include "core/domain/Resources.h"
#include "core/store/NetworkFilesystem.h"
#include "core/store/RunReader.h"
#include "core/store/ViewTables.h"
#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::tests;
using store::RunFile;
using store::RunReader;

class tst_RunFile : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void keepsEventsAndTexts();
    void numbersAndStampsEvents();
    void givesBackTheBodyThatWillBeRead();
    void keepsATextOnce();
    void keepsTextsOfEveryKind_data();
    void keepsTextsOfEveryKind();
    void refusesAnEventThatNamesAnUnknownText();
    void refusesATextUnderAWrongName();
    void isOneOrdinaryFileAfterClosing();
    void goesOnAfterReopening();
    void saysWhenClosed();
    void refusesToOverwrite();
    void refusesAMissingFolder();
    void leavesNothingBehindWhenItCannotBeMade();
    void takesANameInTheCurrentFolder();
    void followsLinksToTheFileItself();
    void refusesChangesToTheLog_data();
    void refusesChangesToTheLog();
    void reportsAFullDiskAndLosesNothing();
    void usesNoSharedMemoryOnANetwork();
    void schemaOfFormOneIsFrozen();

private:
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::filesystem::path file() const { return folder() / "run one.accelopt"; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_RunFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_RunFile::keepsEventsAndTexts()
{
    std::vector<Event> written;
    std::vector<Text> texts;
    {
        auto run = RunFile::create(file(), countingClock());
        ACCELOPT_VERIFY_OK(run);
        for (Batch batch : sampleRun()) {
            ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
            written.insert(written.end(), batch.events.begin(), batch.events.end());
            texts.insert(texts.end(), batch.texts.begin(), batch.texts.end());
        }
        ACCELOPT_VERIFY_OK(run->close());
    }
    auto run = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(run);
    const auto read = run->eventsAfter(0);
    ACCELOPT_VERIFY_OK(read);
    QCOMPARE(read->size(), written.size());
    for (std::size_t i = 0; i < read->size(); ++i) {
        QCOMPARE((*read)[i].sequence, static_cast<std::int64_t>(i) + 1);
        QCOMPARE((*read)[i].actor, written[i].actor);
        QCOMPARE((*read)[i].unixSeconds, written[i].unixSeconds);
        QCOMPARE(payload((*read)[i].body).dump(), payload(written[i].body).dump());
        QCOMPARE(kind((*read)[i].body), kind(written[i].body));
    }
    for (const Text &text : texts) {
        const auto bytes = run->text(text.id);
        ACCELOPT_VERIFY_OK(bytes);
        QCOMPARE(*bytes, text.bytes);
    }
    const auto some = run->eventsAfter(3, 2);
    ACCELOPT_VERIFY_OK(some);
    QCOMPARE(some->size(), std::size_t(2));
    QCOMPARE(some->front().sequence, std::int64_t(4));
}

void tst_RunFile::numbersAndStampsEvents()
{
    auto run = RunFile::create(file(), countingClock());
    ACCELOPT_VERIFY_OK(run);
    QCOMPARE(run->latestSequence(), std::int64_t(0));
    std::vector<Event> events{eventOf(TimePassed{1}), eventOf(TimePassed{2})};
    events[0].sequence = 77;
    ACCELOPT_VERIFY_OK(run->append(events, {}));
    QCOMPARE(events[0].sequence, std::int64_t(1));
    QCOMPARE(events[1].sequence, std::int64_t(2));
    QCOMPARE(events[1].unixSeconds, 1000.0);
    ACCELOPT_VERIFY_OK(run->append(events, {}));
    QCOMPARE(events[1].sequence, std::int64_t(4));
    QCOMPARE(events[1].unixSeconds, 1001.0);
    QCOMPARE(run->latestSequence(), std::int64_t(4));
}

void tst_RunFile::givesBackTheBodyThatWillBeRead()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    std::vector<Event> events{eventOf(RunFinished{"broken \xff letter"})};
    ACCELOPT_VERIFY_OK(run->append(events, {}));
    const auto read = run->eventsAfter(0);
    ACCELOPT_VERIFY_OK(read);
    const std::string reason = std::get<RunFinished>(read->front().body).reason;
    QCOMPARE(reason, std::string("broken \xef\xbf\xbd letter"));
    QCOMPARE(std::get<RunFinished>(events[0].body).reason, reason);
}

void tst_RunFile::keepsATextOnce()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    for (int i = 0; i < 3; ++i) {
        Batch batch = openedRun();
        batch.texts.push_back(batch.texts.front());
        ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
    }
    ACCELOPT_VERIFY_OK(run->close());
    SQLite::Database raw(file().string());
    QCOMPARE(raw.execAndGet("SELECT count(*) FROM text").getInt(), 1);
}

void tst_RunFile::keepsTextsOfEveryKind_data()
{
    std::mt19937 random(1);
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<bool>("shrinks");
    QTest::newRow("an empty text") << std::string() << false;
    QTest::newRow("one letter") << std::string("x") << false;
    QTest::newRow("bytes with zeros in them") << std::string("a\0b\0", 4) << false;
    QTest::newRow("bytes that do not compress") << randomBytes(random, 5000) << false;
    QTest::newRow("a long text that compresses") << std::string(3'000'000, 'n') << true;
}

void tst_RunFile::keepsTextsOfEveryKind()
{
    QFETCH(std::string, bytes);
    QFETCH(bool, shrinks);
    const Text text = makeText(bytes);
    {
        auto run = RunFile::create(file());
        ACCELOPT_VERIFY_OK(run);
        ACCELOPT_VERIFY_OK(run->append({}, {&text, 1}));
        const auto read = run->text(text.id);
        ACCELOPT_VERIFY_OK(read);
        QVERIFY(*read == bytes);
    }
    SQLite::Database raw(file().string());
    const int stored = raw.execAndGet("SELECT length(bytes) FROM text").getInt();
    if (shrinks)
        QVERIFY(stored < static_cast<int>(bytes.size()) / 100);
    else
        QCOMPARE(stored, static_cast<int>(bytes.size()));
}

void tst_RunFile::refusesAnEventThatNamesAnUnknownText()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    Batch batch = openedRun();
    std::vector<Event> events{eventOf(TimePassed{1}), batch.events.front()};
    const auto outcome = run->append(events, {});
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().code, ErrorCode::Internal);
    QCOMPARE(run->latestSequence(), std::int64_t(0));
    QCOMPARE(events[0].sequence, std::int64_t(0));
    QVERIFY(run->eventsAfter(0)->empty());
    ACCELOPT_VERIFY_OK(run->append(events, batch.texts));
    QCOMPARE(run->latestSequence(), std::int64_t(2));
}

void tst_RunFile::refusesATextUnderAWrongName()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    const Text text{TextId(sha256("other")), "bytes"};
    const auto outcome = run->append({}, {&text, 1});
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().code, ErrorCode::Internal);
    QVERIFY(!run->text(text.id));
}

void tst_RunFile::isOneOrdinaryFileAfterClosing()
{
    writeRun(file(), sampleRun());
    const std::string listing = folderAsText(folder());
    QCOMPARE(listing, fmt::format("run one.accelopt {}\n", sha256(readBytes(file()))));
    // Bytes 18 and 19 of an SQLite file: 1 is a file without a write-ahead log, 2 one with it.
    const std::string bytes = readBytes(file());
    QCOMPARE(int(bytes.at(18)), 1);
    QCOMPARE(int(bytes.at(19)), 1);
}

void tst_RunFile::goesOnAfterReopening()
{
    writeRun(file(), {openedRun()});
    {
        auto run = RunFile::openForWriting(file());
        ACCELOPT_VERIFY_OK(run);
        QCOMPARE(run->latestSequence(), std::int64_t(1));
        std::vector<Event> events{eventOf(TimePassed{1})};
        ACCELOPT_VERIFY_OK(run->append(events, {}));
        QCOMPARE(events[0].sequence, std::int64_t(2));
    }
    auto again = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(again);
    QCOMPARE(again->latestSequence(), std::int64_t(2));
}

void tst_RunFile::saysWhenClosed()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    ACCELOPT_VERIFY_OK(run->close());
    ACCELOPT_VERIFY_OK(run->close());
    std::vector<Event> events{eventOf(TimePassed{1})};
    const auto outcome = run->append(events, {});
    QVERIFY(!outcome);
    QVERIFY(outcome.error().message.find("closed") != std::string::npos);
    QVERIFY(!run->eventsAfter(0));
    QVERIFY(!run->text(TextId("x")));
}

void tst_RunFile::refusesToOverwrite()
{
    writeBytes(file(), "a person's notes");
    const std::string before = folderAsText(folder());
    const auto run = RunFile::create(file());
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::WrongUse);
    QVERIFY(run.error().message.find("exists already") != std::string::npos);
    QCOMPARE(folderAsText(folder()), before);
}

void tst_RunFile::refusesAMissingFolder()
{
    const auto run = RunFile::create(folder() / "nowhere" / "run");
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::WrongUse);
    QVERIFY(run.error().message.find("does not exist") != std::string::npos);
    QCOMPARE(folderAsText(folder()), std::string());
}

void tst_RunFile::leavesNothingBehindWhenItCannotBeMade()
{
    store::RunFileOptions options;
    options.pageLimit = 3;
    const auto run = RunFile::create(file(), options);
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::Environment);
    QVERIFY(run.error().message.find("no space left") != std::string::npos);
    QCOMPARE(folderAsText(folder()), std::string());
}

void tst_RunFile::takesANameInTheCurrentFolder()
{
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder());
    auto run = RunFile::create("plain");
    std::filesystem::current_path(before);
    ACCELOPT_VERIFY_OK(run);
    QCOMPARE(run->path().filename().string(), std::string("plain"));
    QVERIFY(run->path().is_absolute());
    ACCELOPT_VERIFY_OK(run->close());
    QVERIFY(std::filesystem::exists(folder() / "plain"));
}

void tst_RunFile::followsLinksToTheFileItself()
{
    std::filesystem::create_directory(folder() / "runs");
    const std::filesystem::path real = folder() / "runs" / "real";
    writeRun(real, {openedRun()});
    std::filesystem::create_symlink(real, folder() / "link");
    auto first = RunFile::openForWriting(real);
    ACCELOPT_VERIFY_OK(first);
    const auto second = RunFile::openForWriting(folder() / "link");
    QVERIFY2(!second, "two writers must not get at one file by two names");
    QCOMPARE(second.error().code, ErrorCode::Busy);
}

void tst_RunFile::refusesChangesToTheLog_data()
{
    QTest::addColumn<std::string>("sql");
    QTest::newRow("an event is changed") << std::string("UPDATE event SET actor = 'me'");
    QTest::newRow("an event is deleted") << std::string("DELETE FROM event WHERE seq = 2");
    QTest::newRow("an event is replaced")
        << std::string("INSERT OR REPLACE INTO event SELECT * FROM event WHERE seq = 2");
    QTest::newRow("an event leaves a gap")
        << std::string("INSERT INTO event SELECT 9, time, actor, kind, subject, version, payload "
                       "FROM event WHERE seq = 1");
    QTest::newRow("a text is changed") << std::string("UPDATE text SET codec = 'raw'");
    QTest::newRow("a text is deleted") << std::string("DELETE FROM text");
    QTest::newRow("a text is replaced")
        << std::string("INSERT OR REPLACE INTO text SELECT id, 'raw', 1, 'x' FROM text");
}

void tst_RunFile::refusesChangesToTheLog()
{
    QFETCH(std::string, sql);
    writeSampleRun(file());
    SQLite::Database raw(file().string(), SQLite::OPEN_READWRITE);
    QVERIFY_EXCEPTION_THROWN(raw.exec(sql), SQLite::Exception);
}

void tst_RunFile::reportsAFullDiskAndLosesNothing()
{
    std::mt19937 random(2);
    std::int64_t kept = 0;
    {
        store::RunFileOptions options;
        options.pageLimit = 60;
        auto run = RunFile::create(file(), options);
        ACCELOPT_VERIFY_OK(run);
        Result<void> outcome;
        while (outcome) {
            const Text text = makeText(randomBytes(random, 6000));
            std::vector<Event> events{eventOf(TimePassed{1}), eventOf(TimePassed{2})};
            outcome = run->append(events, {&text, 1});
            if (outcome)
                kept = events[1].sequence;
            else
                QCOMPARE(events[0].sequence, std::int64_t(0));
            QVERIFY(kept < 1000);
        }
        QVERIFY(kept > 0);
        QCOMPARE(outcome.error().code, ErrorCode::Environment);
        QVERIFY(outcome.error().message.find("no space left") != std::string::npos);
        QVERIFY(outcome.error().message.find("run one.accelopt") != std::string::npos);
        QVERIFY(outcome.error().hint.find("Free some space") != std::string::npos);
        QCOMPARE(run->latestSequence(), kept);
    }
    auto run = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(run);
    QCOMPARE(run->latestSequence(), kept);
    QCOMPARE(static_cast<std::int64_t>(run->eventsAfter(0)->size()), kept);
    std::vector<Event> events{eventOf(TimePassed{1})};
    ACCELOPT_VERIFY_OK(run->append(events, {}));
    QCOMPARE(events[0].sequence, kept + 1);
}

void tst_RunFile::usesNoSharedMemoryOnANetwork()
{
    writeBytes(folder() / "mounts", "server:/home / nfs4 rw 0 0\n");
    store::RunFileOptions options;
    options.mountTable = folder() / "mounts";
    auto run = RunFile::create(file(), options);
    ACCELOPT_VERIFY_OK(run);
    QVERIFY(run->notice().find("network file system (nfs4)") != std::string::npos);
    Batch batch = openedRun();
    ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
    QVERIFY(!std::filesystem::exists(file().string() + "-wal"));
    QVERIFY(!std::filesystem::exists(file().string() + "-shm"));
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    QCOMPARE(*reader->latestSequence(), std::int64_t(1));
    ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
    QCOMPARE(*reader->latestSequence(), std::int64_t(2));
}

void tst_RunFile::schemaOfFormOneIsFrozen()
{
    std::string all;
    for (const auto &[name, sql] : store::schemaObjects(resource("resources/store/schema-1.sql")))
        all += name + ": " + sql + '\n';
    // Files in people's hands have exactly this schema and are refused with any other. A change of
    // the form is a schema-2.sql with its own user_version, not a new hash here.
    QCOMPARE(sha256(all),
             std::string("d8c5afcc80ec1f5da5b5f03e49c8e4ed7f70f9c3bd45dbd05ee8a86a8550e67c"));
}

ACCELOPT_TEST(tst_RunFile)
#include "tst_RunFile.moc"
