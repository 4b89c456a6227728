// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/KernelModel.h"

#include "core/nki/syntax/Lexer.h"
#include "core/rewrite/ModelBuilder.h"

#include <algorithm>

namespace accelopt::rewrite {

using nki::NodeId;

bool sameIndex(const AxisIndex &a, const AxisIndex &b)
{
    if (a.known && b.known)
        return a.offset == b.offset && a.lanes == b.lanes;
    return !a.known && !b.known && a.text == b.text;
}

bool sameRegion(const Access &a, const Access &b)
{
    if (a.base.empty() || a.base != b.base || a.whole != b.whole ||
        a.indices.size() != b.indices.size())
        return false;
    return std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), sameIndex);
}

double TileShape::width() const
{
    if (!elements)
        return 512;
    const std::optional<std::int64_t> known = elements->constant();
    return known ? static_cast<double>(*known) : 512;
}

bool compatibleTypes(const std::string &first, const std::string &second)
{
    const auto plain = [](const std::string &name) { return name.empty() || name == "float32"; };
    return first == second || (plain(first) && plain(second));
}

Result<KernelModel> KernelModel::build(const nki::SyntaxTree &tree, const ModelContext &context)
{
    Result<KernelModel> model = ModelBuilder(tree, context).build();
    if (model)
        model->markPsumOperands();
    return model;
}

// In kernels without products the compiler puts up to four values of a loop pass into PSUM: at most
// one bank wide, made by the scalar engine or another operation on tiles, read by one operation on
// tiles.
void KernelModel::markPsumOperands()
{
    constexpr double kBankElements = 512;
    constexpr int kMostPerPass = 4;
    for (const Statement &statement : m_statements)
        if (statement.operation && (statement.operation->kind == OperationKind::Matmul ||
                                    statement.operation->kind == OperationKind::Transpose ||
                                    statement.operation->kind == OperationKind::Broadcast))
            return;
    for (const auto &[blockId, ids] : m_blocks) {
        int placed = 0;
        for (const int id : ids) {
            Statement &reader = m_statements[static_cast<std::size_t>(id)];
            if (!reader.operation || reader.loop < 0 || placed >= kMostPerPass ||
                reader.operation->kind != OperationKind::Tensors)
                continue;
            for (const Operand &data : reader.operation->data) {
                const int made = definition(data, id);
                if (made < 0 || !onlyUsedBy(made, id))
                    continue;
                const Statement &writer = statement(made);
                const OperationKind kind = writer.operation->kind;
                if (writer.shape.width() <= kBankElements &&
                    (kind == OperationKind::Activation || kind == OperationKind::Scalars ||
                     kind == OperationKind::Tensors)) {
                    reader.fedFromPsum = true;
                    ++placed;
                    break;
                }
            }
        }
    }
}

const std::vector<int> &KernelModel::block(NodeId id) const
{
    static const std::vector<int> empty;
    const auto found = m_blocks.find(id);
    return found == m_blocks.end() ? empty : found->second;
}

int KernelModel::definition(const Operand &operand, int use) const
{
    if (!operand.tile() || operand.access.base.empty())
        return -1;
    const Statement &user = statement(use);
    const std::vector<int> &siblings = block(user.block);
    for (int position = user.position - 1; position >= 0; --position) {
        const int id = siblings[static_cast<std::size_t>(position)];
        const Statement &candidate = statement(id);
        if (!candidate.writes.contains(operand.access.base))
            continue;
        // A region of a tensor that other statements write, too, may overlap with theirs.
        if (candidate.augmented || !candidate.operation || !candidate.operation->plain ||
            candidate.operation->kind == OperationKind::Declare ||
            !sameRegion(candidate.destination, operand.access))
            return -1;
        return id;
    }
    return -1;
}

// The statement of `block` that is `id` or has it in its body; -1 when `id` lies elsewhere.
int KernelModel::ancestorIn(NodeId block, int id) const
{
    NodeId node = statement(id).node;
    while (node >= 0 && tree()[node].parent != block)
        node = tree()[node].parent;
    for (const int sibling : this->block(block))
        if (statement(sibling).node == node)
            return sibling;
    return -1;
}

// True when block `block` binds the whole name in a statement at a position within (after, before).
bool KernelModel::boundBetween(const std::string &name, NodeId block, int after, int before) const
{
    for (const int id : this->block(block)) {
        const Statement &candidate = statement(id);
        if (candidate.position > after && candidate.position < before && !candidate.hasBody &&
            candidate.destination.whole && candidate.destination.base == name &&
            !candidate.augmented)
            return true;
    }
    return false;
}

