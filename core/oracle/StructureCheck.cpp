// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/StructureCheck.h"

#include "core/oracle/InputsRead.h"
#include "core/oracle/LayoutTrial.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::oracle {
namespace {

using nki::InstructionId;

/// Instructions that some result depends on, the stores of the results included.
std::vector<bool> behindResults(const nki::Program &program, const nki::Dependences &dependences)
{
    std::vector<bool> reached(program.instructions.size(), false);
    for (const std::vector<InstructionId> &writers : dependences.outputWriters())
        for (const InstructionId writer : writers)
            reached[std::size_t(writer)] = true;
    for (std::size_t i = program.instructions.size(); i-- > 0;)
        if (reached[i])
            for (const InstructionId producer : dependences.producers(InstructionId(i)))
                reached[std::size_t(producer)] = true;
    return reached;
}

/// Instructions that depend on some input tensor.
std::vector<bool> afterInputs(const nki::Program &program, const nki::Dependences &dependences)
{
    std::vector<bool> after(program.instructions.size(), false);
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const auto producers = dependences.producers(InstructionId(i));
        after[i] = std::any_of(producers.begin(), producers.end(),
                               [&](InstructionId id) { return after[std::size_t(id)]; });
        for (const nki::Operand &operand : program.inputsOf(program.instructions[i]))
            after[i] = after[i] || program.storage(operand).role == nki::StorageRole::Input;
    }
    return after;
}

bool isComparison(nki::AluOp op)
{
    using nki::AluOp;
    return op == AluOp::Equal || op == AluOp::NotEqual || op == AluOp::Greater ||
           op == AluOp::GreaterEqual || op == AluOp::Less || op == AluOp::LessEqual ||
           op == AluOp::LogicalAnd || op == AluOp::LogicalOr || op == AluOp::LogicalXor;
}

bool givesTruthValues(const nki::Program &program, const nki::Instruction &instruction)
{
    const nki::Parameters &parameters = program.parametersOf(instruction);
    return isComparison(parameters.op1 == nki::AluOp::None ? parameters.op0 : parameters.op1);
}

/// Whether the two differ in what an instruction behind the results computes.
bool computesOtherwise(const nki::Program &program, const std::vector<bool> &behind,
                       const nki::Program &other)
{
    if (program.instructions.size() != other.instructions.size() ||
        program.constants != other.constants)
        return true;
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const nki::Instruction &a = program.instructions[i];
        const nki::Instruction &b = other.instructions[i];
        if (behind[i] &&
            (a.opcode != b.opcode || !(program.parametersOf(a) == other.parametersOf(b))))
            return true;
    }
    return false;
}

bool isSinglePrecision(const Task &task)
{
    const auto isFloat32 = [](const auto &tensor) { return tensor.dtype == "float32"; };
    return task.matmulDtype == "float32" &&
           std::all_of(task.results.begin(), task.results.end(), isFloat32) &&
           std::all_of(task.arguments.begin(), task.arguments.end(), [&](const auto &argument) {
               return argument.scalar || isFloat32(argument);
           });
}

} // namespace

std::vector<Reason> unreadInputs(const Task &task, const nki::Program &program,
                                 const nki::Dependences &dependences)
{
    std::vector<Reason> reasons;
    const std::vector<bool> read =
        argumentsBehindOutputs(program, dependences, task.arguments.size());
    for (std::size_t i = 0; i < task.arguments.size(); ++i)
        if (!task.arguments[i].scalar && !read[i])
            reasons.push_back(
                {"structure",
                 "input_not_read",
                 fmt::format("no result depends on argument {}", task.arguments[i].name),
                 "the task's result depends on every input: load it and use it",
                 {}});
    return reasons;
}

Result<std::vector<Reason>> unreadScalars(const nki::SyntaxTree &tree, const Task &task,
                                          const std::string &device, const nki::TraceLimits &limits,
                                          const nki::Program &program,
                                          const nki::Dependences &dependences)
{
    std::vector<Reason> reasons;
    std::vector<bool> behind;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        if (!task.arguments[i].scalar)
            continue;
        if (behind.empty())
            behind = behindResults(program, dependences);
        Task changed = task;
        // Another value of the same sign and size: a kernel may rightly ask for more than that.
        changed.arguments[i].parameter = task.arguments[i].parameter * 1.75 + 1e-3;
        ACCELOPT_TRY(const auto other, traceWithLayouts(tree, changed, device, limits));
        if (!other || computesOtherwise(program, behind, other->program))
            continue;
        reasons.push_back({"structure",
                           "scalar_not_read",
                           fmt::format("the results are computed in the same way whatever argument "
                                       "{} is",
                                       task.arguments[i].name),
                           "the task's result depends on it: use it where the reference does",
                           {}});
    }
    return reasons;
}

std::optional<Reason> narrowedValue(const Task &task, const nki::Program &program,
                                    const nki::Dependences &dependences)
{
    if (!isSinglePrecision(task))
        return std::nullopt;
    const auto isNarrow = [](const nki::Storage &storage) {
        return nki::isFloat(storage.dtype) && storage.dtype != nki::DType::Float32;
    };
    if (std::none_of(program.storages.begin(), program.storages.end(), isNarrow))
        return std::nullopt;
    const std::vector<bool> behind = behindResults(program, dependences);
    const std::vector<bool> after = afterInputs(program, dependences);
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const nki::Instruction &instruction = program.instructions[i];
        if (!behind[i] || !after[i] || givesTruthValues(program, instruction))
            continue;
        for (const nki::Operand &destination : program.outputsOf(instruction)) {
            const nki::Storage &storage = program.storage(destination);
            if (isNarrow(storage))
                return Reason{"structure", "narrow_values",
                              fmt::format("the results come through values kept as {}, all tensors "
                                          "of the task are float32",
                                          nki::name(storage.dtype)),
                              "keep what leads from an input to a result in float32",
                              program.placeOf(instruction)};
        }
    }
    return std::nullopt;
}

} // namespace accelopt::oracle
