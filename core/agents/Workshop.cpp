// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Workshop.h"

#include "core/agents/Tuner.h"
#include "core/nki/syntax/Lexer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace accelopt::agents {

namespace {

// What a step counts that gains nothing itself but makes others possible.
constexpr double kSmallGain = 0.002;

double speedupOf(const rewrite::Proposal &proposal, const rewrite::EngineLoad &now)
{
    rewrite::EngineLoad after = now;
    after += proposal.change;
    for (double *engine : {&after.tensor, &after.vector, &after.scalar, &after.dma})
        *engine = std::max(*engine, 0.0);
    const double speedup = rewrite::latencyMs(now) / rewrite::latencyMs(after);
    return !proposal.opens.empty() && speedup > 1 - kSmallGain ? std::max(speedup, 1 + kSmallGain)
                                                               : speedup;
}

/// A size that no tile has any more: the kernel would be the same in other words.
bool saysTheSame(const rewrite::KernelModel &model, const rewrite::Proposal &proposal)
{
    if (!proposal.parameters.is_object())
        return false;
    const auto size = proposal.parameters.find("constant");
    return size != proposal.parameters.end() && size->is_string() &&
           decidesNothing(model, size->get<std::string>());
}

void sortBestFirst(std::vector<Opportunity> &opportunities)
{
    std::stable_sort(opportunities.begin(), opportunities.end(),
                     [](const Opportunity &a, const Opportunity &b) {
                         return a.estimatedSpeedup > b.estimatedSpeedup;
                     });
}

} // namespace

OpenKernel::OpenKernel(std::string source, nki::SyntaxTree tree)
    : m_source(std::move(source)),
      m_id(nki::kernelIdentity(m_source)),
      m_tree(std::move(tree))
{}

const std::vector<rewrite::Proposal> &OpenKernel::proposals(const rewrite::Rewrite &rewrite) const
{
    auto found = m_proposals.find(&rewrite);
    if (found == m_proposals.end())
        found = m_proposals.emplace(&rewrite, rewrite.proposals(*m_model)).first;
    return found->second;
}

std::vector<Opportunity> OpenKernel::opportunities(const rewrite::Rewrite &rewrite,
                                                   const rewrite::EngineLoad &now) const
{
    std::vector<Opportunity> found;
    for (const rewrite::Proposal &proposal : proposals(rewrite))
        found.push_back({&rewrite, &proposal, speedupOf(proposal, now)});
    sortBestFirst(found);
    return found;
}

std::vector<Opportunity> OpenKernel::opportunities(const rewrite::EngineLoad &now) const
{
    std::vector<Opportunity> found;
    for (const auto &rewrite : rewrite::allRewrites())
        for (const rewrite::Proposal &proposal : proposals(*rewrite))
            if (!saysTheSame(*m_model, proposal))
                found.push_back({rewrite.get(), &proposal, speedupOf(proposal, now)});
    sortBestFirst(found);
    return found;
}

const rewrite::Proposal *OpenKernel::proposal(const rewrite::Rewrite &rewrite,
                                              const nlohmann::json &parameters) const
{
    for (const rewrite::Proposal &one : proposals(rewrite))
        if (one.parameters == parameters)
            return &one;
    return nullptr;
}

Workshop::Workshop(rewrite::ModelContext context, std::string python)
    : m_context(std::move(context)),
      m_helper(std::move(python))
{}

Result<std::shared_ptr<const OpenKernel>> Workshop::open(const std::string &source)
{
    const auto kept = std::find_if(m_kept.begin(), m_kept.end(),
                                   [&](const auto &one) { return one->source() == source; });
    if (kept != m_kept.end()) {
        m_kept.splice(m_kept.begin(), m_kept, kept);
        return m_kept.front();
    }
    ACCELOPT_TRY(nki::Parsed tree, m_helper.parse(source));
    if (!tree)
        return fail(ErrorCode::NotGood,
                    fmt::format("the kernel cannot be parsed (line {}: {})",
                                tree.error().place.line, tree.error().message),
                    "Only a kernel that compiles can be improved.");
    const std::shared_ptr<OpenKernel> opened(new OpenKernel(source, std::move(*tree)));
    ACCELOPT_TRY(opened->m_model, rewrite::KernelModel::build(opened->m_tree, m_context));
    opened->m_load = rewrite::estimate(*opened->m_model);
    m_kept.push_front(opened);
    if (m_kept.size() > kMostKept)
        m_kept.pop_back();
    return m_kept.front();
}

Result<void> Workshop::check(const std::string &source)
{
    ACCELOPT_TRY(const nki::Parsed parsed, m_helper.parse(source));
    if (!parsed)
        return fail(ErrorCode::Internal, "the rewritten kernel is not Python any more", {},
                    parsed.error().message);
    return {};
}

} // namespace accelopt::agents
