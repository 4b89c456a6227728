// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/nki/syntax/SyntaxTree.h"

#include <string>
#include <string_view>
#include <vector>

namespace accelopt::rewrite {

/// Collects changes to a source text and carries them out together. Everything not named keeps its
/// bytes: comments, blank lines, layout and kind of line end.
class SourceEdits
{
public:
    explicit SourceEdits(const nki::SyntaxTree &tree);

    /// Another text in the place of a node.
    void replace(nki::NodeId node, std::string text);
    /// Another text for the bytes [begin, end).
    void replace(std::size_t begin, std::size_t end, std::string text);
    /// Removes a statement with the lines it stands on; comments on lines of their own stay. A
    /// statement that shares its line leaves the others.
    void remove(nki::NodeId statement);
    /// Puts lines (without indentation or line ends) before or after a statement, indented like it.
    void insertBefore(nki::NodeId statement, const std::vector<std::string> &lines);
    void insertAfter(nki::NodeId statement, const std::vector<std::string> &lines);
    /// Replaces a compound statement by its body, one level further out. The head must be one line.
    void unwrap(nki::NodeId statement, nki::NodeId block);

    /// The new source. Internal error when two changes touch the same bytes.
    Result<std::string> apply() const;

    /// White space in front of the line a statement starts on.
    std::string indentation(nki::NodeId statement) const;

private:
    struct Change
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string text;
    };
    std::size_t begin(nki::NodeId node) const;
    std::size_t end(nki::NodeId node) const;
    std::size_t lineStart(std::size_t offset) const;
    std::size_t lineEnd(std::size_t offset) const;

    const nki::SyntaxTree &m_tree;
    std::string m_newLine;
    std::vector<Change> m_changes;
};

} // namespace accelopt::rewrite
