// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/RowKernels.h"

#include "core/nki/execute/ScalarFunctions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

// Sanitizers start after the loader has already chosen among the clones, so they do without.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ACCELOPT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ACCELOPT_WIDE
#endif
#define ACCELOPT_INLINE inline __attribute__((always_inline))

namespace accelopt::nki::rows {

namespace {

constexpr float kRounder =
    12582912.0F; // 1.5 * 2^23: adding it leaves the nearest integer in the last bits

/// Two to the power n for n in [-126, 127].
ACCELOPT_INLINE float powerOfTwo(std::uint32_t n)
{
    return std::bit_cast<float>((n + 127U) << 23);
}

/// e^r - 1 for |r| <= ln(2)/2: the Taylor series to r^8, which leaves less than 1e-9.
ACCELOPT_INLINE float smallExpMinusOne(float r)
{
    float p = 1.0F / 40320.0F;
    p = p * r + 1.0F / 5040.0F;
    p = p * r + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    return p * (r * r) + r;
}

struct Split
{
    std::uint32_t power; ///< x = power * ln(2) + rest
    float rest;
};

ACCELOPT_INLINE Split splitByLogTwo(float x)
{
    const float shifted = x * 1.44269504F + kRounder;
    const float power = shifted - kRounder;
    // ln(2) in two parts; the first has few enough bits for power * part to be exact.
    const float rest = (x - power * 0.693359375F) - power * -2.12194440e-4F;
    return {std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRounder), rest};
}

ACCELOPT_INLINE float exponential(float x)
{
    float clamped = x > 89.0F ? 89.0F : x;
    clamped = clamped < -104.0F ? -104.0F : clamped;
    const Split split = splitByLogTwo(clamped);
    const float value = 1.0F + smallExpMinusOne(split.rest);
    // In two steps, so that results below the normal numbers come out right.
    const auto half = std::uint32_t(std::int32_t(split.power) >> 1);
    return value * powerOfTwo(half) * powerOfTwo(split.power - half);
}

ACCELOPT_INLINE float sigmoid(float x)
{
    return 1.0F / (1.0F + exponential(-x));
}

ACCELOPT_INLINE float hyperbolicTangent(float x)
{
    const float magnitude = std::abs(x);
    const float doubled = magnitude > 20.0F ? 40.0F : magnitude + magnitude;
    const Split split = splitByLogTwo(doubled);
    const float scale = powerOfTwo(split.power);
    const float t = scale * smallExpMinusOne(split.rest) + (scale - 1.0F); // e^(2|x|) - 1
    return std::copysign(t / (t + 2.0F), x);
}

ACCELOPT_INLINE float logarithm(float x)
{
    // log(m * 2^e) with m in [sqrt(1/2), sqrt(2)).
    const bool tiny = x < 1.17549435e-38F;
    const float scaled = tiny ? x * 8388608.0F : x;
    const auto bits = std::bit_cast<std::uint32_t>(scaled) - 0x3f3504f3U;
    const float exponent = float(std::int32_t(bits) >> 23) - (tiny ? 23.0F : 0.0F);
    const float m = std::bit_cast<float>((bits & 0x007fffffU) + 0x3f3504f3U);
    // log(1 + f) = f - f^2/2 + s (f^2/2 + R) with s = f / (2 + f) and R = 2/3 s^2 + 2/5 s^4 + ...
    const float f = m - 1.0F;
    const float s = f / (2.0F + f);
    const float s2 = s * s;
    const float r = s2 * (2.0F / 3 + s2 * (2.0F / 5 + s2 * (2.0F / 7 + s2 * (2.0F / 9))));
    const float halfSquare = 0.5F * f * f;
    const float low = s * (halfSquare + r) + exponent * -2.12194440e-4F;
    float result = exponent * 0.693359375F + (f - (halfSquare - low));
    result = x == std::numeric_limits<float>::infinity() ? x : result;
    result = x == 0.0F ? -std::numeric_limits<float>::infinity() : result;
    result = x < 0.0F ? std::numeric_limits<float>::quiet_NaN() : result;
    return x == x ? result : x;
}

template <typename Function>
ACCELOPT_INLINE void map(float *out, const float *in, std::int64_t n, Function f)
{
#pragma GCC ivdep
    for (std::int64_t k = 0; k < n; ++k)
        out[k] = f(in[k]);
}

template <typename Function>
ACCELOPT_INLINE void zip(float *out, Source a, Source b, std::int64_t n, Function f)
{
    if (a.step != 0 && b.step != 0) {
#pragma GCC ivdep
        for (std::int64_t k = 0; k < n; ++k)
            out[k] = f(a.value[k], b.value[k]);
    } else if (a.step != 0) {
        const float other = *b.value;
#pragma GCC ivdep
        for (std::int64_t k = 0; k < n; ++k)
            out[k] = f(a.value[k], other);
    } else if (b.step != 0) {
        const float other = *a.value;
#pragma GCC ivdep
        for (std::int64_t k = 0; k < n; ++k)
            out[k] = f(other, b.value[k]);
    } else {
        const float value = f(*a.value, *b.value);
        for (std::int64_t k = 0; k < n; ++k)
            out[k] = value;
    }
}

constexpr std::int64_t kLanes = 16;

/// Joins a block in sixteen lanes, which then join pairwise.
template <typename Function>
ACCELOPT_INLINE float joinBlock(const float *values, std::int64_t n, float identity, Function f)
{
    float lane[kLanes];
    for (float &value : lane)
        value = identity;
    std::int64_t k = 0;
    for (; k + kLanes <= n; k += kLanes)
        for (std::int64_t l = 0; l < kLanes; ++l)
            lane[l] = f(lane[l], values[k + l]);
    for (std::int64_t l = 0; k < n; ++k, ++l)
        lane[l] = f(lane[l], values[k]);
    for (std::int64_t width = kLanes / 2; width > 0; width /= 2)
        for (std::int64_t l = 0; l < width; ++l)
            lane[l] = f(lane[l], lane[l + width]);
    return lane[0];
}

constexpr std::int64_t kBlock = 512;

ACCELOPT_WIDE float sumBlock(const float *values, std::int64_t n)
{
    return joinBlock(values, n, 0.0F, [](float a, float b) { return a + b; });
}

float sum(const float *values, std::int64_t n)
{
    if (n <= kBlock)
        return sumBlock(values, n);
    const std::int64_t half = (n / 2 + kLanes - 1) / kLanes * kLanes;
    return sum(values, half) + sum(values + half, n - half);
}

ACCELOPT_WIDE float largest(const float *values, std::int64_t n)
{
    return joinBlock(values, n, -std::numeric_limits<float>::infinity(),
                     [](float a, float b) { return a > b || a != a ? a : b; });
}

ACCELOPT_WIDE float smallest(const float *values, std::int64_t n)
{
    return joinBlock(values, n, std::numeric_limits<float>::infinity(),
                     [](float a, float b) { return a < b || a != a ? a : b; });
}

template <int kBits> ACCELOPT_INLINE float dropBits(float value)
{
    const auto raw = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t half = (1U << (kBits - 1)) - 1U + ((raw >> kBits) & 1U);
    const auto cut = std::bit_cast<float>((raw + half) & ~((1U << kBits) - 1U));
    return value == value ? cut : value;
}

} // namespace

