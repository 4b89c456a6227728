// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/syntax/SyntaxHelper.h"
#include "core/nki/trace/Tracer.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace accelopt::tests {

/// What became of a kernel's text: the program, or the failure as "status rule line N".
struct Traced
{
    tl::expected<nki::Program, nki::TraceFailure> outcome;

    bool failed() const { return !outcome; }
    const nki::Program &program() const { return *outcome; }
    /// "not_compiling err_1d_arange_not_supported line 9"; "traced" when it did not fail.
    std::string failure() const
    {
        if (outcome)
            return "traced";
        return fmt::format("{} {} line {}", name(outcome.error().status),
                           outcome.error().reason.rule, outcome.error().reason.place.line);
    }
    /// The message with its hint, for failing tests.
    std::string words() const
    {
        return outcome ? std::string()
                       : outcome.error().reason.message + " / " + outcome.error().reason.hint;
    }
    /// What the kernel printed, without the last line end; the failure when there is one.
    std::string printed() const
    {
        if (!outcome)
            return failure() + ": " + words();
        std::string text = outcome->printed;
        if (!text.empty())
            text.pop_back();
        return text;
    }
};

/// The arguments that the kernels of these tests are called with.
inline std::vector<nki::TraceArgument> tracedArguments()
{
    return {{"a", false, 0, {256, 512}, nki::DType::Float32},
            {"b", false, 0, {128, 512}, nki::DType::Float32},
            {"v", false, 0, {128}, nki::DType::Float32}};
}

inline Traced traceText(const std::string &source, nki::TraceLimits limits = {},
                        std::vector<nki::TraceArgument> arguments = tracedArguments())
{
    static thread_local nki::SyntaxHelper s_helper;
    const auto parsed = s_helper.parse(source);
    if (!parsed || !*parsed) {
        nki::TraceFailure failure;
        failure.reason.rule = "syntax";
        failure.reason.message = parsed ? parsed->error().message : describe(parsed.error());
        if (parsed)
            failure.reason.place = parsed->error().place;
        return {tl::unexpected(failure)};
    }
    nki::TraceRequest request;
    request.arguments = std::move(arguments);
    request.limits = limits;
    return {nki::trace(**parsed, request)};
}

/// Number of the line that carries the remark "# here", 0 when none does.
inline int lineOfRemark(const std::string &source)
{
    int line = 1;
    const std::size_t at = source.find("# here");
    for (std::size_t i = 0; i < at && at != std::string::npos; ++i)
        line += source[i] == '\n' ? 1 : 0;
    return at == std::string::npos ? 0 : line;
}

/// A kernel around these statements, which may use a, b, v (HBM inputs) and out (an HBM result).
inline std::string kernelAround(const std::string &statements)
{
    std::string source = "import math\n"
                         "import numpy as np\n"
                         "import neuronxcc.nki as nki\n"
                         "import neuronxcc.nki.isa as nisa\n"
                         "import neuronxcc.nki.language as nl\n"
                         "@nki.jit\n"
                         "def kernel(a, b, v):\n"
                         "    out = nl.ndarray((256, 512), dtype=a.dtype, buffer=nl.shared_hbm)\n";
    std::size_t start = 0;
    while (start < statements.size()) {
        const std::size_t end = std::min(statements.find('\n', start), statements.size());
        source += "    " + statements.substr(start, end - start) + "\n";
        start = end + 1;
    }
    return source + "    return out\n";
}

inline Traced traceStatements(const std::string &statements, nki::TraceLimits limits = {})
{
    return traceText(kernelAround(statements), limits);
}

/// "x+512[128:512 512:1]": tensor, offset, and size:stride of each axis.
inline std::string operandText(const nki::Program &program, const nki::Operand &operand)
{
    const nki::Storage &storage = program.storage(operand);
    const nki::Tensor &tensor = program.tensors[std::size_t(storage.tensor)];
    std::string text = tensor.name.empty() ? std::string(name(storage.memory)) : tensor.name;
    if (tensor.blocks > 1)
        text += fmt::format("#{}", operand.storage - tensor.firstStorage);
    if (operand.offset != 0)
        text += fmt::format("+{}", operand.offset);
    text += '[';
    const nki::AccessPattern &pattern = program.pattern(operand);
    for (std::size_t axis = 0; axis < std::size_t(pattern.rank); ++axis)
        text +=
            fmt::format("{}{}:{}", axis == 0 ? "" : " ", pattern.size[axis], pattern.stride[axis]);
    return text + ']';
}

/// "load dma t[128:512 512:1] <- a[128:512 512:1]", one line per instruction.
inline std::string programText(const Traced &traced)
{
    if (traced.failed())
        return traced.failure() + ": " + traced.words();
    const nki::Program &program = traced.program();
    std::string text;
    for (const nki::Instruction &instruction : program.instructions) {
        text += text.empty() ? "" : "\n";
        text += fmt::format("{} {}", name(instruction.opcode), name(instruction.engine));
        for (const nki::Operand &operand : program.outputsOf(instruction))
            text += " " + operandText(program, operand);
        text += " <-";
        for (const nki::Operand &operand : program.inputsOf(instruction))
            text += " " + operandText(program, operand);
        if (program.parametersOf(instruction).accumulate)
            text += " accumulate";
        if (program.parametersOf(instruction).firstPass)
            text += " first";
        if (instruction.mask >= 0)
            text += " masked";
    }
    return text;
}

} // namespace accelopt::tests
