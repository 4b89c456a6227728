// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/Program.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace accelopt::nki {

/// A read of elements that nothing had written.
struct UninitialisedRead
{
    InstructionId reader = kNoInstruction;
    StorageId storage = -1;
};

/// Follows undefined contents element by element. Kernels load a last, partial tile under a mask,
/// compute on the whole tile and store under the mask again: the rows nobody loaded are read, but
/// what becomes of them is thrown away. Only undefined contents that get into a returned tensor are
/// wrong.
class UndefinedFlow
{
public:
    UndefinedFlow(const Program &program, std::span<const UninitialisedRead> reads);

    /// The readers from which undefined contents get into an output, ascending. Nothing when there
    /// is too much to follow.
    std::optional<std::vector<InstructionId>> readersThatMatter();

private:
    /// 0: defined. kUnread: never written. Else 1 + the instruction that first read it undefined.
    using Flag = std::int32_t;
    static constexpr Flag kUnread = -1;
    using Flags = std::vector<Flag>;

    Flags *flagsOf(StorageId storage);
    Flags &makeFlags(StorageId storage, Flag initial);
    bool touches(const Instruction &instruction) const;
    void visit(InstructionId id);
    Flags read(InstructionId id, const Operand &operand);
    Flags resultOf(const Instruction &instruction, std::span<const Flags> inputs,
                   const Flags &previous) const;
    void write(const Instruction &instruction, const Operand &operand, const Flags &flags);

    const Program &m_program;
    std::vector<std::int32_t> m_index; ///< by storage: into m_flags, -1 where everything is defined
    std::vector<Flags> m_flags;
    std::vector<InstructionId> m_matter;
    std::int64_t m_work = 0; ///< elements looked at
};

} // namespace accelopt::nki
