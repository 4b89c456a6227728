// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskCatalogue.h"

#include "core/bench/TaskLoader.h"
#include "core/domain/NamesLike.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace accelopt::bench {

namespace fs = std::filesystem;

namespace {

bool holdsTask(const fs::path &folder)
{
    std::error_code status;
    return fs::is_regular_file(folder / "task.json", status);
}

std::vector<fs::path> subfolders(const fs::path &folder)
{
    std::vector<fs::path> found;
    std::error_code status;
    for (fs::directory_iterator it(folder, status), end; !status && it != end; it.increment(status))
        if (it->is_directory(status) && it->path().filename().string().front() != '.')
            found.push_back(it->path());
    return found;
}

fs::path confirmationsFile()
{
    return userDataFolder() / "confirmed_references";
}

} // namespace

TaskCatalogue::TaskCatalogue(const std::vector<TaskFolder> &folders)
{
    const auto add = [this](std::string name, const fs::path &path, TaskOrigin origin) {
        const auto same = [&](const TaskEntry &entry) { return entry.name == name; };
        if (std::none_of(m_entries.begin(), m_entries.end(), same))
            m_entries.push_back({std::move(name), path, origin});
    };
    for (const TaskFolder &folder : folders) {
        for (const fs::path &child : subfolders(folder.path)) {
            const std::string name = child.filename().string();
            if (holdsTask(child)) {
                add(name, child, folder.origin);
                continue;
            }
            for (const fs::path &grandchild : subfolders(child))
                if (holdsTask(grandchild))
                    add(name + "/" + grandchild.filename().string(), grandchild, folder.origin);
        }
    }
    std::sort(m_entries.begin(), m_entries.end(),
              [](const TaskEntry &a, const TaskEntry &b) { return a.name < b.name; });
}

TaskCatalogue TaskCatalogue::standard(const fs::path &programFolder)
{
    return TaskCatalogue(standardFolders(programFolder));
}

std::vector<std::string> TaskCatalogue::names() const
{
    std::vector<std::string> names;
    for (const TaskEntry &entry : m_entries)
        names.push_back(entry.name);
    return names;
}

Result<Task> TaskCatalogue::load(const std::string &name, const std::string &shapeName) const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const TaskEntry &entry) { return entry.name == name; });
    if (found == m_entries.end()) {
        const auto known = names();
        if (known.empty())
            return fail(ErrorCode::Environment, "no tasks were found",
                        "set ACCELOPT_NKIBENCH to the folder that holds them");
        const auto like = namesLike(name, known);
        const std::string all = fmt::format("tasks: {}", fmt::join(known, ", "));
        return fail(
            ErrorCode::WrongUse, fmt::format("there is no task \"{}\"", name),
            like.empty() ? all : fmt::format("did you mean {}? {}", fmt::join(like, " or "), all));
    }
    ACCELOPT_TRY(Task task, loadTask(found->folder, shapeName));
    task.name = found->name;
    task.trusted = found->origin == TaskOrigin::BuiltIn || taskTrust(task) == TaskTrust::Confirmed;
    return task;
}

fs::path userDataFolder()
{
    if (const char *data = std::getenv("XDG_DATA_HOME"); data && *data == '/')
        return fs::path(data) / "accelopt";
    if (const char *home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".local/share/accelopt";
    return fs::temp_directory_path() / "accelopt";
}

std::vector<TaskFolder> standardFolders(const fs::path &programFolder)
{
    std::vector<TaskFolder> folders;
    if (const char *own = std::getenv("ACCELOPT_NKIBENCH"); own && *own)
        folders.push_back({own, TaskOrigin::BuiltIn});
    folders.push_back({userDataFolder() / "tasks", TaskOrigin::UserData});
    folders.push_back({programFolder / "../share/accelopt/nkibench", TaskOrigin::BuiltIn});
    folders.push_back({ACCELOPT_SOURCE_NKIBENCH, TaskOrigin::BuiltIn});
    return folders;
}

Result<void> confirmTask(const Task &task)
{
    if (taskTrust(task) == TaskTrust::Confirmed)
        return {};
    const fs::path file = confirmationsFile();
    std::error_code status;
    fs::create_directories(file.parent_path(), status);
    std::ofstream stream(file, std::ios::app | std::ios::binary);
    stream << task.hash << ' ' << task.name << '\n';
    stream.flush();
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("cannot write {}", file.string()),
                    "check the folder's permissions and the free space");
    return {};
}

TaskTrust taskTrust(const Task &task)
{
    std::ifstream stream(confirmationsFile());
    TaskTrust trust = TaskTrust::Never;
    for (std::string line; std::getline(stream, line);) {
        const std::size_t blank = line.find(' ');
        if (!task.hash.empty() && line.substr(0, blank) == task.hash)
            return TaskTrust::Confirmed;
        if (blank != std::string::npos && line.substr(blank + 1) == task.name)
            trust = TaskTrust::Changed;
    }
    return trust;
}

Error notTrusted(const Task &task)
{
    const char *const why = taskTrust(task) == TaskTrust::Changed
                                ? "the task has changed since somebody confirmed it"
                                : "nobody has confirmed it yet";
    return {ErrorCode::WrongUse,
            fmt::format("the reference of task {} is not run: {}", task.name, why),
            fmt::format("read {}, which would run with your rights, and confirm it with "
                        "`accelopt bench trust {}`",
                        task.referencePath, task.name),
            {}};
}

} // namespace accelopt::bench
