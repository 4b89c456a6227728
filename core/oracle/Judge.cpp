// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Judge.h"

#include "core/bench/NpyFile.h"
#include "core/bench/Roofline.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/execute/Executor.h"
#include "core/oracle/Comparison.h"
#include "core/oracle/DependenceCheck.h"
#include "core/oracle/FinalWrites.h"
#include "core/oracle/LayoutTrial.h"
#include "core/oracle/Plausibility.h"
#include "core/oracle/StoreSample.h"
#include "core/oracle/StructureCheck.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <new>

namespace accelopt::oracle {
namespace {

constexpr std::size_t kMaximumPrintedBytes = 64 * 1024;

void give(Verdict &verdict, VerdictStatus status, Reason reason)
{
    verdict.status = status;
    verdict.reasons.push_back(std::move(reason));
}

/// A problem of the whole program: NKI's own compile errors keep their names; the others compile
/// and give wrong or undefined values.
VerdictStatus statusOf(const Reason &problem)
{
    if (problem.rule == "tensor_too_large") // for us to follow, not for the machine
        return VerdictStatus::RunFailed;
    // The compiler looks only for tensors that are never written; an element too few, nobody
    // notices.
    if (problem.rule == "err_tensor_output_not_written_to")
        return VerdictStatus::Wrong;
    return problem.rule.starts_with("err_") ? VerdictStatus::NotCompiling : VerdictStatus::Wrong;
}

/// The tensors of one seed, mapped.
struct MappedSeed
{
    std::vector<bench::NpyFile> files;         // keeps the mappings
    std::vector<std::vector<float>> converted; // integers as the executor wants them
    std::vector<nki::InputData> inputs;
    std::vector<ReferenceValues> references;
};

Result<std::span<const float>> mapTensor(const std::string &path, const Shape &shape,
                                         MappedSeed &mapped)
{
    ACCELOPT_TRY(bench::NpyFile file, bench::NpyFile::open(path));
    if (file.elements() != elementCount(shape))
        return fail(ErrorCode::Format,
                    fmt::format("{} holds {} elements, the task needs {}", path, file.elements(),
                                elementCount(shape)),
                    "Delete the file: it is made again when it is needed.");
    if (const auto integers = file.values<std::int32_t>(); !integers.empty()) {
        mapped.converted.emplace_back(integers.begin(), integers.end());
        return mapped.converted.back();
    }
    const std::span<const float> values = file.values<float>();
    if (values.empty() && file.elements() > 0)
        return fail(
            ErrorCode::Format,
            fmt::format("{} holds {}, only float32 and int32 are compared", path, file.dtype()),
            "Delete the file: it is made again when it is needed.");
    mapped.files.push_back(std::move(file));
    return values;
}

std::int64_t rowLength(const Shape &shape)
{
    constexpr std::int64_t kLeast = 64;
    std::int64_t length = 1;
    for (std::size_t axis = shape.size(); axis-- > 0 && length < kLeast;)
        length *= shape[axis];
    return std::max<std::int64_t>(length, 1);
}

Result<MappedSeed> mapSeed(const SeedTensors &tensors, const Task &task,
                           const ComparisonLimits &limits)
{
    MappedSeed mapped;
    if (tensors.inputs.size() != task.arguments.size() ||
        tensors.results.size() != task.results.size())
        return fail(ErrorCode::Internal, "the reference tensors do not belong to this task");
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        nki::InputData &input = mapped.inputs.emplace_back();
        if (task.arguments[i].scalar)
            continue;
        ACCELOPT_TRY(const auto values,
                     mapTensor(tensors.inputs[i], task.arguments[i].shape, mapped));
        input = {values.data(), std::int64_t(values.size())};
    }
    for (std::size_t i = 0; i < task.results.size(); ++i) {
        ACCELOPT_TRY(const auto values,
                     mapTensor(tensors.results[i], task.results[i].shape, mapped));
        ReferenceValues &reference = mapped.references.emplace_back();
        reference.elements = values.data();
        reference.count = std::int64_t(values.size());
        reference.rowLength = rowLength(task.results[i].shape);
        if (task.results[i].updateOf >= 0)
            reference.base = mapped.inputs[std::size_t(task.results[i].updateOf)].elements;
        if (task.elementLimit)
            reference.elementLimit = *task.elementLimit;
        else if (i < tensors.noise.size())
            reference.elementLimit = limits.elementFor(tensors.noise[i]);
    }
    return mapped;
}

std::string indexText(std::int64_t element, const Shape &shape)
{
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = element % shape[axis];
        element /= shape[axis];
    }
    return describe(index);
}

