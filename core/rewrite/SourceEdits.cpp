// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/SourceEdits.h"

#include <algorithm>

namespace accelopt::rewrite {

using nki::NodeId;

SourceEdits::SourceEdits(const nki::SyntaxTree &tree)
    : m_tree(tree),
      m_newLine(tree.source().find("\r\n") == std::string::npos ? "\n" : "\r\n")
{}

std::size_t SourceEdits::begin(NodeId node) const
{
    const SourcePlace &place = m_tree[node].place;
    return m_tree.offset(place.line, place.column);
}

std::size_t SourceEdits::end(NodeId node) const
{
    const SourcePlace &place = m_tree[node].place;
    return m_tree.offset(place.endLine, place.endColumn);
}

std::size_t SourceEdits::lineStart(std::size_t offset) const
{
    const std::string &source = m_tree.source();
    while (offset > 0 && source[offset - 1] != '\n')
        --offset;
    return offset;
}

// One past the line end of the line that `offset` is on.
std::size_t SourceEdits::lineEnd(std::size_t offset) const
{
    const std::size_t found = m_tree.source().find('\n', offset);
    return found == std::string::npos ? m_tree.source().size() : found + 1;
}

std::string SourceEdits::indentation(NodeId statement) const
{
    const std::size_t start = lineStart(begin(statement));
    std::size_t at = start;
    while (at < m_tree.source().size() &&
           (m_tree.source()[at] == ' ' || m_tree.source()[at] == '\t'))
        ++at;
    return m_tree.source().substr(start, at - start);
}

void SourceEdits::replace(NodeId node, std::string text)
{
    replace(begin(node), end(node), std::move(text));
}

void SourceEdits::replace(std::size_t from, std::size_t to, std::string text)
{
    m_changes.push_back({from, to, std::move(text)});
}

void SourceEdits::remove(NodeId statement)
{
    const std::string &source = m_tree.source();
    const std::size_t first = begin(statement);
    const std::size_t last = end(statement);
    const std::size_t start = lineStart(first);
    const bool ownsStart = source.find_first_not_of(" \t\f", start) == first || start == first;
    const std::size_t next = source.find_first_not_of(" \t\f", last);
    const bool semicolon = next != std::string::npos && source[next] == ';';
    const bool ownsEnd = !semicolon;
    if (ownsStart && ownsEnd) {
        m_changes.push_back({start, lineEnd(last), {}});
    } else if (semicolon) {
        const std::size_t after = source.find_first_not_of(" \t\f", next + 1);
        const bool more = after != std::string::npos && source[after] != '\n' &&
                          source[after] != '\r' && source[after] != '#';
        m_changes.push_back({first, more ? after : next + 1, more ? "" : "pass"});
    } else {
        m_changes.push_back({first, last, "pass"});
    }
}

void SourceEdits::insertBefore(NodeId statement, const std::vector<std::string> &lines)
{
    const std::string indent = indentation(statement);
    std::string text;
    for (const std::string &line : lines)
        text += indent + line + m_newLine;
    const std::size_t at = lineStart(begin(statement));
    m_changes.push_back({at, at, std::move(text)});
}

void SourceEdits::insertAfter(NodeId statement, const std::vector<std::string> &lines)
{
    const std::string indent = indentation(statement);
    std::string text;
    for (const std::string &line : lines)
        text += indent + line + m_newLine;
    const std::size_t at = lineEnd(end(statement));
    if (at == m_tree.source().size() && (at == 0 || m_tree.source()[at - 1] != '\n'))
        text = m_newLine + text;
    for (const Change &change : m_changes)
        if (change.begin == at && change.end == at && change.text == text)
            return;
    m_changes.push_back({at, at, std::move(text)});
}

void SourceEdits::unwrap(NodeId statement, NodeId block)
{
    const nki::Node &suite = m_tree[block];
    const std::string outer = indentation(statement);
    const std::string inner = indentation(suite.children.front());
    const std::size_t width = inner.size() - std::min(inner.size(), outer.size());
    const std::string &source = m_tree.source();
    const std::size_t first = lineStart(begin(statement));
    std::size_t at = lineEnd(begin(statement));
    m_changes.push_back({first, at, {}});
    // Comments between the head and the first statement belong to the body, too.
    const std::size_t last = end(suite.children.back());
    while (at < last) {
        if (source.compare(at, inner.size(), inner) == 0)
            m_changes.push_back({at + outer.size(), at + outer.size() + width, {}});
        at = lineEnd(at);
    }
}

Result<std::string> SourceEdits::apply() const
{
    std::vector<Change> changes = m_changes;
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change &a, const Change &b) { return a.begin < b.begin; });
    std::string result;
    std::size_t at = 0;
    for (const Change &change : changes) {
        // Layout inside something that goes as a whole goes with it.
        if (change.end <= at && change.text.empty() && change.begin < at)
            continue;
        if (change.begin < at)
            return fail(ErrorCode::Internal, "two changes of one rewrite touch the same text");
        result += m_tree.source().substr(at, change.begin - at);
        result += change.text;
        at = change.end;
    }
    result += m_tree.source().substr(at);
    return result;
}

} // namespace accelopt::rewrite
