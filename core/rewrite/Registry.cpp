// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Rewrite.h"

#include <algorithm>

namespace accelopt::rewrite {
namespace {

// What a step counts that gains nothing itself but makes others possible.
constexpr double kSmallGain = 0.002;

} // namespace

std::span<const std::unique_ptr<Rewrite>> allRewrites()
{
    static const std::unique_ptr<Rewrite> table[] = {makeNameActivation(),
                                                     makeFoldIntoActivation(),
                                                     makeReduceWhileActivating(),
                                                     makeTransposeOnce(),
                                                     makeJoinScalarTensor(),
                                                     makeCollectTerms(),
                                                     makeCombineScalars(),
                                                     makeWidenTile(),
                                                     makeMergeInnerLoop(),
                                                     makeBalanceEngines(),
                                                     makeWidenTransfers(),
                                                     makeFuseLoops(),
                                                     makeSplitTiles(),
                                                     makeSplitLoop(),
                                                     makeInterchangeLoops(),
                                                     makeOneOperationPerLine(),
                                                     makeBlockLoop(),
                                                     makeLoadAgain(),
                                                     makeCutTiles(),
                                                     makeGatherStores(),
                                                     makeEvenTiles(),
                                                     makeParallelPasses(),
                                                     makeBroadcastThroughPsum(),
                                                     makeAccumulateOnTensorEngine(),
                                                     makeFoldFactor(),
                                                     makeScaleAfterProduct(),
                                                     makeRemoveDeadWork(),
                                                     makeHoistInvariant(),
                                                     makeBufferPerPass(),
                                                     makeAccumulateInPsum(),
                                                     makeRotateHalves()};
    return table;
}

const Rewrite *findRewrite(std::string_view name)
{
    for (const std::unique_ptr<Rewrite> &rewrite : allRewrites())
        if (rewrite->name() == name)
            return rewrite.get();
    return nullptr;
}

std::vector<RewriteSite> findSites(const KernelModel &model, const Profile &profile)
{
    return findSites(model, estimate(model, profile));
}

std::vector<RewriteSite> findSites(const KernelModel &model, const EngineLoad &now)
{
    const double before = latencyMs(now);
    std::vector<RewriteSite> sites;
    for (const std::unique_ptr<Rewrite> &rewrite : allRewrites())
        for (Proposal &proposal : rewrite->proposals(model)) {
            EngineLoad after = now;
            after += proposal.change;
            for (double *engine : {&after.tensor, &after.vector, &after.scalar, &after.dma})
                *engine = std::max(*engine, 0.0);
            RewriteSite site;
            site.rewrite = rewrite->name();
            site.parameters = std::move(proposal.parameters);
            site.place = proposal.place;
            site.title = std::move(proposal.title);
            site.prose = std::move(proposal.prose);
            site.reason = rewrite->reason();
            site.counters = rewrite->counters();
            site.estimatedSpeedup = before / latencyMs(after);
            site.opens = std::move(proposal.opens);
            if (!site.opens.empty() && site.estimatedSpeedup > 1 - kSmallGain)
                site.estimatedSpeedup = std::max(site.estimatedSpeedup, 1 + kSmallGain);
            sites.push_back(std::move(site));
        }
    std::stable_sort(sites.begin(), sites.end(), [](const RewriteSite &a, const RewriteSite &b) {
        return a.estimatedSpeedup > b.estimatedSpeedup;
    });
    return sites;
}

Result<std::string> applyRewrite(const KernelModel &model, std::string_view name,
                                 const nlohmann::json &parameters)
{
    const Rewrite *rewrite = findRewrite(name);
    if (!rewrite) {
        std::string known;
        for (const std::unique_ptr<Rewrite> &one : allRewrites())
            known += (known.empty() ? "" : ", ") + std::string(one->name());
        return fail(ErrorCode::WrongUse, "there is no rewrite named " + std::string(name),
                    "Known are: " + known + ".");
    }
    for (const Proposal &proposal : rewrite->proposals(model))
        if (proposal.parameters == parameters)
            return proposal.edits.apply();
    return fail(ErrorCode::WrongUse,
                "the rewrite " + std::string(name) + " does not apply there (" + parameters.dump() +
                    ")",
                "It requires: " + std::string(rewrite->precondition()) + ".");
}

} // namespace accelopt::rewrite
