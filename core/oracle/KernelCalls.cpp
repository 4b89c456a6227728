// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/KernelCalls.h"

#include <fmt/format.h>

namespace accelopt::oracle {
namespace {

using nki::NodeId;
using nki::NodeKind;

bool isStatement(NodeKind kind)
{
    return kind == NodeKind::Assign || kind == NodeKind::AugAssign ||
           kind == NodeKind::ExprStatement || kind == NodeKind::Return || kind == NodeKind::For ||
           kind == NodeKind::Assert || kind == NodeKind::If;
}

} // namespace

KernelCalls::KernelCalls(const nki::SyntaxTree &tree) : m_tree(tree)
{
    read(tree.root());
}

void KernelCalls::read(NodeId node)
{
    const nki::Node &here = m_tree[node];
    if (here.kind == NodeKind::Call && !here.children.empty()) {
        const nki::Node &function = m_tree[here.children.front()];
        if (function.kind == NodeKind::Attribute && !function.children.empty() &&
            m_tree[function.children.front()].kind == NodeKind::Name) {
            KernelCall call;
            call.node = node;
            call.module = m_tree[function.children.front()].text;
            call.function = function.text;
            for (std::size_t i = 1; i < here.children.size(); ++i)
                (m_tree[here.children[i]].kind == NodeKind::Keyword ? call.keywords
                                                                    : call.arguments)
                    .push_back(here.children[i]);
            for (NodeId up = node; up >= 0 && call.statement < 0; up = m_tree[up].parent)
                if (isStatement(m_tree[up].kind))
                    call.statement = up;
            if (call.statement >= 0) {
                const nki::Node &statement = m_tree[call.statement];
                if (statement.kind == NodeKind::Assign && statement.children.front() == node &&
                    statement.children.size() == 2 &&
                    m_tree[statement.children.back()].kind == NodeKind::Name) {
                    call.boundName = m_tree[statement.children.back()].text;
                    m_tiles.insert(call.boundName);
                }
            }
            m_calls.push_back(std::move(call));
        }
    }
    if (here.kind == NodeKind::Assign && here.children.size() == 2 &&
        m_tree[here.children.front()].kind == NodeKind::Call &&
        m_tree[here.children.back()].kind == NodeKind::Name)
        m_tiles.insert(m_tree[here.children.back()].text);
    if (here.kind == NodeKind::For && m_tree[here.children[0]].kind == NodeKind::Name) {
        const nki::Node &range = m_tree[here.children[1]];
        if (range.kind == NodeKind::Call && range.children.size() == 2 &&
            m_tree[range.children.front()].kind == NodeKind::Attribute)
            m_loops.push_back({node, m_tree[here.children[0]].text,
                               m_tree[range.children.front()].text, here.children[1],
                               range.children.back()});
    }
    for (const NodeId child : here.children)
        read(child);
}

const KernelCall *KernelCalls::callOf(std::string_view name) const
{
    const KernelCall *found = nullptr;
    for (const KernelCall &call : m_calls)
        if (call.boundName == name)
            found = &call;
    return found;
}

bool KernelCalls::isTile(NodeId node) const
{
    const nki::Node &here = m_tree[node];
    if (here.kind == NodeKind::Subscript)
        return isTile(here.children.front());
    return here.kind == NodeKind::Name && m_tiles.contains(here.text);
}

std::vector<NodeId> KernelCalls::names(NodeId below, std::string_view name) const
{
    std::vector<NodeId> found;
    std::vector<NodeId> open{below};
    while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        if (m_tree[node].kind == NodeKind::Name && m_tree[node].text == name)
            found.push_back(node);
        open.insert(open.end(), m_tree[node].children.begin(), m_tree[node].children.end());
    }
    return found;
}

std::string KernelCalls::keywordText(const KernelCall &call, std::set<std::string> without) const
{
    std::string all;
    for (const NodeId one : call.keywords)
        if (!without.contains(m_tree[one].text))
            all += ", " + text(one);
    return all;
}

std::optional<NodeId> KernelCalls::keyword(const KernelCall &call, std::string_view name) const
{
    for (const NodeId one : call.keywords)
        if (m_tree[one].text == name)
            return m_tree[one].children.front();
    return std::nullopt;
}

} // namespace accelopt::oracle
