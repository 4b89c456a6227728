// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/InputsRead.h"

namespace accelopt::oracle {

std::vector<bool> argumentsBehindOutputs(const nki::Program &program,
                                         const nki::Dependences &dependences, std::size_t arguments)
{
    std::vector<bool> reached(program.instructions.size(), false);
    for (const std::vector<nki::InstructionId> &writers : dependences.outputWriters())
        for (nki::InstructionId writer : writers)
            reached[std::size_t(writer)] = true;
    // Producers stand before their readers, so that one pass from the end visits the whole slice.
    std::vector<bool> behind(arguments, false);
    for (std::size_t i = program.instructions.size(); i-- > 0;) {
        if (!reached[i])
            continue;
        for (nki::InstructionId producer : dependences.producers(nki::InstructionId(i)))
            reached[std::size_t(producer)] = true;
        for (const nki::Operand &operand : program.inputsOf(program.instructions[i])) {
            const nki::Storage &storage = program.storage(operand);
            if (storage.role != nki::StorageRole::Input || storage.tensor < 0)
                continue;
            const std::int32_t parameter = program.tensors[std::size_t(storage.tensor)].parameter;
            if (parameter >= 0 && std::size_t(parameter) < arguments)
                behind[std::size_t(parameter)] = true;
        }
    }
    return behind;
}

} // namespace accelopt::oracle
