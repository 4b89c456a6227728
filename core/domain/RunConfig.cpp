// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/RunConfig.h"

#include "core/domain/JsonFields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace accelopt {

namespace {

constexpr BeamPolicy kBeamPolicies[] = {BeamPolicy::Paper, BeamPolicy::Elitist,
                                        BeamPolicy::PublishedCode};
constexpr MemoryPolicy kMemoryPolicies[] = {MemoryPolicy::Fifo, MemoryPolicy::PublishedCode,
                                            MemoryPolicy::Reviewed};
constexpr Intake kIntakes[] = {Intake::Pairs, Intake::EveryKernel, Intake::None};

// Far above any use, and small enough that nothing overflows or fills the memory.
constexpr double kMostOfAKind = 100'000;
constexpr double kMostRepairs = 100;
constexpr double kMostThreshold = 1'000;
constexpr double kMostKernelsPerIteration = 1'000'000;

/// The paper's main experiment (section 4): at most 24 + 15 x 144 = 2184 kernels.
RunConfig paperConfig()
{
    RunConfig config;
    config.preset = "paper";
    config.beamWidth = 6;
    config.plansPerCandidate = 12;
    config.attemptsPerPlan = 2;
    config.iterations = 16;
    config.beamPolicy = BeamPolicy::Paper;
    config.separableOnly = false;
    config.patience = 0;
    return config;
}

/// The paper's numbers, but lessons are not learnt from noise; base of the ablations.
RunConfig ablation(std::string_view name)
{
    RunConfig config = paperConfig();
    config.preset = name;
    config.separableOnly = true;
    return config;
}

std::string named(std::initializer_list<std::string_view> names)
{
    return fmt::format("{}", fmt::join(names, ", "));
}

template <typename Field> void read(const nlohmann::json &json, const char *key, Field &field)
{
    if (const auto found = json.find(key); found != json.end())
        found->get_to(field);
}

template <typename Field>
void read(const nlohmann::json &json, const char *key, std::optional<Field> &field)
{
    if (const auto found = json.find(key); found != json.end()) {
        if (found->is_null())
            field.reset();
        else
            field = found->template get<Field>();
    }
}

template <typename Enumeration, std::size_t Count>
void readName(const nlohmann::json &json, const char *key, const Enumeration (&values)[Count],
              Enumeration &field)
{
    const auto found = json.find(key);
    if (found == json.end())
        return;
    const std::string text = found->get<std::string>();
    for (Enumeration value : values) {
        if (name(value) == text) {
            field = value;
            return;
        }
    }
    json_fields::refuse(fmt::format("unknown {}: {}", key, text));
}

Result<void> atLeast(const char *option, double value, double least)
{
    // Written so that NaN is refused as well.
    if (!(value >= least))
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} must be at least {:g}, not {:g}", option, least, value));
    return {};
}

Result<void> above(const char *option, double value, double bound)
{
    if (!(value > bound))
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} must be more than {:g}, not {:g}", option, bound, value));
    return {};
}

Result<void> between(const char *option, double value, double least, double most)
{
    ACCELOPT_CHECK(atLeast(option, value, least));
    if (value > most)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} must be at most {:g}, not {:g}", option, most, value));
    return {};
}

Result<void> notEmpty(const char *option, const std::string &value)
{
    if (value.empty())
        return fail(ErrorCode::WrongUse, fmt::format("{} must not be empty", option));
    return {};
}

} // namespace

Result<RunConfig> preset(std::string_view name)
{
    if (name == "quick")
        return RunConfig();
    if (name == "paper")
        return paperConfig();
    if (name == "sampling") {
        // As many kernels as the paper's experiment (13 x 84 x 2 = 2184), all from the baseline.
        RunConfig config = ablation(name);
        config.beamWidth = 1;
        config.plansPerCandidate = 84;
        config.iterations = 13;
        config.useBeam = false;
        config.intake = Intake::None;
        return config;
    }
    if (name == "search-only") {
        RunConfig config = ablation(name);
        config.intake = Intake::None;
        return config;
    }
    if (name == "reflexion") {
        RunConfig config = ablation(name);
        config.intake = Intake::EveryKernel;
        config.memoryCapacity = 0;
        return config;
    }
    if (name == "b1") {
        RunConfig config = ablation(name);
        // 15 x 72 x 2 = 2160 kernels; a sixteenth iteration would pay for more than the paper does.
        config.beamWidth = 1;
        config.plansPerCandidate = 72;
        config.iterations = 15;
        return config;
    }
    return fail(ErrorCode::WrongUse, fmt::format("there is no preset \"{}\"", name),
                fmt::format("The presets are {}.", fmt::join(presetNames(), ", ")));
}

