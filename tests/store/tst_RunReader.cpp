// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunReader.h"

#include "core/store/RunFile.h"
#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <SQLiteCpp/SQLiteCpp.h>

using namespace accelopt;
using namespace accelopt::tests;
using store::RunFile;
using store::RunReader;

class tst_RunReader : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void readsAFinishedRunAndLeavesItAlone();
    void followsARunThatIsBeingWritten();
    void saysOnlyOnceThatSomethingChanged();
    void survivesTheEndAndTheReturnOfTheWriter();
    void doesNotHinderTheWriter();
    void tellsWhoWrites();
    void noticesATextThatWasTamperedWith();
    void makesTheTablesItselfWhenTheFileHasOthers();
    void refusesAnUnknownTable();

private:
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::filesystem::path file() const { return folder() / "run#1?50%.accelopt"; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_RunReader::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_RunReader::readsAFinishedRunAndLeavesItAlone()
{
    writeSampleRun(file());
    const std::string before = folderAsText(folder());
    {
        auto reader = RunReader::openForReading(file());
        ACCELOPT_VERIFY_OK(reader);
        const auto events = reader->eventsAfter(0);
        ACCELOPT_VERIFY_OK(events);
        QCOMPARE(events->size(), std::size_t(27));
        QCOMPARE(*reader->latestSequence(), std::int64_t(27));
        const auto &opened = std::get<RunOpened>(events->front().body);
        QCOMPARE(opened.task, std::string("silu"));
        const auto text = reader->text(opened.baselineText);
        ACCELOPT_VERIFY_OK(text);
        QCOMPARE(*text, std::string("def kernel(): # k0"));
        QVERIFY(reader->notice().empty());
        QVERIFY(!reader->writer());
        const auto missing = reader->text(makeText("never written").id);
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, ErrorCode::Format);
    }
    QCOMPARE(folderAsText(folder()), before);
}

void tst_RunReader::followsARunThatIsBeingWritten()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    std::int64_t seen = 0;
    for (Batch batch : sampleRun()) {
        ACCELOPT_VERIFY_OK(run->append(batch.events, batch.texts));
        const auto events = reader->eventsAfter(seen);
        ACCELOPT_VERIFY_OK(events);
        QCOMPARE(events->size(), batch.events.size());
        QCOMPARE(events->front().sequence, batch.events.front().sequence);
        for (const Text &text : batch.texts)
            QCOMPARE(reader->text(text.id).value_or("none"), text.bytes);
        seen = events->back().sequence;
    }
    QCOMPARE(reader->eventsAfter(seen)->size(), std::size_t(0));
    QCOMPARE(reader->eventsAfter(5, 3)->size(), std::size_t(3));
}

void tst_RunReader::saysOnlyOnceThatSomethingChanged()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    QCOMPARE(reader->changed().value_or(false), true);
    QCOMPARE(reader->changed().value_or(true), false);
    std::vector<Event> events{eventOf(TimePassed{1})};
    ACCELOPT_VERIFY_OK(run->append(events, {}));
    QCOMPARE(reader->changed().value_or(false), true);
    QCOMPARE(reader->changed().value_or(true), false);
}

void tst_RunReader::survivesTheEndAndTheReturnOfTheWriter()
{
    writeRun(file(), {openedRun()});
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    for (std::int64_t round = 1; round <= 3; ++round) {
        auto run = RunFile::openForWriting(file());
        ACCELOPT_VERIFY_OK(run);
        std::vector<Event> events{eventOf(TimePassed{1})};
        ACCELOPT_VERIFY_OK(run->append(events, {}));
        QCOMPARE(reader->latestSequence().value_or(0), round + 1);
        ACCELOPT_VERIFY_OK(run->close());
        QCOMPARE(reader->latestSequence().value_or(0), round + 1);
        // Even while a follower looks on, the main file alone is complete: a copy of it has
        // everything.
        const std::filesystem::path copy = folder() / ("copy" + std::to_string(round));
        std::filesystem::copy_file(file(), copy);
        auto ofCopy = RunReader::openForReading(copy);
        ACCELOPT_VERIFY_OK(ofCopy);
        QCOMPARE(ofCopy->latestSequence().value_or(0), round + 1);
    }
}

