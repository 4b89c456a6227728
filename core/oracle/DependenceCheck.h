// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Task.h"
#include "core/domain/Verdict.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"
#include "core/oracle/FinalWrites.h"

#include <vector>

namespace accelopt::oracle {

/// Which blocks of the inputs the program ignores although the task's reference depends on them
/// (Task::dependence): one reason for each axis of an argument that some store of a result lacks.
/// None when the dependence was not learnt.
///
/// The program's side is its own backward slice, one pass over all instructions with a set of
/// blocks each: exact about which regions are read, cheap enough for every store at every shape,
/// and independent of values. It counts a block as used as soon as one of its elements may have
/// been, so that it never refuses a right kernel; what merely pretends to use a block is left to
/// the numbers.
std::vector<Reason> missingDependences(const Task &task, const TaskLayout &layout,
                                       const nki::Program &program,
                                       const nki::Dependences &dependences,
                                       const FinalWrites &finalWrites);

} // namespace accelopt::oracle
