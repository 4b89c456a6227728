// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/OfflineExecutor.h"

#include "core/agents/PlanWords.h"
#include "core/agents/Tuner.h"
#include "core/nki/syntax/Lexer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

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

// What the last step could be instead, best first.
Result<std::vector<std::string>> OfflineExecutor::otherEnds(const std::string &source,
                                                            const Step &last)
{
    std::vector<std::string> ends;
    ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel, m_workshop.open(source));
    const auto add = [&ends](const rewrite::Proposal &proposal) {
        if (Result<std::string> end = proposal.edits.apply())
            ends.push_back(std::move(*end));
    };
    if (last.kind == Step::Kind::Tune) {
        const Turning planned = turningOf(last.parameters);
        const std::vector<Setting> all = settings(kernel->model(), kernel->load());
        std::vector<const Setting *> others;
        for (const Setting &one : all)
            if (one.turning.knob == planned.knob && one.turning != planned)
                others.push_back(&one);
        // Numbers near the planned one, on the same side of what is there.
        const auto order = [&](const Setting *one) {
            return std::pair(one->turning.direction * planned.direction < 0,
                             std::abs(one->turning.direction - planned.direction));
        };
        std::stable_sort(others.begin(), others.end(),
                         [&](const Setting *first, const Setting *second) {
                             return order(first) < order(second);
                         });
        for (const Setting *one : others)
            add(one->proposal);
        return ends;
    }
    if (const rewrite::Rewrite *rewrite = rewrite::findRewrite(last.rewrite))
        for (const Opportunity &one : kernel->opportunities(*rewrite, kernel->load()))
            add(*one.proposal);
    return ends;
}

Result<std::vector<std::string>> OfflineExecutor::otherWays(const std::string &source,
                                                            const Plan &plan)
{
    std::vector<std::string> ways;
    if (plan.directive.empty()) {
        if (const rewrite::Rewrite *meant = rewriteMeant(plan.title + "\n" + plan.text)) {
            Step step;
            step.rewrite = std::string(meant->name());
            ACCELOPT_TRY(ways, otherEnds(source, step));
        }
    } else {
        ACCELOPT_TRY(std::vector<Step> steps, stepsOf(plan.directive));
        const Step last = steps.back();
        steps.pop_back();
        ACCELOPT_TRY(const std::string before, carryOut(source, steps));
        ACCELOPT_TRY(ways, otherEnds(before, last));
    }
    ACCELOPT_TRY(const std::string planned, carryOut(source, plan));
    std::set<KernelId> seen{nki::kernelIdentity(source), nki::kernelIdentity(planned)};
    std::erase_if(ways, [&](const std::string &way) {
        return !seen.insert(nki::kernelIdentity(way)).second;
    });
    return ways;
}

Result<std::string> OfflineExecutor::carryOut(const std::string &source, const Plan &plan,
                                              int attempt)
{
    if (attempt > 0) {
        ACCELOPT_TRY(const std::vector<std::string> ways, otherWays(source, plan));
        const auto wanted = static_cast<std::size_t>(attempt) - 1;
        if (wanted >= ways.size())
            return fail(ErrorCode::NotGood,
                        fmt::format("the offline agent knows {} for this plan in this kernel",
                                    ways.empty() ? std::string("no other way")
                                                 : fmt::format("only {} ways", ways.size() + 1)),
                        "One attempt per plan (-K 1) is enough for the offline agents.");
        ACCELOPT_CHECK(m_workshop.check(ways[wanted]));
        return ways[wanted];
    }
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
