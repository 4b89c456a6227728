// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/RunConfig.h"
#include "core/domain/Task.h"
#include "core/runner/SearchRunner.h"

#include <QObject>
#include <QString>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace accelopt::profiling {
class ReferenceMaker;
class RemoteHost;
class SimPool;
} // namespace accelopt::profiling
namespace accelopt::runner {

/// The partners of one search, by the names in its configuration: who plays the roles (offline,
/// person, replay:RUN, or a model of the user's), and where kernels are judged. Lives on one thread
/// with an event loop.
class Services : public QObject
{
    Q_OBJECT

public:
    /// Whether every name is known and has what it needs (a key, a recording). Makes nothing.
    static Result<void> check(const RunConfig &config);

    /// `runFile` is where a person's exchange folder is put beside; `workers` are simulator
    /// processes.
    static Result<std::unique_ptr<Services>> open(const RunConfig &config, const Task &task,
                                                  const std::filesystem::path &runFile,
                                                  int workers);
    ~Services() override;

    Players players() const;
    /// From now on at most so many simulator processes.
    void setWorkers(int workers);

signals:
    /// What is being prepared or waited for, for a person.
    void progress(const QString &text);
    /// What a person must do or should know, said once.
    void notice(const QString &text);

private:
    struct Player;
    Services();
    Result<search::Role *> open(const std::string &name);
    Result<void> openProfiler(const RunConfig &config, int workers);

    Task m_task;
    std::filesystem::path m_runFile;
    std::unique_ptr<profiling::ReferenceMaker> m_references;
    std::unique_ptr<profiling::SimPool> m_pool;
    std::unique_ptr<profiling::RemoteHost> m_host;
    std::map<std::string, std::unique_ptr<Player>> m_players; ///< by name
    Players m_chosen;
};

} // namespace accelopt::runner
