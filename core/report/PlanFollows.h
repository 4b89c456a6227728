// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Search.h"

namespace accelopt::report {

/// Does the plan do what the item is about? Where both name rewrites, these decide: the plan must
/// carry out all of the item's, and may do more. Prose counts when it names the item's id or title.
bool follows(const Plan &plan, const ExperienceItem &item);

} // namespace accelopt::report
