// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace accelopt::search {

/// What became of a kernel, an attempt or an experience item.
enum class FateCode {
    Pending,       ///< nothing concluded yet
    Baseline,      ///< the kernel the search starts from
    Selected,      ///< in the next beam by its rank
    Pinned,        ///< in the next beam, or kept in memory, because a person pinned it
    Filled,        ///< a previous candidate that stays because too few new kernels are correct
    Copied,        ///< stands for a group without a correct kernel (policy published-code)
    Cut,           ///< ranked behind the last place of the beam
    Tie,           ///< cut, but it cannot be told apart from the last one chosen
    GroupLoser,    ///< another attempt of the same plan is faster
    Duplicate,     ///< the same kernel was written before
    Dropped,       ///< a person dropped it
    NotCorrect,    ///< its verdict is not "correct"
    NotComparable, ///< correct, but its figures are of another kind than the baseline's
    Failed,        ///< the role gave no usable answer
    Skipped,       ///< not asked for: the run was stopping, or a budget left no room
    NotBuiltOn,    ///< correct, but the run has no beam
    Active,        ///< item: in memory, reaches prompts
    Proposed,      ///< item: waits for a person's approval
    Rejected,      ///< item: a person rejected it
    FellOut,       ///< item: no room left for it
};

/// The name used in exports: "selected", "group_loser", ...
std::string_view name(FateCode code);

/// A conclusion of the engine with its reason in words and numbers.
struct Fate
{
    FateCode code = FateCode::Pending;
    std::string text;
    bool operator==(const Fate &) const = default;
};

} // namespace accelopt::search
