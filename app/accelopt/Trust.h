// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace accelopt::cli {

/// True when somebody reads what is asked and can answer.
bool personAnswers();

/// Shows the file of the task's reference with its size and hash, and asks the person at the
/// terminal whether it may be run. A yes is remembered for this content; false is a no. The task
/// is as it is on disk afterwards (see confirmReference()).
Result<bool> askTrust(Task &task);

/// Remembers that the task's reference may be run, and tries it on the task's wide inputs: those
/// for which it is not finite say nothing about a kernel, and are made less wide in the task.
Result<void> confirmReference(Task &task);

/// A task whose reference is about to be run: asks when nobody has confirmed it and somebody is
/// there to answer. Fails with WrongUse, and the command that confirms it, when it stays so.
Result<void> needTrust(Task &task);

enum class Trust {
    Ask,   ///< the person at the terminal, if there is one
    Given, ///< on the command line
};

/// Lets the reference of a task that was just made be run, when a person says so; false when
/// nobody did.
Result<bool> trustNewTask(Task &task, Trust trust);
/// What is told of a task whose reference stays unconfirmed, to be put behind its name.
std::string notTrustedYet(const Task &task);

// Add `trust`, which confirms references, and `new`, which makes tasks, to the command for tasks.
void addTrustCommand(CLI::App &bench, std::function<int()> &action);
void addNewCommand(CLI::App &bench, std::function<int()> &action);

} // namespace accelopt::cli
