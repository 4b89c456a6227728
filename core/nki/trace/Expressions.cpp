// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/trace/TraceStop.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

/// A value kept in a container or a variable is no longer the business of the instruction that made
/// it.
Value settled(Value value)
{
    if (value.is(ValueKind::Tensor))
        value.as<TensorObject>().freshProducer = kNoInstruction;
    return value;
}

} // namespace

Value Evaluator::evaluate(NodeId id)
{
    if (m_invariant[std::size_t(id)] != 0) {
        Value &kept = m_kept[std::size_t(id)];
        if (!kept.is(ValueKind::Unbound))
            return kept;
        Value value = evaluateUncached(id);
        // Lists and dicts could be changed later; everything else that is made of constants is one.
        if (!value.is(ValueKind::List) && !value.is(ValueKind::Dict) &&
            !value.is(ValueKind::Tensor))
            kept = value;
        return value;
    }
    return evaluateUncached(id);
}

Value Evaluator::evaluateUncached(NodeId id)
{
    step(id);
    const Node &node = m_tree[id];
    if (node.children.size() > 8) // children that are constants cost no step of their own
        charge(node.children.size(), id);
    switch (node.kind) {
    case NodeKind::Name: return evaluateName(id);
    case NodeKind::Constant: return literal(node, id);
    case NodeKind::Attribute: return attribute(evaluate(node.children[0]), node.text, id);
    case NodeKind::Subscript: return evaluateSubscript(id);
    case NodeKind::Call: return evaluateCall(id);
    case NodeKind::BinOp: {
        const Value left = evaluate(node.children[0]);
        const Value right = evaluate(node.children[1]);
        m_node = id;
        return binary(node.text, left, right, id);
    }
    case NodeKind::UnaryOp: return evaluateUnary(id);
    case NodeKind::BoolOp: return evaluateBool(id);
    case NodeKind::Compare: return evaluateCompare(id);
    case NodeKind::IfExp: {
        const Value test = evaluate(node.children[0]);
        return evaluate(node.children[truth(test, node.children[0]) ? 1 : 2]);
    }
    case NodeKind::Tuple:
    case NodeKind::List: {
        std::vector<Value> items;
        items.reserve(node.children.size());
        for (const NodeId child : node.children) {
            if (m_tree[child].kind == NodeKind::Starred) {
                for (Value &item : iterate(evaluate(m_tree[child].children[0]), child))
                    items.push_back(settled(std::move(item)));
            } else {
                items.push_back(settled(evaluate(child)));
            }
        }
        if (node.kind == NodeKind::Tuple)
            return makeTuple(std::move(items));
        Value list = makeList(std::move(items));
        list.as<SequenceObject>().madeIn = m_emitter.iteration();
        return list;
    }
    case NodeKind::Dict: {
        auto *dict = new DictObject;
        Value value = Value::object(ValueKind::Dict, dict);
        dict->madeIn = m_emitter.iteration();
        for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
            if (m_tree[node.children[i]].kind == NodeKind::None)
                unsupported("** in a dict", id);
            const Value key = evaluate(node.children[i]);
            chargeLookUp(*dict, key);
            dict->set(key, settled(evaluate(node.children[i + 1])));
        }
        return value;
    }
    case NodeKind::Lambda: return makeFunction(id);
    case NodeKind::ListComp:
    case NodeKind::GeneratorExp:
    case NodeKind::DictComp: return evaluateComprehension(id);
    case NodeKind::JoinedStr: return evaluateJoinedString(id);
    case NodeKind::Slice: {
        auto *slice = new SliceObject;
        Value value = Value::object(ValueKind::Slice, slice);
        const auto part = [&](std::size_t i) {
            return m_tree[node.children[i]].kind == NodeKind::None ? Value::none()
                                                                   : evaluate(node.children[i]);
        };
        slice->lower = part(0);
        slice->upper = part(1);
        slice->step = part(2);
        return value;
    }
    case NodeKind::Other: unsupported("the expression " + node.text, id);
    default: unsupported(fmt::format("the expression {}", name(node.kind)), id);
    }
}

Value Evaluator::literal(const Node &node, NodeId id) const
{
    if (const auto *integer = std::get_if<std::int64_t>(&node.literal))
        return Value::integer(*integer);
    if (const auto *number = std::get_if<double>(&node.literal))
        return Value::number(*number);
    if (const auto *flag = std::get_if<bool>(&node.literal))
        return Value::boolean(*flag);
    if (const auto *text = std::get_if<std::string>(&node.literal))
        return makeString(*text);
    if (std::holds_alternative<EllipsisLiteral>(node.literal))
        return Value::ellipsis();
    if (std::holds_alternative<NoneLiteral>(node.literal))
        return Value::none();
    unsupported("this literal", id);
}

