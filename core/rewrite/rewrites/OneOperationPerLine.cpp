// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

// Gives names to the parts of the expressions of one kernel, statement by statement. What is a tile
// is told by the text alone: results of the calls that compute tiles, and what is made of them.
class Flattener
{
public:
    Flattener(const KernelModel &model, SourceEdits &edits)
        : m_model(model),
          m_tree(model.tree()),
          m_edits(edits)
    {
        for (const std::string &canonical : computingCalls())
            if (const auto spelling = model.spelling(canonical))
                m_calls.insert(*spelling);
        if (const auto negative = model.spelling("nl.negative"))
            m_negative = *negative;
        for (const auto &[name, declaration] : model.declarations())
            if (declaration.memory.find("hbm") == std::string::npos)
                m_tiles.insert(name);
    }

    // Statements that were taken apart.
    const std::vector<int> &changed() const { return m_changed; }

    void take(int id)
    {
        const Statement &statement = m_model.statement(id);
        const nki::Node &node = m_tree[statement.node];
        NodeId value = -1;
        if (node.kind == NodeKind::Assign && node.children.size() == 2)
            value = node.children[0];
        else if (node.kind == NodeKind::AugAssign)
            value = node.children[1];
        else if (node.kind == NodeKind::ExprStatement)
            value = node.children[0];
        if (value < 0)
            return;
        const bool tile = isTile(value);
        if (tile && node.kind == NodeKind::Assign && statement.destination.whole)
            m_tiles.insert(statement.destination.base);
        if (!tile && !isStore(value))
            return;
        if (!startsItsLine(statement.node))
            return;
        m_prefix = statement.destination.base.empty() ? "part" : statement.destination.base;
        m_lines.clear();
        const std::string text = withNames(value);
        if (m_lines.empty() && text == m_model.text(value))
            return;
        if (!m_lines.empty())
            m_edits.insertBefore(statement.node, m_lines);
        m_edits.replace(value, text);
        m_changed.push_back(id);
    }

private:
    bool isCall(NodeId node) const
    {
        return m_tree[node].kind == NodeKind::Call &&
               m_calls.contains(std::string(m_model.text(m_tree[node].children[0])));
    }

    bool isStore(NodeId node) const
    {
        const auto store = m_model.spelling("nl.store");
        return store && m_tree[node].kind == NodeKind::Call &&
               m_model.text(m_tree[node].children[0]) == *store;
    }

    bool isArithmeticNode(NodeId node) const
    {
        const nki::Node &found = m_tree[node];
        static const std::set<std::string> kSigns{"+", "-", "*", "/"};
        return found.kind == NodeKind::BinOp && kSigns.contains(found.text);
    }

    bool isMinus(NodeId node) const
    {
        return m_tree[node].kind == NodeKind::UnaryOp && m_tree[node].text == "-" &&
               !m_negative.empty();
    }

    bool isTile(NodeId node) const
    {
        const nki::Node &found = m_tree[node];
        if (found.kind == NodeKind::Name)
            return m_tiles.contains(found.text);
        if (found.kind == NodeKind::Subscript)
            return m_tree[found.children[0]].kind == NodeKind::Name &&
                   m_tiles.contains(m_tree[found.children[0]].text);
        if (isArithmeticNode(node))
            return isTile(found.children[0]) || isTile(found.children[1]);
        if (isMinus(node))
            return isTile(found.children[0]);
        return isCall(node);
    }

    // A statement that follows another on one line, or the head of a loop, stays as it is.
    bool startsItsLine(NodeId node) const
    {
        const SourcePlace &place = m_tree[node].place;
        const std::size_t begin = m_tree.offset(place.line, 1);
        const std::string_view before(m_tree.source().data() + begin,
                                      m_tree.offset(place.line, place.column) - begin);
        return before.find_first_not_of(" \t") == std::string_view::npos;
    }

    static bool leaf(const nki::Node &node)
    {
        return node.kind == NodeKind::Name || node.kind == NodeKind::Subscript;
    }

