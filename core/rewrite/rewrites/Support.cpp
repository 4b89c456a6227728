// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {

using nki::NodeId;
using nki::NodeKind;

std::string spelled(const KernelModel &model, SourceEdits &edits, const std::string &canonical)
{
    const std::string module = canonical.substr(0, canonical.find('.'));
    const std::string whole = module == "np"     ? "numpy"
                              : module == "nisa" ? "neuronxcc.nki.isa"
                                                 : "neuronxcc.nki.language";
    if (const std::optional<std::string> known = model.spelling(canonical);
        known && known->find('.') == known->rfind('.'))
        return *known;
    const nki::SyntaxTree &tree = model.tree();
    NodeId last = -1;
    for (const NodeId id : tree[tree.root()].children)
        if (tree[id].kind == NodeKind::Import || tree[id].kind == NodeKind::ImportFrom)
            last = id;
    if (last < 0 || model.nameTaken(module))
        return model.spelling(canonical).value_or(canonical);
    edits.insertAfter(last, {"import " + whole + " as " + module});
    return canonical;
}

CallText::CallText(const KernelModel &model, SourceEdits &edits, const std::string &canonical)
    : m_model(model),
      m_function(spelled(model, edits, canonical))
{}

CallText &CallText::positional(const std::string &text)
{
    m_arguments += (m_arguments.empty() ? "" : ", ") + text;
    return *this;
}

CallText &CallText::keyword(const std::string &name, const std::string &text)
{
    return positional(name + "=" + text);
}

CallText &CallText::like(const Operation &operation)
{
    if (operation.mask >= 0)
        keyword("mask", std::string(m_model.text(operation.mask)));
    if (const auto dtype = operation.keywords.find("dtype"); dtype != operation.keywords.end())
        keyword("dtype", std::string(m_model.text(dtype->second)));
    return *this;
}

std::string CallText::text() const
{
    return m_function + "(" + m_arguments + ")";
}

std::string sizeText(const KernelModel &model, NodeId where, std::int64_t value)
{
    if (where >= 0)
        for (const auto &[name, constant] : model.namedConstants())
            if (constant.first == value && !model.mentions(where, name).empty())
                return name;
    return std::to_string(value);
}

std::string extentText(const KernelModel &model, NodeId dimension, std::int64_t value)
{
    const nki::SyntaxTree &tree = model.tree();
    if (tree[dimension].kind == NodeKind::Call && tree[dimension].children.size() == 2)
        dimension = tree[dimension].children[1];
    if (tree[dimension].kind == NodeKind::Name && model.namedConstant(tree[dimension].text))
        return tree[dimension].text;
    return std::to_string(value);
}

namespace {

// The one statement that binds a name, wherever it stands; -1 when there are several.
int onlyBinding(const KernelModel &model, const std::string &name)
{
    int found = -1;
    for (const int id : model.users(name)) {
        const Statement &statement = model.statement(id);
        if (statement.hasBody || statement.augmented || statement.destination.base != name)
            continue;
        if (found >= 0 || !statement.destination.whole)
            return -1;
        found = id;
    }
    return found;
}

} // namespace

std::string partitionsText(const KernelModel &model, const Operand &operand, int use,
                           std::int64_t value)
{
    Operand from = operand;
    while (from.tile()) {
        const auto declared = model.declarations().find(from.access.base);
        if (declared != model.declarations().end()) {
            const auto axis = static_cast<std::size_t>(declared->second.partitionAxis);
            return extentText(model, declared->second.dimensionNodes[axis], value);
        }
        const int definition = model.definition(from, use);
        use = definition >= 0 ? definition : onlyBinding(model, from.access.base);
        if (use < 0 || !model.statement(use).operation)
            break;
        const Operation &made = *model.statement(use).operation;
        switch (made.kind) {
        case OperationKind::Load:
            if (!made.data[0].access.indices.empty())
                return sizeText(model, made.data[0].access.indices[0].node, value);
            return std::to_string(value);
        case OperationKind::Activation:
        case OperationKind::Copy:
        case OperationKind::Scalars:
        case OperationKind::ScalarTensor:
        case OperationKind::Tensors: from = made.data[0]; break;
        default: return std::to_string(value);
        }
    }
    return std::to_string(value);
}

std::string numberText(double value)
{
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos)
        text += ".0";
    return text;
}

std::string textWith(const KernelModel &model, NodeId node,
                     std::vector<std::pair<NodeId, std::string>> replacements)
{
    // Views into the source: positions are differences of pointers.
    const std::string_view whole = model.text(node);
    std::sort(replacements.begin(), replacements.end(), [&](const auto &a, const auto &b) {
        return model.text(a.first).data() > model.text(b.first).data();
    });
    std::string text(whole);
    for (const auto &[part, replacement] : replacements)
        text.replace(static_cast<std::size_t>(model.text(part).data() - whole.data()),
                     model.text(part).size(), replacement);
    return text;
}

std::string textOf(const KernelModel &model, const Operand &operand)
{
    return std::string(model.text(operand.node));
}

bool sameMaskAndType(const KernelModel &model, const Operation &first, const Operation &second)
{
    if ((first.mask < 0) != (second.mask < 0))
        return false;
    if (first.mask >= 0 && model.normalized(first.mask) != model.normalized(second.mask))
        return false;
    return compatibleTypes(first.dtype, second.dtype);
}

std::string keptType(const KernelModel &model, int statement)
{
    const Statement &found = model.statement(statement);
    const auto declared = model.declarations().find(found.destination.base);
    if (declared != model.declarations().end())
        return declared->second.dtype;
    return found.operation ? found.operation->dtype : std::string();
}

