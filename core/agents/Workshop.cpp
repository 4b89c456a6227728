// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Workshop.h"

#include "core/nki/syntax/Lexer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace accelopt::agents {

Workshop::Workshop(rewrite::ModelContext context, std::string python)
    : m_context(std::move(context)),
      m_helper(std::move(python))
{}

Result<std::shared_ptr<const OpenKernel>> Workshop::open(const std::string &source)
{
    const auto kept = std::find_if(m_kept.begin(), m_kept.end(),
                                   [&](const auto &one) { return one->source == source; });
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
    auto opened = std::make_shared<OpenKernel>(
        OpenKernel{source, nki::kernelIdentity(source), std::move(*tree), std::nullopt, {}});
    ACCELOPT_TRY(rewrite::KernelModel model, rewrite::KernelModel::build(opened->tree, m_context));
    opened->load = rewrite::estimate(model);
    opened->model = std::move(model);
    m_kept.push_front(std::move(opened));
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
