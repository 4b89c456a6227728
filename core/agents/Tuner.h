// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/Rewrite.h"

#include <string>
#include <vector>

namespace accelopt::agents {

/// What a setting turns, and which way.
struct Turning
{
    std::string knob;     ///< settings of one knob exclude each other
    double direction = 0; ///< log2(new value / old value); 0 when the values have no order
    double from = 0;      ///< the old value; 0 when the values have no order
    bool operator==(const Turning &) const = default;
};

/// Another value of something a kernel leaves open: the size of a tile, the engine of an
/// instruction. What it computes stays, or the judge says that it does not.
struct Setting
{
    Turning turning;
    rewrite::Proposal proposal;
    double estimatedSpeedup = 1;
};

/// True when an integer constant stands in assertions alone, so that another value of it gives the
/// same kernel again.
bool decidesNothing(const rewrite::KernelModel &model, const std::string &constant);

/// All settings within hard limits of the machine (128 partitions, 512 columns of PSUM and of a
/// moving operand, whole tiles where the kernel has whole tiles), neighbours of the present value
/// first. `now` is how busy the engines are. Parameters: {"constant": NAME, "from": OLD, "value":
/// NEW} or {"engine": NAME, "line": LINE, "statement": ID}.
std::vector<Setting> settings(const rewrite::KernelModel &model, const rewrite::EngineLoad &now);

/// The kernel with one setting changed. WrongUse error when there is no such setting.
Result<std::string> applySetting(const rewrite::KernelModel &model,
                                 const nlohmann::json &parameters);

/// What the parameters of a setting mean.
Turning turningOf(const nlohmann::json &parameters);

} // namespace accelopt::agents