/// What the numbers of one seed say against the kernel.
class NumberVerdict
{
public:
    NumberVerdict(const Task &task, const TaskLayout &layout, const nki::Program &program,
                  const ComparisonLimits &limits)
        : m_task(task),
          m_layout(layout),
          m_program(program),
          m_limits(limits)
    {}

    /// The reasons, the most telling first; none when the numbers are right.
    /// `suite` names the inputs when they were changed after drawing.
    std::vector<Reason> reasons(const Comparison &comparison, const std::string &suite) const
    {
        std::vector<Reason> found = reasonsFor(comparison);
        if (!suite.empty())
            for (Reason &reason : found)
                reason.message += fmt::format(", on the task's inputs \"{}\"", suite);
        return found;
    }

private:
    std::vector<Reason> reasonsFor(const Comparison &comparison) const
    {
        std::vector<Reason> all;
        const double norm = comparison.relativeL2();
        const bool normWrong = !(norm < m_limits.relativeL2);
        if (comparison.notFinite() > 0) { // which spoils all other figures
            all.push_back(about(*comparison.firstNotFinite(), "not_finite",
                                fmt::format("{} of {} checked elements are not finite",
                                            comparison.notFinite(), comparison.checked()),
                                "no result of this task may be NaN or infinite"));
            return all;
        }
        if (comparison.outsideLimit() > 0)
            all.push_back(about(
                *comparison.firstOutsideLimit(), "element_error",
                fmt::format("{} of {} checked elements are off by more than {:.1e} of their row's "
                            "scale",
                            comparison.outsideLimit(), comparison.checked(),
                            comparison.elementLimit(comparison.firstOutsideLimit()->output)),
                kCompareHint));
        if (comparison.farOffShare() > m_limits.farOffShare)
            all.push_back(about(
                *comparison.firstFarOff(), "small_values",
                fmt::format("{:.2f} % of the checked elements miss their value by more than a "
                            "quarter of it",
                            100 * comparison.farOffShare()),
                "small elements count too: do not replace them by zeros or constants"));
        if (normWrong) {
            const std::string message =
                fmt::format("the relative L2 norm of the error is {:.3g}, the task allows {:.3g}",
                            norm, m_limits.relativeL2);
            if (comparison.worst())
                all.push_back(about(*comparison.worst(), "relative_l2", message, kCompareHint));
            else
                all.push_back({"numbers", "relative_l2", message, kCompareHint, {}});
        }
        return all;
    }

    static constexpr const char *kCompareHint =
        "compare the kernel's formula and indices with the reference";

    Reason about(const Deviation &deviation, const char *rule, const std::string &summary,
                 const std::string &hint) const
    {
        const auto output = std::size_t(deviation.output);
        const Shape &shape = m_layout.results[output];
        return {"numbers", rule,
                fmt::format("{}{} is {} where the reference has {:.9g} ({})",
                            m_task.results[output].name, indexText(deviation.element, shape),
                            // The sign of a NaN means nothing to anybody.
                            std::isnan(deviation.value) ? std::string("nan")
                                                        : fmt::format("{:.9g}", deviation.value),
                            deviation.expected, summary),
                hint, m_program.placeOf(m_program.instructions[std::size_t(deviation.store)])};
    }

