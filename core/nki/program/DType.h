// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace accelopt::nki {

/// Element types of NKI (NKI documentation, "Supported data types").
enum class DType : std::uint8_t {
    Bool,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Float8E4M3,
    Float8E5M2,
    Float16,
    BFloat16,
    TFloat32,
    Float32,
};

/// NKI's name: "float32", "bfloat16", "float8_e4m3", ...
std::string_view name(DType type);
/// From NKI's or numpy's name ("bool_", "bool", "float32", ...).
std::optional<DType> dtype(std::string_view name);
int byteSize(DType type);
bool isFloat(DType type);
bool isInteger(DType type);

/// Type of the result of an operation on two tiles (NKI documentation, "NKI Type Promotion").
DType promote(DType a, DType b);

/// The value as it would be read back after being written with this type: rounded to nearest even,
/// integers saturated. Float32 leaves it as it is.
float rounded(float value, DType type);
double rounded(double value, DType type);

} // namespace accelopt::nki