    // The text of an expression with names for the tiles computed within it. Their statements are
    // added to m_lines in the order in which Python computes them.
    std::string withNames(NodeId node)
    {
        const nki::Node &found = m_tree[node];
        if (isArithmeticNode(node) && isTile(node)) {
            std::string left = part(found.children[0]);
            return left + " " + found.text + " " + part(found.children[1]);
        }
        if (isMinus(node) && isTile(node))
            return m_negative + "(" + part(found.children[0]) + ")";
        if (found.kind != NodeKind::Call)
            return std::string(m_model.text(node));
        std::vector<std::pair<NodeId, std::string>> replacements;
        for (std::size_t i = 1; i < found.children.size(); ++i) {
            NodeId argument = found.children[i];
            if (m_tree[argument].kind == NodeKind::Keyword)
                argument = m_tree[argument].children[0];
            if (isTile(argument) && !leaf(m_tree[argument]))
                replacements.emplace_back(argument, part(argument));
        }
        return textWith(m_model, node, std::move(replacements));
    }

    std::string part(NodeId node)
    {
        const nki::Node &found = m_tree[node];
        if (!isTile(node)) {
            const std::string text(found.kind == NodeKind::Call ? withNames(node)
                                                                : m_model.text(node));
            const bool closed = leaf(found) || found.kind == NodeKind::Call ||
                                found.kind == NodeKind::Constant ||
                                found.kind == NodeKind::Attribute;
            return closed ? text : "(" + text + ")";
        }
        if (leaf(found))
            return std::string(m_model.text(node));
        const std::string text = withNames(node);
        const std::string name = fresh(m_prefix + "_" + word(found));
        m_lines.push_back(name + " = " + text);
        m_tiles.insert(name);
        return name;
    }

    std::string word(const nki::Node &node) const
    {
        static const std::map<std::string, std::string> kWords{
            {"+", "sum"}, {"-", "difference"}, {"*", "product"}, {"/", "quotient"}};
        if (node.kind == NodeKind::BinOp)
            return kWords.at(node.text);
        if (node.kind == NodeKind::UnaryOp)
            return "negative";
        const std::string callee(m_model.text(node.children[0]));
        return callee.substr(callee.rfind('.') + 1);
    }

    std::string fresh(const std::string &wish)
    {
        std::string name = m_model.freshName(wish);
        for (int next = 2; m_given.contains(name); ++next)
            name = m_model.freshName(fmt::format("{}_{}", wish, next));
        m_given.insert(name);
        return name;
    }

    const KernelModel &m_model;
    const nki::SyntaxTree &m_tree;
    SourceEdits &m_edits;
    std::set<std::string> m_calls; ///< as this file spells them
    std::string m_negative;
    std::set<std::string> m_tiles;
    std::set<std::string> m_given;
    std::vector<int> m_changed;
    // Of the statement at hand.
    std::string m_prefix;
    std::vector<std::string> m_lines;
};

class OneOperationPerLine final : public Rewrite
{
public:
    std::string_view name() const override { return "one-operation-per-line"; }
    std::string_view precondition() const override
    {
        return "a statement computes a tile from expressions within expressions";
    }
    std::string_view reason() const override
    {
        return "the instructions stay the same; but what has a name can be moved, merged or "
               "computed elsewhere";
    }
    std::string_view counters() const override { return "none by itself"; }
    std::vector<std::string> keywords() const override
    {
        return {"nested expression", "one operation per line", "name the intermediate"};
    }
    bool prepares() const override { return true; }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        if (model.statements().empty())
            return {};
        Proposal proposal = proposalAt(model, 0);
        Flattener flattener(model, proposal.edits);
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            flattener.take(id);
        if (flattener.changed().empty())
            return {};
        proposal.place = proposalAt(model, flattener.changed().front()).place;
        proposal.parameters = {{"statements", flattener.changed().size()}};
        proposal.title = "Give each operation a line of its own";
        proposal.prose = fmt::format(
            "From {} on, {} compute several tiles in one expression. Give each of these tiles a "
            "name and a line of its own, in the order in which they are computed.",
            lineOf(model, flattener.changed().front()),
            flattener.changed().size() == 1
                ? std::string("one statement does")
                : fmt::format("{} statements", flattener.changed().size()));
        proposal.opens = "steps that look at one operation at a time";
        return {std::move(proposal)};
    }
};

} // namespace

std::unique_ptr<Rewrite> makeOneOperationPerLine()
{
    return std::make_unique<OneOperationPerLine>();
}

} // namespace accelopt::rewrite
