// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/syntax/SyntaxTree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

namespace accelopt::nki {
namespace {

constexpr std::array<std::string_view, 64> kKindNames{
    "None",       "Module",    "Block",        "FunctionDef",   "ClassDef",      "Return",
    "Delete",     "Assign",    "AugAssign",    "AnnAssign",     "For",           "While",
    "If",         "With",      "Raise",        "Try",           "Assert",        "Import",
    "ImportFrom", "Alias",     "Global",       "Nonlocal",      "ExprStatement", "Pass",
    "Break",      "Continue",  "Parameters",   "Parameter",     "Name",          "Constant",
    "Attribute",  "Subscript", "Slice",        "Call",          "Keyword",       "Starred",
    "BinOp",      "UnaryOp",   "BoolOp",       "Compare",       "Comparator",    "IfExp",
    "Lambda",     "Tuple",     "List",         "Set",           "Dict",          "ListComp",
    "SetComp",    "DictComp",  "GeneratorExp", "Comprehension", "JoinedStr",     "FormattedValue",
    "Other"};
constexpr std::size_t kKinds = static_cast<std::size_t>(NodeKind::Other) + 1;
static_assert(kKindNames[kKinds - 1] == "Other" && kKindNames[kKinds].empty());

// The helper stops at 300; more than this is not from it.
constexpr int kMaximumDepth = 1000;

std::optional<NodeKind> kindNamed(const std::string &text)
{
    static const std::unordered_map<std::string_view, NodeKind> kinds = [] {
        std::unordered_map<std::string_view, NodeKind> map;
        for (std::size_t i = 0; i < kKinds; ++i)
            map.emplace(kKindNames[i], static_cast<NodeKind>(i));
        return map;
    }();
    const auto found = kinds.find(text);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Literal> literalFrom(const nlohmann::json &json)
{
    if (!json.is_array() || json.empty() || !json[0].is_string())
        return std::nullopt;
    const std::string &tag = json[0].get_ref<const std::string &>();
    if (json.size() == 1) {
        if (tag == "none")
            return Literal(NoneLiteral{});
        if (tag == "ellipsis")
            return Literal(EllipsisLiteral{});
        return std::nullopt;
    }
    const nlohmann::json &value = json[1];
    if (tag == "bool" && value.is_boolean())
        return Literal(value.get<bool>());
    if (tag == "int" && value.is_number_integer())
        return Literal(value.get<std::int64_t>());
    if (tag == "str" && value.is_string())
        return Literal(value.get<std::string>());
    if (tag == "float" && value.is_string()) {
        const std::string &text = value.get_ref<const std::string &>();
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc() && end == text.data() + text.size())
            return Literal(number);
    }
    return std::nullopt;
}

tl::unexpected<Error> malformed(const std::string &detail)
{
    return fail(ErrorCode::Format,
                "the answer of the syntax helper is not a syntax tree of schema 1",
                "The program and its syntax helper do not belong together; install again.", detail);
}

/// What the children of each kind are, in the order of the kinds, as in SyntaxTree.h: B a block, P
/// parameters, p one of them, A an alias, s a statement, e an expression, o one or nothing, a an
/// argument of a call, c a comparator, C a clause of a comprehension; with * any number of them.
constexpr std::array<std::string_view, kKinds> kChildren{
    "",    "s*",  "s*",    "PBe*", "Be*",  "o",     "e*",   "eee*", "ee",  "eeo", "eeBB",
    "eBB", "eBB", "Be*",   "o",    "B",    "eo",    "A*",   "A*",   "",    "",    "",
    "e",   "",    "",      "",     "p*",   "oo",    "",     "",     "e",   "ee",  "ooo",
    "ea*", "e",   "e",     "ee",   "e",    "eee*",  "ecc*", "e",    "eee", "Pe",  "e*",
    "e*",  "e*",  "(oe)*", "eCC*", "eCC*", "eeCC*", "eCC*", "eee*", "e*",  "eo",  ""};

bool isAllowed(char place, NodeKind kind)
{
    const bool expression = kind >= NodeKind::Name && kind != NodeKind::Keyword &&
                            kind != NodeKind::Comparator && kind != NodeKind::Comprehension;
    switch (place) {
    case 'B': return kind == NodeKind::Block;
    case 'P': return kind == NodeKind::Parameters;
    case 'p': return kind == NodeKind::Parameter;
    case 'A': return kind == NodeKind::Alias;
    case 's':
        return (kind >= NodeKind::FunctionDef && kind <= NodeKind::Continue &&
                kind != NodeKind::Alias) ||
               kind == NodeKind::Other;
    case 'e': return expression;
    case 'o': return expression || kind == NodeKind::None;
    case 'a': return expression || kind == NodeKind::Keyword;
    case 'c': return kind == NodeKind::Comparator;
    default: return kind == NodeKind::Comprehension || kind == NodeKind::Other;
    }
}

/// Whether a node has the children that its kind has.
bool hasItsChildren(const std::vector<Node> &nodes, const Node &node)
{
    if (node.kind == NodeKind::Dict) {
        for (std::size_t i = 0; i < node.children.size(); ++i)
            if (!isAllowed(i % 2 == 0 ? 'o' : 'e',
                           nodes[static_cast<std::size_t>(node.children[i])].kind))
                return false;
        return node.children.size() % 2 == 0;
    }
    const std::string_view form = kChildren[static_cast<std::size_t>(node.kind)];
    const bool repeats = form.ends_with('*');
    const std::size_t least = repeats ? form.size() - 2 : form.size();
    if (node.children.size() < least || (!repeats && node.children.size() > least))
        return false;
    for (std::size_t i = 0; i < node.children.size(); ++i)
        if (!isAllowed(form[std::min(i, least)],
                       nodes[static_cast<std::size_t>(node.children[i])].kind))
            return false;
    return true;
}

std::vector<std::size_t> lineStartsOf(std::string_view source)
{
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n')
            continue;
        if (source[i] == '\n' || source[i] == '\r')
            starts.push_back(i + 1);
    }
    return starts;
}

} // namespace

