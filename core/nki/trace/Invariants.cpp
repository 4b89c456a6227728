// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

namespace accelopt::nki {

// A kernel evaluates `nl.arange(128)[:, None]` a hundred thousand times. An expression that is made
// only of constants, imported modules and functions that compute indices or types has one value for
// the whole trace; it is evaluated once. Names count as imported modules when nothing but import
// statements ever binds them.

void Evaluator::findInvariants()
{
    std::unordered_map<std::string, bool> imported;
    for (NodeId id = 0; id < NodeId(m_tree.size()); ++id) {
        const Node &node = m_tree[id];
        if (node.kind == NodeKind::Alias) {
            const std::size_t as = node.text.find(" as ");
            std::string bound = as == std::string::npos ? node.text : node.text.substr(as + 4);
            if (as == std::string::npos && m_tree[node.parent].kind == NodeKind::Import)
                bound = bound.substr(0, bound.find('.'));
            imported.try_emplace(bound, true);
        }
    }
    Names names;
    for (NodeId id = 0; id < NodeId(m_tree.size()); ++id) {
        const Node &node = m_tree[id];
        switch (node.kind) {
        case NodeKind::Assign:
            for (std::size_t i = 1; i < node.children.size(); ++i)
                collectNames(node.children[i], names);
            break;
        case NodeKind::AugAssign:
        case NodeKind::AnnAssign:
        case NodeKind::For:
        case NodeKind::Comprehension: collectNames(node.children[0], names); break;
        case NodeKind::FunctionDef:
        case NodeKind::ClassDef: names.slots.try_emplace(node.text, 0); break;
        case NodeKind::Parameter:
            names.slots.try_emplace(
                node.text.substr(node.text.find_first_not_of('*') == std::string::npos
                                     ? 0
                                     : node.text.find_first_not_of('*')),
                0);
            break;
        default: break;
        }
    }
    for (auto &[name, stable] : imported)
        if (names.slots.contains(name))
            stable = false;
    markInvariant(m_tree.root(), imported);
}

bool Evaluator::markInvariant(NodeId id, const std::unordered_map<std::string, bool> &imported)
{
    const Node &node = m_tree[id];
    bool children = true;
    for (const NodeId child : node.children)
        children = markInvariant(child, imported) && children;
    bool invariant = false;
    switch (node.kind) {
    case NodeKind::Constant:
    case NodeKind::None: invariant = true; break;
    case NodeKind::Name: {
        const auto it = imported.find(node.text);
        invariant = it != imported.end() && it->second;
        break;
    }
    case NodeKind::Call: {
        // Only functions that issue nothing and make nothing that could change.
        static constexpr std::string_view kPure[] = {"arange", "ds",   "par_dim",
                                                     "dtype",  "type", "float32"};
        const Node &function = m_tree[node.children[0]];
        bool pure = false;
        for (const std::string_view name : kPure)
            pure = pure || function.text == name;
        invariant = children && pure;
        break;
    }
    case NodeKind::Attribute:
    case NodeKind::Subscript:
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::Compare:
    case NodeKind::Comparator:
    case NodeKind::Keyword:
    case NodeKind::Slice:
    case NodeKind::Tuple: invariant = children; break;
    default: break;
    }
    const bool expression = node.kind != NodeKind::None && node.kind != NodeKind::Comparator &&
                            node.kind != NodeKind::Keyword && node.kind != NodeKind::Slice;
    m_invariant[std::size_t(id)] = invariant && expression ? 1 : 0;
    return invariant;
}

} // namespace accelopt::nki
