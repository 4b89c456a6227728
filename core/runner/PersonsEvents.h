// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/search/State.h"

#include <vector>

namespace accelopt::runner {

/// Refuses events of a person's that the run would ignore, or that are not a person's to write
/// (only decisions, plans, kernels and what is given up are). WrongUse error with the reason.
Result<void> refuseIgnored(const search::State &state, const std::vector<EventBody> &bodies);

} // namespace accelopt::runner