ACCELOPT_WIDE void binary(AluOp op, float *out, Source a, Source b, std::int64_t n)
{
    switch (op) {
    case AluOp::Add: zip(out, a, b, n, [](float x, float y) { return x + y; }); return;
    case AluOp::Subtract: zip(out, a, b, n, [](float x, float y) { return x - y; }); return;
    case AluOp::Multiply: zip(out, a, b, n, [](float x, float y) { return x * y; }); return;
    case AluOp::Divide: zip(out, a, b, n, [](float x, float y) { return x / y; }); return;
    case AluOp::Maximum:
        zip(out, a, b, n, [](float x, float y) { return x > y || x != x ? x : y; });
        return;
    case AluOp::Minimum:
        zip(out, a, b, n, [](float x, float y) { return x < y || x != x ? x : y; });
        return;
    case AluOp::Equal:
        zip(out, a, b, n, [](float x, float y) { return x == y ? 1.0F : 0.0F; });
        return;
    case AluOp::NotEqual:
        zip(out, a, b, n, [](float x, float y) { return x != y ? 1.0F : 0.0F; });
        return;
    case AluOp::Greater:
        zip(out, a, b, n, [](float x, float y) { return x > y ? 1.0F : 0.0F; });
        return;
    case AluOp::GreaterEqual:
        zip(out, a, b, n, [](float x, float y) { return x >= y ? 1.0F : 0.0F; });
        return;
    case AluOp::Less:
        zip(out, a, b, n, [](float x, float y) { return x < y ? 1.0F : 0.0F; });
        return;
    case AluOp::LessEqual:
        zip(out, a, b, n, [](float x, float y) { return x <= y ? 1.0F : 0.0F; });
        return;
    case AluOp::Rsqrt:
        zip(out, a, b, n, [](float x, float) { return 1.0F / std::sqrt(x); });
        return;
    case AluOp::Abs: zip(out, a, b, n, [](float x, float) { return std::abs(x); }); return;
    default: zip(out, a, b, n, [op](float x, float y) { return aluValue(op, x, y); });
    }
}

