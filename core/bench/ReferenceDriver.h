// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::bench {

// The reference driver is a Python script that draws a task's inputs, runs its numpy reference and
// writes both as .npy files. This room words the request and understands the answer; somebody else
// starts the process.

/// Program and arguments that start the driver; the request goes to its standard input, which is
/// then closed.
std::vector<std::string> referenceDriverCommand(const std::string &python = "/usr/bin/python3");

/// Asks only which numpy would do the work (part of a cache key).
std::string versionRequest();

/// Asks for the inputs drawn from `seed` and changed as `suite` says (nullptr: left as drawn), and
/// the reference's results, as files of the existing folder `folder`. Arguments must be trusted:
/// the reference is run.
std::string makeRequest(const Task &task, std::uint64_t seed, const InputSuite *suite,
                        const std::filesystem::path &folder);

struct ReferenceAnswer
{
    std::string numpyVersion;
    double seconds = 0; ///< spent drawing, computing and writing; 0 for a version request
};

/// What the driver wrote to standard output. Fails with Format when the reference itself failed
/// (its words are passed on), with Environment when the driver gave no answer: `standardError` then
/// says why.
Result<ReferenceAnswer> readReferenceAnswer(std::string_view standardOutput,
                                            std::string_view standardError);

/// Names of the files of a made entry: per argument "arg<i>.npy" (empty for scalars) and per result
/// "result<i>.npy".
std::string argumentFile(std::size_t argument);
std::string resultFile(std::size_t result);
/// The file with one float32 per result: the largest error of an element when the reference is
/// worked out in single precision, against max(|result|, RMS of its row) (see
/// oracle::Comparison). Absent when the reference itself is.
std::string noiseFile();

} // namespace accelopt::bench
