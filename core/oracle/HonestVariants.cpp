// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/KernelCalls.h"
#include "core/oracle/Mutants.h"
#include "core/rewrite/KernelModel.h"
#include "core/rewrite/Rewrite.h"
#include "core/rewrite/SourceEdits.h"

#include <fmt/format.h>
#include <functional>

namespace accelopt::oracle {
namespace {

using nki::NodeId;
using nki::NodeKind;
using rewrite::SourceEdits;

class VariantMaker
{
public:
    explicit VariantMaker(const nki::SyntaxTree &tree) : m_tree(tree), m_calls(tree) {}

    std::vector<KernelVariant> run()
    {
        m_made.push_back({"as_it_is", "the kernel itself", {}, m_tree.source()});
        tileSizes();
        orders();
        for (const KernelCall &call : m_calls.calls()) {
            sums(call);
            operations(call);
            logistic(call);
        }
        rewrites();
        return std::move(m_made);
    }

private:
    void add(const std::string &kind, const std::string &what, NodeId at,
             const std::function<void(SourceEdits &)> &edit)
    {
        SourceEdits edits(m_tree);
        edit(edits);
        if (auto source = edits.apply(); source && *source != m_tree.source())
            m_made.push_back({kind, what, m_tree[at].place, std::move(*source)});
    }

    std::string text(NodeId node) const { return m_calls.text(node); }

    /// Half the columns of a tile: tiles of 512 columns fit wherever their halves do.
    void tileSizes()
    {
        for (NodeId node = 0; std::size_t(node) < m_tree.size(); ++node) {
            const nki::Node &assign = m_tree[node];
            if (assign.kind != NodeKind::Assign || assign.children.size() != 2 ||
                text(assign.children.front()) != "512")
                continue;
            for (const char *size : {"256", "128"})
                add("tile_size", fmt::format("{} = {}", text(assign.children.back()), size), node,
                    [&](SourceEdits &edits) { edits.replace(assign.children.front(), size); });
        }
    }

    /// The passes of an affine loop may come in any order.
    void orders()
    {
        for (const KernelLoop &loop : m_calls.loops())
            if (loop.range == "affine_range")
                add("order", fmt::format("{} from the last pass to the first", loop.variable),
                    loop.node, [&](SourceEdits &edits) {
                        for (const NodeId use :
                             m_calls.names(m_tree[loop.node].children[2], loop.variable))
                            edits.replace(use, fmt::format("(({}) - 1 - {})", text(loop.count),
                                                           loop.variable));
                    });
    }

    /// Sums and maxima in two groups, and a softmax's sum in the online form.
    void sums(const KernelCall &call)
    {
        const bool isMaximum = call.function == "max";
        if ((!isMaximum && call.function != "sum") || call.arguments.empty() ||
            !m_calls.isTile(call.arguments[0]) || m_tree[call.arguments[0]].kind != NodeKind::Name)
            return;
        const std::string name = text(call.arguments[0]);
        const std::string k = m_calls.keywordText(call);
        const auto part = [](const std::string &tile, int which) {
            return which == 0 ? fmt::format("{0}[:, 0:{0}.shape[1] // 2]", tile)
                              : fmt::format("{0}[:, {0}.shape[1] // 2:{0}.shape[1]]", tile);
        };
        const auto reduced = [&](const std::string &tile, int which) {
            return fmt::format("nl.{}({}{})", call.function, part(tile, which), k);
        };
        add("regrouped", fmt::format("{} in two groups", call.function), call.node,
            [&](SourceEdits &edits) {
                edits.replace(call.node, fmt::format("nl.{}({}, {})", isMaximum ? "maximum" : "add",
                                                     reduced(name, 0), reduced(name, 1)));
            });

        // sum(exp(logits - maximum)), each half with its own maximum, then brought together
        const KernelCall *power = m_calls.callOf(name);
        if (isMaximum || !power || power->function != "exp" || power->arguments.size() != 1)
            return;
        const KernelCall *shifted = m_calls.callOf(text(power->arguments[0]));
        if (!shifted || shifted->function != "subtract" || shifted->arguments.size() != 2)
            return;
        const KernelCall *maximum = m_calls.callOf(text(shifted->arguments[1]));
        if (!maximum || maximum->function != "max" ||
            text(maximum->arguments[0]) != text(shifted->arguments[0]))
            return;
        const std::string logits = text(shifted->arguments[0]);
        const std::string whole = maximum->boundName;
        const auto online = [&](int which) {
            const std::string own = fmt::format("nl.max({}{})", part(logits, which), k);
            return fmt::format("nl.multiply(nl.sum(nl.exp(nl.subtract({0}, {1})){2}), "
                               "nl.exp(nl.subtract({1}, {3})))",
                               part(logits, which), own, k, whole);
        };
        add("online_softmax", "the softmax's sum from halves with their own maxima", call.node,
            [&](SourceEdits &edits) {
                edits.replace(call.node, fmt::format("nl.add({}, {})", online(0), online(1)));
            });
    }

