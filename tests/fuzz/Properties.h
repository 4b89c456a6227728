// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/machine/Machine.h"
#include "core/nki/syntax/SyntaxTree.h"

#include <cstdint>
#include <set>
#include <string>

namespace accelopt::tests {

/// What has to hold for every kernel, however odd: the evaluator ends within its limits with a
/// verdict that has a rule, words and a line, or with a program; tracing and checking twice give
/// the same; values computed on demand are those of a full evaluation; the machine gives finite
/// figures.
class Properties
{
public:
    Properties();

    /// What does not hold, as one line; empty when all does. `seed` decides which values are
    /// computed on demand.
    std::string broken(const nki::SyntaxTree &tree, std::uint64_t seed);

    /// What the last kernel did, as numbers that are the same for the same behaviour: rules,
    /// instructions and their neighbours. New ones mean that a kernel is worth keeping.
    const std::set<std::uint64_t> &behaviour() const { return m_behaviour; }

    std::int64_t traced() const { return m_traced; }
    std::int64_t executed() const { return m_executed; }

private:
    std::string brokenOnDemand(const nki::Program &program, const nki::Dependences &dependences,
                               std::uint64_t seed);
    void note(std::uint64_t kind, std::uint64_t first, std::uint64_t second = 0);

    Result<nki::Machine> m_machine;
    std::set<std::uint64_t> m_behaviour;
    std::int64_t m_traced = 0;
    std::int64_t m_executed = 0;
};

} // namespace accelopt::tests
