// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/instructions/Views.h"
#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

Value sequenceMethod(Evaluator &evaluator, BoundMethodObject &method,
                     const std::vector<Value> &arguments, NodeId node)
{
    auto &items = method.self.as<SequenceObject>().items;
    if (method.name != "append")
        evaluator.charge(items.size(), node);
    const auto equal = [&](const Value &a, const Value &b) {
        return evaluator.truth(evaluator.compare("==", a, b, node), node);
    };
    if (method.name == "index" && arguments.size() == 1) {
        for (std::size_t i = 0; i < items.size(); ++i)
            if (equal(items[i], arguments[0]))
                return Value::integer(std::int64_t(i));
        evaluator.notCompiling("value_error", "the value is not in the list", {}, node);
    }
    if (method.name == "count" && arguments.size() == 1)
        return Value::integer(std::count_if(items.begin(), items.end(), [&](const Value &item) {
            return equal(item, arguments[0]);
        }));
    if (method.self.is(ValueKind::List)) {
        if (method.name == "append" || method.name == "extend" || method.name == "pop")
            evaluator.checkResize(method.self.as<SequenceObject>(), node);
        if (method.name == "append" && arguments.size() == 1) {
            if (arguments[0].is(ValueKind::Tensor))
                arguments[0].as<TensorObject>().freshProducer = kNoInstruction;
            items.push_back(arguments[0]);
            evaluator.holds(method.self, arguments[0]);
            return Value::none();
        }
        if (method.name == "extend" && arguments.size() == 1) {
            std::vector<Value> more = evaluator.iterate(arguments[0], node);
            if (items.size() + more.size() > kMostItems)
                evaluator.unsupported("a sequence of more than a million items", node);
            for (Value &item : more) {
                evaluator.holds(method.self, item);
                items.push_back(std::move(item));
            }
            return Value::none();
        }
        if (method.name == "pop" && arguments.size() <= 1) {
            const auto size = std::int64_t(items.size());
            if (!arguments.empty() && !arguments[0].isInteger())
                evaluator.notCompiling("type_error", "pop() takes an integer", {}, node);
            std::int64_t at = arguments.empty() ? -1 : arguments[0].asInteger();
            at += at < 0 ? size : 0;
            if (at < 0 || at >= size)
                evaluator.notCompiling("index_error", "pop() from outside of the list", {}, node);
            Value item = items[std::size_t(at)];
            items.erase(items.begin() + std::ptrdiff_t(at));
            return item;
        }
        if (method.name == "reverse") {
            std::reverse(items.begin(), items.end());
            return Value::none();
        }
        if (method.name == "copy")
            return makeList(items);
    }
    evaluator.unsupported("the method '" + method.name + "' of a " +
                              std::string(pythonTypeName(method.self.kind())),
                          node);
}

Value stringMethod(Evaluator &evaluator, const BoundMethodObject &method,
                   const std::vector<Value> &arguments, NodeId node)
{
    const std::string &text = method.self.as<StringObject>().text;
    if (method.name == "format")
        return method.self; // only ever feeds messages
    if (method.name == "join" && arguments.size() == 1) {
        std::string joined;
        bool first = true;
        for (const Value &item : evaluator.iterate(arguments[0], node)) {
            if (!std::exchange(first, false))
                joined += text;
            joined += evaluator.textOf(item);
            if (joined.size() > kMostItems)
                evaluator.unsupported("a text of more than a million letters", node);
        }
        return makeString(std::move(joined));
    }
    if ((method.name == "startswith" || method.name == "endswith") && arguments.size() == 1) {
        const std::string part = evaluator.textOf(arguments[0]);
        return Value::boolean(method.name == "startswith" ? text.starts_with(part)
                                                          : text.ends_with(part));
    }
    evaluator.unsupported("the method '" + method.name + "' of a str", node);
}

