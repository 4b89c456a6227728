// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/OfflineExecutor.h"

#include "core/agents/PlanWords.h"
#include "core/agents/Tuner.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::agents {

using rewrite::EngineLoad;
using rewrite::RewriteSite;

namespace {

constexpr int kMostPlaces = 64;

} // namespace

Result<EverywhereResult> OfflineExecutor::everywhere(const std::string &source,
                                                     const std::string &name,
                                                     const EngineLoad &busy)
{
    EverywhereResult result{source, 1, 0};
    EngineLoad offset;
    for (; result.places < kMostPlaces; ++result.places) {
        ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel,
                     m_workshop.open(result.source));
        if (result.places == 0) {
            // What the profile knows better than the estimate stays true while the text changes.
            offset = busy;
            offset -= kernel->load;
        }
        EngineLoad load = kernel->load;
        load += offset;
        const std::vector<RewriteSite> sites = rewrite::findSites(*kernel->model, load);
        const auto best = std::find_if(sites.begin(), sites.end(), [&](const RewriteSite &site) {
            return site.rewrite == name;
        });
        if (best == sites.end() || best->estimatedSpeedup < kWorthTrying)
            break;
        result.estimatedSpeedup *= best->estimatedSpeedup;
        ACCELOPT_TRY(result.source, rewrite::applyRewrite(*kernel->model, name, best->parameters));
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
    const RewriteSite *best = nullptr;
    int bestMatches = -1;
    const std::vector<RewriteSite> sites = rewrite::findSites(*kernel->model);
    for (const RewriteSite &site : sites) {
        if (site.rewrite != meant->name())
            continue;
        // Among equals the plan's own words decide.
        const int matches = wordsShared(site.title, plan.text);
        if (matches > bestMatches) {
            bestMatches = matches;
            best = &site;
        }
    }
    if (!best)
        return fail(
            ErrorCode::NotGood,
            fmt::format("the plan means the rewrite {}, which applies nowhere in this kernel",
                        meant->name()),
            "It requires: " + std::string(meant->precondition()) + ".");
    return rewrite::applyRewrite(*kernel->model, best->rewrite, best->parameters);
}

Result<std::string> OfflineExecutor::carryOut(const std::string &source, const Step &step)
{
    if (step.kind == Step::Kind::Everywhere) {
        ACCELOPT_TRY(EverywhereResult result, everywhere(source, step.rewrite, step.busy));
        return std::move(result.source);
    }
    ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel, m_workshop.open(source));
    return step.kind == Step::Kind::Tune
               ? applySetting(*kernel->model, step.parameters)
               : rewrite::applyRewrite(*kernel->model, step.rewrite, step.parameters);
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
