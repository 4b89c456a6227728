// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/instructions/Views.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

// The built-in functions of Python, math and numpy that kernels use on numbers and sequences.

namespace accelopt::nki {

namespace {

Value length(Call &call)
{
    Evaluator &evaluator = call.evaluator;
    if (call[0].is(ValueKind::Tensor))
        return Value::integer(call[0].as<TensorObject>().axes[0].size);
    return Value::integer(std::int64_t(evaluator.iterate(call[0], call.node).size()));
}

/// The number as an integer; refuses what no integer of 64 bits is.
Value wholeNumber(Call &call, double number)
{
    if (!(std::abs(number) < 9.2e18))
        call.evaluator.notCompiling("value_error",
                                    fmt::format("{} cannot become an integer", number));
    return Value::integer(std::int64_t(number));
}

double numberOf(Call &call, const Value &value)
{
    if (!value.isNumber())
        call.evaluator.notCompiling("type_error",
                                    fmt::format("{} takes a number, not a {}", call.spec.path,
                                                pythonTypeName(value.kind())));
    return value.asNumber();
}

Value toInt(Call &call)
{
    if (call[0].isInteger())
        return Value::integer(call[0].asInteger()).withLoop(call[0].fromLoop());
    return wholeNumber(call, std::trunc(numberOf(call, call[0])));
}

Value toFloat(Call &call)
{
    if (call[0].is(ValueKind::String)) {
        // float("-inf") is how kernels write infinity.
        const std::string text = toText(call[0]);
        char *end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (text.empty() || end != text.c_str() + text.size())
            call.evaluator.notCompiling("value_error",
                                        fmt::format("'{}' is not a number", text.substr(0, 40)));
        return Value::number(number);
    }
    return Value::number(numberOf(call, call[0]));
}

Value toBool(Call &call)
{
    return Value::boolean(call.evaluator.truth(call[0], call.node)).withLoop(call[0].fromLoop());
}

Value toStr(Call &call)
{
    return makeString(call.evaluator.textOf(call[0]));
}

Value toTuple(Call &call)
{
    return makeTuple(call.given(0) ? call.evaluator.iterate(call[0], call.node)
                                   : std::vector<Value>{});
}

Value toList(Call &call)
{
    return makeList(call.given(0) ? call.evaluator.iterate(call[0], call.node)
                                  : std::vector<Value>{});
}

Value extreme(Call &call, bool largest)
{
    Evaluator &evaluator = call.evaluator;
    std::vector<Value> items = std::move(call.rest);
    if (items.size() == 1)
        items = evaluator.iterate(items[0], call.node);
    if (items.empty())
        evaluator.notCompiling("value_error", fmt::format("{} of nothing", call.spec.path));
    evaluator.charge(items.size());
    Value best = items[0];
    for (std::size_t i = 1; i < items.size(); ++i)
        if (evaluator.truth(evaluator.compare(largest ? ">" : "<", items[i], best, call.node),
                            call.node))
            best = items[i];
    bool fromLoop = false;
    for (const Value &item : items)
        fromLoop = fromLoop || item.fromLoop();
    return std::move(best).withLoop(fromLoop);
}

Value maximum(Call &call)
{
    return extreme(call, true);
}

Value minimum(Call &call)
{
    return extreme(call, false);
}

Value absolute(Call &call)
{
    if (call[0].isInteger())
        return call[0].asInteger() >= 0
                   ? Value::integer(call[0].asInteger())
                   : call.evaluator.binary("-", Value::integer(0), call[0], call.node);
    return Value::number(std::abs(numberOf(call, call[0])));
}

/// The items of the first argument, with what it costs to go through them.
std::vector<Value> itemsToCombine(Call &call)
{
    std::vector<Value> items = call.evaluator.iterate(call[0], call.node);
    call.evaluator.charge(items.size());
    return items;
}

Value sum(Call &call)
{
    Value total = Value::integer(0);
    for (const Value &item : itemsToCombine(call))
        total = call.evaluator.binary("+", total, item, call.node);
    return total;
}

Value product(Call &call)
{
    Value total = Value::integer(1);
    for (const Value &item : itemsToCombine(call))
        total = call.evaluator.binary("*", total, item, call.node);
    return total;
}

Value print(Call &call)
{
    std::string &printed = call.evaluator.program().printed;
    constexpr std::size_t kMost = 64 * 1024;
    std::string line;
    bool first = true;
    for (const Value &item : call.rest) {
        if (!std::exchange(first, false))
            line += call.given(0) ? call.evaluator.textOf(call[0]) : " ";
        line += call.evaluator.textOf(item);
    }
    line += call.given(1) ? call.evaluator.textOf(call[1]) : "\n";
    if (printed.size() + line.size() < kMost)
        printed += line;
    return Value::none();
}

// print_prefix, x, mask
Value devicePrint(Call &call)
{
    std::string &printed = call.evaluator.program().printed;
    constexpr std::size_t kMost = 64 * 1024;
    const std::string line =
        call.evaluator.textOf(call[0]) + " " + call.evaluator.textOf(call[1]) + "\n";
    if (printed.size() + line.size() < kMost)
        printed += line;
    return Value::none();
}

Value enumerate(Call &call)
{
    std::vector<Value> items;
    if (call.given(1) && !call[1].isInteger())
        call.evaluator.notCompiling("type_error", "enumerate starts at an integer");
    std::int64_t index = call.given(1) ? call[1].asInteger() : 0;
    for (const Value &item : call.evaluator.iterate(call[0], call.node))
        items.push_back(makeTuple({Value::integer(index++), item}));
    call.evaluator.charge(4 * items.size());
    return makeList(std::move(items));
}

Value zip(Call &call)
{
    std::vector<std::vector<Value>> columns;
    std::size_t shortest = SIZE_MAX;
    for (const Value &item : call.rest) {
        columns.push_back(call.evaluator.iterate(item, call.node));
        shortest = std::min(shortest, columns.back().size());
    }
    std::vector<Value> rows;
    if (!columns.empty())
        call.evaluator.charge(shortest * (4 + columns.size()));
    for (std::size_t i = 0; !columns.empty() && i < shortest; ++i) {
        std::vector<Value> row;
        for (const auto &column : columns)
            row.push_back(column[i]);
        rows.push_back(makeTuple(std::move(row)));
    }
    return makeList(std::move(rows));
}

Value reversedOf(Call &call)
{
    std::vector<Value> items = call.evaluator.iterate(call[0], call.node);
    std::reverse(items.begin(), items.end());
    return makeList(std::move(items));
}

Value sortedOf(Call &call)
{
    std::vector<Value> items = call.evaluator.iterate(call[0], call.node);
    constexpr std::size_t kComparisonsPerItem = 80; // of a million items, each several steps
    call.evaluator.charge(kComparisonsPerItem * items.size());
    std::stable_sort(items.begin(), items.end(), [&](const Value &a, const Value &b) {
        return call.evaluator.truth(call.evaluator.compare("<", a, b, call.node), call.node);
    });
    return makeList(std::move(items));
}

Value allOf(Call &call)
{
    for (const Value &item : call.evaluator.iterate(call[0], call.node))
        if (!call.evaluator.truth(item, call.node))
            return Value::boolean(false);
    return Value::boolean(true);
}

Value anyOf(Call &call)
{
    for (const Value &item : call.evaluator.iterate(call[0], call.node))
        if (call.evaluator.truth(item, call.node))
            return Value::boolean(true);
    return Value::boolean(false);
}

Value divmod(Call &call)
{
    return makeTuple({call.evaluator.binary("//", call[0], call[1], call.node),
                      call.evaluator.binary("%", call[0], call[1], call.node)});
}

Value isInstance(Call &call)
{
    const auto matches = [&](const Value &type) {
        if (type.is(ValueKind::Class))
            return call[0].is(ValueKind::Instance) &&
                   call[0].as<InstanceObject>().type.is(ValueKind::Class) &&
                   &call[0].as<InstanceObject>().type.as<ClassObject>() == &type.as<ClassObject>();
        if (!type.is(ValueKind::Function))
            return false;
        const std::string_view path = type.as<FunctionObject>().spec->path;
        const ValueKind kind = call[0].kind();
        return (path == "py.int" && (kind == ValueKind::Int || kind == ValueKind::Bool)) ||
               (path == "py.float" && kind == ValueKind::Float) ||
               (path == "py.bool" && kind == ValueKind::Bool) ||
               (path == "py.str" && kind == ValueKind::String) ||
               (path == "py.tuple" && kind == ValueKind::Tuple) ||
               (path == "py.list" && kind == ValueKind::List);
    };
    if (call[1].is(ValueKind::Tuple)) {
        for (const Value &type : call[1].as<SequenceObject>().items)
            if (matches(type))
                return Value::boolean(true);
        return Value::boolean(false);
    }
    return Value::boolean(matches(call[1]));
}

template <double (*Function)(double)> Value real(Call &call)
{
    return Value::number(Function(numberOf(call, call[0])));
}

template <double (*Function)(double)> Value whole(Call &call)
{
    return wholeNumber(call, Function(numberOf(call, call[0])));
}

Value power(Call &call)
{
    return call.evaluator.binary("**", call[0], call[1], call.node);
}

Value numpyType(Call &call)
{
    if (const auto type = dtypeArgument(call.evaluator, call[0]))
        return Value::dtype(*type);
    call.evaluator.notCompiling("type_error", "np.dtype needs a type");
}

constexpr FunctionSpec kPythonFunctions[] = {
    {"py.len", "x", length},
    {"py.int", "x", toInt},
    {"py.float", "x", toFloat},
    {"py.bool", "x", toBool},
    {"py.str", "x", toStr},
    {"py.tuple", "x=", toTuple},
    {"py.list", "x=", toList},
    {"py.max", "*items", maximum},
    {"py.min", "*items", minimum},
    {"py.abs", "x", absolute},
    {"py.sum", "x", sum},
    {"py.print", "*items, sep=, end=, flush=", print},
    {"nl.device_print", "print_prefix, x, mask=", devicePrint},
    {"py.enumerate", "x, start=", enumerate},
    {"py.zip", "*items", zip},
    {"py.reversed", "x", reversedOf},
    {"py.sorted", "x", sortedOf},
    {"py.all", "x", allOf},
    {"py.any", "x", anyOf},
    {"py.divmod", "a, b", divmod},
    {"py.isinstance", "x, type", isInstance},
    {"py.round", "x", whole<std::nearbyint>},
    {"math.ceil", "x", whole<std::ceil>},
    {"math.floor", "x", whole<std::floor>},
    {"math.sqrt", "x", real<std::sqrt>},
    {"math.exp", "x", real<std::exp>},
    {"math.log", "x", real<std::log>},
    {"math.log2", "x", real<std::log2>},
    {"math.prod", "x", product},
    {"math.pow", "x, y", power},
    {"np.prod", "x", product},
    {"np.dtype", "type", numpyType},
};

} // namespace

std::span<const FunctionSpec> pythonFunctions()
{
    return kPythonFunctions;
}

} // namespace accelopt::nki
