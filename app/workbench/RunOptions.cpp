// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/RunOptions.h"

#include <CLI/CLI.hpp>

namespace accelopt::workbench {

namespace {

constexpr const char *kGroup = "A new search (with --run)";

} // namespace

void RunOptions::addTo(CLI::App &program)
{
    m_program = &program;
    const auto add = [&program](const char *name, auto &value, const char *help) {
        program.add_option(name, value, help)->group(kGroup);
    };
    add("--task", m_task, "task (silu)");
    add("--preset", m_preset, "quick, paper, sampling, search-only, reflexion or b1");
    add("--kernel", m_kernel, "start from this kernel instead of the task's baseline");
    add("--seed", m_seed, "seed of everything drawn at random");
    add("--shape", m_shape, "published or lab");
    add("-B", m_beamWidth, "candidates in the beam");
    add("-N", m_plans, "plans per candidate");
    add("-K", m_attempts, "kernels per plan");
    add("-T", m_iterations, "iterations");
    add("--out", m_out, "the run file");
    add("--topk", m_topK, "slow-fast pairs taken per iteration at most");
    add("--expn", m_memoryCapacity, "items the memory holds");
    add("--tpos", m_positive, "speedup from which a pair is a positive lesson");
    add("--tneg", m_negative, "slowdown from which a pair is a negative lesson");
    add("--beam-policy", m_beamPolicy, "elitist, paper or published-code");
    add("--memory-policy", m_memoryPolicy, "fifo, published-code or reviewed");
    add("--agents", m_agents, "who plays the three roles");
    add("--planner", m_planner, "who plans");
    add("--executor", m_executor, "who writes kernels");
    add("--summarizer", m_summarizer, "who writes lessons");
    add("--on", m_place, "sim, or a pool of hosts");
    add("--device", m_device, "trn1 or trn2");
    add("--patience", m_patience, "iterations without gain before stopping; 0 is off");
    add("--target", m_target, "stop at this % of peak");
    add("--repair", m_repairs, "repair turns after a compile error");
    add("--budget-usd", m_budgetUsd, "most money to spend");
    add("--budget-kernels", m_budgetKernels, "most kernels to write");
    add("--budget-minutes", m_budgetMinutes, "most minutes to search");
    program.add_flag("--resume", m_resume, "go on with the run file of --out")->group(kGroup);
    add("--workers", m_workers, "simulator processes; 0: one per core");
}

bool RunOptions::given() const
{
    for (const CLI::Option *option : m_program->get_options())
        if (option->get_group() == kGroup && option->count() > 0)
            return true;
    return false;
}

Result<runner::RunRequest> RunOptions::request() const
{
    if (m_task.find(',') != std::string::npos || m_task == "all")
        return fail(ErrorCode::WrongUse, "the window shows the search of one task at a time",
                    "name one task, or use `accelopt run` for several");
    runner::RunRequest request;
    ACCELOPT_TRY(request.config, preset(m_preset));
    RunConfig &config = request.config;
    const auto take = [](auto &field, const auto &value) {
        if (value)
            field = *value;
    };
    take(config.beamWidth, m_beamWidth);
    take(config.plansPerCandidate, m_plans);
    take(config.attemptsPerPlan, m_attempts);
    take(config.iterations, m_iterations);
    take(config.topK, m_topK);
    take(config.memoryCapacity, m_memoryCapacity);
    take(config.patience, m_patience);
    take(config.repairs, m_repairs);
    take(config.positiveThreshold, m_positive);
    take(config.negativeThreshold, m_negative);
    if (m_target)
        config.targetPercentOfPeak = m_target;
    if (m_budgetUsd)
        config.budgetUsd = m_budgetUsd;
    if (m_budgetKernels)
        config.budgetKernels = m_budgetKernels;
    if (m_budgetMinutes)
        config.budgetMinutes = m_budgetMinutes;
    if (m_beamPolicy) {
        ACCELOPT_TRY(config.beamPolicy, beamPolicy(*m_beamPolicy));
    }
    if (m_memoryPolicy) {
        ACCELOPT_TRY(config.memoryPolicy, memoryPolicy(*m_memoryPolicy));
    }
    if (m_agents)
        config.planner = config.executor = config.summarizer = *m_agents;
    take(config.planner, m_planner);
    take(config.executor, m_executor);
    take(config.summarizer, m_summarizer);
    config.place = m_place;
    config.device = m_device;
    config.shape = m_shape;
    config.seed = m_seed;
    ACCELOPT_CHECK(validate(config));
    request.task = m_task;
    request.kernel = m_kernel;
    request.out = m_out;
    request.workers = m_workers;
    return request;
}

} // namespace accelopt::workbench
