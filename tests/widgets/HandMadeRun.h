// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/store/RunFile.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accelopt::tests {

/// A small run written event by event: a baseline of 2 ms; in the first iteration a kernel of 1 ms
/// with a lesson, one that gives wrong results, a repetition of the first and a plan that failed;
/// in the second iteration a kernel of 0.8 ms made from the first, and no other plan. Its end is
/// missing.
struct HandMadeRun
{
    std::filesystem::path file;
    KernelId baseline;
    KernelId faster; ///< number 1
    KernelId wrong;  ///< number 2
    KernelId best;   ///< number 3
};

/// The texts of its baseline and of its kernel `faster`.
extern const char *const kBaselineText;
extern const char *const kFasterText;

/// Writes the run in one go.
Result<HandMadeRun> writeHandMadeRun(const std::filesystem::path &file);

/// The run up to and with the first iteration's kernels, and the rest, for tests that let it grow.
struct RunParts
{
    HandMadeRun run;
    std::vector<EventBody> first;
    std::vector<EventBody> rest;
    std::vector<Text> texts;
};
RunParts handMadeRun();
Result<void> appendTo(store::RunFile &file, const std::vector<EventBody> &bodies,
                      const std::vector<Text> &texts);

} // namespace accelopt::tests
