// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/runner/SearchSession.h"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace accelopt::workbench {

/// The options of a search, with the names that `accelopt run` gives them.
class RunOptions
{
public:
    void addTo(CLI::App &program);
    /// True when one of them was given.
    bool given() const;
    /// The run is to be gone on with, instead of begun.
    bool resumes() const { return m_resume; }
    const std::string &out() const { return m_out; }
    Result<runner::RunRequest> request() const;

private:
    const CLI::App *m_program = nullptr;
    std::string m_task = "silu";
    std::string m_preset = "quick";
    std::optional<int> m_beamWidth, m_plans, m_attempts, m_iterations, m_topK, m_memoryCapacity,
        m_patience, m_repairs, m_budgetKernels;
    std::optional<double> m_positive, m_negative, m_target, m_budgetUsd, m_budgetMinutes;
    std::optional<std::string> m_beamPolicy, m_memoryPolicy, m_agents, m_planner, m_executor,
        m_summarizer;
    std::string m_place = "sim";
    std::string m_device = "trn1";
    std::string m_shape = "published";
    std::uint64_t m_seed = 0;
    std::string m_kernel;
    std::string m_out;
    int m_workers = 0;
    bool m_resume = false;
};

} // namespace accelopt::workbench
