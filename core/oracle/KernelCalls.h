// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/syntax/SyntaxTree.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::oracle {

/// A call of a language function in a kernel's text ("nl.add(a, b, mask=m)").
struct KernelCall
{
    nki::NodeId node = -1;
    std::string module;   ///< "nl", "nisa"
    std::string function; ///< "add"
    std::vector<nki::NodeId> arguments;
    std::vector<nki::NodeId> keywords;
    /// The statement it stands in, and the name that this one binds to its value.
    nki::NodeId statement = -1;
    std::string boundName;
};

/// A `for` over a range of the language.
struct KernelLoop
{
    nki::NodeId node = -1;
    std::string variable;
    std::string range; ///< "affine_range"
    nki::NodeId rangeCall = -1;
    nki::NodeId count = -1; ///< the only argument of the range
};

/// What the makers of mutants and variants look at: calls, loops and names of a kernel's text, in
/// the order of the text. Borrows the tree.
class KernelCalls
{
public:
    explicit KernelCalls(const nki::SyntaxTree &tree);

    const std::vector<KernelCall> &calls() const { return m_calls; }
    const std::vector<KernelLoop> &loops() const { return m_loops; }
    /// The call that a name is bound to (the last one in the text), nullptr when there is none.
    const KernelCall *callOf(std::string_view name) const;
    /// Whether the node is a name that is bound to a tile, or a part of one.
    bool isTile(nki::NodeId node) const;
    /// Names below a node.
    std::vector<nki::NodeId> names(nki::NodeId below, std::string_view name) const;
    std::string text(nki::NodeId node) const { return std::string(m_tree.text(node)); }
    /// ", mask=m, dtype=d" as in the call, without those named.
    std::string keywordText(const KernelCall &call, std::set<std::string> without = {}) const;
    /// The value of a keyword argument; nothing when it is not given.
    std::optional<nki::NodeId> keyword(const KernelCall &call, std::string_view name) const;
    const nki::SyntaxTree &tree() const { return m_tree; }

private:
    void read(nki::NodeId node);

    const nki::SyntaxTree &m_tree;
    std::vector<KernelCall> m_calls;
    std::vector<KernelLoop> m_loops;
    std::set<std::string> m_tiles;
};

} // namespace accelopt::oracle
