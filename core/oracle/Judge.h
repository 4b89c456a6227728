// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Result.h"
#include "core/domain/Task.h"
#include "core/domain/Verdict.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/nki/trace/Tracer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace accelopt::oracle {

/// Inputs drawn with one seed and the reference's results for them, as float32 .npy files in C
/// order with the shapes of the task's first layout.
struct SeedTensors
{
    std::uint64_t seed = 0;
    std::vector<std::string> inputs;  ///< per argument of the task; empty for scalars
    std::vector<std::string> results; ///< per result
    std::string suite;                ///< name of the input suite; empty: as drawn
    /// Per result, the largest error of an element that the reference shows in single precision;
    /// empty when it is not known.
    std::vector<double> noise;
};

/// How many of the output's values are computed and compared.
enum class NumberCheck {
    None,  ///< none; a right verdict then says so in a reason with rule "not_checked"
    Quick, ///< as many stores as the FLOP budget pays for, chosen by chooseStores()
    Full,  ///< all
};
enum class LineCosts { Omit, Include };

/// One kernel to judge on one task.
struct JudgeInput
{
    std::string source;
    Task task;
    std::string device = "trn1";
    std::vector<SeedTensors>
        tensors; ///< one entry per seed; may be empty only with NumberCheck::None
    NumberCheck check = NumberCheck::Quick;
    double quickFlops = 1e9;        ///< budget of the quick check for all tensors together
    std::uint64_t samplingSeed = 0; ///< decides which stores the quick check takes
    LineCosts lines = LineCosts::Omit;
    /// A tenth of the steps is what the largest published kernel takes; these take some 3 s.
    nki::TraceLimits limits{.steps = 60'000'000};
};

/// The verdict with all that was found out on the way.
struct Judgement
{
    Verdict verdict;
    Profile profile;     ///< filled when the verdict is correct or suspicious
    std::string layout;  ///< name of the task's layout that the kernel was called with
    std::string printed; ///< what the kernel's own print() calls said, at most 64 KiB of it
};

/// Judges kernels against the numpy reference in layers, in this order: language (does it parse and
/// trace), structure (raw result shapes and dtypes, nki::analyse, every input and scalar read, no
/// narrower types on the way), dependence (missingDependences()), numbers, plausibility
/// (implausible()). The first layer that does not agree makes the verdict.
///
/// A kernel may take any of the task's layouts: the first one with which it traces and gives
/// results of the layout's shapes is used. When none fits, the failure that got furthest is
/// reported: complete traces with results of other shapes before broken ones, then the failure
/// whose place is further down in the file, then the earlier layout.
///
/// Not thread-safe, as the syntax helper is not.
class Judge
{
public:
    explicit Judge(nki::SyntaxHelper &syntaxHelper) : m_syntaxHelper(syntaxHelper) {}

    /// Fails only when we cannot judge (unreadable tensors, unknown device, no Python); what is
    /// wrong with the kernel is a verdict.
    Result<Judgement> judge(const JudgeInput &input);

private:
    Result<const nki::Machine *> machine(const std::string &device);
    Result<Judgement> judgeUnguarded(const JudgeInput &input);
    Result<void> judgeProgram(const JudgeInput &input, const nki::SyntaxTree &tree,
                              const TaskLayout &layout, const nki::Program &program,
                              Judgement &judgement);

    nki::SyntaxHelper &m_syntaxHelper;
    std::map<std::string, nki::Machine> m_machines;
};

/// A kernel that cannot be judged to the end for want of time, memory or a living worker.
Verdict runFailed(std::string rule, std::string message, std::string hint);

} // namespace accelopt::oracle
