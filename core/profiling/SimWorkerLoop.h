// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/Judge.h"
#include "core/profiling/WorkerProtocol.h"

#include <iosfwd>
#include <map>
#include <string>
#include <utility>

namespace accelopt::profiling {

/// The simulator worker: answers the questions of WorkerProtocol.h one after the other. Needs no
/// event loop.
class SimWorkerLoop
{
public:
    /// `software` is the version told in the greeting.
    explicit SimWorkerLoop(std::string software);

    /// Tests the arithmetic, greets, and answers until the input ends. Returns the exit status of
    /// the program: 0, or 3 when the worker is unfit.
    int run(std::istream &questions, std::ostream &answers);

    /// Answers one line.
    JudgeReply answer(const std::string &line);

private:
    Result<JudgeReply> judge(const JudgeRequest &request);
    Result<const Task *> task(const JudgeRequest &request);

    std::string m_software;
    nki::SyntaxHelper m_syntaxHelper;
    oracle::Judge m_judge;
    std::map<std::pair<std::string, std::string>, Task> m_tasks; ///< by folder and shape
};

/// Runs a worker on the process's standard streams: keeps the stream of answers to itself (whatever
/// else is written to standard output goes to standard error) and makes OpenBLAS use one thread,
/// unless OPENBLAS_NUM_THREADS says otherwise.
int runWorkerOnStandardStreams(const std::string &software);

} // namespace accelopt::profiling
