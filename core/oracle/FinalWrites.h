// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace accelopt::oracle {

/// Neighbouring elements of one returned tensor that one instruction wrote, in linear (C) order.
struct WrittenRun
{
    std::int64_t first = 0;      ///< linear index in the tensor
    std::int64_t length = 0;     ///< elements
    std::int64_t firstValue = 0; ///< position of the run's values in nki::StoredRegion::values
};

/// Calls `visit` for each run that the instruction writes into its first destination; elements that
/// the instruction's mask leaves out are not visited.
void forEachWrittenRun(const nki::Program &program, const nki::Instruction &instruction,
                       const std::function<void(const WrittenRun &)> &visit);

/// Which elements of the returned tensors keep what an instruction wrote: a later instruction may
/// overwrite them, and comparing a value that does not last with the reference would be wrong.
class FinalWrites
{
public:
    FinalWrites(const nki::Program &program, const nki::Dependences &dependences);

    /// The runs of the store whose values last, ascending within each run of the store.
    void visit(nki::InstructionId store,
               const std::function<void(const WrittenRun &)> &visit) const;
    /// False when everything that the store wrote is overwritten later.
    bool lasts(nki::InstructionId store) const;

private:
    void subtractLaterWrites(const std::vector<nki::InstructionId> &writers);

    const nki::Program &m_program;
    /// Only for stores of outputs in which some element is written more than once.
    std::unordered_map<nki::InstructionId, std::vector<WrittenRun>> m_lasting;
};

} // namespace accelopt::oracle
