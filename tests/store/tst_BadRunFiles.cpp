// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunFile.h"
#include "core/store/RunReader.h"
#include "tests/store/ForkedChild.h"
#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <SQLiteCpp/SQLiteCpp.h>
#include <functional>
#include <unistd.h>

using namespace accelopt;
using namespace accelopt::tests;
using store::RunFile;
using store::RunReader;

namespace {

using Path = std::filesystem::path;
using Make = std::function<void(const Path &)>;

void changeRaw(const Path &file, const std::string &sql)
{
    SQLite::Database raw(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    raw.exec(sql);
}

/// A good run file on which somebody has then used plain SQL.
Make runWith(const std::string &sql)
{
    return [sql](const Path &file) {
        writeSampleRun(file);
        changeRaw(file, sql);
    };
}

Make bytes(const std::string &content)
{
    return [content](const Path &file) { writeBytes(file, content); };
}

} // namespace
Q_DECLARE_METATYPE(Make)
Q_DECLARE_METATYPE(ErrorCode)

class tst_BadRunFiles : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void isRefusedUntouched_data();
    void isRefusedUntouched();
    void damageInsideIsNoticedWhenRead_data();
    void damageInsideIsNoticedWhenRead();
    void aForeignTriggerKeepsFromWritingOnly();
    void placesThatCannotBeWritten();
    void placesThatCanOnlyBeRead();

private:
    Path folder() const { return m_folder->path().toStdString(); }
    Path file() const { return folder() / "run"; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_BadRunFiles::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void tst_BadRunFiles::isRefusedUntouched_data()
{
    std::mt19937 random(6);
    QTest::addColumn<Make>("make");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char *name, const Make &make, ErrorCode code,
                        const std::string &message) {
        QTest::newRow(name) << make << code << message;
    };
    row(
        "nothing is there", [](const Path &) {}, ErrorCode::WrongUse, "There is no run file");
    row(
        "it is a folder", [](const Path &path) { std::filesystem::create_directory(path); },
        ErrorCode::WrongUse, "is not an ordinary file");
    row("it is empty", bytes(""), ErrorCode::Format, "is empty");
    row("it is a short text", bytes("import neuronxcc\n"), ErrorCode::Format, "not a database");
    row("it is a long text", bytes(std::string(20'000, 'x')), ErrorCode::Format, "not a database");
    row("it is noise", bytes(randomBytes(random, 8192)), ErrorCode::Format, "not a database");
    row(
        "it is another program's database",
        [](const Path &path) { changeRaw(path, "CREATE TABLE notes (text TEXT)"); },
        ErrorCode::Format, "database of another program");
    row(
        "it is another program's database with a write-ahead log",
        [](const Path &path) {
            // The process that has it open ends without closing it.
            ForkedChild child([&](const ForkedChild::Say &say) {
                SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
                raw.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)");
                say("made");
                pause();
            });
            child.line();
        },
        ErrorCode::Format, "database of another program");
    row(
        "it is cut after its first page",
        [](const Path &path) {
            writeSampleRun(path);
            std::filesystem::resize_file(path, 4096);
        },
        ErrorCode::Format, "damaged");
    row(
        "it claims to be a run file and has other tables",
        [](const Path &path) {
            changeRaw(path, "PRAGMA application_id = 0x41634f70; PRAGMA user_version = 1;"
                            "CREATE TABLE event (x); CREATE TABLE text (y)");
        },
        ErrorCode::Format, "its part \"event\" is not as it must be");
    row("its guard against changes was removed", runWith("DROP TRIGGER event_is_never_changed"),
        ErrorCode::Format, "its part \"event_is_never_changed\"");
    row("it is of a newer form", runWith("PRAGMA user_version = 2"), ErrorCode::Newer,
        "form 2; this one reads up to 1");
    row("it does not say its form", runWith("PRAGMA user_version = 0"), ErrorCode::Format,
        "does not say its form");
}

void tst_BadRunFiles::isRefusedUntouched()
{
    QFETCH(Make, make);
    QFETCH(ErrorCode, code);
    QFETCH(std::string, message);
    make(file());
    const std::string before = folderAsText(folder());

    const auto writing = RunFile::openForWriting(file());
    QVERIFY(!writing);
    QCOMPARE(writing.error().code, code);
    QVERIFY2(writing.error().message.find(message) != std::string::npos,
             writing.error().message.c_str());
    QVERIFY2(writing.error().message.find(file().string()) != std::string::npos,
             writing.error().message.c_str());
    QVERIFY(!writing.error().hint.empty());
    QCOMPARE(folderAsText(folder()), before);

    const auto reading = RunReader::openForReading(file());
    QVERIFY(!reading);
    QCOMPARE(reading.error().code, code);
    QCOMPARE(reading.error().message, writing.error().message);
    QCOMPARE(folderAsText(folder()), before);
}

void tst_BadRunFiles::damageInsideIsNoticedWhenRead_data()
{
    QTest::addColumn<std::string>("sql");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<std::string>("message");
    QTest::addColumn<bool>("canBeWritten");
    const auto event = [](const std::string &kind, int version, const std::string &payload) {
        return "INSERT INTO event VALUES (28, 0, 'a', '" + kind + "', '', " +
               std::to_string(version) + ", '" + payload + "')";
    };
    const auto withoutGuard = [](const std::string &sql) {
        return "PRAGMA writable_schema = ON;"
               "CREATE TEMP TABLE guard AS SELECT * FROM sqlite_schema WHERE type = 'trigger';"
               "DELETE FROM sqlite_schema WHERE type = 'trigger'; PRAGMA writable_schema = RESET;" +
               sql +
               "; PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM guard;"
               "PRAGMA writable_schema = RESET";
    };
    QTest::newRow("an event of a newer version")
        << event("time_passed", 2, "{\"seconds\": 1}") << ErrorCode::Newer
        << std::string("event \"time_passed\", form 2") << false;
    QTest::newRow("an event of an unknown kind")
        << event("moon_landed", 1, "{}") << ErrorCode::Newer
        << std::string("event \"moon_landed\", form 1") << false;
    QTest::newRow("an event that is not JSON")
        << event("time_passed", 1, "seconds") << ErrorCode::Format
        << std::string("its event 28 (\"time_passed\")") << true;
    QTest::newRow("an event without its fields")
        << event("time_passed", 1, "[1, 2]") << ErrorCode::Format
        << std::string("its event 28 (\"time_passed\")") << true;
    QTest::newRow("a missing event")
        << withoutGuard("DELETE FROM event WHERE seq = 7") << ErrorCode::Format
        << std::string("its event 7 is missing") << true;
}

void tst_BadRunFiles::damageInsideIsNoticedWhenRead()
{
    QFETCH(std::string, sql);
    QFETCH(ErrorCode, code);
    QFETCH(std::string, message);
    QFETCH(bool, canBeWritten);
    runWith(sql)(file());
    const std::string before = folderAsText(folder());
    {
        auto reader = RunReader::openForReading(file());
        ACCELOPT_VERIFY_OK(reader);
        const auto events = reader->eventsAfter(0);
        QVERIFY(!events);
        QCOMPARE(events.error().code, code);
        QVERIFY2(events.error().message.find(message) != std::string::npos,
                 events.error().message.c_str());
        QCOMPARE(reader->eventsAfter(0, 6)->size(), std::size_t(6));
    }
    QCOMPARE(folderAsText(folder()), before);
    if (canBeWritten)
        return;
    const auto run = RunFile::openForWriting(file());
    QVERIFY(!run);
    QCOMPARE(run.error().code, code);
    QVERIFY(run.error().message.find(message) != std::string::npos);
    QCOMPARE(folderAsText(folder()), before);
}

void tst_BadRunFiles::aForeignTriggerKeepsFromWritingOnly()
{
    runWith("CREATE TRIGGER trap AFTER INSERT ON event BEGIN DELETE FROM kernel; END")(file());
    const std::string before = folderAsText(folder());
    ACCELOPT_VERIFY_OK(RunReader::openForReading(file()));
    const auto run = RunFile::openForWriting(file());
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::Format);
    QVERIFY(run.error().message.find("trigger \"trap\"") != std::string::npos);
    QCOMPARE(folderAsText(folder()), before);
}

namespace {

/// Gives up root's rights, for which nothing is read-only.
void becomeNobody()
{
    constexpr unsigned kNobody = 65534;
    if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0))
        throw std::runtime_error("cannot become nobody");
}

template <typename T> std::string outcomeOf(const Result<T> &result)
{
    return result ? std::string("opened")
                  : std::to_string(exitStatus(result.error().code)) + " " + result.error().message;
}

} // namespace

