// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/KernelModel.h"
#include "core/rewrite/SourceEdits.h"

#include <optional>
#include <string>
#include <vector>

namespace accelopt::rewrite {

/// Bytes of the source that are written otherwise: `length` of them from `begin` on.
struct TextChange
{
    std::size_t begin = 0;
    std::size_t length = 0;
    std::string text;
};

/// A loop or a statement of a kernel on its way to another order. Rewrites move such nodes about
/// and print them; the model stays what it was.
struct LoopNode
{
    /// The model's loops that run as this one, empty for a statement. The first gives the head; the
    /// variables of the others are renamed to its variable.
    std::vector<int> loops;
    int statement = -1;                ///< of the first loop, or the statement
    std::vector<std::string> before;   ///< comments and blank lines in front, not indented
    std::vector<std::string> trailing; ///< text statements and comments at the end of the body
    std::vector<LoopNode> children;
    std::string head;                ///< of a loop: printed instead of its own when not empty
    std::int64_t passes = 0;         ///< of a loop with such a head
    std::vector<TextChange> changes; ///< of a statement

    bool isLoop() const { return !loops.empty(); }
    bool stands(int loop) const;
};

/// A statement of such a tree with the loops around it, outermost first.
struct LoopLeaf
{
    int statement = -1;
    std::vector<const LoopNode *> path;
};

/// True for a statement that is only text ("end of the loop").
bool isText(const KernelModel &model, int statement);

/// Statements `first` to `last` (positions) of a block as trees. Nothing when they contain what
/// cannot be moved: other compound statements, loops of another form, statements that share a line.
std::optional<std::vector<LoopNode>> readNest(const KernelModel &model, nki::NodeId block,
                                              int first, int last);

/// The statements in order of the text. The pointers are into `nest`.
std::vector<LoopLeaf> leavesOf(const std::vector<LoopNode> &nest);

/// The same without the loops, of one node.
std::vector<int> statementsOf(const LoopNode &node);

/// True when a loop of the model is below or at this node.
bool containsLoop(const LoopNode &node, int loop);

/// Puts `nest` in the place of the statements it was read from.
void replaceNest(const KernelModel &model, SourceEdits &edits, nki::NodeId block, int first,
                 int last, const std::vector<LoopNode> &nest);

/// A nest cut into what stands before, in and after one of its loops once that loop is moved to the
/// outside: for a { x; for b { y }; z } cut at b is before: for a { x }, inside: for a { y },
/// after: for a { z }.
struct NestParts
{
    std::vector<LoopNode> before;
    std::vector<LoopNode> inside;
    std::vector<LoopNode> after;
    LoopNode loop; ///< the loop itself, without children
};
/// Two loops like this one: the first with its children before `cut`, the second with the others.
std::vector<LoopNode> cutLoop(const LoopNode &loop, std::size_t cut);

/// Nothing when `node` does not contain the loop.
std::optional<NestParts> extractLoop(const LoopNode &node, int loop);

} // namespace accelopt::rewrite
