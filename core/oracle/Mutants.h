// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Verdict.h"
#include "core/nki/syntax/SyntaxTree.h"

#include <string>
#include <vector>

namespace accelopt::oracle {

/// A kernel's text with one change.
struct KernelVariant
{
    std::string kind; ///< stable name of the change ("term_dropped")
    std::string what; ///< the change in a few words
    SourcePlace place;
    std::string source;
};

/// Wrong kernels: the text with one of the changes by which kernels are known to cheat, wherever it
/// fits. Knows no task: it goes by the calls, loops and constants of any kernel. Some may compute
/// the very same (a term that is zero anyway); whoever uses them has to tell those apart.
std::vector<KernelVariant> mutants(const nki::SyntaxTree &tree);

/// Right kernels: the text in other forms that compute the same within rounding. Other tile sizes,
/// other orders, terms summed in other groups, a logistic function by way of tanh, an online
/// softmax, and every rewrite of the search that applies, once each.
std::vector<KernelVariant> honestVariants(const nki::SyntaxTree &tree);

} // namespace accelopt::oracle