    const Task &m_task;
    const TaskLayout &m_layout;
    const nki::Program &m_program;
    ComparisonLimits m_limits;
};

/// Figures over all seeds.
void keepWorst(std::map<std::string, double> &figures, const std::string &key, double value)
{
    const auto [found, isNew] = figures.try_emplace(key, value);
    // Written so that a NaN stays.
    if (!isNew && !(value <= found->second))
        found->second = value;
}

Result<void> judgeNumbers(const JudgeInput &input, const TaskLayout &layout,
                          const nki::Program &program, const nki::Dependences &dependences,
                          const FinalWrites &finalWrites, Verdict &verdict)
{
    const nki::Executor executor(program, dependences);
    const StoreSample sample =
        input.check == NumberCheck::Full
            ? allStores(dependences, finalWrites)
            : chooseStores(program, dependences, finalWrites, executor,
                           input.quickFlops /
                               double(std::max<std::size_t>(input.tensors.size(), 1)),
                           input.samplingSeed);
    const ComparisonLimits limits = ComparisonLimits::forTolerance(input.task.tolerance);
    const NumberVerdict numbers(input.task, layout, program, limits);
    verdict.figures["seeds"] = double(input.tensors.size());
    for (const SeedTensors &tensors : input.tensors) {
        ACCELOPT_TRY(const MappedSeed mapped, mapSeed(tensors, input.task, limits));
        Comparison comparison(mapped.references, limits);
        const auto statistics =
            executor.run(sample.stores, mapped.inputs, [&](const nki::StoredRegion &region) {
                comparison.add(region, finalWrites);
                return true;
            });
        if (!statistics) {
            if (statistics.error().code != ErrorCode::Environment)
                return tl::unexpected(statistics.error());
            verdict = runFailed("memory_limit", statistics.error().message,
                                "keep fewer and smaller tensors alive at a time");
            return {};
        }
        keepWorst(verdict.figures, "relative_l2", comparison.relativeL2());
        verdict.figures["mean_relative_l2"] +=
            comparison.relativeL2() / double(input.tensors.size());
        keepWorst(verdict.figures, "worst_element", comparison.worstElement());
        verdict.figures["checked_share"] =
            comparison.total() == 0 ? 1 : double(comparison.checked()) / double(comparison.total());
        for (Reason &reason : numbers.reasons(comparison, tensors.suite))
            give(verdict, VerdictStatus::Wrong, std::move(reason));
        if (!verdict.reasons.empty())
            break;
    }
    return {};
}

/// Holds the profile against what the task's work and the device allow.
Result<void> addPlausibility(const JudgeInput &input, Judgement &judgement)
{
    Profile &profile = judgement.profile;
    ACCELOPT_TRY(const bench::DeviceRoof device, bench::deviceRoof(input.device));
    const auto roof = bench::roofline(input.task, device);
    if (roof) {
        profile.bound = roof->bound;
        profile.percentOfPeak = bench::percentOfPeak(*roof, profile.latencyMs);
    }
    for (Reason &reason : implausible(profile, input.task, roof))
        give(judgement.verdict, VerdictStatus::Suspicious, std::move(reason));
    return {};
}

} // namespace

Verdict runFailed(std::string rule, std::string message, std::string hint)
{
    Verdict verdict;
    give(verdict, VerdictStatus::RunFailed,
         {"run", std::move(rule), std::move(message), std::move(hint), {}});
    return verdict;
}

Result<const nki::Machine *> Judge::machine(const std::string &device)
{
    auto found = m_machines.find(device);
    if (found == m_machines.end()) {
        ACCELOPT_TRY(nki::Machine loaded, nki::Machine::load(device));
        found = m_machines.emplace(device, std::move(loaded)).first;
    }
    return &found->second;
}