int Evaluator::slotOf(NodeId id)
{
    if (m_slotOwner[std::size_t(id)] == m_frame->names)
        return m_slot[std::size_t(id)];
    const auto it = m_frame->names->slots.find(m_tree[id].text);
    const int slot = it == m_frame->names->slots.end() ? -1 : it->second;
    m_slotOwner[std::size_t(id)] = m_frame->names;
    m_slot[std::size_t(id)] = slot;
    return slot;
}

Value Evaluator::evaluateName(NodeId id)
{
    const Node &node = m_tree[id];
    const int slot = slotOf(id);
    const Value *value = slot >= 0 ? &m_frame->values[std::size_t(slot)] : nullptr;
    if (value != nullptr && isPassOver(slot) && !value->is(ValueKind::Unbound) &&
        !value->is(ValueKind::OutOfScope))
        checkPass(m_frame->boundIn[std::size_t(slot)], *value, id);
    if (value == nullptr || value->is(ValueKind::Unbound)) {
        for (const Frame *frame = m_frame->closure; frame != nullptr; frame = frame->closure) {
            const auto it = frame->names->slots.find(node.text);
            if (it != frame->names->slots.end() &&
                !frame->values[std::size_t(it->second)].is(ValueKind::Unbound)) {
                value = &frame->values[std::size_t(it->second)];
                const std::int32_t boundIn = frame->boundIn[std::size_t(it->second)];
                if (boundIn < 0 && !value->is(ValueKind::OutOfScope))
                    checkPass(boundIn, *value, id);
                break;
            }
        }
    }
    if (value != nullptr && value->is(ValueKind::OutOfScope))
        notCompiling(
            "err_local_variable_used_out_of_scope",
            fmt::format("'{}' was bound to a tile inside a loop or condition and is read after it",
                        node.text),
            "declare the tile before the loop and write it with '" + node.text + "[...] = '", id);
    if (value != nullptr && !value->is(ValueKind::Unbound))
        return *value;
    if (const FunctionSpec *spec = findFunction("py." + node.text)) {
        auto *function = new FunctionObject;
        function->spec = spec;
        return Value::object(ValueKind::Function, function);
    }
    notCompiling("name_error", fmt::format("the name '{}' is not defined", node.text),
                 "define it before this line, or import it", id);
}

std::vector<Value> Evaluator::indices(NodeId index)
{
    std::vector<Value> values;
    const Node &node = m_tree[index];
    if (node.kind == NodeKind::Tuple) {
        values.reserve(node.children.size());
        for (const NodeId child : node.children)
            values.push_back(evaluate(child));
    } else {
        Value value = evaluate(index);
        if (value.is(ValueKind::Tuple))
            return value.as<SequenceObject>().items;
        values.push_back(std::move(value));
    }
    return values;
}

Value Evaluator::evaluateSubscript(NodeId id)
{
    const Node &node = m_tree[id];
    const Value object = evaluate(node.children[0]);
    if (object.is(ValueKind::Tensor))
        return region(id, object.as<TensorObject>());
    const std::vector<Value> index = indices(node.children[1]);
    m_node = id;
    return subscript(object, index, id);
}

Value Evaluator::evaluateCall(NodeId id)
{
    const Node &node = m_tree[id];
    const Value function = evaluate(node.children[0]);
    if (function.is(ValueKind::Function))
        if (const CallPlan *plan = planCall(id, function))
            return followCall(*plan, id);
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> keywords;
    positional.reserve(node.children.size());
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const Node &argument = m_tree[node.children[i]];
        if (argument.kind == NodeKind::Keyword) {
            const Value value = evaluate(argument.children[0]);
            if (!argument.text.empty()) {
                keywords.emplace_back(argument.text, value);
                continue;
            }
            if (!value.is(ValueKind::Dict))
                notCompiling("type_error", "** needs a dict", {}, node.children[i]);
            charge(16 * value.as<DictObject>().items.size(), id);
            for (const auto &[key, item] : value.as<DictObject>().items)
                keywords.emplace_back(textOf(key), item);
        } else if (argument.kind == NodeKind::Starred) {
            for (Value &item : iterate(evaluate(argument.children[0]), node.children[i]))
                positional.push_back(std::move(item));
        } else {
            positional.push_back(evaluate(node.children[i]));
        }
    }
    m_node = id;
    return call(function, std::move(positional), std::move(keywords), id);
}

