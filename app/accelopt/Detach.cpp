// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/SeveralRuns.h"

#include "app/accelopt/Terminal.h"
#include "core/runner/Experiment.h"
#include "core/runner/SearchSession.h"
#include "core/store/FileLock.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QProcessEnvironment>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::cli {

namespace {

/// Milliseconds until a search has either begun or failed.
constexpr qint64 kMostMilliseconds = 60'000;

std::string lastLine(const std::filesystem::path &log)
{
    std::ifstream in(log);
    std::string line;
    std::string last;
    while (std::getline(in, line))
        if (!line.empty())
            last = line;
    return last;
}

bool isRunning(qint64 pid)
{
    return ::kill(pid_t(pid), 0) == 0 || errno == EPERM;
}

/// The options of this program without those that are about the terminal, and with the file named.
QStringList argumentsFor(const RunOptions &options, const std::filesystem::path &out)
{
    QStringList arguments = QCoreApplication::arguments().mid(1);
    arguments.removeAll(QStringLiteral("--detach"));
    arguments.removeAll(QStringLiteral("--json"));
    if (options.out.empty())
        arguments << QStringLiteral("--out") << QString::fromStdString(out.string());
    return arguments;
}

/// What can be said before a process is started.
Result<void> checkFirst(const RunOptions &options, const std::vector<std::string> &tasks)
{
    if (options.resume)
        return {};
    ACCELOPT_TRY(const RunConfig config, options.config());
    ACCELOPT_CHECK(runner::SearchSession::check(config));
    for (const std::string &task : tasks)
        ACCELOPT_CHECK(loadTask(task, config.shape));
    return {};
}

} // namespace

int detach(const RunOptions &options, const std::vector<std::string> &tasks, Searches searches)
{
    if (const auto good = checkFirst(options, tasks); !good)
        return tell(good.error());
    std::filesystem::path out = options.out;
    if (out.empty()) {
        out = searches == Searches::Several ? runner::newExperimentFolder()
                                            : runner::newRunFile(tasks.front());
        std::error_code ignored;
        std::filesystem::create_directories(out.parent_path(), ignored);
    }
    const std::filesystem::path locked =
        searches == Searches::Several ? runner::experimentFile(out) : out;
    if (const auto holder = store::FileLock::holder(locked))
        return tell({ErrorCode::Busy,
                     fmt::format("process {} searches in {} already", holder->pid, out.string()),
                     "follow it with --resume, without --detach",
                     {}});
    const std::filesystem::path log = out.string() + ".log";
    std::error_code ignored;
    std::filesystem::remove(log, ignored);

    QProcess process;
    process.setProgram(QCoreApplication::applicationFilePath());
    process.setArguments(argumentsFor(options, out));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ACCELOPT_DETACHED"), QStringLiteral("1"));
    process.setProcessEnvironment(environment);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(QString::fromStdString(log.string()));
    process.setStandardErrorFile(QString::fromStdString(log.string()), QIODevice::Append);
    qint64 pid = 0;
    // A session of its own: closing the terminal does not reach it.
    if (!process.startDetached(&pid))
        return tell({ErrorCode::Environment,
                     fmt::format("the search could not be started ({})",
                                 process.errorString().toStdString()),
                     fmt::format("check that {} can be written", log.string()),
                     {}});

    QElapsedTimer clock;
    clock.start();
    bool begun = false;
    while (!begun && isRunning(pid) && clock.elapsed() < kMostMilliseconds) {
        usleep(20'000);
        const auto holder = store::FileLock::holder(locked);
        // It says what it searches for once the first event is written.
        begun = holder && holder->pid == pid && !lastLine(log).empty();
    }
    if (!begun && !std::filesystem::exists(out, ignored)) {
        Terminal::message(lastLine(log).empty() ? "accelopt: the search ended before it began"
                                                : lastLine(log));
        std::filesystem::remove(log, ignored);
        return exitStatus(ErrorCode::Environment);
    }
    if (options.asJson) {
        Terminal::result(nlohmann::json{
            {"file", out.string()},
            {"pid", pid},
            {"log", log.string()},
            {"begun", begun}}.dump(2));
        return 0;
    }
    Terminal::result(fmt::format("searching in the background, kept in {}\n"
                                 "follow it with  accelopt run --resume --out '{}'\n"
                                 "look at it with accelopt show '{}'\n"
                                 "stop it with    kill -INT {}\n"
                                 "it writes to    {}",
                                 out.string(), out.string(), out.string(), pid, log.string()));
    return 0;
}

} // namespace accelopt::cli
