// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <nlohmann/json.hpp>
#include <string>

namespace accelopt::cli {

/// The first element that a kernel gets wrong, in words and as JSON (null when there is none): its
/// value and what it should be, the instruction instance that stored it, and what had computed it,
/// with some values of their operand tiles.
struct FirstWrong
{
    std::string text;
    nlohmann::json json;
};

/// Computes the kernel here, with all its stores: meant for kernels that a worker has judged wrong
/// by their numbers, within its limits. Goes through the drawn inputs and the task's suites until
/// one shows a wrong element. Needs an event loop on this thread.
Result<FirstWrong> findFirstWrong(const Task &task, const std::string &device,
                                  const std::string &source);

} // namespace accelopt::cli
