// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/Operations.h"

#include <array>

namespace accelopt::nki {

namespace {

template <typename Value> struct Named
{
    std::string_view name;
    Value value;
};

constexpr std::array kOpcodes = {
    Named<Opcode>{"load", Opcode::Load},
    Named<Opcode>{"store", Opcode::Store},
    Named<Opcode>{"dma_copy", Opcode::DmaCopy},
    Named<Opcode>{"matmul", Opcode::Matmul},
    Named<Opcode>{"transpose", Opcode::Transpose},
    Named<Opcode>{"partition_broadcast", Opcode::PartitionBroadcast},
    Named<Opcode>{"activation", Opcode::Activation},
    Named<Opcode>{"tensor_scalar", Opcode::TensorScalar},
    Named<Opcode>{"tensor_tensor", Opcode::TensorTensor},
    Named<Opcode>{"scalar_tensor_tensor", Opcode::ScalarTensorTensor},
    Named<Opcode>{"tensor_reduce", Opcode::Reduce},
    Named<Opcode>{"tensor_tensor_scan", Opcode::Scan},
    Named<Opcode>{"reciprocal", Opcode::Reciprocal},
    Named<Opcode>{"copy", Opcode::Copy},
    Named<Opcode>{"memset", Opcode::Memset},
    Named<Opcode>{"loop_reduce", Opcode::LoopReduce},
    Named<Opcode>{"select", Opcode::Select},
    Named<Opcode>{"iota", Opcode::Iota},
    Named<Opcode>{"affine_select", Opcode::AffineSelect},
    Named<Opcode>{"tensor_partition_reduce", Opcode::PartitionReduce},
    Named<Opcode>{"bn_stats", Opcode::BatchNormStats},
    Named<Opcode>{"bn_aggr", Opcode::BatchNormAggregate},
    Named<Opcode>{"max8", Opcode::Max8},
    Named<Opcode>{"nc_stream_shuffle", Opcode::Shuffle},
};

// In both tables the first name of a value is the one that name() gives; the others are what NKI's
// and numpy's functions of the same meaning are called.
constexpr std::array kAluOps = {
    Named<AluOp>{"none", AluOp::None},
    Named<AluOp>{"add", AluOp::Add},
    Named<AluOp>{"sum", AluOp::Add},
    Named<AluOp>{"subtract", AluOp::Subtract},
    Named<AluOp>{"multiply", AluOp::Multiply},
    Named<AluOp>{"prod", AluOp::Multiply},
    Named<AluOp>{"product", AluOp::Multiply},
    Named<AluOp>{"divide", AluOp::Divide},
    Named<AluOp>{"true_divide", AluOp::Divide},
    Named<AluOp>{"maximum", AluOp::Maximum},
    Named<AluOp>{"max", AluOp::Maximum},
    Named<AluOp>{"amax", AluOp::Maximum},
    Named<AluOp>{"fmax", AluOp::Maximum},
    Named<AluOp>{"minimum", AluOp::Minimum},
    Named<AluOp>{"min", AluOp::Minimum},
    Named<AluOp>{"amin", AluOp::Minimum},
    Named<AluOp>{"fmin", AluOp::Minimum},
    Named<AluOp>{"power", AluOp::Power},
    Named<AluOp>{"pow", AluOp::Power},
    Named<AluOp>{"equal", AluOp::Equal},
    Named<AluOp>{"not_equal", AluOp::NotEqual},
    Named<AluOp>{"greater", AluOp::Greater},
    Named<AluOp>{"greater_equal", AluOp::GreaterEqual},
    Named<AluOp>{"less", AluOp::Less},
    Named<AluOp>{"less_equal", AluOp::LessEqual},
    Named<AluOp>{"logical_and", AluOp::LogicalAnd},
    Named<AluOp>{"logical_or", AluOp::LogicalOr},
    Named<AluOp>{"logical_xor", AluOp::LogicalXor},
    Named<AluOp>{"bitwise_and", AluOp::BitwiseAnd},
    Named<AluOp>{"bitwise_or", AluOp::BitwiseOr},
    Named<AluOp>{"bitwise_xor", AluOp::BitwiseXor},
    Named<AluOp>{"left_shift", AluOp::LeftShift},
    Named<AluOp>{"right_shift", AluOp::RightShift},
    Named<AluOp>{"rsqrt", AluOp::Rsqrt},
    Named<AluOp>{"abs", AluOp::Abs},
    Named<AluOp>{"absolute", AluOp::Abs},
    Named<AluOp>{"mod", AluOp::Mod},
    Named<AluOp>{"remainder", AluOp::Mod},
};

constexpr std::array kActivations = {
    Named<ActivationFunction>{"copy", ActivationFunction::Copy},
    Named<ActivationFunction>{"identity", ActivationFunction::Copy},
    Named<ActivationFunction>{"square", ActivationFunction::Square},
    Named<ActivationFunction>{"sigmoid", ActivationFunction::Sigmoid},
    Named<ActivationFunction>{"relu", ActivationFunction::Relu},
    Named<ActivationFunction>{"gelu", ActivationFunction::Gelu},
    Named<ActivationFunction>{"gelu_dx", ActivationFunction::GeluDx},
    Named<ActivationFunction>{"gelu_apprx_tanh", ActivationFunction::GeluApproxTanh},
    Named<ActivationFunction>{"gelu_approx_tanh", ActivationFunction::GeluApproxTanh},
    Named<ActivationFunction>{"silu", ActivationFunction::Silu},
    Named<ActivationFunction>{"silu_dx", ActivationFunction::SiluDx},
    Named<ActivationFunction>{"tanh", ActivationFunction::Tanh},
    Named<ActivationFunction>{"softplus", ActivationFunction::Softplus},
    Named<ActivationFunction>{"mish", ActivationFunction::Mish},
    Named<ActivationFunction>{"erf", ActivationFunction::Erf},
    Named<ActivationFunction>{"erf_dx", ActivationFunction::ErfDx},
    Named<ActivationFunction>{"exp", ActivationFunction::Exp},
    Named<ActivationFunction>{"log", ActivationFunction::Log},
    Named<ActivationFunction>{"sign", ActivationFunction::Sign},
    Named<ActivationFunction>{"abs", ActivationFunction::Abs},
    Named<ActivationFunction>{"absolute", ActivationFunction::Abs},
    Named<ActivationFunction>{"sqrt", ActivationFunction::Sqrt},
    Named<ActivationFunction>{"rsqrt", ActivationFunction::Rsqrt},
    Named<ActivationFunction>{"reciprocal", ActivationFunction::Reciprocal},
    Named<ActivationFunction>{"sin", ActivationFunction::Sin},
    Named<ActivationFunction>{"cos", ActivationFunction::Cos},
    Named<ActivationFunction>{"arctan", ActivationFunction::Arctan},
    Named<ActivationFunction>{"floor", ActivationFunction::Floor},
    Named<ActivationFunction>{"ceil", ActivationFunction::Ceil},
    Named<ActivationFunction>{"logical_not", ActivationFunction::LogicalNot},
    Named<ActivationFunction>{"negative", ActivationFunction::Negative},
};

template <typename Table, typename Value> std::string_view nameIn(const Table &table, Value value)
{
    for (const auto &entry : table)
        if (entry.value == value)
            return entry.name;
    return "unknown";
}

template <typename Value, typename Table>
std::optional<Value> valueIn(const Table &table, std::string_view name)
{
    for (const auto &entry : table)
        if (entry.name == name)
            return entry.value;
    return std::nullopt;
}

} // namespace

std::string_view name(Engine engine)
{
    switch (engine) {
    case Engine::Tensor: return "tensor";
    case Engine::Vector: return "vector";
    case Engine::Scalar: return "scalar";
    case Engine::GpSimd: return "gpsimd";
    case Engine::Dma: return "dma";
    }
    return "engine";
}

std::string_view name(Opcode opcode)
{
    return nameIn(kOpcodes, opcode);
}

std::string_view name(AluOp op)
{
    return nameIn(kAluOps, op);
}

std::optional<AluOp> aluOp(std::string_view name)
{
    return name == "none" ? std::nullopt : valueIn<AluOp>(kAluOps, name);
}

std::string_view name(ActivationFunction function)
{
    return nameIn(kActivations, function);
}

std::optional<ActivationFunction> activationFunction(std::string_view name)
{
    return valueIn<ActivationFunction>(kActivations, name);
}

} // namespace accelopt::nki
