// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Value.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::nki {

std::string_view pythonTypeName(ValueKind kind)
{
    switch (kind) {
    case ValueKind::Unbound: return "nothing";
    case ValueKind::OutOfScope: return "out-of-scope tile";
    case ValueKind::None: return "NoneType";
    case ValueKind::Ellipsis: return "ellipsis";
    case ValueKind::Bool: return "bool";
    case ValueKind::Int: return "int";
    case ValueKind::Float: return "float";
    case ValueKind::DTypeName: return "dtype";
    case ValueKind::MemoryName: return "buffer name";
    case ValueKind::EngineName: return "engine name";
    case ValueKind::Symbol: return "enumerator";
    case ValueKind::String: return "str";
    case ValueKind::Tuple: return "tuple";
    case ValueKind::List: return "list";
    case ValueKind::Dict: return "dict";
    case ValueKind::Slice: return "slice";
    case ValueKind::DynamicSlice: return "nl.ds slice";
    case ValueKind::PartitionDimension: return "par_dim";
    case ValueKind::Range: return "range";
    case ValueKind::Index: return "index expression";
    case ValueKind::MaskExpression: return "mask";
    case ValueKind::Tensor: return "tile";
    case ValueKind::Array: return "numpy array";
    case ValueKind::Module: return "module";
    case ValueKind::Function: return "function";
    case ValueKind::UserFunction: return "function";
    case ValueKind::BoundMethod: return "method";
    }
    return "value";
}

std::int64_t IndexObject::minimum() const
{
    std::int64_t value = constant;
    for (int axis = 0; axis < rank; ++axis)
        if (coefficient[std::size_t(axis)] < 0)
            value += coefficient[std::size_t(axis)] * (extent[std::size_t(axis)] - 1);
    return value;
}

std::int64_t IndexObject::maximum() const
{
    std::int64_t value = constant;
    for (int axis = 0; axis < rank; ++axis)
        if (coefficient[std::size_t(axis)] > 0)
            value += coefficient[std::size_t(axis)] * (extent[std::size_t(axis)] - 1);
    return value;
}

std::int64_t TensorObject::elements() const
{
    std::int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis)
        count *= axes[std::size_t(axis)].size;
    return count;
}

std::int64_t TensorObject::freeElements() const
{
    std::int64_t count = 1;
    for (int axis = 1; axis < rank; ++axis)
        count *= axes[std::size_t(axis)].size;
    return count;
}

std::string TensorObject::shapeText() const
{
    std::string text = "(";
    for (int axis = 0; axis < rank; ++axis)
        text += fmt::format("{}{}", axis == 0 ? "" : ", ", axes[std::size_t(axis)].size);
    return text + (rank == 1 ? ",)" : ")");
}

Value makeString(std::string text)
{
    auto *object = new StringObject;
    object->text = std::move(text);
    return Value::object(ValueKind::String, object);
}

Value makeTuple(std::vector<Value> items)
{
    auto *object = new SequenceObject;
    object->items = std::move(items);
    return Value::object(ValueKind::Tuple, object);
}

Value makeList(std::vector<Value> items)
{
    auto *object = new SequenceObject;
    object->items = std::move(items);
    return Value::object(ValueKind::List, object);
}

Value makeSymbol(std::string name)
{
    auto *object = new StringObject;
    object->text = std::move(name);
    return Value::object(ValueKind::Symbol, object);
}

namespace {

std::string numberText(double number)
{
    if (std::isfinite(number) && number == std::floor(number) && std::abs(number) < 1e16)
        return fmt::format("{:.1f}", number);
    return fmt::format("{}", number);
}

std::string itemsText(const std::vector<Value> &items)
{
    std::string text;
    for (const Value &item : items) {
        if (!text.empty())
            text += ", ";
        text += toText(item, true);
    }
    return text;
}

} // namespace

std::string toText(const Value &value, bool quoteStrings)
{
    switch (value.kind()) {
    case ValueKind::None: return "None";
    case ValueKind::Ellipsis: return "Ellipsis";
    case ValueKind::Bool: return value.asInteger() != 0 ? "True" : "False";
    case ValueKind::Int: return fmt::format("{}", value.asInteger());
    case ValueKind::Float: return numberText(value.asNumber());
    case ValueKind::DTypeName: return std::string(name(value.asDType()));
    case ValueKind::String: {
        const std::string &text = value.as<StringObject>().text;
        return quoteStrings ? "'" + text + "'" : text;
    }
    case ValueKind::Symbol: return value.as<StringObject>().text;
    case ValueKind::Tuple: {
        const auto &items = value.as<SequenceObject>().items;
        return "(" + itemsText(items) + (items.size() == 1 ? ",)" : ")");
    }
    case ValueKind::List: return "[" + itemsText(value.as<SequenceObject>().items) + "]";
    case ValueKind::Tensor: return "tile" + value.as<TensorObject>().shapeText();
    case ValueKind::Module: return "module " + value.as<ModuleObject>().path;
    default: return fmt::format("<{}>", pythonTypeName(value.kind()));
    }
}

} // namespace accelopt::nki
