// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/LoopTree.h"

#include <algorithm>
#include <map>
#include <utility>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

std::vector<std::string> linesOf(std::string_view text)
{
    std::vector<std::string> result;
    std::size_t at = 0;
    while (true) {
        const std::size_t end = text.find('\n', at);
        std::string line(text.substr(at, end == std::string_view::npos ? end : end - at));
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        result.push_back(std::move(line));
        if (end == std::string_view::npos)
            return result;
        at = end + 1;
    }
}

std::string withoutIndentation(const std::string &line, const std::string &indentation)
{
    if (line.starts_with(indentation))
        return line.substr(indentation.size());
    const std::size_t start = line.find_first_not_of(" \t");
    return start == std::string::npos ? std::string() : line.substr(start);
}

// Reads the text of statements with the lines around them.
class Reader
{
public:
    explicit Reader(const KernelModel &model)
        : m_model(model),
          m_lines(linesOf(model.tree().source()))
    {}

    std::optional<std::vector<LoopNode>> read(NodeId block, int first, int last)
    {
        const std::vector<int> &ids = m_model.block(block);
        std::vector<LoopNode> result;
        for (int position = first; position <= last; ++position) {
            auto node = one(ids[static_cast<std::size_t>(position)]);
            if (!node)
                return std::nullopt;
            if (position > first) {
                const int earlier = ids[static_cast<std::size_t>(position) - 1];
                const int end = place(earlier).endLine;
                if (end >= place(ids[static_cast<std::size_t>(position)]).line)
                    return std::nullopt;
                node->before = between(end, *node);
            }
            result.push_back(std::move(*node));
        }
        return result;
    }

private:
    const SourcePlace &place(int statement) const
    {
        return m_model.tree()[m_model.statement(statement).node].place;
    }

    // The lines from after `end` up to the statement.
    std::vector<std::string> between(int end, const LoopNode &node) const
    {
        const SourcePlace &at = place(node.statement);
        const std::string &own = m_lines[static_cast<std::size_t>(at.line) - 1];
        const std::string indentation =
            own.substr(0, std::min(own.size(), static_cast<std::size_t>(at.column) - 1));
        std::vector<std::string> result;
        for (int line = end + 1; line < at.line; ++line)
            result.push_back(
                withoutIndentation(m_lines[static_cast<std::size_t>(line) - 1], indentation));
        return result;
    }

    // Only white space in front of it, only a comment behind.
    bool ownsItsLines(const SourcePlace &at) const
    {
        const std::string &first = m_lines[static_cast<std::size_t>(at.line) - 1];
        const std::string &last = m_lines[static_cast<std::size_t>(at.endLine) - 1];
        if (first.find_first_not_of(" \t") != static_cast<std::size_t>(at.column) - 1)
            return false;
        const std::size_t behind =
            last.find_first_not_of(" \t", static_cast<std::size_t>(at.endColumn) - 1);
        return behind == std::string::npos || last[behind] == '#';
    }

    std::optional<LoopNode> one(int id)
    {
        const Statement &statement = m_model.statement(id);
        LoopNode node;
        node.statement = id;
        const nki::Node &syntax = m_model.tree()[statement.node];
        if (!statement.hasBody) {
            const bool movable = syntax.kind == NodeKind::Assign ||
                                 syntax.kind == NodeKind::AugAssign ||
                                 syntax.kind == NodeKind::ExprStatement ||
                                 syntax.kind == NodeKind::Assert || syntax.kind == NodeKind::Pass;
            if (!movable || !ownsItsLines(syntax.place))
                return std::nullopt;
            return node;
        }
        if (syntax.kind != NodeKind::For)
            return std::nullopt;
        const auto &loops = m_model.loops();
        const auto loop = std::find_if(loops.begin(), loops.end(), [&](const Loop &candidate) {
            return candidate.node == statement.node;
        });
        const NodeId body = syntax.children[2];
        const std::vector<int> &ids = m_model.block(body);
        if (loop == loops.end() || !loop->known || ids.empty() ||
            !m_model.tree()[syntax.children[3]].children.empty() ||
            m_model.tree()[syntax.children[1]].place.endLine != syntax.place.line ||
            place(ids.front()).line == syntax.place.line)
            return std::nullopt;
        node.loops = {static_cast<int>(loop - loops.begin())};
        auto children = read(body, 0, static_cast<int>(ids.size()) - 1);
        if (!children)
            return std::nullopt;
        children->front().before = between(syntax.place.line, children->front());
        node.children = std::move(*children);
        // Text at the end of the body ("end loop i") says something of the loop, not of its work.
        while (node.children.size() > 1 && isText(m_model, node.children.back().statement)) {
            const LoopNode &text = node.children.back();
            node.trailing.insert(node.trailing.begin(),
                                 std::string(m_model.text(m_model.statement(text.statement).node)));
            node.trailing.insert(node.trailing.begin(), text.before.begin(), text.before.end());
            node.children.pop_back();
        }
        return node;
    }