int mergeable(const KernelModel &model, const Operand &operand, int use)
{
    const int id = model.definition(operand, use);
    if (id < 0 || !model.onlyUsedBy(id, use))
        return -1;
    const Operation &definition = *model.statement(id).operation;
    const Operation &user = *model.statement(use).operation;
    if (!definition.plain || !user.plain || !sameMaskAndType(model, definition, user) ||
        !compatibleTypes(keptType(model, id), keptType(model, use)))
        return -1;
    for (const Operand &data : definition.data)
        if (!model.unchanged(data, id, use))
            return -1;
    for (const ScalarStep &step : definition.steps)
        if (!model.unchanged(step.operand, id, use))
            return -1;
    for (const Operand *extra : {&definition.scale, &definition.bias})
        if (!model.unchanged(*extra, id, use))
            return -1;
    return id;
}

bool isZeroColumn(const KernelModel &model, const Operand &operand)
{
    if (!operand.tile())
        return false;
    bool zero = false;
    for (const int id : model.users(operand.access.base)) {
        const Statement &statement = model.statement(id);
        if (statement.hasBody || !statement.writes.contains(operand.access.base))
            continue;
        if (statement.operation && statement.operation->kind == OperationKind::Declare) {
            zero = zero || statement.operation->function == "zeros";
            continue;
        }
        if (!statement.operation || statement.operation->kind != OperationKind::Memset)
            return false;
        const auto value = statement.operation->keywords.find("value");
        if (value == statement.operation->keywords.end())
            return false;
        const std::string text = model.normalized(value->second);
        // 0, 0.0, np.float32(0), np.dtype(np.float32).type(0)
        zero = text == "0" || text == "0.0" || text.ends_with("( 0 )") || text.ends_with("( 0.0 )");
        if (!zero)
            return false;
    }
    return zero;
}

std::optional<double> scaleOf(const Operation &activation)
{
    if (activation.scale.kind == OperandKind::Absent)
        return 1.0;
    return activation.scale.scalar() ? activation.scale.number : std::nullopt;
}

bool hasNoBias(const KernelModel &model, const Operation &activation)
{
    return activation.bias.kind == OperandKind::Absent || isZeroColumn(model, activation.bias);
}

void removeWithDeclaration(const KernelModel &model, SourceEdits &edits, int statement)
{
    const Statement &removed = model.statement(statement);
    const std::string &name = removed.destination.base;
    edits.remove(removed.node);
    const auto declared = model.declarations().find(name);
    if (declared != model.declarations().end()) {
        // The statement that takes its place may write the same tensor.
        for (const int user : model.users(name))
            if (user != statement && user != declared->second.statement &&
                !model.statement(user).hasBody && model.statement(user).writes.contains(name))
                return;
        edits.remove(model.statement(declared->second.statement).node);
        return;
    }
    // `x[...] = f(x)` after `x = ...`: without the first statement the second makes x.
    const std::vector<int> &siblings = model.block(removed.block);
    for (std::size_t i = static_cast<std::size_t>(removed.position) + 1; i < siblings.size(); ++i) {
        const Statement &next = model.statement(siblings[i]);
        if (next.hasBody || next.destination.base != name)
            continue;
        if (next.destination.whole &&
            model.tree()[next.destination.node].kind == NodeKind::Subscript)
            edits.replace(next.destination.node, name);
        return;
    }
}

int outermostStatement(const KernelModel &model, int statement)
{
    const std::vector<int> loops = model.loopsAround(statement);
    if (loops.empty())
        return statement;
    const NodeId loop = model.loops()[static_cast<std::size_t>(loops.back())].node;
    for (int one = 0; one < statement; ++one)
        if (model.statement(one).node == loop)
            return one;
    return statement;
}

nlohmann::json statementParameters(const KernelModel &model, int statement)
{
    return {{"statement", statement},
            {"line", model.tree()[model.statement(statement).node].place.line}};
}

std::string nameOf(const Statement &statement)
{
    return statement.destination.base.empty() ? std::string("the result")
                                              : statement.destination.base;
}

std::string lineOf(const KernelModel &model, int statement)
{
    return fmt::format("line {}", model.tree()[model.statement(statement).node].place.line);
}

Proposal proposalAt(const KernelModel &model, int statement)
{
    return Proposal{statementParameters(model, statement),
                    model.tree()[model.statement(statement).node].place,
                    {},
                    {},
                    {},
                    SourceEdits(model.tree())};
}

bool isArithmetic(const std::string &op)
{
    return op == "add" || op == "subtract" || op == "multiply" || op == "maximum" ||
           op == "minimum";
}

bool onlyMakesItsResult(const Operation &operation)
{
    switch (operation.kind) {
    case OperationKind::Load:
    case OperationKind::Copy:
    case OperationKind::Scalars:
    case OperationKind::Tensors:
    case OperationKind::ScalarTensor:
    case OperationKind::Reduce:
    case OperationKind::Reciprocal:
    case OperationKind::Matmul:
    case OperationKind::Transpose:
    case OperationKind::Memset:
    case OperationKind::Broadcast: return true;
    case OperationKind::Activation: return operation.reduceOp.empty();
    default: return false;
    }
}

std::optional<std::vector<LoopNode>> nestOf(const KernelModel &model, int statement)
{
    const Statement &found = model.statement(statement);
    if (model.tree()[found.node].kind != NodeKind::For)
        return std::nullopt;
    auto nest = readNest(model, found.block, found.position, found.position);
    return nest && nest->front().isLoop() ? nest : std::nullopt;
}

} // namespace accelopt::rewrite
