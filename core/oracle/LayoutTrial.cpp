// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/LayoutTrial.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <tuple>

namespace accelopt::oracle {
namespace {

Result<nki::DType> knownDtype(const DTypeName &name, const std::string &of)
{
    if (const auto type = nki::dtype(name))
        return *type;
    return fail(ErrorCode::Format, fmt::format("{} has the unknown dtype \"{}\"", of, name),
                "Use a dtype of NKI, for example float32 or bfloat16, in task.json.");
}

Result<std::vector<nki::TraceArgument>> traceArguments(const Task &task, const TaskLayout &layout)
{
    std::vector<nki::TraceArgument> arguments;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        const TaskArgument &argument = task.arguments[i];
        nki::TraceArgument &made = arguments.emplace_back();
        made.name = argument.name;
        made.scalar = argument.scalar;
        if (argument.scalar) {
            made.value = argument.parameter;
            continue;
        }
        made.shape = i < layout.arguments.size() ? layout.arguments[i] : argument.shape;
        ACCELOPT_TRY(made.dtype, knownDtype(argument.dtype,
                                            "argument " + argument.name + " of task " + task.name));
    }
    return arguments;
}

const nki::Tensor &returned(const nki::Program &program, std::size_t position)
{
    return program.tensors[std::size_t(program.outputs[position])];
}

SourcePlace placeOfResult(const nki::Program &program, std::size_t position)
{
    return position < program.outputs.size() ? returned(program, position).place : SourcePlace{};
}

/// What of the raw results does not fit the layout; none when all fits.
Result<std::optional<Reason>> resultProblem(const nki::Program &program, const Task &task,
                                            const TaskLayout &layout)
{
    if (program.outputs.size() != task.results.size()) {
        Reason reason{"structure", "result_shape",
                      fmt::format("the kernel returns {} tensors, the task has {} results",
                                  program.outputs.size(), task.results.size()),
                      "", placeOfResult(program, 0)};
        std::vector<std::string> names;
        for (const TaskResult &result : task.results)
            names.push_back(result.name);
        reason.hint = fmt::format("return exactly: {}", fmt::join(names, ", "));
        return reason;
    }
    for (std::size_t i = 0; i < task.results.size(); ++i) {
        const Shape &expected =
            i < layout.results.size() ? layout.results[i] : task.results[i].shape;
        const nki::Tensor &tensor = returned(program, i);
        if (tensor.shape != expected)
            return Reason{"structure", "result_shape",
                          fmt::format("result {} has shape {}, layout \"{}\" needs {}",
                                      task.results[i].name, describe(tensor.shape), layout.name,
                                      describe(expected)),
                          fmt::format("make the returned tensor with shape {}", describe(expected)),
                          tensor.place};
        ACCELOPT_TRY(const nki::DType type,
                     knownDtype(task.results[i].dtype,
                                "result " + task.results[i].name + " of task " + task.name));
        const nki::DType found = program.storages[std::size_t(tensor.firstStorage)].dtype;
        if (found != type)
            return Reason{"structure", "result_shape",
                          fmt::format("result {} has dtype {}, the task needs {}",
                                      task.results[i].name, nki::name(found), nki::name(type)),
                          fmt::format("make the returned tensor with dtype {}", nki::name(type)),
                          tensor.place};
    }
    return std::nullopt;
}

/// The task's function name, or the only kernel of the file when no function has that name: agents
/// like to rename.
std::string entryPointFor(const nki::SyntaxTree &tree, const Task &task)
{
    const std::vector<std::string> names = nki::entryPoints(tree);
    const bool found = std::find(names.begin(), names.end(), task.entryPoint) != names.end();
    return found || names.size() != 1 ? task.entryPoint : names.front();
}

/// Why a traced kernel is not taken to be meant for this layout: with a shape it was not written
/// for, its loops may run no pass at all, and the trace then says nothing.
std::optional<Reason> unwrittenResult(const nki::Program &program)
{
    std::vector<bool> written(program.tensors.size(), false);
    for (const nki::Instruction &instruction : program.instructions)
        for (const nki::Operand &destination : program.outputsOf(instruction)) {
            const std::int32_t tensor = program.storage(destination).tensor;
            if (tensor >= 0)
                written[std::size_t(tensor)] = true;
        }
    for (const std::int32_t output : program.outputs) {
        const nki::Tensor &tensor = program.tensors[std::size_t(output)];
        if (!written[std::size_t(output)])
            return Reason{"structure", "err_tensor_output_not_written_to",
                          fmt::format("the output '{}' is never written", tensor.name),
                          "store to every element of what the kernel returns", tensor.place};
    }
    return std::nullopt;
}

/// A failure with how far it got.
struct Trial
{
    bool traced = false;
    nki::TraceFailure failure;
};

bool gotFurther(const Trial &a, const Trial &b)
{
    if (a.traced != b.traced)
        return a.traced;
    const SourcePlace &here = a.failure.reason.place;
    const SourcePlace &there = b.failure.reason.place;
    return std::tie(here.line, here.column) > std::tie(there.line, there.column);
}

} // namespace

std::string describe(const Shape &shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

Result<tl::expected<TracedKernel, nki::TraceFailure>>
traceWithLayouts(const nki::SyntaxTree &tree, const Task &task, const std::string &device,
                 const nki::TraceLimits &limits)
{
    using Traced = tl::expected<TracedKernel, nki::TraceFailure>;
    const std::string entryPoint = entryPointFor(tree, task);
    std::optional<Trial> furthest;
    for (const TaskLayout &layout : task.layouts) {
        nki::TraceRequest request;
        request.entryPoint = entryPoint;
        request.device = device;
        request.limits = limits;
        ACCELOPT_TRY(request.arguments, traceArguments(task, layout));
        auto program = nki::trace(tree, request);
        Trial trial;
        if (program) {
            ACCELOPT_TRY(auto problem, resultProblem(*program, task, layout));
            const bool fits = !problem;
            if (fits)
                problem = unwrittenResult(*program);
            if (!problem)
                return Traced(TracedKernel{layout, std::move(*program)});
            trial = {!fits, {VerdictStatus::Wrong, std::move(*problem)}};
        } else {
            trial = {false, std::move(program.error())};
        }
        const bool ranIntoLimit = trial.failure.status == VerdictStatus::RunFailed;
        if (!furthest || ranIntoLimit || gotFurther(trial, *furthest))
            furthest = std::move(trial);
        if (ranIntoLimit) // which takes seconds, and other shapes would not change it
            break;
    }
    if (!furthest)
        return fail(ErrorCode::Format, "task " + task.name + " has no layout",
                    "Give the task's arguments and results shapes in task.json.");
    return Traced(tl::unexpected(std::move(furthest->failure)));
}

} // namespace accelopt::oracle