    const KernelModel &m_model;
    std::vector<std::string> m_lines;
};

class Printer
{
public:
    Printer(const KernelModel &model, std::string unit)
        : m_model(model),
          m_unit(std::move(unit)),
          m_lines(linesOf(model.tree().source()))
    {}

    void print(const LoopNode &node, const std::string &indentation)
    {
        for (const std::string &line : node.before)
            add(indentation, line);
        if (!node.isLoop()) {
            printStatement(node, indentation);
            return;
        }
        const nki::Node &head =
            m_model.tree()[m_model.loops()[static_cast<std::size_t>(node.loops[0])].node];
        const std::string &line = m_lines[static_cast<std::size_t>(head.place.line) - 1];
        add(indentation, node.head.empty()
                             ? line.substr(static_cast<std::size_t>(head.place.column) - 1)
                             : node.head);
        m_path.push_back(&node);
        for (const LoopNode &child : node.children)
            print(child, indentation + m_unit);
        m_path.pop_back();
        for (const std::string &text : node.trailing)
            add(indentation + m_unit, text);
    }

    const std::vector<std::string> &result() const { return m_result; }

private:
    void add(const std::string &indentation, const std::string &line)
    {
        m_result.push_back(line.empty() ? line : indentation + line);
    }

    void printStatement(const LoopNode &leaf, const std::string &indentation)
    {
        const int id = leaf.statement;
        const nki::SyntaxTree &tree = m_model.tree();
        const NodeId node = m_model.statement(id).node;
        const SourcePlace &at = tree[node].place;
        // By begin and length, so that what is put in front of something comes first.
        std::map<std::pair<std::size_t, std::size_t>, std::string> changes;
        for (const TextChange &change : leaf.changes)
            changes[{change.begin, change.length}] = change.text;
        for (const LoopNode *around : m_path)
            for (std::size_t i = 1; i < around->loops.size(); ++i)
                if (m_model.inside(id, around->loops[i])) {
                    const auto &loops = m_model.loops();
                    const std::string &from =
                        loops[static_cast<std::size_t>(around->loops[i])].variable;
                    const std::string &to =
                        loops[static_cast<std::size_t>(around->loops[0])].variable;
                    for (const NodeId mention : m_model.mentions(node, from)) {
                        const SourcePlace &name = tree[mention].place;
                        changes[{tree.offset(name.line, name.column), from.size()}] = to;
                    }
                }
        const std::size_t begin = tree.offset(at.line, at.column);
        const std::string &last = m_lines[static_cast<std::size_t>(at.endLine) - 1];
        const std::size_t end = tree.offset(at.endLine, at.endColumn) + last.size() -
                                std::min(last.size(), static_cast<std::size_t>(at.endColumn) - 1);
        std::string text;
        std::size_t done = begin;
        for (const auto &[where, change] : changes) {
            text += tree.source().substr(done, where.first - done) + change;
            done = where.first + where.second;
        }
        text += tree.source().substr(done, end - done);
        const std::string &first = m_lines[static_cast<std::size_t>(at.line) - 1];
        const std::string old = first.substr(0, static_cast<std::size_t>(at.column) - 1);
        const std::vector<std::string> lines = linesOf(text);
        add(indentation, lines[0]);
        for (std::size_t i = 1; i < lines.size(); ++i)
            if (lines[i].starts_with(old))
                add(indentation, lines[i].substr(old.size()));
            else
                m_result.push_back(lines[i]);
    }

    const KernelModel &m_model;
    std::string m_unit;
    std::vector<std::string> m_lines;
    std::vector<const LoopNode *> m_path;
    std::vector<std::string> m_result;
};

void collectLeaves(const LoopNode &node, std::vector<const LoopNode *> &path,
                   std::vector<LoopLeaf> &result)
{
    if (!node.isLoop()) {
        result.push_back({node.statement, path});
        return;
    }
    path.push_back(&node);
    for (const LoopNode &child : node.children)
        collectLeaves(child, path, result);
    path.pop_back();
}

} // namespace

bool isText(const KernelModel &model, int statement)
{
    const nki::Node &syntax = model.tree()[model.statement(statement).node];
    return syntax.kind == NodeKind::ExprStatement &&
           model.tree()[syntax.children[0]].kind == NodeKind::Constant &&
           syntax.place.line == syntax.place.endLine;
}

