// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/Kernels.h"

namespace accelopt::tests {
namespace {

const std::string kHead = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa


@nki.jit
def kernel(x, y, eps):
    out = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        a = nl.load(x[i * 128:(i + 1) * 128, 0:512])
        b = nl.load(y[i * 128:(i + 1) * 128, 0:512])
        c = nl.max(b, axis=[1], keepdims=True)
)";
const std::string kTail = R"(        nl.store(out[i * 128:(i + 1) * 128, 0:512], value=r)
    return out
)";
const std::string kIndent(8, ' ');

} // namespace

ModelledKernel::ModelledKernel(std::string source, const rewrite::ModelContext &context)
{
    // One child for all kernels of a test program: starting Python is what takes long.
    static nki::SyntaxHelper helper;
    Result<nki::Parsed> parsed = helper.parse(source);
    if (!parsed || !*parsed) {
        m_problem = parsed ? parsed->error().message : describe(parsed.error());
        return;
    }
    m_tree = std::make_unique<nki::SyntaxTree>(std::move(**parsed));
    Result<rewrite::KernelModel> model = rewrite::KernelModel::build(*m_tree, context);
    if (model)
        m_model = std::move(*model);
    else
        m_problem = describe(model.error());
}

int ModelledKernel::statement(std::string_view start) const
{
    for (std::size_t id = 0; id < model().statements().size(); ++id)
        if (model().text(model().statements()[id].node).starts_with(start))
            return static_cast<int>(id);
    return -1;
}

std::string humanKernel(const std::string &body)
{
    std::string text = kHead;
    std::size_t at = 0;
    while (at < body.size()) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        text += kIndent + body.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text + kTail;
}

std::string bodyOf(const std::string &kernel)
{
    if (!kernel.starts_with(kHead) || !kernel.ends_with(kTail))
        return kernel;
    const std::string inner =
        kernel.substr(kHead.size(), kernel.size() - kHead.size() - kTail.size());
    std::string result;
    std::size_t at = 0;
    while (at < inner.size()) {
        const std::size_t end = inner.find('\n', at);
        result += (result.empty() ? "" : "\n") +
                  inner.substr(at + kIndent.size(), end - at - kIndent.size());
        at = end + 1;
    }
    return result;
}

std::string exchanged(std::string text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.find(what);
    return at == std::string::npos ? kNothingToExchange : text.replace(at, what.size(), with);
}

std::string afterRewrite(const std::string &source, std::string_view rewrite,
                         const rewrite::ModelContext &context, std::size_t place)
{
    const ModelledKernel kernel(source, context);
    if (!kernel.problem().empty())
        return kernel.problem();
    const rewrite::Rewrite *found = rewrite::findRewrite(rewrite);
    if (!found)
        return "no such rewrite";
    const std::vector<rewrite::Proposal> proposals = found->proposals(kernel.model());
    if (place >= proposals.size())
        return kNotApplied;
    const Result<std::string> text =
        rewrite::applyRewrite(kernel.model(), rewrite, proposals[place].parameters);
    if (!text)
        return describe(text.error());
    // What comes out must parse again, whatever else a test looks at.
    const ModelledKernel again(*text, context);
    return again.problem().empty() ? *text : "does not parse: " + again.problem();
}

} // namespace accelopt::tests
