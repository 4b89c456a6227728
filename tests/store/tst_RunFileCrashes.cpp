// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunFile.h"
#include "core/store/RunReader.h"
#include "tests/store/ForkedChild.h"
#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <charconv>
#include <csignal>
#include <fmt/format.h>
#include <sys/resource.h>

using namespace accelopt;
using namespace accelopt::tests;
using store::RunFile;
using store::RunReader;

namespace {

/// Batch n has n % 4 + 1 events; each says which batch it belongs to, where it stands in it and how
/// long the batch is, so that a part of a batch is recognised wherever it is found.
Batch numberedBatch(std::int64_t number)
{
    Batch batch;
    batch.texts.push_back(makeText(fmt::format("answer of batch {}", number)));
    const auto size = number % 4 + 1;
    for (std::int64_t i = 0; i < size; ++i) {
        CallFailed failed;
        failed.call = CallId(fmt::format("b{}.{}/{}", number, i, size));
        failed.answer = batch.texts.front().id;
        batch.events.push_back(eventOf(failed));
    }
    return batch;
}

/// The number of whole batches in the log; nothing when it is not a row of whole batches.
std::optional<std::int64_t> wholeBatches(const std::vector<Event> &events)
{
    std::int64_t number = 0;
    std::size_t at = 0;
    while (at < events.size()) {
        for (const Event &expected : numberedBatch(number).events) {
            if (at == events.size() || subject(events[at].body) != subject(expected.body) ||
                events[at].sequence != static_cast<std::int64_t>(at) + 1)
                return std::nullopt;
            ++at;
        }
        ++number;
    }
    return number;
}

/// Goes on with the batches of a file for ever, and says the number of each after it was written.
void writeForEver(const std::filesystem::path &file, const ForkedChild::Say &say)
{
    auto run = RunFile::openForWriting(file);
    if (!run)
        throw std::runtime_error(describe(run.error()));
    const auto events = run->eventsAfter(0);
    std::int64_t number = wholeBatches(*events).value();
    while (true) {
        Batch batch = numberedBatch(number);
        if (const auto outcome = run->append(batch.events, batch.texts); !outcome)
            throw std::runtime_error(describe(outcome.error()));
        say(std::to_string(number));
        ++number;
    }
}

std::int64_t numberIn(const std::string &line)
{
    std::int64_t number = -1;
    std::from_chars(line.data(), line.data() + line.size(), number);
    return number;
}

} // namespace

class tst_RunFileCrashes : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void losesNothingWhenKilledAtAnyMoment();
    void oneWriterAtATime();
    void aFileSizeLimitIsAFullDisk();