bool LoopNode::stands(int loop) const
{
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

std::optional<std::vector<LoopNode>> readNest(const KernelModel &model, NodeId block, int first,
                                              int last)
{
    return Reader(model).read(block, first, last);
}

std::vector<LoopLeaf> leavesOf(const std::vector<LoopNode> &nest)
{
    std::vector<LoopLeaf> result;
    std::vector<const LoopNode *> path;
    for (const LoopNode &node : nest)
        collectLeaves(node, path, result);
    return result;
}

std::vector<int> statementsOf(const LoopNode &node)
{
    if (!node.isLoop())
        return {node.statement};
    std::vector<int> result;
    for (const LoopNode &child : node.children)
        for (const int statement : statementsOf(child))
            result.push_back(statement);
    return result;
}

bool containsLoop(const LoopNode &node, int loop)
{
    return node.stands(loop) ||
           std::any_of(node.children.begin(), node.children.end(),
                       [loop](const LoopNode &child) { return containsLoop(child, loop); });
}

void replaceNest(const KernelModel &model, SourceEdits &edits, NodeId block, int first, int last,
                 const std::vector<LoopNode> &nest)
{
    const std::vector<int> &ids = model.block(block);
    const auto nodeAt = [&](int position) {
        return model.statement(ids[static_cast<std::size_t>(position)]).node;
    };
    const nki::SyntaxTree &tree = model.tree();
    const std::string outer = edits.indentation(nodeAt(first));
    std::string unit = "    ";
    for (int position = first; position <= last; ++position) {
        const nki::Node &node = tree[nodeAt(position)];
        if (node.kind != NodeKind::For)
            continue;
        const std::string inner = edits.indentation(tree[node.children[2]].children.front());
        if (inner.size() > outer.size())
            unit = inner.substr(outer.size());
        break;
    }
    Printer printer(model, unit);
    for (const LoopNode &node : nest)
        printer.print(node, outer);
    const std::string newLine = tree.source().find("\r\n") == std::string::npos ? "\n" : "\r\n";
    std::string text;
    for (const std::string &line : printer.result())
        text += (text.empty() ? "" : newLine) + line;
    const SourcePlace &from = tree[nodeAt(first)].place;
    const SourcePlace &to = tree[nodeAt(last)].place;
    const std::size_t begin = tree.offset(from.line, from.column);
    std::size_t end = tree.offset(to.endLine, to.endColumn);
    while (end < tree.source().size() && tree.source()[end] != '\n' && tree.source()[end] != '\r')
        ++end;
    edits.replace(begin - outer.size(), end, text);
}

std::vector<LoopNode> cutLoop(const LoopNode &loop, std::size_t cut)
{
    std::vector<LoopNode> parts{loop, loop};
    parts[0].children.resize(cut);
    parts[1].children.erase(parts[1].children.begin(),
                            parts[1].children.begin() + static_cast<std::ptrdiff_t>(cut));
    parts[1].before.clear();
    return parts;
}

std::optional<NestParts> extractLoop(const LoopNode &node, int loop)
{
    NestParts result;
    if (node.stands(loop)) {
        result.inside = node.children;
        result.loop = node;
        result.loop.children.clear();
        return result;
    }
    const auto holder =
        std::find_if(node.children.begin(), node.children.end(),
                     [loop](const LoopNode &child) { return containsLoop(child, loop); });
    if (holder == node.children.end())
        return std::nullopt;
    auto inner = extractLoop(*holder, loop);
    if (!inner)
        return std::nullopt;
    const auto wrapped = [&node](std::vector<LoopNode> body) {
        std::vector<LoopNode> loops;
        if (!body.empty()) {
            LoopNode around = node;
            around.before.clear();
            around.children = std::move(body);
            loops.push_back(std::move(around));
        }
        return loops;
    };
    std::vector<LoopNode> before(node.children.begin(), holder);
    before.insert(before.end(), inner->before.begin(), inner->before.end());
    std::vector<LoopNode> after = inner->after;
    after.insert(after.end(), holder + 1, node.children.end());
    result.before = wrapped(std::move(before));
    result.inside = wrapped(std::move(inner->inside));
    result.after = wrapped(std::move(after));
    result.loop = std::move(inner->loop);
    // Comments in front of the nest stay in front of it.
    LoopNode &front = result.before.empty() ? result.loop : result.before.front();
    front.before.insert(front.before.begin(), node.before.begin(), node.before.end());
    return result;
}

} // namespace accelopt::rewrite
