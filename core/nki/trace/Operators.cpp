// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/trace/TraceStop.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace accelopt::nki {

namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// Numpy's broadcasting of two index grids: trailing axes are matched.
bool combine(const IndexObject &a, const IndexObject &b, std::int64_t signB, IndexObject &out)
{
    out.rank = std::max(a.rank, b.rank);
    out.constant = a.constant + signB * b.constant;
    out.fromLoop = a.fromLoop || b.fromLoop;
    for (int axis = 0; axis < out.rank; ++axis) {
        const int fromA = axis - (out.rank - a.rank);
        const int fromB = axis - (out.rank - b.rank);
        const std::int64_t extentA = fromA >= 0 ? a.extent[std::size_t(fromA)] : 1;
        const std::int64_t extentB = fromB >= 0 ? b.extent[std::size_t(fromB)] : 1;
        if (extentA != extentB && extentA != 1 && extentB != 1)
            return false;
        out.extent[std::size_t(axis)] = std::max(extentA, extentB);
        out.coefficient[std::size_t(axis)] =
            (fromA >= 0 ? a.coefficient[std::size_t(fromA)] : 0) +
            signB * (fromB >= 0 ? b.coefficient[std::size_t(fromB)] : 0);
    }
    return true;
}

/// No address of a memory is larger; sums and products of what is smaller do not overflow.
constexpr std::int64_t kLargestIndex = std::int64_t(1) << 48;

bool isAddressable(const IndexObject &index)
{
    if (index.constant > kLargestIndex || index.constant < -kLargestIndex)
        return false;
    for (int axis = 0; axis < index.rank; ++axis) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(index.coefficient[std::size_t(axis)],
                                   index.extent[std::size_t(axis)], &reach) ||
            reach > kLargestIndex || reach < -kLargestIndex)
            return false;
    }
    return true;
}

bool isScalable(const IndexObject &index, std::int64_t factor)
{
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(index.constant, factor, &reach) || reach > kLargestIndex ||
        reach < -kLargestIndex)
        return false;
    for (int axis = 0; axis < index.rank; ++axis)
        if (__builtin_mul_overflow(index.coefficient[std::size_t(axis)] *
                                       index.extent[std::size_t(axis)],
                                   factor, &reach) ||
            reach > kLargestIndex || reach < -kLargestIndex)
            return false;
    return true;
}

IndexObject scaled(const IndexObject &a, std::int64_t factor)
{
    IndexObject out = a;
    out.references = 0;
    out.constant *= factor;
    for (std::int64_t &coefficient : out.coefficient)
        coefficient *= factor;
    return out;
}

Value indexValue(IndexObject index)
{
    index.references = 0;
    auto *object = new IndexObject(std::move(index));
    return Value::object(ValueKind::Index, object);
}

IndexObject asIndex(const Value &value)
{
    if (value.is(ValueKind::Index)) {
        IndexObject copy = value.as<IndexObject>();
        copy.references = 0;
        return copy;
    }
    IndexObject scalar;
    scalar.constant = value.asInteger();
    scalar.fromLoop = value.fromLoop();
    return scalar;
}

AffineCondition condition(const IndexObject &index, std::int64_t sign, std::int64_t shift)
{
    AffineCondition out;
    out.constant = sign * index.constant + shift;
    for (int axis = 0; axis < index.rank; ++axis)
        out.coefficient[axis] = sign * index.coefficient[std::size_t(axis)];
    return out;
}

} // namespace

