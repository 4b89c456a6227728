// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace accelopt::bench {

/// A task that is not on disk yet.
struct NewTask
{
    std::string name; ///< "mine" or "PREFIX/mine"
    /// What task.json will hold besides format, name and the names of the two files.
    nlohmann::json content = nlohmann::json::object();
    std::string reference; ///< text of reference.py
    std::string baseline;  ///< text of baseline.py
};

/// Writes the task as a folder below `parent` (usually userDataFolder() / "tasks") and gives it
/// back as loaded. It is written aside, loaded at every one of its shapes, and put in place only
/// when all is well. Fails with WrongUse for a name that is taken or cannot be a folder's, with
/// loadTask()'s errors for a wrong content.
Result<Task> writeTask(const std::filesystem::path &parent, const NewTask &task);

/// Inputs far from those drawn, which a new task of one's own gets: every tensor that is drawn at
/// random, times 50 and rounded to whole numbers so that sums of products stay exact. They show
/// what is only right for small numbers. Null when the task draws no tensor.
nlohmann::json wideSuite(const nlohmann::json &arguments);
/// The name of that suite.
inline constexpr std::string_view kWideSuite = "wide";
/// Makes the wide inputs of a task on disk less wide, once the reference has turned out not to be
/// finite for them: first times 8, then none. Gives the task as loaded again.
Result<Task> narrowWideSuite(const Task &task);

/// Members of task.json from the short forms that a command line takes. All fail with WrongUse.
///
/// An argument: "NAME:SIZE,SIZE[:DTYPE[:DRAW=VALUE]]" for a tensor drawn from N(0, 1) as float32
/// unless said otherwise, with DRAW normal, absolute_normal or constant; "NAME=VALUE" for a scalar.
Result<nlohmann::json> argumentFromText(std::string_view text);
/// A result: "NAME:SIZE,SIZE[:DTYPE]".
Result<nlohmann::json> resultFromText(std::string_view text);
/// Dimensions: "M=4096,N=7168".
Result<nlohmann::json> dimensionsFromText(std::string_view text);

} // namespace accelopt::bench
