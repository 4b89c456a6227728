// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunWriter.h"

#include "core/store/RunReader.h"
#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <atomic>
#include <set>
#include <thread>

using namespace accelopt;
using namespace accelopt::tests;
using store::RunFile;
using store::RunReader;
using store::RunWriter;

class tst_RunWriter : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void writesWhatManyThreadsAskFor();
    void callsBackWithWhatWasWritten();
    void waitsForWhatWasAskedBefore();
    void finishesEverythingBeforeItEnds();
    void tellsWhoAskedWhatWentWrong();
    void answersAfterClosing();

private:
    std::filesystem::path file() const { return m_folder->path().toStdString() + "/run"; }
    std::unique_ptr<RunWriter> makeWriter(store::RunFileOptions options = {})
    {
        auto run = RunFile::create(file(), std::move(options));
        return run ? std::make_unique<RunWriter>(std::move(*run)) : nullptr;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_RunWriter::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_RunWriter::writesWhatManyThreadsAskFor()
{
    constexpr int kThreads = 4;
    constexpr int kEach = 25;
    std::atomic<int> called = 0;
    {
        const std::unique_ptr<RunWriter> writer = makeWriter();
        QVERIFY(writer);
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < kThreads; ++thread)
            threads.emplace_back([&, thread] {
                for (int i = 0; i < kEach; ++i) {
                    std::vector<Event> events{
                        eventOf(TimePassed{double(i)}, "thread " + std::to_string(thread))};
                    if (i % 5 == 0) {
                        if (writer->appendAndWait(events, {}))
                            ++called;
                    } else {
                        writer->append(events, {}, [&called](auto result) {
                            if (result)
                                ++called;
                        });
                    }
                }
            });
    }
    QCOMPARE(called.load(), kThreads * kEach);
    auto reader = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(reader);
    const auto events = reader->eventsAfter(0);
    ACCELOPT_VERIFY_OK(events);
    QCOMPARE(events->size(), std::size_t(kThreads * kEach));
    std::map<std::string, double> next;
    for (const Event &event : *events)
        QCOMPARE(std::get<TimePassed>(event.body).seconds, next[event.actor]++);
}

void tst_RunWriter::callsBackWithWhatWasWritten()
{
    std::vector<Event> written;
    {
        const std::unique_ptr<RunWriter> writer = makeWriter();
        QVERIFY(writer);
        Batch batch = openedRun();
        writer->append(batch.events, batch.texts, [&](Result<std::vector<Event>> result) {
            if (result)
                written = *result;
        });
    }
    QCOMPARE(written.size(), std::size_t(1));
    QCOMPARE(written.front().sequence, std::int64_t(1));
    QVERIFY(written.front().unixSeconds > 1e9);
}

void tst_RunWriter::waitsForWhatWasAskedBefore()
{
    const std::unique_ptr<RunWriter> writer = makeWriter();
    QVERIFY(writer);
    Batch batch = openedRun();
    writer->append(batch.events, batch.texts);
    QCOMPARE(writer->text(batch.texts.front().id).value_or("none"), batch.texts.front().bytes);
    std::vector<Event> events{eventOf(TimePassed{1})};
    ACCELOPT_VERIFY_OK(writer->appendAndWait(events, {}));
    QCOMPARE(events.front().sequence, std::int64_t(2));
    QCOMPARE(writer->eventsAfter(0)->size(), std::size_t(2));
    QCOMPARE(writer->eventsAfter(0, 1)->size(), std::size_t(1));
}

void tst_RunWriter::finishesEverythingBeforeItEnds()
{
    {
        const std::unique_ptr<RunWriter> writer = makeWriter();
        QVERIFY(writer);
        for (int i = 0; i < 50; ++i)
            writer->append({eventOf(TimePassed{1})}, {});
    }
    QVERIFY(!std::filesystem::exists(file().string() + "-wal"));
    auto run = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(run);
    QCOMPARE(run->latestSequence(), std::int64_t(50));
}

void tst_RunWriter::tellsWhoAskedWhatWentWrong()
{
    store::RunFileOptions options;
    options.pageLimit = 60;
    const std::unique_ptr<RunWriter> writer = makeWriter(std::move(options));
    QVERIFY(writer);
    std::mt19937 random(4);
    Error failure;
    writer->append({eventOf(TimePassed{1})}, {makeText(randomBytes(random, 400'000))},
                   [&](Result<std::vector<Event>> result) {
                       if (!result)
                           failure = result.error();
                   });
    std::vector<Event> events{eventOf(TimePassed{1})};
    ACCELOPT_VERIFY_OK(writer->appendAndWait(events, {}));
    QCOMPARE(failure.code, ErrorCode::Environment);
    QVERIFY(failure.message.find("no space left") != std::string::npos);
    QCOMPARE(events.front().sequence, std::int64_t(1));
}

void tst_RunWriter::answersAfterClosing()
{
    const std::unique_ptr<RunWriter> writer = makeWriter();
    QVERIFY(writer);
    ACCELOPT_VERIFY_OK(writer->close());
    ACCELOPT_VERIFY_OK(writer->close());
    std::vector<Event> events{eventOf(TimePassed{1})};
    const auto outcome = writer->appendAndWait(events, {});
    QVERIFY(!outcome);
    QVERIFY(outcome.error().message.find("closed") != std::string::npos);
    auto again = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(again);
}

ACCELOPT_TEST(tst_RunWriter)
#include "tst_RunWriter.moc"