Value dictMethod(Evaluator &evaluator, const BoundMethodObject &method,
                 const std::vector<Value> &arguments, NodeId node)
{
    const auto &dict = method.self.as<DictObject>();
    const auto &items = dict.items;
    std::vector<Value> list;
    if (method.name == "get" && !arguments.empty()) {
        evaluator.chargeLookUp(dict, arguments[0]);
        if (const Value *value = dict.find(arguments[0]))
            return *value;
        return arguments.size() > 1 ? arguments[1] : Value::none();
    }
    evaluator.charge(4 * items.size(), node);
    for (const auto &[key, value] : items) {
        if (method.name == "keys")
            list.push_back(key);
        else if (method.name == "values")
            list.push_back(value);
        else if (method.name == "items")
            list.push_back(makeTuple({key, value}));
        else
            evaluator.unsupported("the method '" + method.name + "' of a dict", node);
    }
    return makeList(std::move(list));
}

} // namespace

Value Evaluator::callMethod(BoundMethodObject &method, std::vector<Value> positional,
                            std::vector<std::pair<std::string, Value>> keywords, NodeId node)
{
    m_node = node;
    const auto keyword = [&](std::string_view name) -> const Value * {
        for (const auto &[key, value] : keywords)
            if (key == name)
                return &value;
        return nullptr;
    };
    switch (method.self.kind()) {
    case ValueKind::List:
    case ValueKind::Tuple: return sequenceMethod(*this, method, positional, node);
    case ValueKind::String: return stringMethod(*this, method, positional, node);
    case ValueKind::Dict: return dictMethod(*this, method, positional, node);
    case ValueKind::Class:
    case ValueKind::Instance: {
        const Value type =
            method.self.is(ValueKind::Class) ? method.self : method.self.as<InstanceObject>().type;
        const Value function = *type.as<ClassObject>().find(method.name);
        positional.insert(positional.begin(), method.self);
        return callUser(function.as<UserFunctionObject>(), std::move(positional),
                        std::move(keywords), node);
    }
    case ValueKind::Tensor: {
        std::vector<Value> shapeValues = positional;
        if (const Value *shape = keyword("shape"))
            shapeValues = {*shape};
        if (shapeValues.size() == 1 &&
            (shapeValues[0].is(ValueKind::Tuple) || shapeValues[0].is(ValueKind::List)))
            shapeValues = shapeValues[0].as<SequenceObject>().items;
        if (method.name == "expand_dims") {
            const Value *axis = keyword("axis");
            if (axis == nullptr && positional.empty())
                notCompiling("type_error", "expand_dims() misses the argument 'axis'", {}, node);
            return expandDims(*this, method.self, axis != nullptr ? *axis : positional[0]);
        }
        if (method.name == "astype") {
            if (positional.size() != 1 || !positional[0].is(ValueKind::DTypeName))
                notCompiling("type_error", "astype() takes a dtype", {}, node);
            return copyTile(*this, method.self, Value::none(), positional[0].asDType());
        }
        const std::vector<std::int64_t> shape = shapeOf(*this, shapeValues);
        if (method.name == "reshape")
            return reshape(*this, method.self, shape);
        if (method.name == "broadcast_to")
            return broadcastTo(*this, method.self, shape);
        if (method.name == "assert_shape") {
            const auto &view = method.self.as<TensorObject>();
            bool same = view.rank == int(shape.size());
            for (int axis = 0; same && axis < view.rank; ++axis)
                same = view.axes[std::size_t(axis)].size == shape[std::size_t(axis)];
            if (!same)
                notCompiling("err_annotation_shape_mismatch",
                             fmt::format("the shape is {}, not the one asserted", view.shapeText()),
                             {}, node);
            return method.self;
        }
        break;
    }
    case ValueKind::Array:
        if (method.name == "astype" && positional.size() == 1 &&
            positional[0].is(ValueKind::DTypeName)) {
            charge(method.self.as<ArrayObject>().values.size() / 4, node);
            auto *array = new ArrayObject(method.self.as<ArrayObject>());
            array->references = 0;
            array->dtype = positional[0].asDType();
            for (float &value : array->values)
                value = rounded(value, array->dtype);
            return Value::object(ValueKind::Array, array);
        }
        break;
    default: break;
    }
    unsupported("the method '" + method.name + "' of a " +
                    std::string(pythonTypeName(method.self.kind())),
                node);
}

} // namespace accelopt::nki