Value Evaluator::binary(const std::string &op, const Value &left, const Value &right, NodeId node)
{
    const char first = op[0];
    const bool fromLoop = left.fromLoop() || right.fromLoop();
    constexpr std::int64_t kMostNegative = std::numeric_limits<std::int64_t>::min();
    if (left.isInteger() && right.isInteger()) {
        const std::int64_t a = left.asInteger();
        const std::int64_t b = right.asInteger();
        std::int64_t result = 0;
        bool overflow = false;
        if (op == "+")
            overflow = __builtin_add_overflow(a, b, &result);
        else if (op == "-")
            overflow = __builtin_sub_overflow(a, b, &result);
        else if (op == "*")
            overflow = __builtin_mul_overflow(a, b, &result);
        else if (op == "//" || op == "%" || op == "/") {
            if (b == 0)
                notCompiling("zero_division", "division by zero", {}, node);
            if (op == "/")
                return Value::number(double(a) / double(b)).withLoop(fromLoop);
            if (a == kMostNegative && b == -1)
                unsupported("integers beyond 64 bits", node);
            result = op == "//" ? floorDivide(a, b) : a - floorDivide(a, b) * b;
        } else if (op == "**") {
            if (b < 0)
                return Value::number(std::pow(double(a), double(b))).withLoop(fromLoop);
            // More than 64 factors of anything but 0, 1 and -1 overflow; those three repeat.
            const std::int64_t factors = b > 64 ? 64 + b % 2 : b;
            result = 1;
            for (std::int64_t i = 0; i < factors && !overflow; ++i)
                overflow = __builtin_mul_overflow(result, a, &result);
        } else if (op == "<<" || op == ">>") {
            if (b < 0 || b > 62)
                notCompiling("value_error", "this shift is out of range", {}, node);
            if (op == "<<")
                overflow = __builtin_mul_overflow(a, std::int64_t(1) << b, &result);
            else
                result = a >> b;
        } else if (op == "&")
            result = a & b;
        else if (op == "|")
            result = a | b;
        else if (op == "^")
            result = a ^ b;
        else
            unsupported("the operator " + op, node);
        if (overflow)
            unsupported("integers beyond 64 bits", node);
        if ((first == '&' || first == '|' || first == '^') && left.is(ValueKind::Bool) &&
            right.is(ValueKind::Bool))
            return Value::boolean(result != 0).withLoop(fromLoop);
        return Value::integer(result).withLoop(fromLoop);
    }
    if (left.isNumber() && right.isNumber()) {
        const double a = left.asNumber();
        const double b = right.asNumber();
        double result = 0;
        if (op == "+")
            result = a + b;
        else if (op == "-")
            result = a - b;
        else if (op == "*")
            result = a * b;
        else if (op == "/" || op == "//" || op == "%") {
            if (b == 0)
                notCompiling("zero_division", "division by zero", {}, node);
            result = op == "/" ? a / b : op == "//" ? std::floor(a / b) : a - std::floor(a / b) * b;
        } else if (op == "**")
            result = std::pow(a, b);
        else
            notCompiling("type_error", "the operator " + op + " needs integers", {}, node);
        return Value::number(result).withLoop(fromLoop);
    }
    if (left.is(ValueKind::Index) || right.is(ValueKind::Index)) {
        const Value &other = left.is(ValueKind::Index) ? right : left;
        const auto refuseIndex = [&] {
            notCompiling("value_error", "the index expression reaches beyond any memory", {}, node);
        };
        if (other.isInteger() &&
            (other.asInteger() > kLargestIndex || other.asInteger() < -kLargestIndex))
            refuseIndex();
        if (other.is(ValueKind::Index) || other.isInteger()) {
            if (op == "+" || op == "-") {
                IndexObject result;
                if (!combine(asIndex(left), asIndex(right), op == "+" ? 1 : -1, result))
                    notCompiling("value_error",
                                 "index expressions of different extents cannot be combined", {},
                                 node);
                if (!isAddressable(result))
                    refuseIndex();
                return indexValue(result);
            }
            if (op == "*" && !(left.is(ValueKind::Index) && right.is(ValueKind::Index))) {
                const IndexObject &index =
                    (left.is(ValueKind::Index) ? left : right).as<IndexObject>();
                if (!isScalable(index, other.asInteger()))
                    refuseIndex();
                IndexObject result = scaled(index, other.asInteger());
                result.fromLoop = index.fromLoop || other.fromLoop();
                return indexValue(result);
            }
        }
        notCompiling(
            "err_unsupported_expression_in_index",
            fmt::format("an index may only be built with +, - and multiplication by integers, not "
                        "with {} of a {} and a {}",
                        op, pythonTypeName(left.kind()), pythonTypeName(right.kind())),
            {}, node);
    }
    if (left.is(ValueKind::MaskExpression) || right.is(ValueKind::MaskExpression)) {
        const auto conditionOf = [&](const Value &value, MaskObject &out) {
            if (value.is(ValueKind::MaskExpression)) {
                const auto &mask = value.as<MaskObject>();
                if (out.rank == 0) {
                    out.rank = mask.rank;
                    out.extent = mask.extent;
                }
                for (int axis = 0; axis < std::min(out.rank, mask.rank); ++axis)
                    out.extent[std::size_t(axis)] =
                        std::max(out.extent[std::size_t(axis)], mask.extent[std::size_t(axis)]);
                out.conditions.insert(out.conditions.end(), mask.conditions.begin(),
                                      mask.conditions.end());
                return mask.rank == out.rank;
            }
            if (!value.isInteger())
                return false;
            if (value.asInteger() == 0) {
                AffineCondition never;
                never.constant = -1;
                out.conditions.push_back(never);
            }
            return true;
        };
        if (op == "&") {
            auto *mask = new MaskObject;
            Value result = Value::object(ValueKind::MaskExpression, mask);
            if (conditionOf(left, *mask) && conditionOf(right, *mask)) {
                constexpr std::size_t kMostConditions = 64;
                if (mask->conditions.size() > kMostConditions)
                    unsupported("a mask of more than 64 conditions", node);
                return result;
            }
        }
        notCompiling("err_unsupported_expression_in_mask",
                     "masks may only be joined with '&', over index grids of the same rank", {},
                     node);
    }
    if (left.is(ValueKind::Tensor) || right.is(ValueKind::Tensor)) {
        const AluOp alu = op == "+"    ? AluOp::Add
                          : op == "-"  ? AluOp::Subtract
                          : op == "*"  ? AluOp::Multiply
                          : op == "/"  ? AluOp::Divide
                          : op == "&"  ? AluOp::BitwiseAnd
                          : op == "|"  ? AluOp::BitwiseOr
                          : op == "^"  ? AluOp::BitwiseXor
                          : op == "<<" ? AluOp::LeftShift
                          : op == ">>" ? AluOp::RightShift
                          : op == "**" ? AluOp::Power
                                       : AluOp::None;
        if (alu == AluOp::None)
            unsupported("the operator " + op + " on tiles", node);
        return elementwise(alu, left, right, Value::none(), std::nullopt);
    }
    const bool sequences =
        (left.is(ValueKind::Tuple) || left.is(ValueKind::List)) && left.kind() == right.kind();
    if (op == "+" && sequences) {
        std::vector<Value> items = left.as<SequenceObject>().items;
        const auto &more = right.as<SequenceObject>().items;
        if (items.size() + more.size() > kMostItems)
            unsupported("a sequence of more than a million items", node);
        charge(items.size() + more.size(), node);
        items.insert(items.end(), more.begin(), more.end());
        return left.is(ValueKind::Tuple) ? makeTuple(std::move(items)) : makeList(std::move(items));
    }
    if (op == "+" && left.is(ValueKind::String) && right.is(ValueKind::String)) {
        const std::string &text = left.as<StringObject>().text;
        const std::string &more = right.as<StringObject>().text;
        if (text.size() + more.size() > kMostItems)
            unsupported("a text of more than a million letters", node);
        charge((text.size() + more.size()) / 32, node);
        return makeString(text + more);
    }
    if (op == "*" && (left.is(ValueKind::Tuple) || left.is(ValueKind::List)) && right.isInteger()) {
        std::vector<Value> items;
        const auto &once = left.as<SequenceObject>().items;
        if (!once.empty() &&
            right.asInteger() > std::int64_t(kMostItems) / std::int64_t(once.size()))
            unsupported("a sequence of more than a million items", node);
        if (!once.empty() && right.asInteger() > 0)
            charge(2 * once.size() * std::size_t(right.asInteger()), node);
        for (std::int64_t i = 0; !once.empty() && i < right.asInteger(); ++i)
            items.insert(items.end(), once.begin(), once.end());
        return left.is(ValueKind::Tuple) ? makeTuple(std::move(items)) : makeList(std::move(items));
    }
    if (op == "%" && left.is(ValueKind::String))
        return left; // old-style formatting only ever feeds messages
    notCompiling("type_error",
                 fmt::format("the operator {} does not take a {} and a {}", op,
                             pythonTypeName(left.kind()), pythonTypeName(right.kind())),
                 {}, node);
}

