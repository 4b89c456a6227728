// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace accelopt {

/// Up to three of `names` that a person may have meant with `wanted`, nearest first: those that
/// hold it, and those that few letters inserted, removed, replaced or exchanged make of it (at most
/// two or a third of the word, and never all of it).
std::vector<std::string> namesLike(const std::string &wanted,
                                   const std::vector<std::string> &names);

} // namespace accelopt
