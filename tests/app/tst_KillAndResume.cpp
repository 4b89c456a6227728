// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include "core/search/Random.h"
#include "core/store/RunReader.h"

#include <QElapsedTimer>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QUuid>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

// What the sanitizers look for shows in few rounds, and under them a round takes many times as
// long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kUsualRounds = 4;
#else
constexpr int kUsualRounds = 9;
#endif
constexpr const char *kMark = "ACCELOPT_TEST_MARK";

/// Qt's watchdog gives a test function five minutes, which many rounds exceed. It reads this once,
/// before the first test.
[[maybe_unused]] const bool kPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");

/// Rounds of killing; a person who has the time asks for more: ACCELOPT_KILL_ROUNDS=100.
int wantedRounds()
{
    bool good = false;
    const int rounds = qEnvironmentVariableIntValue("ACCELOPT_KILL_ROUNDS", &good);
    return good && rounds > 0 ? rounds : kUsualRounds;
}

/// Names of the processes whose environment carries the mark, whoever their parent is by now.
std::string processesWith(const std::string &mark)
{
    std::string found;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename().string();
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
            continue;
        if (contains(contentOf(entry.path() / "environ"), mark))
            found += name + " " + contentOf(entry.path() / "comm");
    }
    return found;
}

/// How a process ended, and what it said.
struct Life
{
    bool ended = false; ///< by itself
    int status = 255;
    std::string err;
};

// One worker or two: what a run comes to does not depend on it.
std::string workers(int round)
{
    return std::to_string(1 + round % 2);
}

/// The decisions about the budget that the searches of a folder share.
std::string movesIn(const std::string &folder)
{
    const nlohmann::json experiment =
        nlohmann::json::parse(contentOf(folder + "/experiment.json"), nullptr, false);
    return experiment.is_object() ? experiment["moves"].dump(1) : "no experiment";
}

const std::vector<std::string> kTasks{"silu", "adamw", "rmsnorm_matmul"};

} // namespace

/// A search may be killed at any moment: gone on with, it comes to what it would have come to.
/// Every kind of event lies on the way.
class tst_KillAndResume : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aKilledRunComesToTheSame();
    void killedSearchesThatShareABudgetComeToTheSame();
    void everyKindOfEventWasOnTheWay();
    void cleanupTestCase();

private:
    /// Runs the program, and kills it after so many milliseconds (-1: never).
    Life live(const Arguments &arguments, int milliseconds) const;
    /// Runs it again and again with `again` until it ends by itself; killed once or twice on the
    /// way.
    Life survive(const Arguments &first, const std::function<Arguments()> &again, int length,
                 int round);
    std::string canonicalOf(const std::string &file) const;
    void noteKinds(const std::string &file);
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    int moment(int length) { return int(m_random.below(std::uint64_t(std::max(length, 1)))); }

    QTemporaryDir m_folder;
    std::string m_mark;
    search::Random m_random{20'251};
    int m_rounds = 0;
    int m_kills = 0;
    int m_resumed = 0;
    std::set<std::string> m_kinds;
};

Life tst_KillAndResume::live(const Arguments &arguments, int milliseconds) const
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QString::fromLatin1(kMark), QString::fromStdString(m_mark));
    process.setProcessEnvironment(environment);
    process.start(kProgram, toQt(arguments));
    Life life;
    if (process.waitForFinished(milliseconds)) {
        life.ended = process.exitStatus() == QProcess::NormalExit;
        life.status = process.exitCode();
    } else {
        process.kill();
        process.waitForFinished();
    }
    life.err = process.readAllStandardError().toStdString();
    return life;
}

