// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Result.h"
#include "core/domain/Verdict.h"
#include "core/oracle/Judge.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::profiling {

// What nkisim says and hears: one JSON object per line, UTF-8, on its standard output and input.
// The program that starts a worker has the version of the worker: the first line is compared, not
// negotiated.
//
//   worker: {"kind": "hello", "protocol": 1, "software": "0.1.0", "model_version": "..."}
//           after the self-test of its arithmetic; a worker whose self-test fails says instead
//           {"kind": "unfit", "message": "...", "hint": "..."} and exits with status 3
//   asked:  {"kind": "judge", "id": 7, "source": base64, "task": {"folder", "shape", "hash"},
//   "device": "trn1",
//            "tensors": [{"seed", "suite", "inputs": [path], "results": [path]}], "check":
//            "none"|"quick"|"full", "quick_flops", "sampling_seed", "lines": true|false}
//           source is base64 because a kernel's bytes need not be UTF-8
//   worker: {"id": 7, "verdict": {...}, "profile": {...}|null, "layout": "...", "printed": "...",
//   "seconds": 0.1}
//           or {"id": 7, "error": {"code": 2, "message", "hint", "detail"}} when the question, not
//           the kernel, is at fault
//
// Questions are answered in the order in which they were asked. The worker ends when its input
// ends.

inline constexpr int kWorkerProtocol = 1;

/// First line of a worker.
struct WorkerHello
{
    int protocol = kWorkerProtocol;
    std::string software;
    std::string modelVersion;
};

/// One kernel to judge. The worker loads the task itself and refuses when its hash is another one.
struct JudgeRequest
{
    std::int64_t id = 0;
    std::string source;
    std::string taskFolder;
    std::string shapeName;
    std::string taskHash;
    std::string device = "trn1";
    std::vector<oracle::SeedTensors> tensors;
    oracle::NumberCheck check = oracle::NumberCheck::Quick;
    double quickFlops = 1e9;
    std::uint64_t samplingSeed = 0;
    oracle::LineCosts lines = oracle::LineCosts::Include;
};

/// Inputs to judge with: a seed and the name of an input suite (empty: as drawn).
struct InputChoice
{
    std::uint64_t seed = 0;
    std::string suite;
    auto operator<=>(const InputChoice &) const = default;
};

/// One kernel for the pool to judge.
struct PoolQuestion
{
    std::string source;
    std::vector<InputChoice> inputs; ///< ignored with NumberCheck::None
    oracle::NumberCheck check = oracle::NumberCheck::Quick;
    double quickFlops = 1e9;
    std::uint64_t samplingSeed = 0;
    oracle::LineCosts lines = oracle::LineCosts::Include;
};

/// A question on its way to a pool on another machine, where the tensors are made.
struct NumberedQuestion
{
    std::int64_t id = 0;
    PoolQuestion question;
};

/// What a worker answers.
struct JudgeReply
{
    std::int64_t id = 0;
    std::optional<Error> error; ///< set: nothing else is meaningful
    Verdict verdict;
    Profile profile;
    std::string layout;
    std::string printed;
    double seconds = 0; ///< spent on this kernel
};

/// Each as one line without the newline at its end.
std::string encode(const WorkerHello &hello);
std::string encode(const JudgeRequest &request);
std::string encode(const JudgeReply &reply);
std::string encode(const PoolQuestion &question, std::int64_t id);
/// The line of a worker that is unfit to judge.
std::string encodeUnfit(const Error &error);

/// Fails with Environment and the worker's own words when it said that it is unfit, with Format
/// when the line is none of the protocol's.
Result<WorkerHello> decodeHello(std::string_view line);
Result<JudgeRequest> decodeRequest(std::string_view line);
Result<JudgeReply> decodeReply(std::string_view line);
Result<NumberedQuestion> decodeQuestion(std::string_view line);

} // namespace accelopt::profiling
