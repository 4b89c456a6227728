// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/runner/BudgetSharing.h"
#include "core/runner/ExperimentFile.h"
#include "core/runner/SearchSession.h"
#include "core/store/FileLock.h"

#include <QObject>
#include <QString>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::runner {

/// Several searches, as a person asks for them.
struct ExperimentRequest
{
    RunConfig config; ///< of each; its budget is shared by all
    std::vector<std::string> tasks;
    std::filesystem::path folder; ///< of the run files; empty: a new one in the user's data folder
    int workers = 0;              ///< simulator processes of all searches together; 0: one per core
    std::vector<ExperienceItem> carried;
    std::string memoryFrom;
    /// Each task is searched a second time without the carried memory.
    enum class Transfer { NotMeasured, Measured };
    Transfer transfer = Transfer::NotMeasured;
};

/// Several searches that share the simulator's processes and a budget: each has a run file of its
/// own; as many are under way at once as there are processes, and the last one gets all of them.
/// One that fails does not end the others. A shared budget is handed out in rounds, when all
/// searches are at rest, from those that are saturated to those that still gain (see handOut());
/// each decision is an event of the runs it concerns. Lives on one thread with an event loop.
class Experiment : public QObject
{
    Q_OBJECT

public:
    enum class Status {
        Waiting, ///< for its turn
        Running,
        Held, ///< its part of the budget is spent; it may get more
        Done,
        Failed, ///< see error
    };
    struct Part
    {
        ExperimentPart plan;
        Status status = Status::Waiting;
        std::optional<Error> error;
        bool closed = false; ///< gets no more of the budget
    };

    /// Makes the folder and describes the experiment in it. Fails with WrongUse when the folder
    /// holds something already, or an option makes no sense.
    static Result<std::unique_ptr<Experiment>> create(const ExperimentRequest &request,
                                                      const std::filesystem::path &programFolder);
    /// To go on with an experiment. Fails with Busy when another process does.
    static Result<std::unique_ptr<Experiment>> resume(const std::filesystem::path &folder,
                                                      const std::filesystem::path &programFolder,
                                                      int workers);
    ~Experiment() override;

    const std::filesystem::path &folder() const { return m_folder; }
    const ExperimentPlan &plan() const { return m_plan; }
    const std::vector<Part> &parts() const { return m_parts; }
    std::filesystem::path fileOf(std::size_t part) const;
    /// The state of a search that is under way; nullptr otherwise.
    const search::State *stateOf(std::size_t part) const;
    /// Items that the run of this part starts with.
    Result<std::vector<ExperienceItem>> carriedBy(const ExperimentPart &part) const;

    void start();
    /// Lets every search finish what is paid for, and begins nothing more.
    void stop(const std::string &reason);

signals:
    /// Something happened in a search.
    void progressed();
    /// What is being prepared, for a person who waits.
    void preparing(const QString &text);
    /// A search has come to rest.
    void partEnded(int part);
    /// A part of the budget moved, in words.
    void budgetMoved(const QString &text);
    /// All searches are at rest.
    void finished();

private:
    struct Lane;
    Experiment(std::filesystem::path folder, store::FileLock lock, ExperimentPlan plan,
               std::filesystem::path programFolder, int workers);

    void pump();
    Result<void> begin(std::size_t index);
    Result<Budget> firstBudget() const;
    /// Looks at the run file of a search that is not under way: finished, or held.
    void settle(std::size_t index);
    Result<std::unique_ptr<SearchSession>> open(std::size_t index);
    Result<void> applyMoves(std::size_t index, SearchSession &session);
    void watch(Lane &lane);
    void leave(std::size_t index, Status status, std::optional<Error> error);
    void endLane(std::size_t index);
    void shareWorkers();
    /// A round of handing out the budget; true when some search goes on.
    Result<bool> nextRound();
    int round() const;

    std::filesystem::path m_folder;
    store::FileLock m_lock;
    ExperimentPlan m_plan;
    std::filesystem::path m_programFolder;
    int m_workers = 1;
    std::vector<Part> m_parts;
    std::vector<std::unique_ptr<Lane>> m_lanes;
    bool m_stopping = false;
    bool m_pumpScheduled = false;
    bool m_ended = false;

    void schedulePump();
};

/// Where experiments go when nobody names a folder.
std::filesystem::path newExperimentFolder();

} // namespace accelopt::runner
