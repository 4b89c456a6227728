// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace accelopt::nki {

/// Who carries an instruction out.
enum class Engine : std::uint8_t { Tensor, Vector, Scalar, GpSimd, Dma };
inline constexpr int kEngineCount = 5;
std::string_view name(Engine engine);

/// Machine-level instructions of the program form. Inputs in brackets; "s" marks an operand that
/// may be absent because the parameters hold a constant instead.
enum class Opcode : std::uint8_t {
    Load,      ///< HBM -> SBUF [source]
    Store,     ///< SBUF or PSUM -> HBM [value]
    DmaCopy,   ///< any HBM/SBUF -> HBM/SBUF [source]
    Matmul,    ///< [stationary KxM, moving KxN] -> MxN, stationary^T * moving
    Transpose, ///< PE transpose [PxF] -> FxP; implicitTranspose marks the one inside nl.matmul
    PartitionBroadcast, ///< [1xF] -> PxF through the tensor engine (ones^T * row)
    Activation,   ///< f(data * scale + bias) [data, s scale, s bias], optional free-axis reduction
                  ///< output
    TensorScalar, ///< (data op0 operand0) op1 operand1 [data, s operand0, s operand1], optional
                  ///< reduction
    TensorTensor, ///< [a, b] elementwise
    ScalarTensorTensor, ///< (data op0 operand0) op1 b [data, s operand0, b]
    Reduce,             ///< over free axes [data]
    Scan,               ///< tensor_tensor_scan [a, b, s initial]
    Reciprocal,         ///< [data]
    Copy,               ///< [source]
    Memset,             ///< constant fill
    LoopReduce,         ///< dst = firstPass ? x : op(dst, x) [x] (and dst is read unless firstPass)
    Select,             ///< predicate ? a : b [predicate, s a, s b]
    Iota,               ///< affine values of the box (Parameters::iota)
    AffineSelect,       ///< affine condition ? data : constant [data]
    PartitionReduce,    ///< across partitions [data] -> 1xF
    BatchNormStats,     ///< bn_stats [data] -> Px6
    BatchNormAggregate, ///< bn_aggr [data] -> Px2
    Max8,               ///< eight largest per partition [data] -> Px8
    Shuffle,            ///< nc_stream_shuffle [source]
};
std::string_view name(Opcode opcode);

/// Two-operand arithmetic of the vector and GpSimd engines (NKI documentation, "Supported Math
/// Operators").
enum class AluOp : std::uint8_t {
    None,
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum,
    Minimum,
    Power,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    LeftShift,
    RightShift,
    Rsqrt,
    Abs,
    Mod,
};
std::string_view name(AluOp op);
/// From NKI's or numpy's name ("add", "max", "amax", "maximum", ...).
std::optional<AluOp> aluOp(std::string_view name);

/// Functions of the scalar engine (NKI documentation, "Supported Activation Functions").
enum class ActivationFunction : std::uint8_t {
    Copy,
    Square,
    Sigmoid,
    Relu,
    Gelu,
    GeluDx,
    GeluApproxTanh,
    Silu,
    SiluDx,
    Tanh,
    Softplus,
    Mish,
    Erf,
    ErfDx,
    Exp,
    Log,
    Sign,
    Abs,
    Sqrt,
    Rsqrt,
    Reciprocal,
    Sin,
    Cos,
    Arctan,
    Floor,
    Ceil,
    LogicalNot,
    Negative,
};
std::string_view name(ActivationFunction function);
/// From NKI's or numpy's name ("exp", "gelu_apprx_tanh", "copy", "identity", ...).
std::optional<ActivationFunction> activationFunction(std::string_view name);

/// Immediates of an instruction, interned because few differ.
struct Parameters
{
    AluOp op0 = AluOp::None;
    AluOp op1 = AluOp::None;
    AluOp reduceOp = AluOp::None; ///< Activation / TensorScalar with a reduction: the second output
    ActivationFunction function = ActivationFunction::Copy;
    bool reverse0 = false; ///< operand0 op0 data instead of data op0 operand0
    bool reverse1 = false;
    bool accumulate = false; ///< Matmul into PSUM: += instead of =; the destination is also read
    bool implicitTranspose = false; ///< Transpose made by nl.matmul: the compiler does not share it
    bool firstPass = false;         ///< LoopReduce: all listed loops are at their first pass
    bool negate = false;            ///< Reduce: result times -1
    bool operand0IsConstant =
        true; ///< scale of an Activation, operand0, a of Select, initial of a Scan
    bool operand1IsConstant = true; ///< bias of an Activation, operand1, b of Select
    std::uint8_t reducedAxes = 0;   ///< Reduce: bit k set = axis k of the input is reduced
    double constant0 = 0;           ///< also the fill of Memset and AffineSelect
    double constant1 = 0;
    std::int64_t iota[6] = {0, 0, 0,
                            0, 0, 0}; ///< Iota / AffineSelect: constant, then coefficient per axis

    bool operator==(const Parameters &) const = default;
};

} // namespace accelopt::nki
