// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Verdict.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace accelopt::nki {

/// Kinds of node. In brackets: `text`, then the children in order. "?" marks a child that may be
/// absent (then a node of kind None stands in its place), "*" any number.
enum class NodeKind : std::uint8_t {
    None,
    Module, ///< [statement*]
    Block,  ///< [statement*] a suite of statements
    // Statements
    FunctionDef, ///< text = name [Parameters, Block, decorator*]
    ClassDef,    ///< text = name [Block, base*]
    Return,      ///< [value?]
    Delete,      ///< [target*]
    Assign,      ///< [value, target, target*] a = b = value has two targets
    AugAssign,   ///< text = operator without "=" ("+") [target, value]
    AnnAssign,   ///< [target, annotation, value?]
    For,         ///< [target, iterable, Block, Block (else, may be empty)]
    While,       ///< [test, Block, Block]
    If,          ///< [test, Block, Block]
    With,   ///< [Block, context, context*] `as` targets are refused by the tracer: kept as WithItem
            ///< text
    Raise,  ///< [exception?]
    Try,    ///< [Block, ...] kept only so that the tracer can name it
    Assert, ///< [test, message?]
    Import, ///< [Alias*]
    ImportFrom,    ///< text = module, with leading dots [Alias*]
    Alias,         ///< text = "name" or "name as other"
    Global,        ///< text = names separated by ","
    Nonlocal,      ///< text = names separated by ","
    ExprStatement, ///< [expression]
    Pass,
    Break,
    Continue,
    // Parameters of a function or lambda
    Parameters, ///< [Parameter*]
    Parameter,  ///< text = name, with "*" or "**" in front, "*" alone for keyword-only [default?,
                ///< annotation?]
    // Expressions
    Name,           ///< text
    Constant,       ///< literal
    Attribute,      ///< text = attribute [object]
    Subscript,      ///< [object, index] several indices are a Tuple
    Slice,          ///< [lower?, upper?, step?]
    Call,           ///< [function, argument*] an argument may be Keyword or Starred
    Keyword,        ///< text = name, empty for ** [value]
    Starred,        ///< [value]
    BinOp,          ///< text = operator [left, right]
    UnaryOp,        ///< text = "-", "+", "~" or "not" [operand]
    BoolOp,         ///< text = "and" or "or" [operand*]
    Compare,        ///< [left, Comparator*]
    Comparator,     ///< text = "<", "not in", ... [right]
    IfExp,          ///< [test, then, otherwise]
    Lambda,         ///< [Parameters, body]
    Tuple,          ///< [element*]
    List,           ///< [element*]
    Set,            ///< [element*]
    Dict,           ///< [key, value, key, value ...] key None for **
    ListComp,       ///< [element, Comprehension*]
    SetComp,        ///< [element, Comprehension*]
    DictComp,       ///< [key, value, Comprehension*]
    GeneratorExp,   ///< [element, Comprehension*]
    Comprehension,  ///< [target, iterable, condition*]
    JoinedStr,      ///< [Constant or FormattedValue *]
    FormattedValue, ///< text = conversion ("", "r", "s", "a") [value, JoinedStr?]
    Other,          ///< text = Python's name for it; the tracer refuses it by that name
};

/// Python's name of a kind, as in the helper's JSON ("Assign").
std::string_view name(NodeKind kind);

struct NoneLiteral
{
    bool operator==(const NoneLiteral &) const = default;
};
struct EllipsisLiteral
{
    bool operator==(const EllipsisLiteral &) const = default;
};
/// A Python literal. Integers beyond 64 bits arrive as double and are refused by the tracer where
/// exactness matters.
using Literal = std::variant<NoneLiteral, bool, std::int64_t, double, std::string, EllipsisLiteral>;

using NodeId = std::int32_t;

/// One node. Lines count from 1, columns (bytes) from 1; the end is one past the last byte.
struct Node
{
    NodeKind kind = NodeKind::None;
    SourcePlace place;
    std::string text;
    Literal literal;
    std::vector<NodeId> children;
    NodeId parent = -1;
};

/// A parsed source file: an arena of nodes with the module as root.
class SyntaxTree
{
public:
    /// Builds the tree from the syntax helper's JSON (schema version 1). Format error when the JSON
    /// is not of that form.
    static Result<SyntaxTree> fromJson(const nlohmann::json &json, std::string source);

    const Node &node(NodeId id) const { return m_nodes[std::size_t(id)]; }
    const Node &operator[](NodeId id) const { return node(id); }
    NodeId root() const { return 0; }
    std::size_t size() const { return m_nodes.size(); }
    const std::string &source() const { return m_source; }
    /// The exact text of a node. Outer parentheses do not belong to a node.
    std::string_view text(NodeId id) const;
    std::string_view text(const SourcePlace &place) const;
    /// Byte offset of a line and column in the source.
    std::size_t offset(int line, int column) const;

private:
    std::vector<Node> m_nodes;
    std::string m_source;
    std::vector<std::size_t> m_lineStarts;
};

} // namespace accelopt::nki
