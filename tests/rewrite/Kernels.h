// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/TestMain.h"

#include "core/nki/syntax/SyntaxHelper.h"
#include "core/rewrite/Rewrite.h"

#include <memory>
#include <optional>
#include <string>

namespace accelopt::tests {

/// A kernel text with its tree and model.
class ModelledKernel
{
public:
    explicit ModelledKernel(std::string source, const rewrite::ModelContext &context = {});
    const rewrite::KernelModel &model() const { return *m_model; }
    const std::string &source() const { return m_tree->source(); }
    /// Why it could not be made; empty when it could.
    const std::string &problem() const { return m_problem; }
    /// Number of the first statement whose text starts like this; -1 when there is none.
    int statement(std::string_view start) const;

private:
    std::unique_ptr<nki::SyntaxTree> m_tree;
    std::optional<rewrite::KernelModel> m_model;
    std::string m_problem;
};

/// A kernel in the style people write: loads tiles a and b (128 x 512) and the column c of each row
/// block, then runs `body` (one statement a line, not indented), then stores r.
std::string humanKernel(const std::string &body);
/// The lines of `body` in a kernel made by humanKernel.
std::string bodyOf(const std::string &kernel);

/// What afterRewrite() gives when there is no place for a rewrite.
inline const std::string kNotApplied = "does not apply";

/// The imports and the decorator of a kernel, up to its def.
inline const std::string kKernelHead = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa


@nki.jit
)";

/// What exchanged() gives when there is nothing to exchange.
inline const std::string kNothingToExchange = "nothing to exchange";

/// The text with the first `what` replaced by `with`; kNothingToExchange when it is not there.
std::string exchanged(std::string text, const std::string &what, const std::string &with);

/// The text after the rewrite at the first place where it applies; kNotApplied when there is none.
std::string afterRewrite(const std::string &source, std::string_view rewrite,
                         const rewrite::ModelContext &context = {}, std::size_t place = 0);

} // namespace accelopt::tests