void tst_BadRunFiles::placesThatCannotBeWritten()
{
    using std::filesystem::perms;
    std::filesystem::permissions(folder(), perms(0755));
    std::filesystem::create_directory(folder() / "open");
    std::filesystem::permissions(folder() / "open", perms(0777));
    std::filesystem::create_directory(folder() / "closed");
    writeRun(folder() / "closed" / "run", {openedRun()});
    std::filesystem::permissions(folder() / "closed", perms(0555));
    writeRun(folder() / "open" / "protected", {openedRun()});
    std::filesystem::permissions(folder() / "open" / "protected", perms(0444));
    writeRun(folder() / "open" / "secret", {openedRun()});
    std::filesystem::permissions(folder() / "open" / "secret", perms(0));
    const std::string before = folderAsText(folder() / "open") + folderAsText(folder() / "closed");

    ForkedChild child([this](const ForkedChild::Say &say) {
        becomeNobody();
        say(outcomeOf(RunFile::create(folder() / "closed" / "new")));
        say(outcomeOf(RunFile::openForWriting(folder() / "closed" / "run")));
        say(outcomeOf(RunFile::openForWriting(folder() / "open" / "protected")));
        say(outcomeOf(RunFile::openForWriting(folder() / "open" / "secret")));
        say(outcomeOf(RunReader::openForReading(folder() / "open" / "secret")));
    });
    const std::string closed = (folder() / "closed").string();
    const std::string denied = " (Permission denied)";
    QCOMPARE(child.line(), "3 The run file " + closed +
                               "/new cannot be written because nothing can be made in the folder " +
                               closed + denied);
    QCOMPARE(child.line(), "3 The run file " + closed +
                               "/run cannot be written because nothing can be made in the folder " +
                               closed + denied);
    const std::string open = (folder() / "open").string();
    QCOMPARE(child.line(), "3 The run file " + open + "/protected cannot be written" + denied);
    QCOMPARE(child.line(), "3 " + open + "/secret cannot be read" + denied);
    QCOMPARE(child.line(), "3 " + open + "/secret cannot be read" + denied);
    QCOMPARE(folderAsText(folder() / "open") + folderAsText(folder() / "closed"), before);
    std::filesystem::permissions(folder() / "closed", perms(0755));
}

