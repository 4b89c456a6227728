// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/nki/support/ProgramRunner.h"
#include "tests/rewrite/Kernels.h"

#include "core/nki/trace/Tracer.h"

#include <QMetaType>
#include <cmath>

namespace accelopt::tests {

using Shapes = std::vector<std::vector<std::int64_t>>;

/// What a kernel returns for reproducible inputs of these shapes (an empty shape is the number
/// 0.5), or why there is nothing: `problem`.
struct Numbers
{
    std::vector<float> values;
    std::string problem;
};

inline Numbers numbersOf(const std::string &source, const Shapes &shapes)
{
    static nki::SyntaxHelper helper;
    const Result<nki::Parsed> parsed = helper.parse(source);
    if (!parsed || !*parsed)
        return {{}, "does not parse"};
    nki::TraceRequest request;
    std::vector<std::vector<float>> inputs;
    for (std::size_t n = 0; n < shapes.size(); ++n) {
        nki::TraceArgument argument;
        argument.name = "argument" + std::to_string(n);
        argument.scalar = shapes[n].empty();
        argument.value = 0.5;
        argument.shape = shapes[n];
        request.arguments.push_back(argument);
        if (argument.scalar)
            continue;
        std::size_t count = 1;
        for (const std::int64_t extent : shapes[n])
            count *= std::size_t(extent);
        inputs.push_back(randomValues(count, std::uint32_t(n + 1)));
    }
    const auto program = nki::trace(**parsed, request);
    if (!program)
        return {{}, program.error().reason.message};
    const auto outputs = runAll(*program, inputs);
    if (outputs.empty())
        return {{}, "nothing was computed"};
    return {outputs[0], {}};
}

/// Empty when both kernels compute the same, up to rounding.
inline std::string numbersDiffer(const std::string &before, const std::string &after,
                                 const Shapes &shapes)
{
    const Numbers first = numbersOf(before, shapes);
    const Numbers second = numbersOf(after, shapes);
    if (!first.problem.empty() || !second.problem.empty())
        return "before: " + first.problem + "; after: " + second.problem;
    if (first.values.size() != second.values.size())
        return "sizes differ";
    double error = 0;
    double norm = 0;
    for (std::size_t n = 0; n < first.values.size(); ++n) {
        if (std::isnan(first.values[n]) || std::isnan(second.values[n]))
            return "element " + std::to_string(n) + " is not a number";
        error += std::pow(double(first.values[n]) - double(second.values[n]), 2);
        norm += std::pow(double(first.values[n]), 2);
    }
    return error <= 1e-12 * norm ? std::string()
                                 : "relative error " + std::to_string(std::sqrt(error / norm));
}

} // namespace accelopt::tests

Q_DECLARE_METATYPE(accelopt::tests::Shapes)