    void operations(const KernelCall &call)
    {
        const std::string k = m_calls.keywordText(call);
        if ((call.function == "add" || call.function == "multiply") && call.arguments.size() == 2 &&
            m_calls.isTile(call.arguments[1]))
            add("commuted", fmt::format("operands of {} exchanged", text(call.node)), call.node,
                [&](SourceEdits &edits) {
                    edits.replace(call.node,
                                  fmt::format("nl.{}({}, {}{})", call.function,
                                              text(call.arguments[1]), text(call.arguments[0]), k));
                });
        if (call.function == "multiply" && call.arguments.size() == 2)
            if (const KernelCall *inverse = m_calls.callOf(text(call.arguments[1]));
                inverse && inverse->function == "reciprocal")
                add("fused", "a quotient instead of a product with the reciprocal", call.node,
                    [&](SourceEdits &edits) {
                        edits.replace(call.node,
                                      fmt::format("nl.divide({}, {}{})", text(call.arguments[0]),
                                                  text(inverse->arguments[0]), k));
                    });
        if (call.function == "reciprocal" && call.arguments.size() == 1)
            if (const KernelCall *root = m_calls.callOf(text(call.arguments[0]));
                root && root->function == "sqrt")
                add("fused", "rsqrt instead of the reciprocal of a root", call.node,
                    [&](SourceEdits &edits) {
                        edits.replace(call.node,
                                      fmt::format("nl.rsqrt({}{})", text(root->arguments[0]), k));
                    });
        if (call.function == "square" && call.arguments.size() == 1)
            add("fused", "a product with itself instead of a square", call.node,
                [&](SourceEdits &edits) {
                    edits.replace(call.node, fmt::format("nl.multiply({0}, {0}{1})",
                                                         text(call.arguments[0]), k));
                });
    }

    /// 1 / (1 + exp(-x)) by way of tanh, and as one function.
    void logistic(const KernelCall &call)
    {
        if (call.function != "reciprocal" || call.arguments.size() != 1)
            return;
        const KernelCall *sum = m_calls.callOf(text(call.arguments[0]));
        if (!sum || sum->function != "add" || sum->arguments.size() != 2 ||
            text(sum->arguments[1]) != "1.0")
            return;
        const KernelCall *power = m_calls.callOf(text(sum->arguments[0]));
        if (!power || power->function != "exp")
            return;
        const KernelCall *negative = m_calls.callOf(text(power->arguments[0]));
        if (!negative || negative->function != "multiply" || text(negative->arguments[1]) != "-1.0")
            return;
        const std::string x = text(negative->arguments[0]);
        const std::string k = m_calls.keywordText(call);
        add("tanh_form", "the logistic function by way of tanh", call.node,
            [&](SourceEdits &edits) {
                edits.replace(
                    call.node,
                    fmt::format("nl.add(nl.multiply(nl.tanh(nl.multiply({0}, 0.5{1}){1}), "
                                "0.5{1}), 0.5{1})",
                                x, k));
            });
        add("fused", "the logistic function as one", call.node, [&](SourceEdits &edits) {
            edits.replace(call.node, fmt::format("nl.sigmoid({}{})", x, k));
        });
    }

    /// Each rewrite of the search at the first place where it applies.
    void rewrites()
    {
        const auto model = rewrite::KernelModel::build(m_tree);
        if (!model)
            return;
        for (const auto &rewrite : rewrite::allRewrites()) {
            const auto proposals = rewrite->proposals(*model);
            if (proposals.empty())
                continue;
            if (auto source = proposals.front().edits.apply())
                m_made.push_back({"rewrite", std::string(rewrite->name()), proposals.front().place,
                                  std::move(*source)});
        }
    }

    const nki::SyntaxTree &m_tree;
    KernelCalls m_calls;
    std::vector<KernelVariant> m_made;
};

} // namespace

std::vector<KernelVariant> honestVariants(const nki::SyntaxTree &tree)
{
    return VariantMaker(tree).run();
}

} // namespace accelopt::oracle