Result<Judgement> Judge::judge(const JudgeInput &input)
{
    // A kernel decides how much is allocated; running into the memory limit is its verdict.
    try {
        return judgeUnguarded(input);
    } catch (const std::bad_alloc &) {
        Judgement judgement;
        judgement.verdict =
            runFailed("memory_limit", "judging the kernel needs more memory than it is given",
                      "use fewer instructions or smaller tensors");
        return judgement;
    }
}

Result<Judgement> Judge::judgeUnguarded(const JudgeInput &input)
{
    Judgement judgement;
    if (input.source.size() > nki::SyntaxHelper::kMaximumSourceBytes) {
        give(judgement.verdict, VerdictStatus::NotCompiling,
             {"language",
              "source_too_long",
              fmt::format("the kernel is {} bytes long, at most {} are read", input.source.size(),
                          nki::SyntaxHelper::kMaximumSourceBytes),
              "write the kernel with loops instead of unrolled text",
              {}});
        return judgement;
    }
    ACCELOPT_TRY(const nki::Parsed parsed, m_syntaxHelper.parse(input.source));
    if (!parsed) {
        give(judgement.verdict, VerdictStatus::NotCompiling,
             {"language", "syntax_error", parsed.error().message, "the text must be valid Python 3",
              parsed.error().place});
        return judgement;
    }
    ACCELOPT_TRY(auto traced, traceWithLayouts(*parsed, input.task, input.device, input.limits));
    if (!traced) {
        give(judgement.verdict, traced.error().status, std::move(traced.error().reason));
        return judgement;
    }
    judgement.layout = traced->layout.name;
    judgement.printed = traced->program.printed.substr(0, kMaximumPrintedBytes);
    ACCELOPT_CHECK(judgeProgram(input, *parsed, traced->layout, traced->program, judgement));
    return judgement;
}

Result<void> Judge::judgeProgram(const JudgeInput &input, const nki::SyntaxTree &tree,
                                 const TaskLayout &layout, const nki::Program &program,
                                 Judgement &judgement)
{
    Verdict &verdict = judgement.verdict;
    const nki::Dependences dependences = nki::analyse(program);
    if (!dependences.problems().empty()) {
        verdict.status = statusOf(dependences.problems().front());
        verdict.reasons = dependences.problems();
        return {};
    }
    const auto giveAll = [&](std::vector<Reason> reasons) {
        for (Reason &reason : reasons)
            give(verdict, VerdictStatus::Wrong, std::move(reason));
        return !verdict.reasons.empty();
    };
    if (giveAll(unreadInputs(input.task, program, dependences)))
        return {};
    ACCELOPT_TRY(auto scalars,
                 unreadScalars(tree, input.task, input.device, input.limits, program, dependences));
    if (giveAll(std::move(scalars)))
        return {};
    if (auto narrowed = narrowedValue(input.task, program, dependences)) {
        give(verdict, VerdictStatus::Wrong, std::move(*narrowed));
        return {};
    }
    const FinalWrites finalWrites(program, dependences);
    if (giveAll(missingDependences(input.task, layout, program, dependences, finalWrites)))
        return {};

    if (input.check != NumberCheck::None) {
        ACCELOPT_CHECK(judgeNumbers(input, layout, program, dependences, finalWrites, verdict));
        if (!verdict.reasons.empty())
            return {};
    }
    verdict.status = VerdictStatus::Correct;

    ACCELOPT_TRY(const nki::Machine *const device, machine(input.device));
    judgement.profile = nki::simulate(program, dependences, *device);
    if (input.lines == LineCosts::Omit)
        judgement.profile.lines.clear();
    ACCELOPT_CHECK(addPlausibility(input, judgement));
    if (input.check == NumberCheck::None && verdict.correct())
        verdict.reasons.push_back({"numbers",
                                   "not_checked",
                                   "the numbers were not compared with the reference",
                                   "run the check to know whether the kernel is right",
                                   {}});
    return {};
}

} // namespace accelopt::oracle
