// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <string>

namespace accelopt::search {

// sigma of ALGORITHM: which pairs become lessons, and which lessons stay.

/// Groups the iteration's correct attempts and takes the slow-fast pairs; these are then open.
void takePairs(State &state, IterationRecord &iteration);

/// Puts the items that came back for the iteration's pairs into the memory, and lets others fall
/// out as the policy says.
void remember(State &state, IterationRecord &iteration);

/// A pair stays without an item for now, for this reason.
void keepPair(State &state, int iteration, int rank, std::string reason);

/// Carries out a person's decision on an item; the answer is a complaint, empty when it was carried
/// out.
std::string decideItem(State &state, const PersonDecided &decision);

/// Adds an item that comes from another run at the end of the memory.
void importItem(State &state, const ExperienceItem &item, const std::string &author);

/// Name of the item of a pair: "e<iteration>.<rank>".
ItemId itemId(int iteration, int rank);

} // namespace accelopt::search
