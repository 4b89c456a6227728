// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/domain/Verdict.h"
#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/SimPool.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}
namespace accelopt::profiling {
class RemoteHost;
}

namespace accelopt::cli {

enum class Output { Text, Json };

/// What a command leaves behind: it is run after the options have been parsed and gives the exit
/// status.
using Action = std::function<int()>;

// Each adds its sub-command to the program and sets `action` when that one was chosen.
void addBenchCommands(CLI::App &program, Action &action);
void addAuditCommand(CLI::App &program, Action &action);
void addCheckCommand(CLI::App &program, Action &action);
void addMemoryCommand(CLI::App &program, Action &action);
void addDoctorCommand(CLI::App &program, Action &action);
void addOracleCommand(CLI::App &program, Action &action);
void addProfileCommand(CLI::App &program, Action &action);
void addServiceCommands(CLI::App &program, Action &action);
void addRunCommand(CLI::App &program, Action &action);
void addShowCommands(CLI::App &program, Action &action);

/// Folder of the running program.
std::filesystem::path programFolder();

/// Prints the failure to stderr and gives its exit status.
int tell(const Error &error);

/// A task by name at a shape, from everywhere tasks are kept, whose reference may be run: a person
/// at a terminal is asked when nobody has confirmed it yet (see needTrust()).
Result<Task> loadTask(const std::string &name, const std::string &shape);

/// One kernel after the other judged in a worker process here or on a host, waiting for each
/// answer; progress goes to stderr.
class Bench
{
public:
    /// `place` is "sim" or the name of a host in hosts.json.
    static Result<std::unique_ptr<Bench>> open(Task task, const std::string &device,
                                               const std::string &place);
    /// By the simulator of this machine, for the device trn1.
    static Result<std::unique_ptr<Bench>> openHere(Task task);
    Bench();
    ~Bench();
    Result<profiling::JudgeReply> judge(profiling::PoolQuestion question);
    const Task &task() const { return m_task; }

private:
    Task m_task;
    std::unique_ptr<profiling::ReferenceMaker> m_references;
    std::unique_ptr<profiling::SimPool> m_pool;
    std::unique_ptr<profiling::RemoteHost> m_host; ///< instead of the pool
};

/// What has to be said of every kernel that only the simulator calls correct.
inline constexpr std::string_view kSimulatedNote =
    "as the simulator sees it; the vendor's compiler may still refuse the kernel";

/// "line 12: ..." with the caret, for people; of a correct kernel what is worth knowing.
std::string verdictText(const Verdict &verdict, std::string_view source);

} // namespace accelopt::cli
