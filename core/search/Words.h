// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <string>

namespace accelopt::search {

// Numbers and places in the engine's reasons. One form everywhere, independent of locale.

/// "1.42 ms"
std::string milliseconds(double latencyMs);
/// "1.18x"
std::string times(double speedup);
/// "3 places", "1 place"
std::string count(int number, const char *singular, const char *plural);
/// "wrong: relative error 0.3 against 2e-05"; the status alone when there is no reason.
std::string verdictWords(const Verdict &verdict);

} // namespace accelopt::search
