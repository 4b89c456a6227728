// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/DType.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace accelopt::nki {

namespace {

struct Alias
{
    std::string_view name;
    DType type;
};

// The first name of each type is the one that name() gives.
constexpr std::array kAliases = {
    Alias{"bool", DType::Bool},           Alias{"bool_", DType::Bool},
    Alias{"int8", DType::Int8},           Alias{"uint8", DType::UInt8},
    Alias{"int16", DType::Int16},         Alias{"uint16", DType::UInt16},
    Alias{"int32", DType::Int32},         Alias{"int", DType::Int32},
    Alias{"uint32", DType::UInt32},       Alias{"float8_e4m3", DType::Float8E4M3},
    Alias{"float8e4", DType::Float8E4M3}, Alias{"float8_e5m2", DType::Float8E5M2},
    Alias{"float8e5", DType::Float8E5M2}, Alias{"float16", DType::Float16},
    Alias{"half", DType::Float16},        Alias{"bfloat16", DType::BFloat16},
    Alias{"tfloat32", DType::TFloat32},   Alias{"float32", DType::Float32},
    Alias{"float", DType::Float32},       Alias{"single", DType::Float32},
};

/// Layout of a float format that is narrower than float32.
struct FloatFormat
{
    int mantissaBits;    ///< stored ones
    int minimumExponent; ///< of the smallest normal number
    double largest;      ///< the largest finite number; what rounds beyond it is infinite
};

constexpr FloatFormat formatOf(DType type)
{
    switch (type) {
    case DType::Float8E4M3:
        return {3, -6, 240.0}; // the IEEE-like variant with infinities, not "fn"
    case DType::Float8E5M2: return {2, -14, 57344.0};
    case DType::Float16: return {10, -14, 65504.0};
    case DType::BFloat16: return {7, -126, 0x1.fep127};
    case DType::TFloat32: return {10, -126, 0x1.ffcp127};
    default: return {23, -126, double(std::numeric_limits<float>::max())};
    }
}

/// Smallest and largest value of an integer type.
constexpr std::pair<double, double> rangeOf(DType type)
{
    switch (type) {
    case DType::Int8: return {-128.0, 127.0};
    case DType::UInt8: return {0.0, 255.0};
    case DType::Int16: return {-32768.0, 32767.0};
    case DType::UInt16: return {0.0, 65535.0};
    case DType::Int32: return {-2147483648.0, 2147483647.0};
    case DType::UInt32: return {0.0, 4294967295.0};
    default: return {0.0, 1.0};
    }
}

/// Rounds the last mantissa bits of a float32 away, to nearest even, without looking at the
/// exponent.
float dropBits(float value, int bits)
{
    const auto raw = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t odd = (raw >> bits) & 1U;
    const std::uint32_t half = (1U << (bits - 1)) - 1U;
    return std::bit_cast<float>((raw + half + odd) & ~((1U << bits) - 1U));
}

double roundedInteger(double value, DType type)
{
    if (std::isnan(value))
        return 0.0;
    const auto [least, most] = rangeOf(type);
    if (value <= least)
        return least;
    if (value >= most)
        return most;
    return std::nearbyint(value);
}

/// Signed or unsigned type of at least this many bits, Float32 where there is none.
DType signedType(int bits)
{
    return bits <= 8    ? DType::Int8
           : bits <= 16 ? DType::Int16
           : bits <= 32 ? DType::Int32
                        : DType::Float32;
}

bool isUnsigned(DType type)
{
    return type == DType::UInt8 || type == DType::UInt16 || type == DType::UInt32;
}

DType promoteIntegers(DType a, DType b)
{
    if (a == DType::Bool)
        return b;
    if (b == DType::Bool)
        return a;
    if (isUnsigned(a) == isUnsigned(b))
        return byteSize(a) >= byteSize(b) ? a : b;
    const DType without = isUnsigned(a) ? a : b;
    const DType with = isUnsigned(a) ? b : a;
    // The signed type must hold every value of the unsigned one.
    return byteSize(with) > byteSize(without) ? with : signedType(byteSize(without) * 16);
}

DType promoteFloats(DType a, DType b)
{
    if (a == b)
        return a;
    const auto isByte = [](DType type) { return byteSize(type) == 1; };
    if (isByte(a) && isByte(b))
        return DType::BFloat16;
    if (isByte(a))
        return b;
    if (isByte(b))
        return a;
    return DType::Float32;
}

} // namespace

std::string_view name(DType type)
{
    for (const Alias &alias : kAliases)
        if (alias.type == type)
            return alias.name;
    return "float32";
}

std::optional<DType> dtype(std::string_view name)
{
    for (const Alias &alias : kAliases)
        if (alias.name == name)
            return alias.type;
    return std::nullopt;
}

int byteSize(DType type)
{
    switch (type) {
    case DType::Bool:
    case DType::Int8:
    case DType::UInt8:
    case DType::Float8E4M3:
    case DType::Float8E5M2: return 1;
    case DType::Int16:
    case DType::UInt16:
    case DType::Float16:
    case DType::BFloat16: return 2;
    case DType::Int32:
    case DType::UInt32:
    case DType::TFloat32:
    case DType::Float32: return 4;
    }
    return 4;
}

bool isFloat(DType type)
{
    return type >= DType::Float8E4M3;
}

bool isInteger(DType type)
{
    return !isFloat(type);
}

DType promote(DType a, DType b)
{
    if (isFloat(a) && isFloat(b))
        return promoteFloats(a, b);
    if (isFloat(a))
        return a;
    if (isFloat(b))
        return b;
    return promoteIntegers(a, b);
}

float rounded(float value, DType type)
{
    if (type == DType::Float32)
        return value;
    if (type == DType::Bool)
        return value == 0.0F ? 0.0F : 1.0F;
    if (isInteger(type))
        return float(roundedInteger(double(value), type));
    if (std::isnan(value) || std::isinf(value) || value == 0.0F)
        return value;
    const FloatFormat format = formatOf(type);
    const float magnitude = std::abs(value);
    float result = dropBits(magnitude, 23 - format.mantissaBits);
    const float smallestNormal = std::ldexp(1.0F, format.minimumExponent);
    if (magnitude < smallestNormal && format.minimumExponent > -126) {
        // Below the normal numbers the spacing stays the same: adding a number whose own last bit
        // is that spacing makes the hardware round to it.
        const float shift = std::ldexp(1.5F, format.minimumExponent - format.mantissaBits + 23);
        result = (magnitude + shift) - shift;
    }
    if (result > float(format.largest))
        result = std::numeric_limits<float>::infinity();
    return std::copysign(result, value);
}

double rounded(double value, DType type)
{
    if (type == DType::Float32)
        return double(float(value));
    if (type == DType::Bool)
        return value == 0.0 ? 0.0 : 1.0;
    if (isInteger(type))
        return roundedInteger(value, type);
    if (std::isnan(value) || std::isinf(value) || value == 0.0)
        return value;
    const FloatFormat format = formatOf(type);
    const int exponent = std::max(std::ilogb(value), format.minimumExponent);
    const double spacing = std::ldexp(1.0, exponent - format.mantissaBits);
    const double result = std::nearbyint(value / spacing) * spacing;
    if (std::abs(result) > format.largest)
        return std::copysign(std::numeric_limits<double>::infinity(), value);
    return result;
}

} // namespace accelopt::nki