private:
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::filesystem::path file() const { return folder() / "run"; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_RunFileCrashes::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_RunFileCrashes::losesNothingWhenKilledAtAnyMoment()
{
    constexpr int kRounds = 25;
    std::mt19937 random(20260101);
    writeRun(file(), {});
    std::int64_t reported = -1;
    for (int round = 0; round < kRounds; ++round) {
        ForkedChild child([this](const ForkedChild::Say &say) { writeForEver(file(), say); });
        const int lines = std::uniform_int_distribution<int>(0, 12)(random);
        std::string line = "-";
        for (int i = 0; i < lines && !line.empty(); ++i) {
            line = child.line();
            const std::int64_t number = numberIn(line);
            // A killed writer may have written one more than it could report.
            const bool next = number == reported + 1 || (i == 0 && number == reported + 2);
            QVERIFY2(next, fmt::format("round {}: \"{}\" after {}", round, line, reported).c_str());
            reported = number;
        }
        // The child goes on meanwhile: this much later it is somewhere in a later transaction.
        std::atomic<unsigned> spin = std::uniform_int_distribution<unsigned>(0, 200'000)(random);
        while (spin.load() > 0)
            --spin;
        child.kill();
        while (!(line = child.line()).empty())
            reported = numberIn(line);

        // Every third file is left to the next writer as the killed one left it.
        if (round % 3 == 0)
            continue;
        const auto check = [&](auto &run) {
            const auto events = run.eventsAfter(0);
            ACCELOPT_VERIFY_OK(events);
            const auto batches = wholeBatches(*events);
            QVERIFY2(batches, "a batch is torn");
            QVERIFY2(*batches > reported, "a batch that was reported as written is lost");
            for (const Event &event : *events)
                ACCELOPT_VERIFY_OK(run.text(std::get<CallFailed>(event.body).answer));
            reported = *batches - 1;
        };
        if (round % 3 == 1) {
            auto reader = RunReader::openForReading(file());
            ACCELOPT_VERIFY_OK(reader);
            QVERIFY(!reader->writer());
            check(*reader);
        } else {
            auto run = RunFile::openForWriting(file());
            ACCELOPT_VERIFY_OK(run);
            check(*run);
            const std::string incremental = viewsAsText(*run);
            ACCELOPT_VERIFY_OK(run->rebuildViews());
            QCOMPARE(viewsAsText(*run), incremental);
            ACCELOPT_VERIFY_OK(run->close());
        }
        if (QTest::currentTestFailed())
            return;
    }
    QVERIFY2(reported > kRounds, "the rounds wrote next to nothing, so nothing was tried");
}

void tst_RunFileCrashes::oneWriterAtATime()
{
    writeRun(file(), {});
    ForkedChild child([this](const ForkedChild::Say &say) { writeForEver(file(), say); });
    QCOMPARE(child.line(), std::string("0"));

    const auto second = RunFile::openForWriting(file());
    QVERIFY(!second);
    QCOMPARE(second.error().code, ErrorCode::Busy);
    QVERIFY2(second.error().message.find(fmt::format("process {}", child.pid())) !=
                 std::string::npos,
             second.error().message.c_str());
    QVERIFY(second.error().hint.find("Follow it") != std::string::npos);

    auto follower = RunReader::openForReading(file());
    ACCELOPT_VERIFY_OK(follower);
    const auto writer = follower->writer();
    QVERIFY(writer);
    QCOMPARE(writer->pid, child.pid());
    for (std::int64_t number = 1; number <= 5; ++number) {
        QCOMPARE(child.line(), std::to_string(number));
        const auto events = follower->eventsAfter(0);
        ACCELOPT_VERIFY_OK(events);
        QVERIFY(wholeBatches(*events).value_or(0) > number);
    }
    child.kill();
    QVERIFY(!follower->writer());
    ACCELOPT_VERIFY_OK(RunFile::openForWriting(file()));
}

void tst_RunFileCrashes::aFileSizeLimitIsAFullDisk()
{
    writeRun(file(), {});
    ForkedChild child([this](const ForkedChild::Say &say) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{500'000, 500'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        auto run = RunFile::openForWriting(file());
        if (!run)
            throw std::runtime_error(describe(run.error()));
        std::mt19937 random(5);
        std::int64_t kept = 0;
        for (int failures = 0; failures < 3;) {
            const Text text = makeText(randomBytes(random, 20'000));
            std::vector<Event> events{eventOf(TimePassed{1}), eventOf(TimePassed{1})};
            const auto outcome = run->append(events, {&text, 1});
            if (outcome) {
                kept = events.back().sequence;
            } else {
                ++failures;
                say(fmt::format("{} {}", exitStatus(outcome.error().code),
                                outcome.error().message));
            }
        }
        static_cast<void>(run->close());
        say(std::to_string(kept));
    });
    for (int i = 0; i < 3; ++i) {
        const std::string line = child.line();
        QVERIFY2(line.starts_with("3 There is no space left to write the run file"), line.c_str());
    }
    const std::int64_t kept = numberIn(child.line());
    QVERIFY(kept > 10);
    child.kill();
    auto run = RunFile::openForWriting(file());
    ACCELOPT_VERIFY_OK(run);
    QCOMPARE(run->latestSequence(), kept);
    const auto events = run->eventsAfter(0);
    ACCELOPT_VERIFY_OK(events);
    QCOMPARE(static_cast<std::int64_t>(events->size()), kept);
}

ACCELOPT_TEST(tst_RunFileCrashes)
#include "tst_RunFileCrashes.moc"
