// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace accelopt::bench {

/// Whether the references of a folder's tasks may be run without asking.
enum class TaskOrigin {
    BuiltIn,  ///< came with the program, or was named by the person's own environment: trusted
    UserData, ///< imported or written later: trusted once a person has confirmed the content
};

/// A folder whose children with a task.json are tasks; grandchildren are tasks "child/grandchild".
struct TaskFolder
{
    std::filesystem::path path;
    TaskOrigin origin = TaskOrigin::BuiltIn;
};

/// A task that was found but not read yet.
struct TaskEntry
{
    std::string name; ///< "silu", or "PREFIX/problem"
    std::filesystem::path folder;
    TaskOrigin origin = TaskOrigin::BuiltIn;
};

/// Finds tasks by name. Of two tasks with one name the earlier folder's wins.
class TaskCatalogue
{
public:
    /// Looks once through the folders; those that do not exist are passed over.
    explicit TaskCatalogue(const std::vector<TaskFolder> &folders);
    /// Over standardFolders().
    static TaskCatalogue standard(const std::filesystem::path &programFolder);

    /// Every task, ordered by name.
    const std::vector<TaskEntry> &entries() const { return m_entries; }
    std::vector<std::string> names() const;
    /// Loads a task by name at a shape (empty: see loadTask()) and says whether its reference may
    /// be run. An unknown name is WrongUse, and the hint lists names like it and all names.
    Result<Task> load(const std::string &name, const std::string &shapeName) const;

private:
    std::vector<TaskEntry> m_entries;
};

/// $XDG_DATA_HOME/accelopt, by default ~/.local/share/accelopt; where imported tasks (below
/// "tasks") and confirmations are kept.
std::filesystem::path userDataFolder();

/// Where tasks are looked for, in this order: $ACCELOPT_NKIBENCH, the user's data folder, the
/// installed share/accelopt/nkibench beside the program's folder, the source tree the program was
/// built from.
std::vector<TaskFolder> standardFolders(const std::filesystem::path &programFolder);

/// A person has read the task's reference and lets it be run: remembers the hash of its content.
Result<void> confirmTask(const Task &task);
/// What persons have said of a task's reference.
enum class TaskTrust {
    Never,     ///< it was never confirmed
    Changed,   ///< a task of this name was, with another task.json or reference
    Confirmed, ///< this very content was
};
TaskTrust taskTrust(const Task &task);
/// Why the reference of a task that is not trusted is not run, and how to confirm it (WrongUse).
Error notTrusted(const Task &task);

} // namespace accelopt::bench