std::vector<std::string> presetNames()
{
    return {"paper", "quick", "sampling", "search-only", "reflexion", "b1"};
}

Result<void> validate(const RunConfig &config)
{
    ACCELOPT_CHECK(between("-B", config.beamWidth, 1, kMostOfAKind));
    ACCELOPT_CHECK(between("-N", config.plansPerCandidate, 1, kMostOfAKind));
    ACCELOPT_CHECK(between("-K", config.attemptsPerPlan, 1, kMostOfAKind));
    ACCELOPT_CHECK(between("-T", config.iterations, 1, kMostOfAKind));
    ACCELOPT_CHECK(between("--topk", config.topK, 0, kMostOfAKind));
    ACCELOPT_CHECK(between("--expn", config.memoryCapacity, 0, kMostOfAKind));
    ACCELOPT_CHECK(between("--tpos", config.positiveThreshold, 1, kMostThreshold));
    ACCELOPT_CHECK(between("--tneg", config.negativeThreshold, 1, kMostThreshold));
    ACCELOPT_CHECK(between("--repair", config.repairs, 0, kMostRepairs));
    ACCELOPT_CHECK(between("--patience", config.patience, 0, kMostOfAKind));
    if (double(config.beamWidth) * config.plansPerCandidate * config.attemptsPerPlan >
        kMostKernelsPerIteration)
        return fail(ErrorCode::WrongUse,
                    fmt::format("-B, -N and -K together ask for {:g} kernels in an iteration, more "
                                "than {:g}",
                                double(config.beamWidth) * config.plansPerCandidate *
                                    config.attemptsPerPlan,
                                kMostKernelsPerIteration));
    ACCELOPT_CHECK(atLeast("the gain that counts as progress", config.patienceGainPercent, 0));
    if (config.targetPercentOfPeak) {
        ACCELOPT_CHECK(above("--target", *config.targetPercentOfPeak, 0));
        ACCELOPT_CHECK(between("--target", *config.targetPercentOfPeak, 0, 100));
    }
    if (config.budgetUsd)
        ACCELOPT_CHECK(above("--budget-usd", *config.budgetUsd, 0));
    if (config.budgetKernels)
        ACCELOPT_CHECK(atLeast("--budget-kernels", *config.budgetKernels, 1));
    if (config.budgetMinutes)
        ACCELOPT_CHECK(above("--budget-minutes", *config.budgetMinutes, 0));
    if (config.device != "trn1" && config.device != "trn2")
        return fail(ErrorCode::WrongUse,
                    fmt::format("--device must be trn1 or trn2, not \"{}\"", config.device));
    if (config.shape != "published" && config.shape != "lab")
        return fail(ErrorCode::WrongUse,
                    fmt::format("--shape must be published or lab, not \"{}\"", config.shape));
    ACCELOPT_CHECK(notEmpty("--on", config.place));
    ACCELOPT_CHECK(notEmpty("--planner", config.planner));
    ACCELOPT_CHECK(notEmpty("--executor", config.executor));
    ACCELOPT_CHECK(notEmpty("--summarizer", config.summarizer));
    return {};
}

std::string_view name(BeamPolicy policy)
{
    switch (policy) {
    case BeamPolicy::Paper: return "paper";
    case BeamPolicy::Elitist: return "elitist";
    case BeamPolicy::PublishedCode: return "published-code";
    }
    return "elitist";
}

std::string_view name(MemoryPolicy policy)
{
    switch (policy) {
    case MemoryPolicy::Fifo: return "fifo";
    case MemoryPolicy::PublishedCode: return "published-code";
    case MemoryPolicy::Reviewed: return "reviewed";
    }
    return "fifo";
}

