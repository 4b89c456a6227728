// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/Dependences.h"
#include "core/nki/check/UndefinedFlow.h"
#include "core/nki/check/WriterMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace accelopt::nki {

/// Walks a program once in order, keeping who wrote what, and collects what is wrong on the way.
class DependenceBuilder
{
public:
    explicit DependenceBuilder(const Program &program);
    Dependences build();

private:
    /// What is wrong, in the order of how bad it is.
    enum class Problem : std::uint8_t {
        OutOfBound,
        TooLarge,
        WritesInput,
        UninitialisedRead,
        OutputDependence,
        NeedsSequential,
        NotWritten,
    };
    struct Found
    {
        Problem problem;
        Reason reason;
    };

    void checkCapacity();
    void checkUndefined();
    void checkOutputs();
    void visit(InstructionId id);
    void read(InstructionId id, const Operand &operand, bool masked, bool ownDestination);
    void write(InstructionId id, const Operand &operand, bool masked);
    bool usable(const Instruction &instruction, const Operand &operand, bool masked);
    void noteRead(InstructionId id, const Operand &operand, WriterMap::Entry entry,
                  bool ownDestination);
    void noteOverwrite(InstructionId id, const Operand &operand, WriterMap::Entry entry);
    template <typename Visit> void forEachMasked(const Operand &operand, Visit &&visit);

    bool accumulatesInto(const Instruction &instruction, const Operand &input) const;
    bool accumulates(const Instruction &instruction) const;
    /// The two passes of one parallel loop in which these instructions are, where the tensor was
    /// made outside that loop; false when they are in the same pass or in different loops.
    bool inParallelPasses(std::int32_t a, std::int32_t b, std::int32_t tensorIteration);

    void report(Problem problem, std::int32_t place, std::string message, std::string hint);
    std::string tensorName(StorageId storage) const;
    const Tensor *tensorOf(StorageId storage) const;

    /// A read of undefined contents, for its message.
    struct Undefined
    {
        InstructionId reader = kNoInstruction;
        StorageId storage = -1;
        std::int32_t place = 0;
        std::int64_t missing = 0;
    };

    const Program &m_program;
    WriterMap m_writers;
    Dependences m_result;
    std::vector<Found> m_found;
    std::vector<std::pair<Problem, std::int32_t>> m_reported; ///< rule and place
    std::vector<UninitialisedRead> m_undefined;
    std::vector<Undefined> m_undefinedReasons;
    std::vector<std::uint8_t> m_given;    ///< per storage: reading it before a write is legal
    std::vector<InstructionId> m_sources; ///< of the instruction being visited, with repeats
    std::vector<std::int64_t> m_selected; ///< linear numbers of the elements its mask selects
    std::int64_t m_box = 0;               ///< elements of its mask's box
    std::int32_t m_pairA = -1;            ///< last question to inParallelPasses and its answer
    std::int32_t m_pairB = -1;
    std::int32_t m_pairTensor = -1;
    bool m_pairAnswer = false;
    std::int32_t m_passA = 0; ///< numbers of the two passes, for the message
    std::int32_t m_passB = 0;
};

} // namespace accelopt::nki
