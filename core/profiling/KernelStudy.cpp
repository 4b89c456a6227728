// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/KernelStudy.h"

#include "core/nki/machine/Machine.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/Judge.h"
#include "core/oracle/LayoutTrial.h"

#include <fmt/format.h>

namespace accelopt::profiling {
namespace {

Error untraceable(const std::string &message, const SourcePlace &place)
{
    return {ErrorCode::NotGood,
            place.line > 0 ? fmt::format("line {}: {}", place.line, message) : message,
            "see what `accelopt check` says of the kernel",
            {}};
}

} // namespace

Result<KernelStudy> studyKernel(const std::string &source, const Task &task,
                                const std::string &device)
{
    ACCELOPT_TRY(const nki::Machine machine, nki::Machine::load(device));
    nki::SyntaxHelper helper;
    ACCELOPT_TRY(const nki::Parsed parsed, helper.parse(source));
    if (!parsed)
        return tl::unexpected(untraceable(parsed.error().message, parsed.error().place));
    ACCELOPT_TRY(auto traced,
                 oracle::traceWithLayouts(*parsed, task, device, oracle::JudgeInput().limits));
    if (!traced)
        return tl::unexpected(
            untraceable(traced.error().reason.message, traced.error().reason.place));
    KernelStudy study;
    study.layout = traced->layout.name;
    study.program = std::move(traced->program);
    study.timeline = nki::timelineOf(study.program, machine);
    return study;
}

} // namespace accelopt::profiling