void tst_BadRunFiles::placesThatCanOnlyBeRead()
{
    using std::filesystem::perms;
    std::filesystem::permissions(folder(), perms(0755));
    // One run closed, one whose writer was killed, and a copy of the latter's main file alone.
    writeSampleRun(folder() / "closed");
    writeSampleRun(folder() / "killed");
    {
        ForkedChild child([this](const ForkedChild::Say &say) {
            auto run = RunFile::openForWriting(folder() / "killed");
            std::vector<Event> events{eventOf(TimePassed{1})};
            say(outcomeOf(run->append(events, {})));
            pause();
        });
        QCOMPARE(child.line(), std::string("opened"));
        std::filesystem::copy_file(folder() / "killed", folder() / "alone");
        std::filesystem::copy_file(folder() / "killed", folder() / "logged");
        std::filesystem::copy_file(folder() / "killed-wal", folder() / "logged-wal");
    }
    for (const auto &entry : std::filesystem::directory_iterator(folder()))
        std::filesystem::permissions(entry, perms(0444));
    std::filesystem::permissions(folder(), perms(0555));
    const std::string before = folderAsText(folder());

    ForkedChild child([this](const ForkedChild::Say &say) {
        becomeNobody();
        for (const char *name : {"closed", "killed", "alone", "logged"}) {
            auto reader = RunReader::openForReading(folder() / name);
            if (!reader)
                throw std::runtime_error(describe(reader.error()));
            const auto events = reader->eventsAfter(0);
            say(std::string(name) + " " + std::to_string(events ? events->size() : 0) +
                (reader->notice().empty() ? "" : " with a notice"));
        }
    });
    QCOMPARE(child.line(), std::string("closed 27"));
    QCOMPARE(child.line(), std::string("killed 28"));
    QCOMPARE(child.line(), std::string("alone 27"));
    QCOMPARE(child.line(), std::string("logged 27 with a notice"));
    QCOMPARE(folderAsText(folder()), before);
    std::filesystem::permissions(folder(), perms(0755));
}

ACCELOPT_TEST(tst_BadRunFiles)
#include "tst_BadRunFiles.moc"
