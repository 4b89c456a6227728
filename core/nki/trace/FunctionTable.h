// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Objects.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::nki {

class Evaluator;

/// A call of one of our functions, its arguments bound to the names of its signature.
struct Call
{
    Evaluator &evaluator;
    const FunctionSpec &spec;
    NodeId node = -1;             ///< the Call node, for messages
    std::vector<Value> arguments; ///< in the order of the signature; Unbound where not given
    std::vector<Value> rest;      ///< what *name in the signature collected

    const Value &operator[](std::size_t index) const { return arguments[index]; }
    bool given(std::size_t index) const
    {
        return !arguments[index].is(ValueKind::Unbound) && !arguments[index].is(ValueKind::None);
    }
};

using Handler = Value (*)(Call &call);

/// One function that kernels can call: its names, its signature, what it does. What the
/// instructions it issues cost stands in the device table, what they compute in execute/.
struct FunctionSpec
{
    /// Canonical path ("nl.load"). Several functions that differ only in their operation share a
    /// handler.
    std::string_view path;
    /// Python-like: "src, mask=, dtype=": without "=" an argument is required; "*items" collects
    /// the rest.
    std::string_view signature;
    Handler handler = nullptr;
    /// What the function means when it is given as op=, or to its own handler.
    AluOp alu = AluOp::None;
    std::optional<ActivationFunction> activation = std::nullopt;
};

/// The functions of one family; each family is a file of core/nki/instructions.
std::span<const FunctionSpec> creationFunctions();
std::span<const FunctionSpec> dataMovementFunctions();
std::span<const FunctionSpec> elementwiseFunctions();
std::span<const FunctionSpec> matrixFunctions();
std::span<const FunctionSpec> reductionFunctions();
std::span<const FunctionSpec> indexFunctions();
std::span<const FunctionSpec> pythonFunctions();

/// The function at a canonical path, or null.
const FunctionSpec *findFunction(std::string_view path);
/// The canonical paths of all functions.
std::vector<std::string_view> functionNames();

/// Parameter names of a signature, split once.
struct Signature
{
    struct Parameter
    {
        std::string name;
        bool required = false;
    };
    std::vector<Parameter> parameters;
    bool collectsRest = false;
    static const Signature &of(const FunctionSpec &spec);
};

} // namespace accelopt::nki
