// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Ids.h"
#include "core/domain/Result.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/KernelModel.h"

#include <list>
#include <memory>
#include <optional>
#include <string>

namespace accelopt::agents {

/// A kernel's text with all that the rewrites need of it.
struct OpenKernel
{
    std::string source;
    KernelId id;
    nki::SyntaxTree tree;
    std::optional<rewrite::KernelModel> model; ///< set; refers to the tree
    rewrite::EngineLoad load;                  ///< estimated from the text alone
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
