// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/OfflineExecutor.h"

#include "core/agents/PlanWords.h"
#include "core/agents/Tuner.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::agents {

using rewrite::EngineLoad;

namespace {

constexpr int kMostPlaces = 64;

} // namespace

Result<EverywhereResult> OfflineExecutor::everywhere(const std::string &source,
                                                     const std::string &name,
                                                     const EngineLoad &busy)
{
    EverywhereResult result{source, 1, 0};
    const rewrite::Rewrite *rewrite = rewrite::findRewrite(name);
    EngineLoad offset;
    for (; rewrite && result.places < kMostPlaces; ++result.places) {
        ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel,
                     m_workshop.open(result.source));
        if (result.places == 0) {
            // What the profile knows better than the estimate stays true while the text changes.
            offset = busy;
            offset -= kernel->load();
        }
        EngineLoad load = kernel->load();
        load += offset;
        const std::vector<Opportunity> found = kernel->opportunities(*rewrite, load);
        if (found.empty() || found.front().estimatedSpeedup < kWorthTrying)
            break;
        result.estimatedSpeedup *= found.front().estimatedSpeedup;
        ACCELOPT_TRY(result.source, found.front().proposal->edits.apply());
    }
    if (result.places == 0)
        return fail(ErrorCode::NotGood,
                    "the rewrite " + name + " promises no gain anywhere in this kernel");
    return result;
}

Result<std::string> OfflineExecutor::byWords(const std::string &source, const Plan &plan)
{
    const rewrite::Rewrite *meant = rewriteMeant(plan.title + "\n" + plan.text);
    if (!meant)
        return fail(ErrorCode::NotGood, "the offline agent does not understand this plan",
                    "Name one of its rewrites in the plan: " + rewriteNames() + ".");
    ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel, m_workshop.open(source));
    const rewrite::Proposal *best = nullptr;
    int bestMatches = -1;
    for (const Opportunity &one : kernel->opportunities(*meant, kernel->load())) {
        // Among equals the plan's own words decide.
        const int matches = wordsShared(one.proposal->title, plan.text);
        if (matches > bestMatches) {
            bestMatches = matches;
            best = one.proposal;
        }
    }
    if (!best)
        return fail(
            ErrorCode::NotGood,
            fmt::format("the plan means the rewrite {}, which applies nowhere in this kernel",
                        meant->name()),
            "It requires: " + std::string(meant->precondition()) + ".");
    return best->edits.apply();
}

Result<std::string> OfflineExecutor::carryOut(const std::string &source, const Step &step)
{
    if (step.kind == Step::Kind::Everywhere) {
        ACCELOPT_TRY(EverywhereResult result, everywhere(source, step.rewrite, step.busy));
        return std::move(result.source);
    }
    ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel, m_workshop.open(source));
    if (step.kind == Step::Kind::Tune)
        return applySetting(kernel->model(), step.parameters);
    const rewrite::Rewrite *rewrite = rewrite::findRewrite(step.rewrite);
    const rewrite::Proposal *proposal =
        rewrite ? kernel->proposal(*rewrite, step.parameters) : nullptr;
    // What is wrong with it, applyRewrite says.
    return proposal ? proposal->edits.apply()
                    : rewrite::applyRewrite(kernel->model(), step.rewrite, step.parameters);
}

Result<std::string> OfflineExecutor::carryOut(const std::string &source,
                                              const std::vector<Step> &steps)
{
    std::string current = source;
    for (const Step &step : steps) {
        ACCELOPT_TRY(current, carryOut(current, step));
    }
    return current;
}

Result<std::string> OfflineExecutor::carryOut(const std::string &source, const Plan &plan)
{
    std::string written;
    if (plan.directive.empty()) {
        ACCELOPT_TRY(written, byWords(source, plan));
    } else {
        ACCELOPT_TRY(const std::vector<Step> steps, stepsOf(plan.directive));
        ACCELOPT_TRY(written, carryOut(source, steps));
    }
    ACCELOPT_CHECK(m_workshop.check(written));
    return written;
}

} // namespace accelopt::agents
