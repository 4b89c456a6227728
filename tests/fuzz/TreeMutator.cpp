// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/TreeMutator.h"

#include <array>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <string>

namespace accelopt::tests {

using nlohmann::json;

namespace {

// Where the parts of a node stand.
constexpr std::size_t kKind = 0;
constexpr std::size_t kText = 5;
constexpr std::size_t kLiteral = 6;
constexpr std::size_t kNodes = 7;

std::vector<json *> nodesBelow(json &root)
{
    std::vector<json *> nodes{&root};
    for (std::size_t n = 0; n < nodes.size(); ++n)
        for (json &child : (*nodes[n])[kNodes])
            nodes.push_back(&child);
    return nodes;
}

json literalJson(const nki::Literal &literal)
{
    struct Visitor
    {
        json operator()(nki::NoneLiteral) const { return {"none"}; }
        json operator()(nki::EllipsisLiteral) const { return {"ellipsis"}; }
        json operator()(bool value) const { return {"bool", value}; }
        json operator()(std::int64_t value) const { return {"int", value}; }
        json operator()(double value) const { return {"float", fmt::format("{}", value)}; }
        json operator()(const std::string &value) const { return {"str", value}; }
    };
    return std::visit(Visitor{}, literal);
}

json nodeJson(const nki::SyntaxTree &tree, nki::NodeId id)
{
    const nki::Node &node = tree[id];
    json children = json::array();
    for (const nki::NodeId child : node.children)
        children.push_back(nodeJson(tree, child));
    json made = json::array();
    made.push_back(std::string(name(node.kind)));
    for (const int number :
         {node.place.line, node.place.column, node.place.endLine, node.place.endColumn})
        made.push_back(number);
    made.push_back(node.text);
    made.push_back(node.kind == nki::NodeKind::Constant ? literalJson(node.literal) : json());
    made.push_back(std::move(children));
    return made;
}

} // namespace

json jsonOf(const nki::SyntaxTree &tree)
{
    return nodeJson(tree, tree.root());
}

void TreeMutator::changeConstant(json &node)
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kNumbers[] = {
        0,         1,    -1,   2,     3,      7,         31,         32,       33,
        64,        127,  128,  129,   255,    512,       513,        65535,    1 << 20,
        1LL << 31, 1000, -128, kMost, -kMost, kMost / 2, -kMost - 1, 1LL << 40};
    switch (below(8)) {
    case 0: node[kLiteral] = {"none"}; return;
    case 1: node[kLiteral] = {"bool", below(2) == 0}; return;
    case 2: node[kLiteral] = {"float", "1e308"}; return;
    case 3: node[kLiteral] = {"str", "x"}; return;
    case 4: node[kLiteral] = {"ellipsis"}; return;
    default: node[kLiteral] = {"int", kNumbers[std::size_t(below(std::size(kNumbers)))]};
    }
}

void TreeMutator::changeText(json &node, const std::vector<json *> &donated)
{
    // Names of the same kind of node, or what kernels of other kinds use.
    constexpr std::array kWords{"nl",
                                "nisa",
                                "np",
                                "range",
                                "len",
                                "nc_matmul",
                                "load",
                                "store",
                                "arange",
                                "mgrid",
                                "affine_range",
                                "sequential_range",
                                "static_range",
                                "activation",
                                "tensor_tensor",
                                "tensor_scalar",
                                "tensor_reduce",
                                "tensor_copy",
                                "memset",
                                "par_dim",
                                "ds",
                                "psum",
                                "shared_hbm",
                                "hbm",
                                "loop_reduce",
                                "broadcast_to",
                                "reshape",
                                "expand_dims",
                                "matmul",
                                "transpose",
                                "nc_transpose",
                                "bn_stats",
                                "bn_aggr",
                                "max8",
                                "iota",
                                "affine_select",
                                "dma_copy",
                                "shared_constant",
                                "identity",
                                "zeros",
                                "full",
                                "softmax",
                                "sum",
                                "max",
                                "program_id",
                                "mask",
                                "axis",
                                "dtype",
                                "+",
                                "-",
                                "*",
                                "/",
                                "//",
                                "%",
                                "**",
                                "<",
                                "==",
                                "in",
                                "is",
                                "&",
                                "and",
                                "not",
                                "where",
                                "kernel",
                                "__class__"};
    if (below(3) == 0) {
        node[kText] = kWords[std::size_t(below(kWords.size()))];
        return;
    }
    for (int tries = 0; tries < 16; ++tries) {
        const json &other = *donated[std::size_t(below(donated.size()))];
        if (other[kKind] == node[kKind]) {
            node[kText] = other[kText];
            return;
        }
    }
}

void TreeMutator::changeOnce(json &tree, const std::vector<json *> &nodes,
                             const std::vector<json *> &donated)
{
    json &node = *nodes[std::size_t(below(nodes.size()))];
    const json &other = *donated[std::size_t(below(donated.size()))];
    json &children = node[kNodes];
    switch (below(9)) {
    case 0: // another subtree of the same kind
    case 1:
        for (int tries = 0; tries < 24; ++tries) {
            const json &same = *donated[std::size_t(below(donated.size()))];
            if (same[kKind] == node[kKind] && &same != &node) {
                node = json(same);
                return;
            }
        }
        return;
    case 2: // any other subtree
        if (&node != &tree)
            node = json(other);
        return;
    case 3:
        if (!children.empty())
            children.erase(children.begin() + below(children.size()));
        return;
    case 4:
        if (!children.empty()) {
            const json twice = children[std::size_t(below(children.size()))];
            children.insert(children.begin() + below(children.size() + 1), twice);
        }
        return;
    case 5:
        if (children.size() > 1)
            std::swap(children[std::size_t(below(children.size()))],
                      children[std::size_t(below(children.size()))]);
        return;
    case 6:
        for (int tries = 0; tries < 24; ++tries) {
            json &constant = *nodes[std::size_t(below(nodes.size()))];
            if (constant[kKind] == "Constant") {
                changeConstant(constant);
                return;
            }
        }
        return;
    default: changeText(node, donated);
    }
}

void TreeMutator::mutate(json &tree, const json &donor)
{
    json others = donor;
    const int changes = 1 + below(4);
    for (int n = 0; n < changes; ++n) {
        // Places move with every change.
        const std::vector<json *> nodes = nodesBelow(tree);
        const std::vector<json *> donated = below(2) == 0 ? nodes : nodesBelow(others);
        constexpr std::size_t kMostNodes = 4000;
        if (nodes.size() > kMostNodes)
            return;
        changeOnce(tree, nodes, donated);
    }
}

} // namespace accelopt::tests
