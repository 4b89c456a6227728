// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Verdict.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace accelopt::nki {

/// Who made what each instruction reads, and what is wrong with the program as a whole.
class Dependences
{
public:
    /// Instructions whose results instruction `reader` reads (the destination too, where it is
    /// read: accumulation, loop_reduce after the first pass, masked or partial overwrites do not
    /// count as reads). Ascending, without repeats.
    std::span<const InstructionId> producers(InstructionId reader) const
    {
        return {m_producers.data() + m_start[std::size_t(reader)],
                m_producers.data() + m_start[std::size_t(reader) + 1]};
    }
    /// Instructions that write each returned tensor, ascending; by position among the outputs.
    const std::vector<std::vector<InstructionId>> &outputWriters() const { return m_outputWriters; }
    /// What is wrong, worst first, at most a handful: uninitialised reads, elements of an output
    /// that nothing writes, iterations of an affine loop that write the same element or read what
    /// another one wrote, a tile larger than SBUF or PSUM, an output never written, a write to an
    /// input.
    const std::vector<Reason> &problems() const { return m_problems; }

private:
    friend class DependenceBuilder;
    std::vector<std::int64_t> m_start;
    std::vector<InstructionId> m_producers;
    std::vector<std::vector<InstructionId>> m_outputWriters;
    std::vector<Reason> m_problems;
};

/// Works the dependences out on strided boxes, without values.
Dependences analyse(const Program &program);

} // namespace accelopt::nki
