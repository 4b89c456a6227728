// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::bench {

/// Values of the named dimensions of a task ("M" -> 4096).
using Dimensions = std::map<std::string, std::int64_t>;

/// Arithmetic over named dimensions as task.json writes it: names, whole numbers, + - * / // and
/// parentheses, with Python's precedence. `//` rounds down; `/` is exact.
class TaskExpression
{
public:
    /// Fails with Format, naming the column (from 1) of the first thing that is not understood.
    static Result<TaskExpression> parse(std::string_view text);

    /// The value as a whole number. Fails when a name is unknown, a division has a remainder or a
    /// zero divisor, or a value leaves 64 bits.
    Result<std::int64_t> integer(const Dimensions &dimensions) const;
    /// The value in double precision, for amounts of work. Fails for unknown names and zero
    /// divisors.
    Result<double> number(const Dimensions &dimensions) const;

    const std::string &text() const { return m_text; }

private:
    enum class Kind { Literal, Name, Add, Subtract, Multiply, Divide, FloorDivide, Negate };
    /// One step of the expression in postfix order.
    struct Step
    {
        Kind kind = Kind::Literal;
        std::int64_t literal = 0;
        std::string name;
        std::size_t column = 1;
    };
    class Parser;

    tl::unexpected<Error> failAt(const Step &step, const std::string &what) const;

    std::string m_text;
    std::vector<Step> m_steps;
};

} // namespace accelopt::bench
