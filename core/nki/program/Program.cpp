// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/Program.h"

#include "core/nki/program/MaskWalk.h"

namespace accelopt::nki {

std::string_view name(Memory memory)
{
    switch (memory) {
    case Memory::Hbm: return "hbm";
    case Memory::Sbuf: return "sbuf";
    case Memory::Psum: return "psum";
    }
    return "memory";
}

bool readsDestination(const Program &program, const Instruction &instruction)
{
    const Parameters &parameters = program.parametersOf(instruction);
    switch (instruction.opcode) {
    case Opcode::Matmul: return parameters.accumulate;
    case Opcode::LoopReduce: return !parameters.firstPass;
    case Opcode::Shuffle:
        for (int lane = 0; lane < 32; ++lane)
            if ((parameters.iota[lane / 8] >> (8 * (lane % 8)) & 0xff) == 255)
                return true;
        return false;
    default: return false;
    }
}

std::vector<std::int64_t> addressesOf(const AccessPattern &pattern, std::int64_t offset)
{
    std::vector<std::int64_t> addresses{offset};
    for (int axis = 0; axis < pattern.rank; ++axis) {
        std::vector<std::int64_t> next;
        next.reserve(addresses.size() * std::size_t(pattern.size[std::size_t(axis)]));
        for (const std::int64_t address : addresses)
            for (std::int64_t n = 0; n < pattern.size[std::size_t(axis)]; ++n)
                next.push_back(address + n * pattern.stride[std::size_t(axis)]);
        addresses = std::move(next);
    }
    return addresses;
}

} // namespace accelopt::nki
