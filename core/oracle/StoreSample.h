// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/Dependences.h"
#include "core/nki/execute/Executor.h"
#include "core/nki/program/Program.h"
#include "core/oracle/FinalWrites.h"

#include <cstdint>
#include <vector>

namespace accelopt::oracle {

/// The output stores that a check computes, ascending in program order.
struct StoreSample
{
    std::vector<nki::InstructionId> stores;
    std::int64_t allStores = 0;
    double flops = 0; ///< the chosen stores' share of the budget
};

/// Chooses output stores within a budget of FLOPs: those of the slice behind the stores, and 100
/// for each stored element, which is what moving and comparing it is worth. Taken first, whatever
/// they cost: the first and the last store of each returned tensor. Then, while the budget lasts:
/// the first and last store of each different box shape and mask (edges have boxes of their own),
/// those of each source line, and all others, each group in an order drawn with `seed`, which no
/// kernel can know. Stores that are overwritten entirely are left out.
StoreSample chooseStores(const nki::Program &program, const nki::Dependences &dependences,
                         const FinalWrites &finalWrites, const nki::Executor &executor,
                         double budgetFlops, std::uint64_t seed);

/// Every output store whose values last.
StoreSample allStores(const nki::Dependences &dependences, const FinalWrites &finalWrites);

} // namespace accelopt::oracle