std::string_view name(NodeKind kind)
{
    return kKindNames[static_cast<std::size_t>(kind)];
}

Result<SyntaxTree> SyntaxTree::fromJson(const nlohmann::json &json, std::string source)
{
    if (!json.is_object() || json.value("schema", nlohmann::json()) != 1)
        return malformed("schema is not 1");
    if (!json.contains("tree"))
        return malformed("no tree");

    SyntaxTree tree;
    tree.m_lineStarts = lineStartsOf(source);
    tree.m_source = std::move(source);

    struct Pending
    {
        const nlohmann::json *json;
        NodeId parent;
        int depth;
    };
    std::vector<Pending> stack{{&json["tree"], -1, 0}};
    while (!stack.empty()) {
        const Pending pending = stack.back();
        stack.pop_back();
        const nlohmann::json &entry = *pending.json;
        if (!entry.is_array() || entry.size() != 8 || !entry[0].is_string() ||
            !entry[7].is_array() || pending.depth > kMaximumDepth)
            return malformed("a node has the wrong form");
        Node node;
        const std::optional<NodeKind> kind = kindNamed(entry[0].get_ref<const std::string &>());
        if (!kind)
            return malformed("unknown kind " + entry[0].get<std::string>());
        node.kind = *kind;
        int *const numbers[] = {&node.place.line, &node.place.column, &node.place.endLine,
                                &node.place.endColumn};
        for (std::size_t i = 0; i < 4; ++i) {
            if (!entry[i + 1].is_number_integer())
                return malformed("a place is not a number");
            *numbers[i] = entry[i + 1].get<int>();
        }
        if (entry[5].is_string())
            node.text = entry[5].get<std::string>();
        else if (!entry[5].is_null())
            return malformed("a text is not a string");
        if (!entry[6].is_null()) {
            std::optional<Literal> literal = literalFrom(entry[6]);
            if (!literal)
                return malformed("a literal has the wrong form");
            node.literal = std::move(*literal);
        }
        node.parent = pending.parent;
        node.children.reserve(entry[7].size());

        const auto id = static_cast<NodeId>(tree.m_nodes.size());
        if (pending.parent >= 0)
            tree.m_nodes[static_cast<std::size_t>(pending.parent)].children.push_back(id);
        tree.m_nodes.push_back(std::move(node));
        for (auto child = entry[7].rbegin(); child != entry[7].rend(); ++child)
            stack.push_back({&*child, id, pending.depth + 1});
    }
    if (tree.m_nodes.front().kind != NodeKind::Module)
        return malformed("the root is no module");
    for (const Node &node : tree.m_nodes)
        if (!hasItsChildren(tree.m_nodes, node))
            return malformed("wrong children of a node of kind " + std::string(name(node.kind)));
    return tree;
}

std::size_t SyntaxTree::offset(int line, int column) const
{
    if (line < 1)
        return 0;
    if (static_cast<std::size_t>(line) > m_lineStarts.size())
        return m_source.size();
    const std::size_t start = m_lineStarts[static_cast<std::size_t>(line) - 1];
    return std::min(start + static_cast<std::size_t>(std::max(column - 1, 0)), m_source.size());
}

std::string_view SyntaxTree::text(const SourcePlace &place) const
{
    const std::size_t begin = offset(place.line, place.column);
    const std::size_t end = offset(place.endLine, place.endColumn);
    return end <= begin ? std::string_view()
                        : std::string_view(m_source).substr(begin, end - begin);
}

std::string_view SyntaxTree::text(NodeId id) const
{
    return text(node(id).place);
}

} // namespace accelopt::nki