Life tst_KillAndResume::survive(const Arguments &first, const std::function<Arguments()> &again,
                                int length, int round)
{
    Life life = live(first, moment(length));
    m_kills += life.ended ? 0 : 1;
    // Every third round is killed a second time.
    bool twice = round % 3 == 0;
    for (int tries = 0; !life.ended && tries < 5; ++tries) {
        life = live(again(), std::exchange(twice, false) ? moment(length) : 60'000);
        ++m_resumed;
        m_kills += life.ended ? 0 : 1;
        // Killed before its first event was written: the file says so, nothing was paid.
        if (life.ended && life.status == 2 && contains(life.err, "holds no run")) {
            std::filesystem::remove(again()[3]);
            life.ended = false;
        }
    }
    return life;
}

std::string tst_KillAndResume::canonicalOf(const std::string &file) const
{
    const std::string out = file + ".json";
    const Ran ran = runProgram({"export", file, "--canonical", out});
    return ran.status == 0 ? contentOf(out) : ran.err;
}

void tst_KillAndResume::noteKinds(const std::string &file)
{
    auto reader = store::RunReader::openForReading(file);
    ACCELOPT_VERIFY_OK(reader);
    const auto events = reader->eventsAfter(0);
    ACCELOPT_VERIFY_OK(events);
    for (const Event &event : *events)
        m_kinds.insert(std::string(kind(event.body)));
}

void tst_KillAndResume::initTestCase()
{
    m_mark = QUuid::createUuid().toString().toStdString();
    m_rounds = wantedRounds();
}

void tst_KillAndResume::aKilledRunComesToTheSame()
{
    // Its lessons are carried into all others; it also makes the tensors that they read.
    const std::string lessons = path("lessons.accelopt");
    QCOMPARE(
        live({"run", "--task", "silu", "--shape", "lab", "-T", "1", "-N", "3", "--out", lessons},
             110'000)
            .status,
        0);
    const auto begin = [&](const std::string &file, int round) {
        return Arguments{"run",         "--task",
                         "silu",        "--shape",
                         "lab",         "-T",
                         "2",           "-B",
                         "2",           "-N",
                         "3",           "--seed",
                         "5",           "--memory-policy",
                         "reviewed",    "--budget-kernels",
                         "60",          "--budget-minutes",
                         "90",          "--memory-from",
                         lessons,       "--out",
                         file,          "--workers",
                         workers(round)};
    };
    const auto decide = [&](const std::string &file) {
        // A person's word between two lives of the run, on lessons of its own and from elsewhere.
        QCOMPARE(runProgram({"memory", file, "--approve", "e0.0", "--approve", "lessons:e0.0",
                             "--reject", "e0.1", "--reason", "only noise"})
                     .status,
                 0);
        QCOMPARE(runProgram({"memory", file, "--pin", "e0.0"}).status, 0);
    };
    const auto goOn = [&](const std::string &file, int round) {
        return Arguments{"run", "--resume", "--out", file,        "-T",
                         "4",   "--task",   "silu",  "--workers", workers(round)};
    };
    QElapsedTimer clock;
    clock.start();
    const std::string wholeFile = path("whole.accelopt");
    QCOMPARE(live(begin(wholeFile, 1), 110'000).status, 0);
    const int lengthOfFirst = int(clock.restart());
    decide(wholeFile);
    clock.restart();
    QCOMPARE(live(goOn(wholeFile, 0), 110'000).status, 0);
    const int lengthOfSecond = int(clock.elapsed());
    const std::string whole = canonicalOf(wholeFile);
    QVERIFY2(contains(whole, "only noise"), whole.c_str());
    noteKinds(wholeFile);

    const int rounds = std::max(1, m_rounds * 2 / 3);
    for (int round = 0; round < rounds; ++round) {
        const std::string file = path(fmt::format("{}.accelopt", round));
        // Killed in its first life or after the person's word, by turns.
        const bool early = round % 2 == 0;
        const auto again = [&] {
            return exists(file)
                       ? Arguments{"run", "--resume", "--out", file, "--workers", workers(round)}
                       : begin(file, round);
        };
        Life life = early ? survive(begin(file, round), again, lengthOfFirst, round)
                          : live(begin(file, round), 60'000);
        QVERIFY2(life.ended && life.status == 0,
                 fmt::format("round {}: {}: {}", round, life.status, life.err).c_str());
        decide(file);
        life = early ? live(goOn(file, round), 60'000)
                     : survive(
                           goOn(file, round), [&] { return goOn(file, round); }, lengthOfSecond,
                           round);
        QVERIFY2(life.ended && life.status == 0,
                 fmt::format("round {}: {}: {}", round, life.status, life.err).c_str());
        QVERIFY2(canonicalOf(file) == whole,
                 fmt::format("round {} came to something else", round).c_str());
    }
}

void tst_KillAndResume::killedSearchesThatShareABudgetComeToTheSame()
{
    const auto begin = [&](const std::string &folder, int round) {
        return Arguments{"run",
                         "--task",
                         fmt::format("{}", fmt::join(kTasks, ",")),
                         "--shape",
                         "lab",
                         "-T",
                         "8",
                         "-B",
                         "2",
                         "-N",
                         "2",
                         "--seed",
                         "3",
                         "--out",
                         folder,
                         "--budget-kernels",
                         "24",
                         "--workers",
                         workers(round)};
    };
    QElapsedTimer clock;
    clock.start();
    QVERIFY(live(begin(path("whole"), 1), 110'000).status <= 1);
    const int length = int(clock.elapsed());
    std::vector<std::string> whole;
    for (const std::string &task : kTasks) {
        const std::string file = path("whole/" + task + ".accelopt");
        whole.push_back(canonicalOf(file));
        noteKinds(file);
    }
    const int rounds = std::max(1, m_rounds / 3);
    for (int round = 0; round < rounds; ++round) {
        const std::string folder = path(fmt::format("several-{}", round));
        const auto again = [&] {
            return exists(folder + "/experiment.json")
                       ? Arguments{"run", "--resume", "--out", folder, "--workers", workers(round)}
                       : begin(folder, round);
        };
        const Life life = survive(begin(folder, round), again, length, round);
        QVERIFY2(life.ended && life.status <= 1,
                 fmt::format("round {}: {}: {}", round, life.status, life.err).c_str());
        for (std::size_t i = 0; i < kTasks.size(); ++i)
            QVERIFY2(canonicalOf(folder + "/" + kTasks[i] + ".accelopt") == whole[i],
                     fmt::format("round {}: {} came to something else", round, kTasks[i]).c_str());
        QCOMPARE(movesIn(folder), movesIn(path("whole")));
    }
    // Most moments fall into the run: the test would prove nothing otherwise.
    QVERIFY2(m_kills >= m_rounds / 2, fmt::format("{} kills", m_kills).c_str());
    QVERIFY2(m_resumed >= m_rounds / 3, fmt::format("{} resumed", m_resumed).c_str());
}

void tst_KillAndResume::everyKindOfEventWasOnTheWay()
{
    for (const char *wanted : {"run_opened", "call_started", "plan_made", "attempt_made",
                               "call_failed", "kernel_judged", "pair_summarized", "person_decided",
                               "time_passed", "run_continued", "run_finished", "budget_moved"})
        QVERIFY2(m_kinds.contains(wanted), wanted);
    QCOMPARE(m_kinds.size(), std::variant_size_v<EventBody>);
}

void tst_KillAndResume::cleanupTestCase()
{
    // Workers notice that their program is gone.
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(m_mark), std::string(), 20'000);
}

ACCELOPT_TEST(tst_KillAndResume)
#include "tst_KillAndResume.moc"