void tst_RunReader::doesNotHinderTheWriter()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    std::vector<RunReader> readers;
    for (int i = 0; i < 5; ++i) {
        auto reader = RunReader::openForReading(file());
        ACCELOPT_VERIFY_OK(reader);
        ACCELOPT_VERIFY_OK(reader->eventsAfter(0));
        readers.push_back(std::move(*reader));
    }
    std::mt19937 random(3);
    for (int i = 0; i < 40; ++i) {
        const Text text = makeText(randomBytes(random, 200'000));
        std::vector<Event> events{eventOf(TimePassed{1})};
        ACCELOPT_VERIFY_OK(run->append(events, {&text, 1}));
        for (RunReader &reader : readers)
            QCOMPARE(reader.eventsAfter(i)->size(), std::size_t(1));
    }
    // 8 MB were written; readers that held a snapshot would have kept all of it in the log.
    QVERIFY(std::filesystem::file_size(file().string() + "-wal") < 6'000'000);
}

void tst_RunReader::tellsWhoWrites()
{
    auto run = RunFile::create(file());
    ACCELOPT_VERIFY_OK(run);
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    const auto writer = reader->writer();
    QVERIFY(writer);
    QCOMPARE(static_cast<qint64>(writer->pid), QCoreApplication::applicationPid());
    ACCELOPT_VERIFY_OK(run->close());
    QVERIFY(!reader->writer());
}

void tst_RunReader::noticesATextThatWasTamperedWith()
{
    writeRun(file(), {openedRun()});
    {
        SQLite::Database raw(file().string(), SQLite::OPEN_READWRITE);
        const std::string trigger =
            raw.execAndGet("SELECT sql FROM sqlite_schema WHERE name = 'text_is_never_changed'")
                .getString();
        raw.exec("DROP TRIGGER text_is_never_changed");
        raw.exec("UPDATE text SET codec = 'raw', size = 4, bytes = 'evil'");
        raw.exec(trigger);
    }
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    const auto text = reader->text(openedRun().texts.front().id);
    QVERIFY(!text);
    QCOMPARE(text.error().code, ErrorCode::Format);
    QVERIFY(text.error().message.find("other bytes than its name says") != std::string::npos);
}

void tst_RunReader::makesTheTablesItselfWhenTheFileHasOthers()
{
    writeSampleRun(file());
    const auto kernels = [this] {
        auto reader = RunReader::openForReading(file());
        return reader ? reader->viewTable("kernel") : tl::unexpected(reader.error());
    };
    const auto before = kernels();
    ACCELOPT_VERIFY_OK(before);
    QCOMPARE(before->rows.size(), std::size_t(3));
    {
        SQLite::Database raw(file().string(), SQLite::OPEN_READWRITE);
        raw.exec("DROP TABLE kernel; CREATE TABLE kernel (id TEXT);");
        raw.exec("INSERT INTO kernel VALUES ('a lie')");
    }
    const std::string bytes = folderAsText(folder());
    const auto after = kernels();
    ACCELOPT_VERIFY_OK(after);
    QVERIFY(*after == *before);
    QCOMPARE(folderAsText(folder()), bytes);
}

void tst_RunReader::refusesAnUnknownTable()
{
    writeRun(file(), {openedRun()});
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    const auto table = reader->viewTable("kernel\" JOIN \"text");
    QVERIFY(!table);
    QCOMPARE(table.error().code, ErrorCode::WrongUse);
    QVERIFY(table.error().hint.find("ranking") != std::string::npos);
}

ACCELOPT_TEST(tst_RunReader)
#include "tst_RunReader.moc"
