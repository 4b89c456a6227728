// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/accelopt/Commands.h"
#include "core/domain/Profile.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace accelopt::cli {

/// What the commands about one kernel are told.
struct KernelOptions
{
    std::string kernel;
    std::string task;
    std::string shape = "published";
    std::string device = "trn1";
    std::string place = "sim";
    std::string timeline; ///< file for the timeline; empty: none
    int top = 5;          ///< lines that an audit tells of
    oracle::NumberCheck check = oracle::NumberCheck::Quick;
    bool lines = false;
    bool counters = false;
    bool asJson = false;
};

/// KERNEL, --task, --shape and --json, which all of these commands have.
void addKernelOptions(CLI::App &command, KernelOptions &options);
/// --device and --on.
void addPlaceOptions(CLI::App &command, KernelOptions &options);

/// A kernel and what became of it.
struct JudgedKernel
{
    std::string source;
    Task task;
    profiling::JudgeReply reply;
    /// Against the task's baseline judged at the same place; none where one of the two has no
    /// latency.
    std::optional<double> speedupOverBaseline;

    bool hasLatency() const { return reply.profile.latencyMs > 0; }
};

enum class Baseline { Leave, Compare };

/// Reads the kernel, loads the task and judges it with inputs that nobody can know beforehand.
Result<JudgedKernel> judgeKernel(const KernelOptions &options, Baseline baseline);

nlohmann::json reasonsJson(const Verdict &verdict);

/// The fields that a profile has in JSON whichever command prints it.
nlohmann::json profileJson(const KernelOptions &options, const JudgedKernel &judged);

/// "simulated" or "measured": no figure stands without it.
const char *kindOfFigures(const Verdict &verdict);

/// Verdict, latency, share of the peak and speedup, for people.
std::string headText(const KernelOptions &options, const JudgedKernel &judged);
/// What the profile suggests, for people.
std::string findingsText(const Profile &profile);

} // namespace accelopt::cli
