// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/RunSummary.h"

#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/agents/LessonShare.h"
#include "core/agents/ModelProfile.h"
#include "core/runner/UserConfig.h"
#include "core/search/Fold.h"
#include "core/store/RunReader.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <variant>

namespace accelopt::cli {

namespace {

/// Adds up what lessons took of the planner's prompts, from the prompts in the run file.
Result<MemoryCost> memoryCostOf(const search::State &state, const std::filesystem::path &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    MemoryCost cost;
    Usage ofLessons;
    double allTokens = 0;
    double cachedTokens = 0;
    for (const Event &event : events) {
        const auto *made = std::get_if<PlanMade>(&event.body);
        if (made == nullptr || made->prompt.value.empty() || made->usage.promptTokens == 0)
            continue;
        ACCELOPT_TRY(const std::string prompt, reader.text(made->prompt));
        const double share = agents::lessonShare(prompt);
        cost.promptTokens += share * double(made->usage.promptTokens);
        cachedTokens += share * double(made->usage.cachedTokens);
        allTokens += double(made->usage.promptTokens);
    }
    cost.promptShare = allTokens > 0 ? cost.promptTokens / allTokens : 0;
    ofLessons.promptTokens = std::llround(cost.promptTokens);
    ofLessons.cachedTokens = std::llround(cachedTokens);
    if (const auto model = runner::configuredModel(state.config.planner))
        cost.promptUsd = agents::priceOf(*model, ofLessons);
    if (const auto lessons = state.usage.find(RoleName::Summarizer); lessons != state.usage.end())
        cost.lessonsUsd = lessons->second.usd;
    return cost;
}

} // namespace

RunSummary summarize(const search::State &state, const std::filesystem::path &file, double seconds)
{
    RunSummary summary;
    summary.task = state.opened.task;
    summary.device = state.config.device;
    summary.modelVersion = state.opened.modelVersion;
    // A host may simulate, too: the profiles say.
    const auto *opened = search::kernel(state, state.opened.baseline);
    summary.simulated = opened != nullptr && opened->judged ? opened->profile.simulated
                                                            : state.config.place == "sim";
    summary.file = file;
    summary.seconds = seconds > 0 ? seconds : state.secondsSpent;
    summary.verdicts = state.counts.verdicts;
    summary.duplicates = state.counts.duplicates;
    summary.usage = state.usage;
    if (const auto planner = state.usage.find(RoleName::Planner);
        planner != state.usage.end() && planner->second.promptTokens > 0)
        if (auto cost = memoryCostOf(state, file))
            summary.memoryCost = *cost;
    summary.budgetMoves = state.budgetMoves;
    summary.carried =
        int(std::count_if(state.items.begin(), state.items.end(),
                          [](const search::MemoryItem &item) { return item.item.iteration < 0; }));
    summary.finished = state.phase == search::Phase::Finished;
    summary.stoppedBecause = summary.finished ? state.finishedReason : state.stop.text;
    for (const search::IterationRecord &record : state.iterations) {
        if (!record.implemented)
            continue;
        RunSummary::Iteration iteration;
        iteration.iteration = record.index + 1;
        iteration.correct = record.correct;
        iteration.profiled = record.profiled;
        iteration.memoryAdded = record.curation.added;
        if (const auto *best = search::kernel(state, record.best);
            best != nullptr && best->rankable) {
            iteration.bestLatencyMs = best->profile.latencyMs;
            iteration.bestSpeedup = search::speedupOverBaseline(state, record.best);
        }
        summary.iterations.push_back(iteration);
    }
    const auto *baseline = search::kernel(state, state.opened.baseline);
    if (baseline != nullptr && baseline->rankable)
        summary.baselineLatencyMs = baseline->profile.latencyMs;
    summary.best = state.best;
    summary.isBaseline = state.best == state.opened.baseline;
    if (const auto *best = search::kernel(state, state.best); best != nullptr && best->rankable) {
        summary.bestLatencyMs = best->profile.latencyMs;
        summary.bestSpeedup = search::speedupOverBaseline(state, state.best);
        summary.percentOfPeak = best->profile.percentOfPeak;
        if (best->confirmation && best->confirmation->judged) {
            summary.confirmed = best->confirmation->confirmed;
            summary.confirmationReason = best->confirmation->reason;
        }
        for (const auto *step = best; step != nullptr && step->first;
             step = search::kernel(state, step->parent))
            if (const auto *made = search::plan(state, step->first->slot.plan); made != nullptr)
                summary.lineage.push_back(made->plan.title);
        std::reverse(summary.lineage.begin(), summary.lineage.end());
    }
    return summary;
}

Result<RunSummary> summarize(const std::filesystem::path &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    const search::State state = search::fold(events);
    if (state.phase == search::Phase::NotOpened)
        return fail(ErrorCode::Format,
                    fmt::format("the run file {} holds no run yet", file.string()),
                    "wait until its writer has begun, or name another file");
    return summarize(state, file, 0);
}

namespace {

template <typename T> nlohmann::json orNull(const std::optional<T> &value)
{
    return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json memoryCostJson(const std::optional<MemoryCost> &cost)
{
    if (!cost)
        return {};
    return {{"lessons_usd", cost->lessonsUsd},
            {"prompt_tokens", cost->promptTokens},
            {"prompt_share", cost->promptShare},
            {"prompt_usd", orNull(cost->promptUsd)}};
}

/// What was spent on whom, and on the memory; nothing where no call was paid or counted.
std::string spentText(const RunSummary &summary)
{
    std::string roles;
    double usd = 0;
    std::int64_t tokens = 0;
    std::int64_t unpriced = 0;
    for (const RoleName role : kRoles) {
        const auto found = summary.usage.find(role);
        if (found == summary.usage.end())
            continue;
        const Usage &used = found->second;
        usd += used.usd;
        tokens += used.promptTokens + used.completionTokens;
        unpriced += used.unpricedCalls;
        roles += fmt::format("{}{} ${:.4f} in {} calls", roles.empty() ? "" : ", ", name(role),
                             used.usd, used.calls);
    }
    if (tokens == 0)
        return {};
    std::string text =
        fmt::format("spent          {}${:.4f}: {}\n", unpriced > 0 ? "at least " : "", usd, roles);
    if (const auto &cost = summary.memoryCost)
        text += fmt::format(
            "the memory     ${:.4f} to write lessons, about {:.0f} tokens ({:.1f} % of "
            "the planner's){} to tell them\n",
            cost->lessonsUsd, cost->promptTokens, 100 * cost->promptShare,
            cost->promptUsd ? fmt::format(" or ${:.4f}", *cost->promptUsd) : std::string());
    return text;
}

} // namespace

int mostKernels(const RunConfig &config)
{
    const std::int64_t perCandidate =
        std::int64_t(config.plansPerCandidate) * config.attemptsPerPlan * (1 + config.repairs);
    std::int64_t most = perCandidate * (1 + std::int64_t(config.iterations - 1) *
                                                (config.useBeam ? config.beamWidth : 1));
    if (config.budgetKernels)
        most = std::min<std::int64_t>(most, *config.budgetKernels);
    return int(std::min<std::int64_t>(most, INT_MAX));
}

nlohmann::json toJson(const RunSummary &summary)
{
    nlohmann::json iterations = nlohmann::json::array();
    for (const auto &iteration : summary.iterations)
        iterations.push_back({{"iteration", iteration.iteration},
                              {"best_latency", orNull(iteration.bestLatencyMs)},
                              {"best_speedup", orNull(iteration.bestSpeedup)},
                              {"correct", iteration.correct},
                              {"profiled", iteration.profiled},
                              {"memory_added", iteration.memoryAdded}});
    nlohmann::json kernels{{"duplicate", summary.duplicates}};
    for (const VerdictStatus status : kVerdictStatuses) {
        const auto it = summary.verdicts.find(status);
        kernels[std::string(name(status))] = it == summary.verdicts.end() ? 0 : it->second;
    }
    nlohmann::json usage = nlohmann::json::object();
    for (const RoleName role : kRoles) {
        const auto it = summary.usage.find(role);
        const Usage used = it == summary.usage.end() ? Usage{} : it->second;
        usage[std::string(name(role))] = {{"calls", used.calls},
                                          {"tokens", used.promptTokens + used.completionTokens},
                                          {"usd", used.usd}};
    }
    nlohmann::json moves = nlohmann::json::array();
    for (const BudgetMoved &moved : summary.budgetMoves)
        moves.push_back(payload(EventBody(moved)));
    nlohmann::json object{{"task", summary.task},
                          {"device", summary.device},
                          {"simulated", summary.simulated},
                          {"model_version", summary.modelVersion},
                          {"baseline_latency", orNull(summary.baselineLatencyMs)},
                          {"iterations", iterations},
                          {"best",
                           {{"kernel", summary.best.value},
                            {"latency", orNull(summary.bestLatencyMs)},
                            {"speedup", orNull(summary.bestSpeedup)},
                            {"percent_of_peak", orNull(summary.percentOfPeak)},
                            {"confirmed", summary.confirmed.value_or(false)},
                            {"steps", summary.lineage}}},
                          {"kernels", kernels},
                          {"usage", usage},
                          {"memory_cost", memoryCostJson(summary.memoryCost)},
                          {"stopped_because", summary.stoppedBecause},
                          {"memory_carried", summary.carried},
                          {"budget_moves", moves},
                          {"seconds", summary.seconds},
                          {"file", summary.file.string()}};
    if (!summary.error.empty())
        object["error"] = summary.error;
    return object;
}

namespace {

/// The text as one word of a shell.
std::string quoted(const std::string &text)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._-+:=@,%").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
        return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// Commands that can be pasted wherever one is: the programs need not be on the search path.
std::string commandsToOpen(const std::filesystem::path &file)
{
    std::error_code status;
    const std::filesystem::path here = std::filesystem::absolute(file, status);
    const std::string run = quoted((status ? file : here).lexically_normal().string());
    const std::filesystem::path window = programFolder() / "accelopt-workbench";
    std::string text;
    if (std::filesystem::exists(window, status))
        text = fmt::format("{} {}\n          or   ", quoted(window.string()), run);
    return text + fmt::format("{} show {}\n", quoted((programFolder() / "accelopt").string()), run);
}

} // namespace

std::string toText(const RunSummary &summary)
{
    const std::string kind = summary.simulated ? " (simulated)" : "";
    const auto number = [](const std::optional<double> &value, int digits) {
        return value ? fmt::format("{:.{}g}", *value, digits) : std::string("-");
    };
    std::vector<std::vector<std::string>> rows{
        {"iteration", "best ms", "speedup", "correct", "judged", "lessons"}};
    for (const auto &iteration : summary.iterations)
        rows.push_back(
            {fmt::format("{}", iteration.iteration), number(iteration.bestLatencyMs, 4),
             iteration.bestSpeedup ? fmt::format("{:.3f}x", *iteration.bestSpeedup) : "-",
             fmt::format("{}", iteration.correct), fmt::format("{}", iteration.profiled),
             fmt::format("{}", iteration.memoryAdded)});
    std::string text =
        fmt::format("{} on {}{}\n", summary.task, summary.device, kind) + table(rows);
    if (summary.bestLatencyMs && summary.isBaseline) {
        text += fmt::format("best latency   {} ms{}, the baseline's: no faster kernel was found\n",
                            number(summary.bestLatencyMs, 4), kind);
    } else if (summary.bestLatencyMs) {
        text +=
            fmt::format("best latency   {} ms{}, from {} ms\n", number(summary.bestLatencyMs, 4),
                        kind, number(summary.baselineLatencyMs, 4));
        text += fmt::format("speedup        {:.3f}x{}, {}\n", summary.bestSpeedup.value_or(1), kind,
                            !summary.confirmed   ? "not yet confirmed"
                            : *summary.confirmed ? "confirmed"
                                                 : summary.confirmationReason);
    }
    if (summary.percentOfPeak)
        text += fmt::format("% of peak      {:.1f}\n", *summary.percentOfPeak);
    std::string tried;
    for (const VerdictStatus status : kVerdictStatuses)
        if (const auto it = summary.verdicts.find(status);
            it != summary.verdicts.end() && it->second > 0)
            tried += fmt::format("{}{} {}", tried.empty() ? "" : ", ", it->second, name(status));
    if (summary.duplicates > 0)
        tried += fmt::format("{}{} written again", tried.empty() ? "" : ", ", summary.duplicates);
    text += fmt::format("tried          {}\n", tried.empty() ? "no kernel" : tried);
    if (summary.lineage.size() == 1)
        text += fmt::format("how            {}\n", summary.lineage.front());
    else
        for (std::size_t i = 0; i < summary.lineage.size(); ++i)
            text += fmt::format("{}{}. {}\n", i == 0 ? "how            " : "               ", i + 1,
                                summary.lineage[i]);
    if (summary.carried > 0)
        text += fmt::format("carried over   {} lesson{} of other runs\n", summary.carried,
                            summary.carried == 1 ? "" : "s");
    for (const BudgetMoved &moved : summary.budgetMoves)
        text += fmt::format("budget         round {}: {}\n", moved.round, moved.reason);
    text += spentText(summary);
    if (!summary.stoppedBecause.empty())
        text += fmt::format("stopped        {}\n", summary.stoppedBecause);
    else if (!summary.finished)
        text += "stopped        not finished yet\n";
    text += fmt::format("kept in        {}\n", summary.file.string());
    text += "open it with   " + commandsToOpen(summary.file);
    return text;
}

} // namespace accelopt::cli