Value Evaluator::evaluateUnary(NodeId id)
{
    const Node &node = m_tree[id];
    const Value operand = evaluate(node.children[0]);
    m_node = id;
    if (node.text == "not") {
        if (operand.is(ValueKind::MaskExpression) || operand.is(ValueKind::Index))
            notCompiling("err_unsupported_expression_in_mask",
                         "a mask cannot be negated with 'not'", "write the opposite comparison",
                         id);
        return Value::boolean(!truth(operand, id)).withLoop(operand.fromLoop());
    }
    if (node.text == "+")
        return operand;
    if (node.text == "-") {
        if (operand.is(ValueKind::Float))
            return Value::number(-operand.asNumber()).withLoop(operand.fromLoop());
        if (operand.isInteger())
            return binary("-", Value::integer(0), operand, id);
        return binary("*", operand, Value::integer(-1), id);
    }
    if (node.text == "~" && operand.isInteger())
        return Value::integer(~operand.asInteger()).withLoop(operand.fromLoop());
    unsupported(
        "the operator " + node.text + " on a " + std::string(pythonTypeName(operand.kind())), id);
}

Value Evaluator::evaluateBool(NodeId id)
{
    const Node &node = m_tree[id];
    const bool isAnd = node.text == "and";
    Value value;
    bool fromLoop = false;
    for (const NodeId child : node.children) {
        value = evaluate(child);
        if (value.is(ValueKind::MaskExpression))
            notCompiling("err_unsupported_expression_in_mask",
                         "masks are joined with '&', not with '" + node.text + "'", {}, id);
        fromLoop = fromLoop || value.fromLoop();
        if (truth(value, child) != isAnd)
            break;
    }
    return value.isNumber() ? std::move(value).withLoop(fromLoop) : value;
}

Value Evaluator::evaluateCompare(NodeId id)
{
    const Node &node = m_tree[id];
    Value left = evaluate(node.children[0]);
    Value result;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const Node &comparator = m_tree[node.children[i]];
        const Value right = evaluate(comparator.children[0]);
        m_node = id;
        const Value next = compare(comparator.text, left, right, id);
        if (i == 1)
            result = next;
        else if (result.is(ValueKind::MaskExpression) || next.is(ValueKind::MaskExpression))
            notCompiling("err_unsupported_expression_in_mask",
                         "a mask cannot be a chained comparison", "join two comparisons with '&'",
                         id);
        else
            result = Value::boolean(truth(result, id) && truth(next, id))
                         .withLoop(result.fromLoop() || next.fromLoop());
        if (!result.is(ValueKind::MaskExpression) && i + 1 < node.children.size() &&
            !truth(result, id))
            return result;
        left = right;
    }
    return result;
}

bool Evaluator::truth(const Value &value, NodeId node) const
{
    switch (value.kind()) {
    case ValueKind::None: return false;
    case ValueKind::Bool:
    case ValueKind::Int: return value.asInteger() != 0;
    case ValueKind::Float: return value.asNumber() != 0;
    case ValueKind::String: return !value.as<StringObject>().text.empty();
    case ValueKind::Tuple:
    case ValueKind::List: return !value.as<SequenceObject>().items.empty();
    case ValueKind::Dict: return !value.as<DictObject>().items.empty();
    case ValueKind::Index:
    case ValueKind::MaskExpression:
        notCompiling("err_control_flow_condition_depending_on_arange",
                     "a condition cannot depend on nl.arange: it has one value per element",
                     "use mask= on the instruction, or nl.where", node);
    case ValueKind::Tensor:
        if (value.as<TensorObject>().elements() > 1)
            notCompiling("err_ambiguous_tensor_truth_value",
                         fmt::format("the truth value of a tile of shape {} is ambiguous",
                                     value.as<TensorObject>().shapeText()),
                         "use nl.where, or a mask", node);
        notCompiling("err_dynamic_control_flow_not_supported",
                     "a condition cannot depend on values computed on the device",
                     "use nl.where, or a mask", node);
    default: return true;
    }
}

