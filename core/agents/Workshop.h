// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Ids.h"
#include "core/domain/Result.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/KernelModel.h"
#include "core/rewrite/Rewrite.h"

#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::agents {

/// A place where a rewrite applies, with what it promises. Both belong to the kernel it is for.
struct Opportunity
{
    const rewrite::Rewrite *rewrite = nullptr;
    const rewrite::Proposal *proposal = nullptr;
    double estimatedSpeedup = 1; ///< estimated latency now / after
};

/// A kernel's text with all that the rewrites need of it. Not thread-safe.
class OpenKernel
{
public:
    const std::string &source() const { return m_source; }
    const KernelId &id() const { return m_id; }
    const rewrite::KernelModel &model() const { return *m_model; }
    /// Estimated from the text alone.
    const rewrite::EngineLoad &load() const { return m_load; }

    /// Where one rewrite applies when the engines are that busy, or all of them, best first.
    std::vector<Opportunity> opportunities(const rewrite::Rewrite &rewrite,
                                           const rewrite::EngineLoad &now) const;
    std::vector<Opportunity> opportunities(const rewrite::EngineLoad &now) const;
    /// The place of a rewrite that parameters name, or nullptr.
    const rewrite::Proposal *proposal(const rewrite::Rewrite &rewrite,
                                      const nlohmann::json &parameters) const;

private:
    friend class Workshop;
    OpenKernel(std::string source, nki::SyntaxTree tree);
    const std::vector<rewrite::Proposal> &proposals(const rewrite::Rewrite &rewrite) const;

    std::string m_source;
    KernelId m_id;
    nki::SyntaxTree m_tree;
    std::optional<rewrite::KernelModel> m_model; ///< set; refers to the tree
    rewrite::EngineLoad m_load;
    /// Worked out when somebody asks: they are what takes the time.
    mutable std::map<const rewrite::Rewrite *, std::vector<rewrite::Proposal>> m_proposals;
};

/// Parses kernels and analyses them, and keeps those asked for last: N samples, the candidates of
/// an iteration and the steps of a plan ask for the same ones again. What is kept never changes an
/// answer. Not thread-safe.
class Workshop
{
public:
    Workshop(rewrite::ModelContext context, std::string python);

    /// NotGood error when the text is no kernel.
    Result<std::shared_ptr<const OpenKernel>> open(const std::string &source);
    /// Internal error when the text is not Python.
    Result<void> check(const std::string &source);

private:
    static constexpr std::size_t kMostKept = 64;

    rewrite::ModelContext m_context;
    nki::SyntaxHelper m_helper;
    std::list<std::shared_ptr<const OpenKernel>> m_kept; ///< last used first
};

} // namespace accelopt::agents