Value Evaluator::compare(const std::string &op, const Value &left, const Value &right, NodeId node)
{
    const bool fromLoop = left.fromLoop() || right.fromLoop();
    if (op == "is" || op == "is not") {
        bool same = left.kind() == right.kind();
        if (same && !left.is(ValueKind::None) && !left.is(ValueKind::Ellipsis))
            same = left.asInteger() == right.asInteger();
        return Value::boolean((op == "is") == same);
    }
    if (op == "in" || op == "not in") {
        bool found = false;
        if (right.is(ValueKind::String) && left.is(ValueKind::String)) {
            const std::string &text = right.as<StringObject>().text;
            const std::string &part = left.as<StringObject>().text;
            // At worst every place of the text looks like the part, nearly to its end.
            charge(text.size() / 32 * (1 + part.size() / 32), node);
            found = text.find(part) != std::string::npos;
        } else {
            for (const Value &item : iterate(right, node)) {
                found = found || truth(compare("==", left, item, node), node);
                if (found)
                    break;
            }
        }
        return Value::boolean(found == (op == "in"));
    }
    if (left.is(ValueKind::Index) || right.is(ValueKind::Index)) {
        if (!(left.is(ValueKind::Index) || left.isInteger()) ||
            !(right.is(ValueKind::Index) || right.isInteger()))
            notCompiling(
                "err_unsupported_expression_in_mask",
                "a mask compares index expressions with integers, loop indices or each other", {},
                node);
        for (const Value *side : {&left, &right})
            if (side->isInteger() &&
                (side->asInteger() > kLargestIndex || side->asInteger() < -kLargestIndex))
                notCompiling("value_error", "the bound of the mask lies beyond any memory", {},
                             node);
        IndexObject difference;
        if (!combine(asIndex(left), asIndex(right), -1, difference))
            notCompiling("value_error", "index expressions of different extents cannot be compared",
                         {}, node);
        auto *mask = new MaskObject;
        Value result = Value::object(ValueKind::MaskExpression, mask);
        mask->rank = difference.rank;
        mask->extent = difference.extent;
        if (op == ">=")
            mask->conditions = {condition(difference, 1, 0)};
        else if (op == ">")
            mask->conditions = {condition(difference, 1, -1)};
        else if (op == "<=")
            mask->conditions = {condition(difference, -1, 0)};
        else if (op == "<")
            mask->conditions = {condition(difference, -1, -1)};
        else if (op == "==")
            mask->conditions = {condition(difference, 1, 0), condition(difference, -1, 0)};
        else
            notCompiling("err_unsupported_expression_in_mask", "a mask cannot use " + op, {}, node);
        return result;
    }
    if (left.isNumber() && right.isNumber()) {
        const double a = left.asNumber();
        const double b = right.asNumber();
        const bool result = op == "=="   ? a == b
                            : op == "!=" ? a != b
                            : op == "<"  ? a < b
                            : op == "<=" ? a <= b
                            : op == ">"  ? a > b
                                         : a >= b;
        return Value::boolean(result).withLoop(fromLoop);
    }
    if (left.is(ValueKind::Tensor) || right.is(ValueKind::Tensor)) {
        const AluOp alu = op == "=="   ? AluOp::Equal
                          : op == "!=" ? AluOp::NotEqual
                          : op == "<"  ? AluOp::Less
                          : op == "<=" ? AluOp::LessEqual
                          : op == ">"  ? AluOp::Greater
                                       : AluOp::GreaterEqual;
        return elementwise(alu, left, right, Value::none(), std::nullopt);
    }
    if (op == "==" || op == "!=") {
        bool equal = left.kind() == right.kind();
        if (equal && (left.is(ValueKind::Tuple) || left.is(ValueKind::List))) {
            const auto &a = left.as<SequenceObject>().items;
            const auto &b = right.as<SequenceObject>().items;
            equal = a.size() == b.size();
            if (++m_depth > m_request.limits.callDepth)
                stop(VerdictStatus::RunFailed, "too_deep",
                     "lists within lists are compared too deep", "compare what they hold", node);
            for (std::size_t i = 0; equal && i < a.size(); ++i) {
                step(node);
                equal = truth(compare("==", a[i], b[i], node), node);
            }
            --m_depth;
        } else if (equal && left.is(ValueKind::String)) {
            charge(left.as<StringObject>().text.size() / 32, node);
            equal = left.as<StringObject>().text == right.as<StringObject>().text;
        } else if (equal && !left.is(ValueKind::None)) {
            equal = left.asInteger() == right.asInteger();
        }
        return Value::boolean(equal == (op == "=="));
    }
    notCompiling("type_error",
                 fmt::format("{} does not compare a {} with a {}", op, pythonTypeName(left.kind()),
                             pythonTypeName(right.kind())),
                 {}, node);
}

} // namespace accelopt::nki
