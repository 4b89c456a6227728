// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/DependenceLearner.h"

#include "core/bench/DependenceFile.h"
#include "core/bench/ReferenceDriver.h"
#include "core/profiling/ChildLimits.h"

#include <QProcess>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace accelopt::profiling {
namespace {

constexpr int kLearnMilliseconds = 600'000;
constexpr std::int64_t kLearnMemoryBytes = std::int64_t(8) << 30;

} // namespace

Result<std::string> learnDependence(const Task &task, const std::string &python)
{
    if (!task.trusted)
        return fail(ErrorCode::WrongUse,
                    fmt::format("the reference of task {} is not run: nobody has confirmed it yet",
                                task.name),
                    fmt::format("Read {} and confirm the task; its code runs with your rights.",
                                task.referencePath));
    std::ifstream stream(task.referencePath, std::ios::binary);
    const std::string reference(std::istreambuf_iterator<char>(stream), {});
    const std::vector<std::string> command = bench::referenceDriverCommand(python);
    QStringList arguments;
    for (std::size_t i = 1; i < command.size(); ++i)
        arguments << QString::fromStdString(command[i]);
    QProcess process;
    ChildLimits limits;
    limits.memoryBytes = kLearnMemoryBytes;
    confine(process, limits, {});
    process.start(QString::fromStdString(command.front()), arguments);
    process.write(QByteArray::fromStdString(bench::dependenceRequest(task, 1)));
    process.closeWriteChannel();
    if (!process.waitForFinished(kLearnMilliseconds)) {
        killGroup(process);
        process.waitForFinished();
        return fail(ErrorCode::Environment,
                    fmt::format("what the reference of {} depends on could not be learnt: {}",
                                task.name, process.errorString().toStdString()),
                    "Use a smaller shape of the task (--shape lab).");
    }
    return bench::dependenceText(task, reference, process.readAllStandardOutput().toStdString(),
                                 process.readAllStandardError().toStdString());
}

} // namespace accelopt::profiling
