// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Value.h"

#include "core/nki/trace/Objects.h"

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
    case ValueKind::Class: return "class";
    case ValueKind::Instance: return "object";
    case ValueKind::Launch: return "kernel with a grid";
    }
    return "value";
}

SequenceObject::~SequenceObject() = default;

void Value::letGo(Object *object)
{
    // Values can be nested deeper than the stack reaches: what is inside waits for its turn.
    static thread_local std::vector<Object *> *s_waiting = nullptr;
    if (s_waiting != nullptr) {
        s_waiting->push_back(object);
        return;
    }
    std::vector<Object *> waiting;
    s_waiting = &waiting;
    delete object;
    while (!waiting.empty()) {
        Object *const next = waiting.back();
        waiting.pop_back();
        delete next;
    }
    s_waiting = nullptr;
}

namespace {

bool sameKey(const Value &a, const Value &b, int depth)
{
    if (a.isNumber() && b.isNumber())
        return a.isInteger() && b.isInteger() ? a.asInteger() == b.asInteger()
                                              : a.asNumber() == b.asNumber();
    if (a.kind() != b.kind())
        return false;
    switch (a.kind()) {
    case ValueKind::None:
    case ValueKind::Ellipsis: return true;
    case ValueKind::String:
    case ValueKind::Symbol: return a.as<StringObject>().text == b.as<StringObject>().text;
    case ValueKind::Function: return a.as<FunctionObject>().spec == b.as<FunctionObject>().spec;
    case ValueKind::Tuple: {
        constexpr int kDeepestKey = 16;
        const auto &left = a.as<SequenceObject>().items;
        const auto &right = b.as<SequenceObject>().items;
        bool same = left.size() == right.size() && depth < kDeepestKey;
        for (std::size_t i = 0; same && i < left.size(); ++i)
            same = sameKey(left[i], right[i], depth + 1);
        return same;
    }
    default: return a.asInteger() == b.asInteger(); // the same number, or the same object
    }
}

} // namespace

const Value *DictObject::find(const Value &key) const
{
    for (const auto &[other, value] : items)
        if (sameKey(other, key, 0))
            return &value;
    return nullptr;
}

void DictObject::set(const Value &key, Value value)
{
    for (auto &[other, kept] : items)
        if (sameKey(other, key, 0)) {
            kept = std::move(value);
            return;
        }
    items.emplace_back(key, std::move(value));
}

std::uint64_t RangeObject::count() const
{
    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    const std::uint64_t distance = step > 0 ? std::uint64_t(stop) - std::uint64_t(start)
                                            : std::uint64_t(start) - std::uint64_t(stop);
    const std::uint64_t stride = step > 0 ? std::uint64_t(step) : 0 - std::uint64_t(step);
    return (distance - 1) / stride + 1;
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

/// What a text is cut at, and how deep lists in lists are shown.
constexpr std::size_t kLongestText = 64 * 1024;
constexpr int kDeepestText = 32;

void append(std::string &text, const Value &value, bool quoteStrings, int depth);

void appendItems(std::string &text, const std::vector<Value> &items, int depth)
{
    bool first = true;
    for (const Value &item : items) {
        if (!std::exchange(first, false))
            text += ", ";
        if (text.size() > kLongestText || depth > kDeepestText) {
            text += "...";
            return;
        }
        append(text, item, true, depth + 1);
    }
}

void append(std::string &text, const Value &value, bool quoteStrings, int depth)
{
    switch (value.kind()) {
    case ValueKind::None: text += "None"; return;
    case ValueKind::Ellipsis: text += "Ellipsis"; return;
    case ValueKind::Bool: text += value.asInteger() != 0 ? "True" : "False"; return;
    case ValueKind::Int: text += fmt::format("{}", value.asInteger()); return;
    case ValueKind::Float: text += numberText(value.asNumber()); return;
    case ValueKind::DTypeName: text += name(value.asDType()); return;
    case ValueKind::String: {
        const std::string &letters = value.as<StringObject>().text;
        text += quoteStrings ? "'" + letters + "'" : letters;
        return;
    }
    case ValueKind::Symbol: text += value.as<StringObject>().text; return;
    case ValueKind::Tuple: {
        const auto &items = value.as<SequenceObject>().items;
        text += '(';
        appendItems(text, items, depth);
        text += items.size() == 1 ? ",)" : ")";
        return;
    }
    case ValueKind::List:
        text += '[';
        appendItems(text, value.as<SequenceObject>().items, depth);
        text += ']';
        return;
    case ValueKind::Tensor: text += "tile" + value.as<TensorObject>().shapeText(); return;
    case ValueKind::Module: text += "module " + value.as<ModuleObject>().path; return;
    default: text += fmt::format("<{}>", pythonTypeName(value.kind()));
    }
}

} // namespace

std::string toText(const Value &value, bool quoteStrings)
{
    std::string text;
    append(text, value, quoteStrings, 0);
    return text;
}

} // namespace accelopt::nki
