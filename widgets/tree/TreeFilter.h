// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QString>
#include <set>
#include <span>

namespace accelopt::widgets {

/// Something by which kernels of the tree are picked out.
enum class FilterChip {
    Faster,       ///< at least kFasterChip times as fast as the baseline
    Beam,         ///< the search built on it
    MemoryBound,  ///< traffic decides its latency
    ComputeBound, ///< an engine does
    Person,       ///< a person wrote, pinned or dropped it
};
inline constexpr double kFasterChip = 1.2;

std::span<const FilterChip> allFilterChips();
/// "beam"
QString name(FilterChip chip);
/// "In the beam"
QString text(FilterChip chip);

/// True when a kernel fits all of the chips; `speedup` is that over the baseline, `inBeam` says
/// that the search built on it.
bool fits(const std::set<FilterChip> &chips, const search::KernelRecord &record, double speedup,
          bool inBeam);

} // namespace accelopt::widgets