std::string_view name(Intake intake)
{
    switch (intake) {
    case Intake::Pairs: return "pairs";
    case Intake::EveryKernel: return "every-kernel";
    case Intake::None: return "none";
    }
    return "pairs";
}

Result<BeamPolicy> beamPolicy(std::string_view text)
{
    for (BeamPolicy policy : kBeamPolicies)
        if (name(policy) == text)
            return policy;
    return fail(ErrorCode::WrongUse, fmt::format("there is no beam policy \"{}\"", text),
                "The beam policies are " + named({"paper", "elitist", "published-code"}) + ".");
}

Result<MemoryPolicy> memoryPolicy(std::string_view text)
{
    for (MemoryPolicy policy : kMemoryPolicies)
        if (name(policy) == text)
            return policy;
    return fail(ErrorCode::WrongUse, fmt::format("there is no memory policy \"{}\"", text),
                "The memory policies are " + named({"fifo", "published-code", "reviewed"}) + ".");
}

void to_json(nlohmann::json &json, const RunConfig &config)
{
    json = {{"preset", config.preset},
            {"beam_width", config.beamWidth},
            {"plans_per_candidate", config.plansPerCandidate},
            {"attempts_per_plan", config.attemptsPerPlan},
            {"iterations", config.iterations},
            {"top_k", config.topK},
            {"memory_capacity", config.memoryCapacity},
            {"positive_threshold", config.positiveThreshold},
            {"negative_threshold", config.negativeThreshold},
            {"beam_policy", name(config.beamPolicy)},
            {"memory_policy", name(config.memoryPolicy)},
            {"intake", name(config.intake)},
            {"separable_only", config.separableOnly},
            {"use_beam", config.useBeam},
            {"repairs", config.repairs},
            {"patience", config.patience},
            {"patience_gain_percent", config.patienceGainPercent},
            {"target_percent_of_peak", json_fields::orNull(config.targetPercentOfPeak)},
            {"budget_usd", json_fields::orNull(config.budgetUsd)},
            {"budget_kernels", json_fields::orNull(config.budgetKernels)},
            {"budget_minutes", json_fields::orNull(config.budgetMinutes)},
            {"seed", config.seed},
            {"device", config.device},
            {"shape", config.shape},
            {"place", config.place},
            {"planner", config.planner},
            {"executor", config.executor},
            {"summarizer", config.summarizer}};
}

void from_json(const nlohmann::json &json, RunConfig &config)
{
    if (!json.is_object())
        json_fields::refuse("a configuration is not an object");
    read(json, "preset", config.preset);
    read(json, "beam_width", config.beamWidth);
    read(json, "plans_per_candidate", config.plansPerCandidate);
    read(json, "attempts_per_plan", config.attemptsPerPlan);
    read(json, "iterations", config.iterations);
    read(json, "top_k", config.topK);
    read(json, "memory_capacity", config.memoryCapacity);
    read(json, "positive_threshold", config.positiveThreshold);
    read(json, "negative_threshold", config.negativeThreshold);
    readName(json, "beam_policy", kBeamPolicies, config.beamPolicy);
    readName(json, "memory_policy", kMemoryPolicies, config.memoryPolicy);
    readName(json, "intake", kIntakes, config.intake);
    read(json, "separable_only", config.separableOnly);
    read(json, "use_beam", config.useBeam);
    read(json, "repairs", config.repairs);
    read(json, "patience", config.patience);
    read(json, "patience_gain_percent", config.patienceGainPercent);
    read(json, "target_percent_of_peak", config.targetPercentOfPeak);
    read(json, "budget_usd", config.budgetUsd);
    read(json, "budget_kernels", config.budgetKernels);
    read(json, "budget_minutes", config.budgetMinutes);
    read(json, "seed", config.seed);
    read(json, "device", config.device);
    read(json, "shape", config.shape);
    read(json, "place", config.place);
    read(json, "planner", config.planner);
    read(json, "executor", config.executor);
    read(json, "summarizer", config.summarizer);
}

} // namespace accelopt
