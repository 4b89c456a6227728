// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/TensorCache.h"
#include "core/domain/Task.h"
#include "core/profiling/ChildLimits.h"
#include "core/profiling/WorkerProcess.h"
#include "core/profiling/WorkerProtocol.h"
#include "core/search/Interfaces.h"

#include <QObject>
#include <QString>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::profiling {

class ReferenceMaker;

/// The simulator worker's program: $ACCELOPT_NKISIM, else nkisim beside the running program. Fails
/// with Environment when there is none.
Result<QString> findSimulator();

/// Everything a task can be judged with for one seed: the inputs as drawn, then each input suite.
std::vector<InputChoice> allInputs(const Task &task, std::uint64_t seed);

struct SimPoolOptions
{
    Task task;
    std::string device = "trn1";
    int workers = 0;         ///< 0: one per core
    QString program;         ///< empty: findSimulator()
    ChildLimits limits;      ///< of a worker, and of one kernel in it
    int seedsPerPurpose = 1; ///< secret seeds with which judge() checks each kernel
    /// While searching, the input suites are used too when the task's tensors are no larger.
    std::int64_t searchSuiteBytes = 256 << 20;
    double searchFlops = 1e9;        ///< budget of the quick check while searching
    double confirmationFlops = 2e10; ///< the same for a confirmation
};

/// Judges kernels of one task on this machine in a pool of nkisim processes, which are started when
/// they are needed. A kernel that crashes, hangs or blows up its worker gets the verdict
/// run_failed; the worker is replaced and the others' work goes on. Missing reference tensors are
/// made first. Lives on one thread with an event loop; answers come from that loop, in any order.
///
/// Search and confirmation use different secret seeds. One seed each is the default: one more costs
/// another reference (gigabytes for the largest tasks) and takes from the same budget, and what
/// random inputs can show, one draw of thousands of rows shows. What they cannot, the task's input
/// suites do: they belong to every confirmation, and to the search where they are not too large.
class SimPool : public QObject, public search::Profiler
{
    Q_OBJECT

public:
    using Answer = std::function<void(Result<JudgeReply>)>;

    /// `references` is borrowed and must outlive the pool.
    SimPool(SimPoolOptions options, ReferenceMaker *references, QObject *parent = nullptr);
    ~SimPool() override;

    void judge(search::JudgeQuestion question,
               std::function<void(Result<search::JudgeAnswer>)> done) override;
    int kernelsAtOnce() const override;
    void cancelAll() override;

    /// The general form of judge(), for check and profile. `done` is called once, later.
    void ask(PoolQuestion question, Answer done);

    /// From now on at most so many workers; those beyond end when they have answered.
    void setWorkers(int workers);

    /// Process ids of the workers that run now.
    std::vector<qint64> workerProcessIds() const;

private:
    struct Job
    {
        JudgeRequest request;
        Answer done;
        int crashes = 0;
    };
    struct Worker
    {
        WorkerProcess *process = nullptr;
        std::deque<Job> jobs; ///< in the order in which they are answered
    };
    /// A job whose tensors are still being made.
    struct Waiting
    {
        Job job;
        std::vector<InputChoice> missing;
    };

    void requestTensors(const InputChoice &choice);
    void onTensors(const InputChoice &choice, const Result<bench::TensorEntry> &entry);
    void enqueue(Job job, const std::vector<InputChoice> &inputs);
    void dispatch();
    Worker *workerForNextJob();
    void endSurplusWorkers();
    void onAnswered(WorkerProcess *process, const JudgeReply &reply);
    void onEnded(WorkerProcess *process, const WorkerEnd &end);
    void answerLater(Answer done, Result<JudgeReply> reply);
    void failAll(const Error &error);
    std::vector<InputChoice> inputsFor(const search::JudgeQuestion &question) const;

    SimPoolOptions m_options;
    ReferenceMaker *m_references;
    int m_maximumWorkers;
    std::map<InputChoice, bench::TensorEntry> m_tensors; ///< held, so that the cache keeps them
    std::vector<InputChoice> m_requested;
    std::deque<Waiting> m_waiting;
    std::deque<Job> m_queue;
    std::vector<Worker> m_workers;
    std::int64_t m_nextId = 1;
    std::uint64_t m_generation = 0; ///< grows with cancelAll()
    int m_failedStarts = 0;         ///< in a row
};

} // namespace accelopt::profiling
