// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Operations.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

namespace accelopt::nki {

/// The integer of a bit operation's operand; what has none is 0.
template <typename Real> std::int64_t integerOf(Real value)
{
    return std::abs(value) < Real(9.0e18) ? std::int64_t(std::nearbyint(value)) : 0;
}

/// `a op b` for one pair of elements. Maximum and minimum pass NaN on, as numpy's do; Rsqrt and Abs
/// look at `a` alone; shifts are logical; Mod has the sign of the divisor, as Python's %.
template <typename Real> Real aluValue(AluOp op, Real a, Real b)
{
    const auto truth = [](bool value) { return value ? Real(1) : Real(0); };
    switch (op) {
    case AluOp::None: return a;
    case AluOp::Add: return a + b;
    case AluOp::Subtract: return a - b;
    case AluOp::Multiply: return a * b;
    case AluOp::Divide: return a / b;
    case AluOp::Maximum: return a > b || a != a ? a : b;
    case AluOp::Minimum: return a < b || a != a ? a : b;
    case AluOp::Power: return std::pow(a, b);
    case AluOp::Equal: return truth(a == b);
    case AluOp::NotEqual: return truth(a != b);
    case AluOp::Greater: return truth(a > b);
    case AluOp::GreaterEqual: return truth(a >= b);
    case AluOp::Less: return truth(a < b);
    case AluOp::LessEqual: return truth(a <= b);
    case AluOp::LogicalAnd: return truth(a != 0 && b != 0);
    case AluOp::LogicalOr: return truth(a != 0 || b != 0);
    case AluOp::LogicalXor: return truth((a != 0) != (b != 0));
    case AluOp::BitwiseAnd: return Real(integerOf(a) & integerOf(b));
    case AluOp::BitwiseOr: return Real(integerOf(a) | integerOf(b));
    case AluOp::BitwiseXor: return Real(integerOf(a) ^ integerOf(b));
    case AluOp::LeftShift:
        return b < 0 || b >= 32
                   ? Real(0)
                   : Real(std::int64_t(std::uint64_t(integerOf(a)) << integerOf(b) & 0xffffffffU));
    case AluOp::RightShift:
        return b < 0 || b >= 32 ? Real(0) : Real((integerOf(a) & 0xffffffff) >> integerOf(b));
    case AluOp::Rsqrt: return Real(1) / std::sqrt(a);
    case AluOp::Abs: return std::abs(a);
    case AluOp::Mod: return a - std::floor(a / b) * b;
    }
    return a;
}

/// What a reduction starts from: x op identity == x.
template <typename Real> Real identityOf(AluOp op)
{
    switch (op) {
    case AluOp::Multiply:
    case AluOp::LogicalAnd: return Real(1);
    case AluOp::Maximum: return -std::numeric_limits<Real>::infinity();
    case AluOp::Minimum: return std::numeric_limits<Real>::infinity();
    case AluOp::BitwiseAnd: return Real(-1);
    default: return Real(0);
    }
}

/// The scalar engine's functions as mathematics has them, without the limits of its tables (NKI
/// documentation, "Supported Activation Functions"); GeluApproxTanh is the tanh form.
template <typename Real> Real activationValue(ActivationFunction function, Real x)
{
    constexpr Real kRootHalf = Real(std::numbers::sqrt2 / 2);
    constexpr Real kInverseRootTwoPi = Real(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
    const auto sigmoid = [](Real v) { return Real(1) / (Real(1) + std::exp(-v)); };
    const auto softplus = [](Real v) {
        return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v));
    };
    switch (function) {
    case ActivationFunction::Copy: return x;
    case ActivationFunction::Square: return x * x;
    case ActivationFunction::Sigmoid: return sigmoid(x);
    case ActivationFunction::Relu: return x < 0 ? Real(0) : x;
    case ActivationFunction::Gelu:
        return Real(0.5) * x * std::erfc(-x * kRootHalf); // 1 + erf(v) without its cancellation
    case ActivationFunction::GeluDx:
        return Real(0.5) * std::erfc(-x * kRootHalf) +
               x * kInverseRootTwoPi * std::exp(Real(-0.5) * x * x);
    case ActivationFunction::GeluApproxTanh:
        // x/2 (1 + tanh(u)) = x sigmoid(2u), which does not cancel.
        return x * sigmoid(Real(4) * kInverseRootTwoPi * (x + Real(0.044715) * x * x * x));
    case ActivationFunction::Silu: return x * sigmoid(x);
    case ActivationFunction::SiluDx: {
        const Real s = sigmoid(x);
        return s * (Real(1) + x * (Real(1) - s));
    }
    case ActivationFunction::Tanh: return std::tanh(x);
    case ActivationFunction::Softplus: return softplus(x);
    case ActivationFunction::Mish: return x * std::tanh(softplus(x));
    case ActivationFunction::Erf: return std::erf(x);
    case ActivationFunction::ErfDx: return Real(2 * std::numbers::inv_sqrtpi) * std::exp(-x * x);
    case ActivationFunction::Exp: return std::exp(x);
    case ActivationFunction::Log: return std::log(x);
    case ActivationFunction::Sign: return x > 0 ? Real(1) : x < 0 ? Real(-1) : x;
    case ActivationFunction::Abs: return std::abs(x);
    case ActivationFunction::Sqrt: return std::sqrt(x);
    case ActivationFunction::Rsqrt: return Real(1) / std::sqrt(x);
    case ActivationFunction::Reciprocal: return Real(1) / x;
    case ActivationFunction::Sin: return std::sin(x);
    case ActivationFunction::Cos: return std::cos(x);
    case ActivationFunction::Arctan: return std::atan(x);
    case ActivationFunction::Floor: return std::floor(x);
    case ActivationFunction::Ceil: return std::ceil(x);
    case ActivationFunction::LogicalNot: return x == 0 ? Real(1) : Real(0);
    case ActivationFunction::Negative: return -x;
    }
    return x;
}

} // namespace accelopt::nki