bool KernelModel::onlyUsedBy(int definition, int use, int times) const
{
    const Statement &made = statement(definition);
    const std::string &name = made.destination.base;
    const auto count = statement(use).reads.find(name);
    if (count == statement(use).reads.end() || count->second != times ||
        made.block != statement(use).block)
        return false;
    const bool isName = made.destination.whole && !m_declarations.contains(name);
    for (const int id : users(name)) {
        const Statement &other = statement(id);
        if (other.hasBody || id == definition || id == use)
            continue;
        if (!isName) {
            // A declared tensor: nobody else may write or read it.
            if (other.operation && other.operation->kind == OperationKind::Declare)
                continue;
            return false;
        }
        if (!other.reads.contains(name)) {
            if (!other.destination.whole || other.augmented)
                return false;
            continue;
        }
        const int ancestor = ancestorIn(made.block, id);
        if (ancestor < 0) {
            // Elsewhere: it must have a binding of its own in front of it.
            if (!boundBetween(name, other.block, -1, other.position))
                return false;
        } else if (statement(ancestor).position < made.position) {
            if (!boundBetween(name, made.block, -1, statement(ancestor).position))
                return false;
        } else if (!boundBetween(name, made.block, made.position, statement(ancestor).position)) {
            return false;
        }
    }
    return true;
}

bool KernelModel::unchanged(const Operand &operand, int from, int to) const
{
    if (!operand.tile())
        return operand.kind != OperandKind::Other;
    const Statement &first = statement(from);
    const Statement &last = statement(to);
    if (first.block != last.block)
        return false;
    const std::vector<int> &siblings = block(first.block);
    for (int position = first.position; position < last.position; ++position)
        if (statement(siblings[static_cast<std::size_t>(position)])
                .writes.contains(operand.access.base))
            return false;
    return true;
}

std::vector<int> KernelModel::loopsAround(int id) const
{
    std::vector<int> result;
    for (int loop = statement(id).loop; loop >= 0;
         loop = m_loops[static_cast<std::size_t>(loop)].parent)
        result.push_back(loop);
    return result;
}

bool KernelModel::inside(int id, int loop) const
{
    const std::vector<int> around = loopsAround(id);
    return std::find(around.begin(), around.end(), loop) != around.end();
}

std::vector<NodeId> KernelModel::mentions(NodeId root, const std::string &name) const
{
    std::vector<NodeId> result;
    std::vector<NodeId> stack;
    if (root >= 0)
        stack.push_back(root);
    while (!stack.empty()) {
        const NodeId id = stack.back();
        stack.pop_back();
        const nki::Node &node = tree()[id];
        if (node.kind == nki::NodeKind::Name && node.text == name)
            result.push_back(id);
        stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
    }
    return result;
}

std::optional<std::int64_t> KernelModel::constantSize(NodeId expression) const
{
    const auto found = m_knownSizes.find(expression);
    return found == m_knownSizes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> KernelModel::trips(int loop) const
{
    const Loop &found = m_loops[static_cast<std::size_t>(loop)];
    return found.known ? found.trips.constant() : std::nullopt;
}

double KernelModel::executions(int id) const
{
    double count = 1;
    for (int loop = statement(id).loop; loop >= 0;
         loop = m_loops[static_cast<std::size_t>(loop)].parent) {
        const std::int64_t known =
            m_loops[static_cast<std::size_t>(loop)].trips.constant().value_or(0);
        count *= known > 0 ? static_cast<double>(known) : 8.0;
    }
    return count;
}

std::vector<int> KernelModel::users(const std::string &name) const
{
    std::vector<int> result;
    for (std::size_t id = 0; id < m_statements.size(); ++id)
        if (m_statements[id].reads.contains(name) || m_statements[id].writes.contains(name))
            result.push_back(static_cast<int>(id));
    return result;
}

std::string KernelModel::freshName(const std::string &wish) const
{
    std::string name = wish;
    for (int number = 2; m_names.contains(name); ++number)
        name = wish + "_" + std::to_string(number);
    return name;
}

std::optional<std::string> KernelModel::spelling(const std::string &canonical) const
{
    const std::size_t dot = canonical.find('.');
    const std::string module = canonical.substr(0, dot);
    const std::string rest = canonical.substr(dot);
    for (const auto &[alias, target] : m_modules)
        if (target == module)
            return alias + rest;
    for (const auto &[alias, target] : m_modules)
        if (target == "nki" && (module == "nl" || module == "nisa"))
            return alias + (module == "nl" ? ".language" : ".isa") + rest;
    return std::nullopt;
}

std::string KernelModel::normalized(NodeId node) const
{
    std::string result;
    // Brackets around it let the lexer join lines as they are joined in the file.
    const std::string wrapped = "(" + std::string(m_tree->text(node)) + ")";
    const auto tokens = nki::lex(wrapped);
    if (!tokens)
        return wrapped;
    for (const nki::Token &token : *tokens) {
        if (token.kind != nki::TokenKind::Name && token.kind != nki::TokenKind::Number &&
            token.kind != nki::TokenKind::String && token.kind != nki::TokenKind::Operator)
            continue;
        result += (result.empty() ? "" : " ") + std::string(token.text);
    }
    return result.size() < 4 ? result : result.substr(2, result.size() - 4);
}

std::optional<std::pair<std::int64_t, int>>
KernelModel::namedConstant(const std::string &name) const
{
    const auto found = m_constants.find(name);
    return found == m_constants.end() ? std::nullopt : std::optional(found->second);
}

} // namespace accelopt::rewrite
