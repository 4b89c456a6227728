// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/Program.h"

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

} // namespace accelopt::nki