ACCELOPT_WIDE void activation(ActivationFunction function, float *out, const float *in,
                              std::int64_t n)
{
    switch (function) {
    case ActivationFunction::Copy: copy(out, in, n); return;
    case ActivationFunction::Square: map(out, in, n, [](float x) { return x * x; }); return;
    case ActivationFunction::Exp: map(out, in, n, [](float x) { return exponential(x); }); return;
    case ActivationFunction::Log: map(out, in, n, [](float x) { return logarithm(x); }); return;
    case ActivationFunction::Sigmoid: map(out, in, n, [](float x) { return sigmoid(x); }); return;
    case ActivationFunction::Silu: map(out, in, n, [](float x) { return x * sigmoid(x); }); return;
    case ActivationFunction::Tanh:
        map(out, in, n, [](float x) { return hyperbolicTangent(x); });
        return;
    case ActivationFunction::Relu:
        map(out, in, n, [](float x) { return x < 0.0F ? 0.0F : x; });
        return;
    case ActivationFunction::Sqrt: map(out, in, n, [](float x) { return std::sqrt(x); }); return;
    case ActivationFunction::Rsqrt:
        map(out, in, n, [](float x) { return 1.0F / std::sqrt(x); });
        return;
    case ActivationFunction::Reciprocal: map(out, in, n, [](float x) { return 1.0F / x; }); return;
    case ActivationFunction::Abs: map(out, in, n, [](float x) { return std::abs(x); }); return;
    case ActivationFunction::Negative: map(out, in, n, [](float x) { return -x; }); return;
    default: map(out, in, n, [function](float x) { return activationValue(function, x); });
    }
}

ACCELOPT_WIDE void scaleAndShift(float *out, const float *in, float scale, float bias,
                                 std::int64_t n)
{
    if (scale == 1.0F && bias == 0.0F)
        copy(out, in, n);
    else if (bias == 0.0F)
        map(out, in, n, [scale](float x) { return x * scale; });
    else if (scale == 1.0F)
        map(out, in, n, [bias](float x) { return x + bias; });
    else
        map(out, in, n, [scale, bias](float x) { return x * scale + bias; });
}

ACCELOPT_WIDE void round(float *values, std::int64_t n, DType type)
{
    switch (type) {
    case DType::Float32: return;
    case DType::BFloat16: map(values, values, n, [](float x) { return dropBits<16>(x); }); return;
    case DType::TFloat32: map(values, values, n, [](float x) { return dropBits<13>(x); }); return;
    case DType::Float16:
        map(values, values, n, [](float x) {
            const float magnitude = std::abs(x);
            // Below 2^-14 the spacing stays 2^-24: adding 0.75 leaves a last bit of that size.
            const float small = (magnitude + 0.75F) - 0.75F;
            float result = magnitude < 6.103515625e-5F ? small : dropBits<13>(magnitude);
            result = result > 65504.0F ? std::numeric_limits<float>::infinity() : result;
            return std::copysign(result, x);
        });
        return;
    default: map(values, values, n, [type](float x) { return rounded(x, type); });
    }
}

float reduce(AluOp op, const float *values, std::int64_t n)
{
    switch (op) {
    case AluOp::Add:
    case AluOp::None: return sum(values, n);
    case AluOp::Maximum: return largest(values, n);
    case AluOp::Minimum: return smallest(values, n);
    case AluOp::Subtract: {
        // The first less all others.
        return n == 0 ? 0.0F : *values - sum(values + 1, n - 1);
    }
    default: {
        auto result = identityOf<float>(op);
        for (std::int64_t k = 0; k < n; ++k)
            result = aluValue(op, result, values[k]);
        return result;
    }
    }
}

void fill(float *out, float value, std::int64_t n)
{
    std::fill(out, out + n, value);
}

void copy(float *out, const float *in, std::int64_t n)
{
    if (out != in)
        std::memmove(out, in, std::size_t(n) * sizeof(float));
}

} // namespace accelopt::nki::rows
