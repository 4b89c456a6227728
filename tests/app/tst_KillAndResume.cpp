// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include "core/search/Random.h"

#include <QElapsedTimer>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QUuid>
#include <algorithm>
#include <fmt/format.h>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

// What the sanitizers look for shows in few rounds, and under them a round takes many times as
// long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 4;
#else
constexpr int kRounds = 25;
#endif
constexpr const char *kMark = "ACCELOPT_TEST_MARK";

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

} // namespace

/// A run may be killed at any moment: resumed, it comes to what it would have come to.
class tst_KillAndResume : public QObject
{
    Q_OBJECT

private slots:
    void aKilledRunComesToTheSame();

private:
    /// Runs the program, and kills it after so many milliseconds (-1: never).
    Life live(const Arguments &arguments, int milliseconds) const;
    std::string canonicalOf(const std::string &file) const;
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    QTemporaryDir m_folder;
    std::string m_mark;
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

std::string tst_KillAndResume::canonicalOf(const std::string &file) const
{
    const std::string out = file + ".json";
    const Ran ran = runProgram({"export", file, "--canonical", out});
    return ran.status == 0 ? contentOf(out) : ran.err;
}

void tst_KillAndResume::aKilledRunComesToTheSame()
{
    m_mark = QUuid::createUuid().toString().toStdString();
    // One worker or two: what a run comes to does not depend on it.
    const auto workers = [](int round) { return std::to_string(1 + round % 2); };
    const auto start = [&](const std::string &file, int round) {
        return Arguments{"run", "--task", "silu", "--shape",   "lab",         "-T",
                         "3",   "-B",     "2",    "-N",        "3",           "--seed",
                         "5",   "--out",  file,   "--workers", workers(round)};
    };
    // The first run also makes the tensors that all others read.
    QCOMPARE(live(start(path("first.accelopt"), 0), 110'000).status, 0);
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(live(start(path("whole.accelopt"), 1), 110'000).status, 0);
    const int length = int(clock.elapsed());
    const std::string whole = canonicalOf(path("whole.accelopt"));
    QVERIFY2(contains(whole, "kernels"), whole.c_str());
    QCOMPARE(canonicalOf(path("first.accelopt")), whole);

    search::Random random(20'251);
    int kills = 0;
    int resumed = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::string file = path(fmt::format("{}.accelopt", round));
        const auto moment = [&] { return int(random.below(std::uint64_t(length))); };
        Life life = live(start(file, round), moment());
        kills += life.ended ? 0 : 1;
        // Every third round is killed a second time.
        bool again = round % 3 == 0;
        for (int tries = 0; !life.ended && tries < 5; ++tries) {
            const int patience = std::exchange(again, false) ? moment() : 60'000;
            if (!exists(file)) {
                life = live(start(file, round), patience);
            } else {
                life =
                    live({"run", "--resume", "--out", file, "--workers", workers(round)}, patience);
                ++resumed;
                // Killed before its first event was written: the file says so, nothing was paid.
                if (life.ended && life.status == 2 && contains(life.err, "holds no run")) {
                    std::filesystem::remove(file);
                    life.ended = false;
                    continue;
                }
            }
            kills += life.ended ? 0 : 1;
        }
        QVERIFY2(life.ended && life.status == 0,
                 fmt::format("round {}: {}: {}", round, life.status, life.err).c_str());
        const std::string canonical = canonicalOf(file);
        QVERIFY2(canonical == whole, fmt::format("round {} came to something else", round).c_str());
    }
    // Most moments fall into the run: the test would prove nothing otherwise.
    QVERIFY2(kills >= kRounds / 2, fmt::format("{} kills", kills).c_str());
    QVERIFY2(resumed >= kRounds / 3, fmt::format("{} resumed", resumed).c_str());
    // Workers notice that their program is gone.
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(m_mark), std::string(), 20'000);
}

ACCELOPT_TEST(tst_KillAndResume)
#include "tst_KillAndResume.moc"
