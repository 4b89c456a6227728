// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/domain/RunConfig.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accelopt::runner {

/// Whether a run starts with the memory of earlier runs.
enum class Carry { Nothing, Memory };

/// One run of an experiment.
struct ExperimentPart
{
    std::string
        name; ///< the task's; "<task>-without" for the run that a transfer is measured against
    std::string task;
    std::string file; ///< of the run, in the experiment's folder
    Carry carry = Carry::Nothing;
};

/// A decision about the shared budget. It stands here before it is written to the run, so that a
/// crash between the runs of one round leaves no half round.
struct PlannedMove
{
    int part = 0;
    bool closes = false; ///< the run gets no more
    BudgetMoved event;
};

/// What an experiment is: several runs, and what they share. Kept as experiment.json in the folder
/// of its run files, always whole.
struct ExperimentPlan
{
    RunConfig config; ///< of each run; its budget is that of all of them together
    int lanes = 1;    ///< runs under way at once, as budgets of minutes count them
    std::vector<ExperimentPart> parts;
    std::string memoryFrom;              ///< where the carried items are from; for people
    std::vector<ExperienceItem> carried; ///< all of them; each run takes those that suit its task
    std::vector<PlannedMove> moves;
};

/// True when the folder holds an experiment.
bool isExperiment(const std::filesystem::path &folder);
/// The file that says what the experiment is; whoever writes the experiment has its lock.
std::filesystem::path experimentFile(const std::filesystem::path &folder);

Result<ExperimentPlan> readExperiment(const std::filesystem::path &folder);
/// All or nothing, and durable when it returns.
Result<void> writeExperiment(const std::filesystem::path &folder, const ExperimentPlan &plan);

/// Writes a file beside the one named and puts it in its place, durably.
Result<void> replaceFile(const std::filesystem::path &file, const std::string &bytes);

} // namespace accelopt::runner
