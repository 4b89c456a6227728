// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskExpression.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace accelopt::bench {

namespace {

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

constexpr std::string_view kHint =
    "an expression is made of dimension names, whole numbers, + - * / // and parentheses";
/// Deep enough for any formula a person writes, shallow enough for the stack.
constexpr int kMaxDepth = 100;

} // namespace

/// Recursive descent: sum = product (+|- product)*, product = factor (*|/|// factor)*.
class TaskExpression::Parser
{
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    Result<std::vector<Step>> run()
    {
        ACCELOPT_CHECK(sum(0));
        skipSpace();
        if (m_at < m_text.size())
            return problem(fmt::format("\"{}\" is not expected here", m_text.substr(m_at, 1)));
        return std::move(m_steps);
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }

    tl::unexpected<Error> problem(const std::string &what) const
    {
        return fail(ErrorCode::Format, fmt::format("\"{}\", column {}: {}", m_text, m_at + 1, what),
                    std::string(kHint));
    }

    char peek()
    {
        skipSpace();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

    void emit(Kind kind, std::size_t column) { m_steps.push_back({kind, 0, {}, column}); }

    Result<void> sum(int depth)
    {
        ACCELOPT_CHECK(product(depth));
        for (char sign = peek(); sign == '+' || sign == '-'; sign = peek()) {
            const std::size_t column = ++m_at;
            ACCELOPT_CHECK(product(depth));
            emit(sign == '+' ? Kind::Add : Kind::Subtract, column);
        }
        return {};
    }

    Result<void> product(int depth)
    {
        ACCELOPT_CHECK(factor(depth));
        for (char sign = peek(); sign == '*' || sign == '/'; sign = peek()) {
            const std::size_t column = ++m_at;
            Kind kind = sign == '*' ? Kind::Multiply : Kind::Divide;
            if (m_at < m_text.size() && m_text[m_at] == sign) {
                if (sign == '*')
                    return problem("powers are not known; write the product");
                kind = Kind::FloorDivide;
                ++m_at;
            }
            ACCELOPT_CHECK(factor(depth));
            emit(kind, column);
        }
        return {};
    }

    Result<void> factor(int depth)
    {
        if (depth > kMaxDepth)
            return problem("parentheses are nested too deeply");
        const char c = peek();
        const std::size_t start = m_at;
        if (c == '-') {
            ++m_at;
            ACCELOPT_CHECK(factor(depth + 1));
            emit(Kind::Negate, start + 1);
            return {};
        }
        if (c == '(') {
            ++m_at;
            ACCELOPT_CHECK(sum(depth + 1));
            if (peek() != ')')
                return problem(
                    fmt::format("the parenthesis of column {} is not closed", start + 1));
            ++m_at;
            return {};
        }
        if (isDigit(c))
            return literal();
        if (isNameStart(c)) {
            while (m_at < m_text.size() && (isNameStart(m_text[m_at]) || isDigit(m_text[m_at])))
                ++m_at;
            m_steps.push_back(
                {Kind::Name, 0, std::string(m_text.substr(start, m_at - start)), start + 1});
            return {};
        }
        return problem("a number, a name or a parenthesis is expected here");
    }

    Result<void> literal()
    {
        std::int64_t value = 0;
        const char *first = m_text.data() + m_at;
        const char *last = m_text.data() + m_text.size();
        const auto [end, status] = std::from_chars(first, last, value);
        if (status != std::errc())
            return problem("the number is too large");
        const std::size_t column = m_at + 1;
        m_at += std::size_t(end - first);
        if (m_at < m_text.size() && (m_text[m_at] == '.' || isNameStart(m_text[m_at])))
            return problem("only whole numbers are known");
        m_steps.push_back({Kind::Literal, value, {}, column});
        return {};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::vector<Step> m_steps;
};

Result<TaskExpression> TaskExpression::parse(std::string_view text)
{
    ACCELOPT_TRY(auto steps, Parser(text).run());
    TaskExpression expression;
    expression.m_text = text;
    expression.m_steps = std::move(steps);
    return expression;
}

tl::unexpected<Error> TaskExpression::failAt(const Step &step, const std::string &what) const
{
    return fail(ErrorCode::Format, fmt::format("\"{}\", column {}: {}", m_text, step.column, what));
}

namespace {

std::string unknownName(const std::string &name, const Dimensions &dimensions)
{
    std::vector<std::string> names;
    for (const auto &[known, value] : dimensions)
        names.push_back(known);
    return fmt::format("there is no dimension \"{}\" (there are: {})", name,
                       fmt::join(names, ", "));
}

} // namespace

Result<std::int64_t> TaskExpression::integer(const Dimensions &dimensions) const
{
    std::vector<std::int64_t> stack;
    for (const Step &step : m_steps) {
        if (step.kind == Kind::Literal) {
            stack.push_back(step.literal);
            continue;
        }
        if (step.kind == Kind::Name) {
            const auto found = dimensions.find(step.name);
            if (found == dimensions.end())
                return failAt(step, unknownName(step.name, dimensions));
            stack.push_back(found->second);
            continue;
        }
        const std::int64_t right = stack.back();
        stack.pop_back();
        std::int64_t value = 0;
        bool overflow = false;
        if (step.kind == Kind::Negate) {
            overflow = __builtin_sub_overflow(std::int64_t(0), right, &value);
        } else {
            const std::int64_t left = stack.back();
            stack.pop_back();
            const bool divides = step.kind == Kind::Divide || step.kind == Kind::FloorDivide;
            if (divides && right == 0)
                return failAt(step, "division by zero");
            if (divides && right == -1) {
                overflow = __builtin_sub_overflow(std::int64_t(0), left, &value);
            } else if (divides) {
                value = left / right;
                const std::int64_t remainder = left % right;
                if (remainder != 0 && step.kind == Kind::Divide)
                    return failAt(step, fmt::format("{} is not a multiple of {}", left, right));
                if (remainder != 0 && (remainder < 0) != (right < 0))
                    --value;
            } else if (step.kind == Kind::Add) {
                overflow = __builtin_add_overflow(left, right, &value);
            } else if (step.kind == Kind::Subtract) {
                overflow = __builtin_sub_overflow(left, right, &value);
            } else {
                overflow = __builtin_mul_overflow(left, right, &value);
            }
        }
        if (overflow)
            return failAt(step, "the value does not fit 64 bits");
        stack.push_back(value);
    }
    return stack.back();
}

Result<double> TaskExpression::number(const Dimensions &dimensions) const
{
    std::vector<double> stack;
    for (const Step &step : m_steps) {
        if (step.kind == Kind::Literal) {
            stack.push_back(double(step.literal));
            continue;
        }
        if (step.kind == Kind::Name) {
            const auto found = dimensions.find(step.name);
            if (found == dimensions.end())
                return failAt(step, unknownName(step.name, dimensions));
            stack.push_back(double(found->second));
            continue;
        }
        const double right = stack.back();
        stack.pop_back();
        if (step.kind == Kind::Negate) {
            stack.push_back(-right);
            continue;
        }
        double &value = stack.back();
        const bool divides = step.kind == Kind::Divide || step.kind == Kind::FloorDivide;
        if (divides && right == 0)
            return failAt(step, "division by zero");
        switch (step.kind) {
        case Kind::Add: value += right; break;
        case Kind::Subtract: value -= right; break;
        case Kind::Multiply: value *= right; break;
        case Kind::Divide: value /= right; break;
        default: value = std::floor(value / right); break;
        }
    }
    return stack.back();
}

} // namespace accelopt::bench
