// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Search.h"
#include "core/domain/Task.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::runner {

/// What a transfer came to: the same search with the carried memory and without it. Speedups over
/// the baseline; none where a search found no correct kernel.
struct Transfer
{
    std::string task;
    int items = 0;                                 ///< carried into the run
    std::optional<double> firstWith, firstWithout; ///< after the first iteration
    std::optional<double> finalWith, finalWithout;
};

/// A lesson that was put aside for later runs, with how it has fared since.
struct ShelfItem
{
    ExperienceItem item;
    std::vector<Transfer> transfers; ///< of the runs that it was carried into, with others
};

/// Name by which the shelf is given where a run file could be.
inline constexpr const char *kShelf = "shelf";

/// The shelf in the user's data folder; empty when there is none yet.
Result<std::vector<ShelfItem>> readShelf();
Result<void> writeShelf(const std::vector<ShelfItem> &items);
/// Adds the transfer to the shelf's items of these names.
Result<void> noteTransfer(const std::vector<ExperienceItem> &carried, const Transfer &transfer);

/// The lessons that may reach prompts at the end of a run, and after them those of its own that had
/// to make room for newer ones: of a run file, of all runs of an experiment's folder, or the
/// shelf's. Their names say where they are from ("silu:e2.0"). Nothing but the text and the figures
/// of the items is taken over.
Result<std::vector<ExperienceItem>> itemsOf(const std::filesystem::path &source);

/// Those that suit a task, most useful first: of its dialect only; the same operator before the
/// same bound before others; what to do before what to avoid, and the larger gain first. Of several
/// about the same rewrites the first is taken. Numbers of a tuner are taken for the same operator
/// only, after the rest. `most` 0 takes all.
std::vector<ExperienceItem> chooseItems(std::vector<ExperienceItem> items, const Task &task,
                                        const std::string &device, int most);

} // namespace accelopt::runner
