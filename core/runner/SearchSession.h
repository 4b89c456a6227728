// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/runner/SearchRunner.h"

#include <QObject>
#include <QString>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace accelopt::runner {

class Services;

/// A new search, as a person asks for it.
struct RunRequest
{
    RunConfig config;
    std::string task = "silu";
    std::filesystem::path kernel; ///< start from this kernel; empty: the task's baseline
    std::filesystem::path out;    ///< the run file; empty: a new one in the user's data folder
    int workers = 0;              ///< simulator processes; 0: one per core
    /// Items of other runs that the memory starts with, most useful first.
    std::vector<ExperienceItem> carried;
};

/// A search with all that it needs: run file, task, agents, simulator workers. Lives on one thread
/// with an event loop.
class SearchSession : public QObject
{
    Q_OBJECT

public:
    /// What can be said to be wrong with a configuration before a file is made: its values, its
    /// agents, where kernels are judged, the device.
    static Result<void> check(const RunConfig &config);
    /// Opens a new run file and writes its first event. `programFolder` is where the tasks and the
    /// simulator worker are looked for.
    static Result<std::unique_ptr<SearchSession>>
    create(const RunRequest &request, const std::filesystem::path &programFolder);
    /// Opens an existing run file to go on with it. Fails with Busy when another process writes it.
    static Result<std::unique_ptr<SearchSession>> resume(const std::filesystem::path &file,
                                                         const std::filesystem::path &programFolder,
                                                         int workers);
    ~SearchSession() override;

    SearchRunner &runner() { return *m_runner; }
    const Task &task() const { return m_task; }
    const std::filesystem::path &file() const { return m_file; }
    const std::string &notice() const { return m_notice; }
    /// Goes on with a run that a person had stopped, or with another configuration (more
    /// iterations, a larger budget, ...). Does nothing when neither is the case.
    Result<void> takeUp(const RunConfig &config);
    /// From now on at most so many simulator processes.
    void setWorkers(int workers);
    /// Ends what is under way and closes the run file, so that it can be copied.
    Result<void> close();

signals:
    /// What is being prepared, for a person who waits.
    void progress(const QString &text);
    /// What a person must do or should know meanwhile.
    void told(const QString &text);

private:
    class FileJournal;
    SearchSession();
    Result<void> assemble(const RunConfig &config, int workers);

    Task m_task;
    std::filesystem::path m_file;
    std::string m_notice;
    int m_workers = 0;
    std::unique_ptr<FileJournal> m_journal;
    std::unique_ptr<Services> m_services;
    std::unique_ptr<SearchRunner> m_runner; ///< last: it uses the others
};

/// Where run files go when nobody names one: the user's data folder, with the task and the time in
/// the name.
std::filesystem::path newRunFile(const std::string &task);

/// Version of this program, as written into run files.
std::string softwareVersion();

} // namespace accelopt::runner