std::vector<Value> Evaluator::iterate(const Value &value, NodeId node)
{
    switch (value.kind()) {
    case ValueKind::Tuple:
    case ValueKind::List:
        charge(value.as<SequenceObject>().items.size(), node);
        return value.as<SequenceObject>().items;
    case ValueKind::Dict: {
        charge(value.as<DictObject>().items.size(), node);
        std::vector<Value> keys;
        for (const auto &[key, item] : value.as<DictObject>().items)
            keys.push_back(key);
        return keys;
    }
    case ValueKind::String: {
        charge(4 * value.as<StringObject>().text.size(), node);
        std::vector<Value> letters;
        for (const char letter : value.as<StringObject>().text)
            letters.push_back(makeString(std::string(1, letter)));
        return letters;
    }
    case ValueKind::Range: {
        const auto &range = value.as<RangeObject>();
        std::vector<Value> items;
        const std::uint64_t count = range.count();
        if (count > kMostItems)
            unsupported("a range of more than a million items as a sequence", node);
        charge(count, node);
        for (std::uint64_t i = 0; i < count; ++i)
            items.push_back(Value::integer(range.start + std::int64_t(i) * range.step));
        return items;
    }
    default:
        notCompiling("type_error",
                     fmt::format("a {} cannot be iterated over", pythonTypeName(value.kind())), {},
                     node);
    }
}

void Evaluator::comprehend(NodeId expression, std::size_t clause, std::size_t elements,
                           const std::function<void()> &collect)
{
    const Node &node = m_tree[expression];
    if (clause == node.children.size()) {
        collect();
        return;
    }
    const Node &comprehension = m_tree[node.children[clause]];
    if (comprehension.kind != NodeKind::Comprehension)
        unsupported("an " + comprehension.text, node.children[clause]);
    for (const Value &item : iterate(evaluate(comprehension.children[1]), node.children[clause])) {
        step(expression);
        assign(comprehension.children[0], item);
        bool take = true;
        for (std::size_t i = 2; take && i < comprehension.children.size(); ++i)
            take = truth(evaluate(comprehension.children[i]), comprehension.children[i]);
        if (take)
            comprehend(expression, clause + 1, elements, collect);
    }
}

Value Evaluator::evaluateComprehension(NodeId id)
{
    const Node &node = m_tree[id];
    // The names it binds are its own: what the function has under them is put back afterwards.
    Names bound;
    for (const NodeId child : node.children)
        if (m_tree[child].kind == NodeKind::Comprehension)
            collectNames(m_tree[child].children[0], bound);
    std::vector<std::pair<int, Value>> outer;
    for (const auto &[name, unused] : bound.slots)
        if (const auto it = m_frame->names->slots.find(name); it != m_frame->names->slots.end())
            outer.emplace_back(it->second, m_frame->values[std::size_t(it->second)]);
    const std::size_t tiles = m_frame->passes.empty() ? 0 : m_frame->passes.back().size();
    const auto restore = [&] {
        for (auto &[slot, value] : outer)
            m_frame->values[std::size_t(slot)] = std::move(value);
        if (!m_frame->passes.empty())
            m_frame->passes.back().resize(tiles);
    };
    if (node.kind == NodeKind::DictComp) {
        auto *dict = new DictObject;
        Value value = Value::object(ValueKind::Dict, dict);
        dict->madeIn = m_emitter.iteration();
        comprehend(id, 2, 2, [&] {
            const Value key = evaluate(node.children[0]);
            chargeLookUp(*dict, key);
            dict->set(key, settled(evaluate(node.children[1])));
        });
        restore();
        return value;
    }
    std::vector<Value> items;
    comprehend(id, 1, 1, [&] { items.push_back(settled(evaluate(node.children[0]))); });
    restore();
    Value list = makeList(std::move(items));
    list.as<SequenceObject>().madeIn = m_emitter.iteration();
    return list;
}

Value Evaluator::evaluateJoinedString(NodeId id)
{
    std::string text;
    for (const NodeId child : m_tree[id].children) {
        const Node &part = m_tree[child];
        if (part.kind == NodeKind::Constant)
            text += textOf(literal(part, child));
        else if (part.kind == NodeKind::FormattedValue)
            text += textOf(evaluate(part.children[0]), part.text == "r");
        if (text.size() > kMostItems)
            unsupported("a text of more than a million letters", id);
    }
    charge(text.size() / 32, id);
    return makeString(std::move(text));
}

std::string Evaluator::textOf(const Value &value, bool quoteStrings)
{
    std::string text = toText(value, quoteStrings);
    charge(text.size() / 16);
    return text;
}

void Evaluator::chargeLookUp(const DictObject &dict, const Value &key)
{
    const std::size_t letters = key.is(ValueKind::String) ? key.as<StringObject>().text.size() : 0;
    charge(dict.items.size() * (1 + letters / 256));
}

} // namespace accelopt::nki
