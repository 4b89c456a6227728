// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/Fate.h"

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::search {

/// Who wrote a kernel.
enum class Origin { Baseline, Agent, Human };
std::string_view name(Origin origin);

/// One answer of an executor: the attempt's slot and the number of the repair turn (0 = first
/// answer).
struct Turn
{
    AttemptSlot slot;
    int repair = 0;
    auto operator<=>(const Turn &) const = default;
};

/// What the second judgement at the end of the run said.
struct Confirmation
{
    bool judged = false;
    Verdict verdict;
    Profile profile;
    bool confirmed = false;
    double speedup = 0; ///< over the baseline, both judged again; 0 when unknown
    Interval speedupInterval;
    std::string reason; ///< why it is confirmed, or why not
};

/// What the run knows of one distinct kernel.
struct KernelRecord
{
    KernelId id;
    TextId text; ///< of the first turn, in slot order, that wrote it
    Origin origin = Origin::Agent;
    /// First turn, in slot order, that wrote it; none for the baseline.
    std::optional<Turn> first;
    KernelId parent;    ///< candidate that turn started from; empty for the baseline
    int iteration = -1; ///< of that turn; -1 for the baseline
    bool judged = false;
    Verdict verdict;
    Profile profile;       ///< meaningful when judged correct
    bool rankable = false; ///< correct, with a latency that may be compared with the baseline's
    bool pinned = false;
    bool dropped = false;
    Fate fate; ///< the latest conclusion about it
    std::optional<Confirmation> confirmation;
    /// Turns that wait for the judgement; empty once judged.
    std::vector<Turn> waiting;
};

/// Order of kernels in every ranking: point latency, then identity.
struct RankKey
{
    double latencyMs = 0;
    KernelId kernel;
    auto operator<=>(const RankKey &) const = default;
};

} // namespace accelopt::search
