// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Result.h"
#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/KernelModel.h"
#include "core/rewrite/SourceEdits.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::rewrite {

/// One way to carry out a rewrite at one place of a kernel.
struct Proposal
{
    nlohmann::json parameters; ///< tells it from the other proposals of the same rewrite and kernel
    SourcePlace place;
    std::string title; ///< a few words, with the names of the kernel
    std::string prose; ///< the one step, for whoever carries it out by hand
    EngineLoad change; ///< expected over the whole kernel; negative is less work
    SourceEdits edits;
    /// What the change makes possible besides its own gain, for a rewrite that is a first step of
    /// others; empty: nothing.
    std::string opens{};
};

/// A change of a kernel's text that keeps what it computes. Knows no task by name.
class Rewrite
{
public:
    virtual ~Rewrite() = default;
    /// Stable name used in directives and tags ("fold-into-activation").
    virtual std::string_view name() const = 0;
    /// What must hold for it to be legal.
    virtual std::string_view precondition() const = 0;
    /// Why it makes a kernel faster.
    virtual std::string_view reason() const = 0;
    /// Counters it should move, with the direction.
    virtual std::string_view counters() const = 0;
    /// Words by which a plan in prose can be recognised as meaning this rewrite, lower case.
    virtual std::vector<std::string> keywords() const = 0;
    /// Whether it changes nothing but the text, so that other rewrites can read it: whoever looks
    /// for gains carries it out first, and never by itself.
    virtual bool prepares() const { return false; }
    /// Every place where it applies, in order of the text.
    virtual std::vector<Proposal> proposals(const KernelModel &model) const = 0;
};

/// All rewrites there are. To add one: a file in rewrites/, a maker below, a row in the table of
/// Registry.cpp.
std::span<const std::unique_ptr<Rewrite>> allRewrites();
/// The rewrite of that name, or nullptr.
const Rewrite *findRewrite(std::string_view name);

/// A place where a rewrite applies, with what it promises.
struct RewriteSite
{
    std::string rewrite;
    nlohmann::json parameters;
    SourcePlace place;
    std::string title;
    std::string prose;
    std::string reason;
    std::string counters;
    /// Estimated latency now / estimated latency after; above 1 is faster.
    double estimatedSpeedup = 1;
    /// As in Proposal; such a site counts as a small gain when its own is nought.
    std::string opens;
};

/// All sites of all rewrites, best estimated speedup first. The profile, when it has a latency,
/// replaces the estimate of how busy the engines are now.
std::vector<RewriteSite> findSites(const KernelModel &model, const Profile &profile = {});
/// The same, when it is known how busy the engines are now.
std::vector<RewriteSite> findSites(const KernelModel &model, const EngineLoad &now);

/// The new source. WrongUse error when the rewrite is unknown or does not apply with these
/// parameters.
Result<std::string> applyRewrite(const KernelModel &model, std::string_view rewrite,
                                 const nlohmann::json &parameters);

// Makers, one per file of rewrites/.
std::unique_ptr<Rewrite> makeCombineScalars();
std::unique_ptr<Rewrite> makeCollectTerms();
std::unique_ptr<Rewrite> makeFoldIntoActivation();
std::unique_ptr<Rewrite> makeNameActivation();
std::unique_ptr<Rewrite> makeJoinScalarTensor();
std::unique_ptr<Rewrite> makeReduceWhileActivating();
std::unique_ptr<Rewrite> makeTransposeOnce();
std::unique_ptr<Rewrite> makeWidenTile();
std::unique_ptr<Rewrite> makeMergeInnerLoop();
std::unique_ptr<Rewrite> makeBalanceEngines();
std::unique_ptr<Rewrite> makeWidenTransfers();
std::unique_ptr<Rewrite> makeParallelPasses();
std::unique_ptr<Rewrite> makeBroadcastThroughPsum();
std::unique_ptr<Rewrite> makeAccumulateOnTensorEngine();
std::unique_ptr<Rewrite> makeFoldFactor();
std::unique_ptr<Rewrite> makeScaleAfterProduct();
std::unique_ptr<Rewrite> makeAccumulateInPsum();
std::unique_ptr<Rewrite> makeBufferPerPass();
std::unique_ptr<Rewrite> makeHoistInvariant();
std::unique_ptr<Rewrite> makeRemoveDeadWork();
std::unique_ptr<Rewrite> makeRotateHalves();
std::unique_ptr<Rewrite> makeFuseLoops();
std::unique_ptr<Rewrite> makeSplitTiles();
std::unique_ptr<Rewrite> makeSplitLoop();
std::unique_ptr<Rewrite> makeInterchangeLoops();
std::unique_ptr<Rewrite> makeOneOperationPerLine();
std::unique_ptr<Rewrite> makeBlockLoop();
std::unique_ptr<Rewrite> makeLoadAgain();
std::unique_ptr<Rewrite> makeCutTiles();
std::unique_ptr<Rewrite> makeGatherStores();
std::unique_ptr<Rewrite> makeEvenTiles();

} // namespace accelopt::rewrite
